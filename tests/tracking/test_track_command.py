"""`amble track`: files in, files out, one line where it cannot be done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import amble
from amble.cli.app import run
from amble.motion.bvh import write_bvh
from amble.motion.clip import Clip
from amble.tracking.generated import planned_clip
from amble.tracking.reference import Reference


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bvh") / "walk.bvh"
    write_bvh(planned_clip(amble.character("humanoid-tracking"), 1.2, 4.0), path)
    return path


def test_a_clip_becomes_a_reference(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AMBLE_CACHE", str(tmp_path / "cache"))
    clip, saved, report = (tmp_path / name for name in ("a.npz", "b.npz", "c.json"))
    words = ["track", str(file), "--cycle", "--speed", "0.9", "-o", str(clip), "--save", str(saved)]
    assert run([*words, "--report", str(report)]) == 0
    found = json.loads(report.read_text())
    assert found["reached_goal"] and not found["measures"]["fell"]
    assert found["measures"]["joint_deviation_deg"] < 5
    assert found["measures"]["stance_slip_mm"]["max"] < 0.1
    reference = Reference.load(saved)
    assert reference.periodic and reference.character == "humanoid-tracking"
    assert len(Clip.load(clip)) == 3 * len(reference)
    assert "consistent" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--match", "left_knee"], "PART=JOINT"),
        (["--match", "left_knee=Nothing"], "Nothing"),
        (["--up", "w"], "axis"),
        (["--character", "anymal"], "two"),
        (["--whole", "--speed", "2"], "steady cycle"),
        (["--cycle", "--turn", "170"], "60° a cycle"),
        (["--cycle", "--speed", "9"], "allowed"),
        (["--save", "x.bvh"], "x.bvh"),
        (["--skip", "100000"], "skip"),
        (["--seconds", "3"], "--simulate"),
        (["--simulate", "--world", "moon"], "mujoco"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_what_cannot_be_done_is_told_in_one_line(
    file: Path,
    words: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["track", str(file), *words]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("amble: ") and captured.err.count("\n") == 1
    assert told in captured.err
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "walk.fbx"
    other.write_text("text")
    assert run(["track", str(other)]) == 2
    assert "bvh" in capsys.readouterr().err
    assert run(["track", str(tmp_path / "none.bvh")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_a_clip_is_followed_in_physics_and_its_controller_kept(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AMBLE_CACHE", str(tmp_path / "cache"))
    saved, clip, report = (tmp_path / name for name in ("a.npz", "b.npz", "c.json"))
    assert run(["track", str(file), "--cycle", "--simulate", "--save", str(saved)]) == 0
    words = ["track", str(saved), "--simulate", "--seconds", "2", "--set", "gamma=0.01"]
    words += ["--push", "1:thorax:30:90:0.1"]
    assert run([*words, "-o", str(clip), "--report", str(report)]) == 0
    found = json.loads(report.read_text())
    assert found["reached_goal"] and found["seconds"] == pytest.approx(2.0, abs=0.02)
    assert "joint_deviation_deg" not in found["measures"]  # nothing to compare with
    assert found["measures"]["tracking_cost"] < 1
    (push,) = Clip.load(clip).events_of("push")
    assert push.what == "thorax"
    assert "followed for 2.0 s" in capsys.readouterr().out
    assert run(["track", str(saved), "--speed", "1.2"]) == 2
    assert "saved controller" in capsys.readouterr().err
