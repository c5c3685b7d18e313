"""`amble bench`: runs the scripts in the repository's `benchmarks/` and prints their results."""

from __future__ import annotations

import json
import os
import platform
import runpy
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import amble
from amble.cli.progress import progress_bar
from amble.errors import InputError

REPOSITORY = Path(__file__).parents[3]


def print_benchmarks(as_json: bool) -> None:
    """Run every `benchmarks/bench_*.py` and print what its `run() -> dict` returns."""
    scripts = sorted((REPOSITORY / "benchmarks").glob("bench_*.py"))
    if not scripts:
        raise InputError(
            "bench: the benchmarks are not part of an installed package; "
            "run it from a clone of the repository, installed with `make install`"
        )
    results: dict[str, dict[str, Any]] = {"machine": machine()}
    with progress_bar("benchmarks", len(scripts)) as update:
        for done, script in enumerate(scripts):
            try:
                run = runpy.run_path(str(script))["run"]
                results[script.stem.removeprefix("bench_")] = run()
            except ModuleNotFoundError as error:
                raise InputError(
                    f"bench: {script.name} needs '{error.name}', which is not installed; "
                    "install the tools of the extra `dev` with `make install`"
                ) from None
            update(done + 1)
    if as_json:
        print(json.dumps(results, indent=2, ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("benchmark", "quantity", "value"):
        table.add_column(heading, overflow="fold")
    for name, values in results.items():
        for quantity, value in values.items():
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            table.add_row(name, quantity, shown)
    Console().print(table)


def machine() -> dict[str, Any]:
    """What the times depend on: processor, versions, and the commit."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "mujoco": version("mujoco"),
        "numpy": version("numpy"),
        "amble": amble.__version__,
        **_commit(),
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or "unknown"


def _commit() -> dict[str, str]:
    """The commit, and whether files differ from it; unknown outside git."""
    described = _git("describe", "--always", "--tags", "--abbrev=12")
    if described is None:
        return {"commit": "unknown", "changed files": "unknown"}
    changed = _git("status", "--porcelain")
    if changed is None:
        return {"commit": described, "changed files": "unknown"}
    return {"commit": described, "changed files": str(len(changed.splitlines()))}


def _git(*arguments: str) -> str | None:
    """What a git command prints about the repository, None where it cannot."""
    command = ("git", "--no-optional-locks", "-C", str(REPOSITORY), *arguments)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
