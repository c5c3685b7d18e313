"""The contract of the command line: exit codes, one line a mistake, files whole or not at all."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from amble.cli.app import run
from amble.cli.text import read_character, read_push
from amble.motion.clip import Clip

SHORT = ["--seconds", "0.2"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


BAD = {
    "unknown command": ["mkae"],
    "unknown option": ["make", "balance", "--bogus"],
    "no scenario": ["make"],
    "unknown scenario": ["make", "balanse"],
    "unknown character": ["make", "balance", "--character", "humanoit"],
    "unknown world": ["make", "balance", "--world", "bullet"],
    "unknown terrain": ["make", "balance", "--terrain", "swamp"],
    "terrain that is not a number": ["make", "balance", "--terrain", "slope:degrees=nan"],
    "unknown key": ["make", "balance", "--set", "gian=3"],
    "key without value": ["make", "balance", "--set", "gain"],
    "out of range": ["make", "balance-push", "--set", "force=-1"],
    "not a number": ["make", "balance-push", "--set", "force=nan"],
    "negative mass": ["make", "balance", "--character", "humanoid:mass=-5"],
    "no number for mass": ["make", "balance", "--character", "humanoid:mass=nan"],
    "unknown size": ["make", "balance", "--character", "humanoid:weight=5"],
    "missing model": ["make", "balance", "--character", "missing.xml"],
    "broken model": ["make", "balance", "--character", "broken.xml"],
    "model without legs": ["make", "balance", "--character", "chair.xml"],
    "described model missing": ["characters", "describe", "missing.urdf"],
    "file ending": ["make", "balance", "-o", "clip.avi"],
    "no file ending": ["make", "balance", "-o", "clip"],
    "report ending": ["make", "balance", "--report", "report.txt"],
    "missing folder": ["make", "balance", "-o", "nowhere/clip.npz"],
    "the same file twice": ["make", "balance", "-o", "clip.npz", "-o", "clip.npz"],
    "push with too little": ["make", "balance", "--push", "1:thorax:100"],
    "push without a number": ["make", "balance", "--push", "1:thorax:hard:0:0.1"],
    "push not finite": ["make", "balance", "--push", "1:thorax:inf:0:0.1"],
    "push on nothing": ["make", "balance", "--push", "1:torso_part:100:0:0.1"],
    "push after the end": ["make", "balance", "--push", "99:thorax:100:0:0.1"],
    "push for no time": ["make", "balance", "--push", "1:thorax:100:0:0"],
    "change without time": ["make", "balance", "--at", "depth=0.1"],
    "change of nothing": ["make", "balance", "--at", "1:deepness=0.1"],
    "change before the start": ["make", "balance-squat", "--at", "-1:depth=0.1"],
    "no time": ["make", "balance", "--seconds", "0"],
    "endless": ["make", "balance", "--seconds", "nan"],
    "nearly endless": ["make", "balance", "--seconds", "1e9"],
    "a rate that no steps make": ["make", "balance", "--set", "control_rate=333"],
    "seconds in words": ["make", "balance", "--seconds", "ten"],
    "negative seed": ["make", "balance", "--seed", "-1"],
    "negative noise": ["make", "balance", "--noise", "-0.1"],
    "scenario to list": ["list", "balanse"],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody><body></mujoco>")
    (tmp_path / "chair.xml").write_text(
        "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    )
    before = sorted(tmp_path.iterdir())
    arguments = arguments if "-o" in arguments else [*arguments, *_output(arguments)]
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("amble: ") and err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def _output(arguments: list[str]) -> list[str]:
    return ["-o", "clip.npz"] if arguments[0] == "make" else []


def test_every_error_of_a_setting_names_what_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    run(["make", "balance-push", "--set", "force=-1"])
    assert "force = '-1' is not allowed; give a number from 0" in capsys.readouterr().err


def test_make_writes_a_clip_and_the_report_of_the_contract(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run(["make", "balance", *SHORT, "-o", "clip.npz", "--report", "report.json"])
    assert code == 0
    assert "wrote clip.npz" in capsys.readouterr().out
    assert abs(Clip.load("clip.npz").seconds - 0.2) < 0.011
    report = json.loads(Path("report.json").read_text())
    assert list(report) == [
        *("scenario", "character", "seed", "seconds", "compute_seconds", "compute_per_second"),
        *("reached_goal", "reason", "measures"),
    ]
    assert report["reached_goal"] is True and report["measures"]["fell"] is False


def test_the_same_command_gives_the_same_bytes() -> None:
    for name in ("a.npz", "b.npz"):
        run(["make", "balance", *SHORT, "--noise", "0.02", "--seed", "3", "-o", name])
    run(["make", "balance", *SHORT, "--noise", "0.02", "--seed", "4", "-o", "c.npz"])
    assert Path("a.npz").read_bytes() == Path("b.npz").read_bytes()
    assert Path("a.npz").read_bytes() != Path("c.npz").read_bytes()


def test_a_fall_is_exit_code_1_and_the_clip_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    push = "0.1:thorax:3000:0:0.2"
    assert run(["make", "balance", "--seconds", "3", "--push", push, "-o", "fall.npz"]) == 1
    clip = Clip.load("fall.npz")
    assert clip.events_of("fall") and clip.seconds < 3
    assert "fell at" in capsys.readouterr().out


def test_list_and_characters_speak_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    names = [each["name"] for each in listed["scenarios"]]
    assert {"balance", "balance-squat", "balance-push"} <= set(names)
    assert run(["characters", "--json"]) == 0
    bodies = {body["name"]: body for body in json.loads(capsys.readouterr().out)}
    assert set(bodies) == set(listed["characters"])
    assert bodies["humanoid"]["dof"] == 35


@pytest.mark.parametrize("words", [[], ["list"], ["make"], ["characters"], ["bench"]])
def test_help_everywhere(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words, "--help"]) == 0
    assert "amble" in capsys.readouterr().out


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "Usage" in capsys.readouterr().out


def test_list_without_json_shows_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list"]) == 0 and run(["list", "balance-squat"]) == 0
    assert "depth" in capsys.readouterr().out


def test_push_directions() -> None:
    forward, left = read_push("1:thorax:200:0:0.1"), read_push("1:thorax:200:90:0.1")
    assert forward.force_w == pytest.approx((200, 0, 0))
    assert left.force_w == pytest.approx((0, 200, 0))
    assert (left.start, left.seconds, left.part) == (1.0, 0.1, "thorax")


def test_a_character_of_a_given_size() -> None:
    body = read_character("humanoid:height=1.6,mass=60")
    assert body.mass == pytest.approx(60, rel=1e-6)


@pytest.mark.slow
def test_interrupt_is_one_line_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "amble", "make", "balance", "--seconds", "600", "-o", "x.npz"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == "amble: interrupted\n"
    assert not list(tmp_path.iterdir())
