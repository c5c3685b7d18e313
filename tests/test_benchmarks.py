"""Every benchmark runs, on a small problem; how fast it is, no test says."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import pytest

from amble.cli import bench
from amble.cli.app import run

SCRIPTS = sorted((bench.REPOSITORY / "benchmarks").glob("bench_*.py"))


def load(script: Path) -> Any:
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_runs_and_reports_finite_numbers(script: Path) -> None:
    report = load(script).run(seconds=0.06)
    assert report
    json.dumps(report)
    assert all(math.isfinite(value) for value in report.values() if isinstance(value, float))


def test_the_solver_benchmark_compares_equal_answers() -> None:
    report = load(bench.REPOSITORY / "benchmarks" / "bench_solver.py").run(seconds=0.06)
    assert report["problems"] >= 25
    assert report["compiled: failures"] == 0
    assert report["compiled: greatest residual excess over PIQP, relative"] <= 1e-6


def test_the_breakdown_accounts_for_the_whole_run_and_leaves_no_trace() -> None:
    module = load(bench.REPOSITORY / "benchmarks" / "bench_control.py")
    before = [getattr(owner, name) for owner, name, _ in module.TIMED]
    report = module.run(seconds=0.06, repeats=1)
    shares = [value for key, value in report.items() if key.endswith("share")]
    assert sum(shares) == pytest.approx(1.0)
    assert min(shares) >= 0
    assert [getattr(owner, name) for owner, name, _ in module.TIMED] == before


def test_the_machine_and_the_commit_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = bench.machine()
    assert {"processor", "cores", "python", "mujoco", "commit", "changed files"} <= set(found)
    monkeypatch.setattr(bench, "REPOSITORY", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert bench.machine()["commit"] == "unknown"


def test_outside_the_repository_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "REPOSITORY", tmp_path)
    assert run(["bench"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert len(err.splitlines()) == 1 and "clone of the repository" in err


def test_a_missing_tool_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "bench_x.py").write_text("import no_such_tool")
    monkeypatch.setattr(bench, "REPOSITORY", tmp_path)
    assert run(["bench", "--json"]) == 2
    assert "bench_x.py needs 'no_such_tool'" in capsys.readouterr().err
