"""The contract of the command line: exit codes, one line a mistake, files whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from amble.cli import app, output
from amble.cli.app import run
from amble.cli.text import read_character, read_push
from amble.motion.clip import Clip
from amble.motion.gl import RenderUnavailable
from amble.scenarios import scenario

SHORT = ["--seconds", "0.2"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def balance(*options: str) -> list[str]:
    return ["make", "balance", *options]


BAD = {
    "unknown command": ["mkae"],
    "empty command": [""],
    "unknown option": balance("--bogus"),
    "no scenario": ["make"],
    "unknown scenario": ["make", "balanse"],
    "empty scenario": ["make", ""],
    "unknown character": balance("--character", "humanoit"),
    "empty character": balance("--character", ""),
    "unknown world": balance("--world", "bullet"),
    "empty world": balance("--world", ""),
    "unknown terrain": balance("--terrain", "swamp"),
    "empty terrain": balance("--terrain", ""),
    "terrain that is not a number": balance("--terrain", "slope:degrees=nan"),
    "terrain too steep": balance("--terrain", "slope:degrees=89"),
    "terrain moved by words": balance("--terrain", "flat@x=far"),
    "unknown key": balance("--set", "gian=3"),
    "key without value": balance("--set", "gain"),
    "empty value": balance("--set", "com_stiffness="),
    "empty setting": balance("--set", ""),
    "NaN gain": balance("--set", "com_stiffness=nan"),
    "infinite gain": balance("--set", "com_stiffness=inf"),
    "negative gain": balance("--set", "com_stiffness=-1"),
    "gain in words": balance("--set", "com_stiffness=much"),
    "unknown choice": balance("--set", "combination=magic"),
    "out of range": ["make", "balance-push", "--set", "force=-1"],
    "not a number": ["make", "balance-push", "--set", "force=nan"],
    "negative mass": balance("--character", "humanoid:mass=-1"),
    "no height": balance("--character", "humanoid:height=0"),
    "absurd height": balance("--character", "humanoid:height=1e-9"),
    "absurd mass": balance("--character", "ostrich:mass=1e30"),
    "no number for mass": balance("--character", "humanoid:mass=nan"),
    "empty mass": balance("--character", "humanoid:mass="),
    "size without a name": balance("--character", "humanoid:"),
    "unknown size": balance("--character", "humanoid:weight=5"),
    "size of a model file": balance("--character", "chair.xml:mass=4"),
    "unknown part to scale": balance("--character", "humanoid:left_tigh.length=2"),
    "unknown size of a part": balance("--character", "humanoid:left_thigh.width=2"),
    "part of no length": balance("--character", "humanoid:left_thigh.length=0"),
    "part of infinite mass": balance("--character", "humanoid:left_thigh.mass=inf"),
    "missing model": balance("--character", "missing.xml"),
    "broken model": balance("--character", "broken.xml"),
    "empty model": balance("--character", "empty.xml"),
    "model that is not text": balance("--character", "binary.urdf"),
    "model without legs": balance("--character", "chair.xml"),
    "negative mass in a model": balance("--character", "negative.xml"),
    "folder as character": balance("--character", "folder"),
    "model of a foreign kind": balance("--character", "model.fbx"),
    "described model missing": ["characters", "describe", "missing.urdf"],
    "described model broken": ["characters", "describe", "broken.xml"],
    "described nothing": ["characters", "describe", ""],
    "file ending": balance("-o", "clip.avi"),
    "no file ending": balance("-o", "clip"),
    "empty file name": balance("-o", ""),
    "endless file name": balance("-o", "x" * 300 + ".npz"),
    "report ending": balance("--report", "report.txt"),
    "empty report": balance("--report", ""),
    "report in a missing folder": balance("--report", "nowhere/report.json"),
    "report where nothing can be": balance("--report", "/proc/report.json"),
    "plot ending": balance("--plot", "forces.jpg"),
    "empty plot": balance("--plot", ""),
    "plot in a missing folder": balance("--plot", "nowhere/forces.png"),
    "plot where nothing can be": balance("--plot", "/proc/forces.png"),
    "folder as plot": balance("--plot", "folder.png"),
    "plot over the sheet": balance("-o", "clip.png", "--plot", "clip.png"),
    "missing folder": balance("-o", "nowhere/clip.npz"),
    "file where nothing can be": balance("-o", "/proc/clip.npz"),
    "folder as file": balance("-o", "folder.npz"),
    "the same file twice": balance("-o", "clip.npz", "-o", "clip.npz"),
    "the same file by another way": balance("-o", "clip.npz", "-o", "folder/../clip.npz"),
    "push with too little": balance("--push", "1:thorax:100"),
    "push without a number": balance("--push", "1:thorax:hard:0:0.1"),
    "push not finite": balance("--push", "1:thorax:inf:0:0.1"),
    "push backwards": balance("--push", "1:thorax:-100:0:0.1"),
    "push on nothing": balance("--push", "1:torso_part:100:0:0.1"),
    "push on nobody": balance("--push", "1::100:0:0.1"),
    "push after the end": balance("--push", "99:thorax:100:0:0.1"),
    "push before the start": balance("--push", "-1:thorax:100:0:0.1"),
    "push for no time": balance("--push", "1:thorax:100:0:0"),
    "empty push": balance("--push", ""),
    "change without time": balance("--at", "com_height=0.1"),
    "change of nothing": balance("--at", "1:deepness=0.1"),
    "change without value": balance("--at", "1:com_height="),
    "change at no time": balance("--at", "nan:com_height=0.1"),
    "change to no number": balance("--at", "1:com_height=nan"),
    "change before the start": ["make", "balance-squat", "--at", "-1:depth=0.1"],
    "change after the end": balance("--at", "99:com_height=0.1"),
    "growth of nothing": balance("--at", "1:left_tigh.length=2"),
    "growth in no direction": balance("--at", "1:left_thigh.width=2"),
    "growth to nothing": balance("--at", "1:left_thigh.length=0"),
    "empty change": balance("--at", ""),
    "no time": balance("--seconds", "0"),
    "less than a frame": balance("--seconds", "0.001"),
    "backwards": balance("--seconds", "-1"),
    "endless": balance("--seconds", "nan"),
    "nearly endless": balance("--seconds", "1e9"),
    "a rate that no steps make": balance("--set", "control_rate=333"),
    "seconds in words": balance("--seconds", "ten"),
    "negative seed": balance("--seed", "-1"),
    "half a seed": balance("--seed", "1.5"),
    "negative noise": balance("--noise", "-0.1"),
    "noise that is not a number": balance("--noise", "nan"),
    "scenario to list": ["list", "balanse"],
    "nothing to list": ["list", ""],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write_wrong_models(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert run([*arguments, *_outputs(arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("amble: ") and err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def _write_wrong_models(folder: Path) -> None:
    scene = "<mujoco><worldbody><body><freejoint/><geom size='1'{}/></body></worldbody></mujoco>"
    (folder / "broken.xml").write_text("<mujoco><worldbody><body></mujoco>")
    (folder / "empty.xml").write_text("")
    (folder / "binary.urdf").write_bytes(bytes(range(256)))
    (folder / "chair.xml").write_text(scene.format(""))
    (folder / "negative.xml").write_text(scene.format(" mass='-1'"))
    (folder / "folder").mkdir()
    (folder / "folder.npz").mkdir()
    (folder / "folder.png").mkdir()


def _outputs(arguments: list[str]) -> list[str]:
    """A clip and a report, of which nothing must be there afterwards."""
    if arguments[0] != "make":
        return []
    clip = [] if "-o" in arguments else ["-o", "clip.npz"]
    return clip if "--report" in arguments else [*clip, "--report", "report.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["make", "balanse"], "did you mean balance"),
        (balance("--character", "humanoit"), "did you mean humanoid"),
        (balance("--character", "folder"), "'folder': is a folder; give a name of the library or"),
        (balance("--character", "model.fbx"), "has the ending '.fbx'"),
        (balance("--set", "com_stifness=3"), "did you mean com_stiffness"),
        (balance("--set", "com_stiffness=nan"), "give a number from 0 to 10000 [1/s²]"),
        (balance("--push", "1:torax:9:0:1"), "did you mean thorax"),
        (balance("--at", "1:"), "--at '1:': give T:KEY=VALUE"),
        (balance("--at", "1:left_thigh.length=0"), "--at '1:left_thigh.length=0': length = 0"),
        (balance("--terrain", "slop"), "did you mean slope"),
        (balance("--world", "mujoko"), "did you mean mujoco"),
        (balance("-o", "x.avi"), "allowed: .bvh, "),
        (balance("--plot", "x.jpg"), "did you mean .png or .svg or .pdf"),
        (balance("--character", "humanoid:mass=-1"), "must be positive, from 0.01 to 1e+06 kg"),
        (balance("--character", "humanoid:left_thigh.width=2"), "did you mean girth"),
        (balance("--seconds", "0"), "give a number from 0.01 to 3600"),
    ],
)
def test_what_is_said(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    assert run(arguments) == 2
    assert said in capsys.readouterr().err


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
    assert list(report["measures"])[:12] == [
        *("fell", "distance_m", "mean_speed_m_s", "heading_error_deg", "stance_slip_mm"),
        *("penetration_mm", "friction_excess", "momentum_residual", "joint_limit_excess_deg"),
        *("max_lean_deg", "com_drift_mm", "energy_J"),
    ]
    assert {"plans", "plan_failures"} <= set(report["measures"])
    assert set(report["measures"]["stance_slip_mm"]) == {"mean", "max"}
    assert set(report["measures"]["penetration_mm"]) == {"mean", "max"}
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


@pytest.mark.slow
def test_another_process_gives_the_same_bytes(tmp_path: Path) -> None:
    options = ["--noise", "0.02", "--seed", "3", "--at", "0.1:left_forearm.length=1.1"]
    for name, hashes in (("a.npz", "1"), ("b.npz", "2")):
        command = [sys.executable, "-m", "amble", *balance(*SHORT, *options), "-o", name]
        environment = os.environ | {"PYTHONHASHSEED": hashes}
        subprocess.run(command, check=True, cwd=tmp_path, env=environment, capture_output=True)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_fall_is_exit_code_1_and_clip_and_report_are_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wishes = balance("--seconds", "3", "--push", "0.1:thorax:1500:0:0.2")
    assert run([*wishes, "-o", "fall.npz", "--report", "fall.json"]) == 1
    clip = Clip.load("fall.npz")
    assert clip.events_of("fall") and clip.seconds < 3
    report = json.loads(Path("fall.json").read_text())
    assert report["measures"]["fell"] is True and report["reached_goal"] is False
    assert report["reason"].startswith("fell at") and report["seconds"] == clip.seconds
    assert "fell at" in capsys.readouterr().out


@pytest.mark.parametrize("files", [["-o", "clip.npz", "--report", "report.json"], []])
def test_a_simulation_that_diverges_says_where_its_last_second_is(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(balance("--seconds", "1", "--push", "0.05:thorax:1e12:0:0.1", *files)) == 1
    err = capsys.readouterr().err
    evidence = "clip-diverged.npz" if files else "amble-diverged.npz"
    assert err.startswith("amble: simulation diverged at 0.05") and err.count("\n") == 1
    assert err.endswith(f"its last second is in {evidence}\n")
    with np.load(evidence) as states:
        assert states["time"][0] == 0 and len(states["qpos"]) == len(states["torque"]) > 3
    if files:
        assert Clip.load("clip.npz").seconds == pytest.approx(0.05)
        report = json.loads(Path("report.json").read_text())
        assert report["reached_goal"] is False and "diverged" in report["reason"]


def test_clips_go_to_as_many_files_as_wished(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(balance(*SHORT, "-o", "a.npz", "-o", "b.npz")) == 0
    assert Path("a.npz").read_bytes() == Path("b.npz").read_bytes()
    assert "wrote a.npz" in capsys.readouterr().out


def test_clips_for_comparison_have_files_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    wishes = ["make", "balance-weighted", *SHORT, "-o", "a.npz"]
    assert run([*wishes, "-o", "a-weighted.npz"]) == 2
    assert "would be written twice" in capsys.readouterr().err and not list(Path().iterdir())
    assert run(wishes) == 0
    assert sorted(path.name for path in Path().iterdir()) == ["a-weighted.npz", "a.npz"]


def test_the_progress_bar_says_what_the_scenario_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = []

    @contextmanager
    def bar(label: str, total: float) -> Iterator[Callable[[float], None]]:
        labels.append(label)
        yield lambda done: None

    monkeypatch.setattr(app, "progress_bar", bar)
    assert run(balance(*SHORT)) == 0
    planned = replace(scenario("balance"), verb="planning")
    monkeypatch.setattr(app, "scenario", lambda name: planned)
    assert run(balance(*SHORT)) == 0
    assert labels == ["simulating balance", "planning balance"]
    assert capsys.readouterr().out.count("0.2 s made, ") == 2


def test_forces_are_plotted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(balance(*SHORT, "--plot", "forces.svg")) == 0
    assert "wrote forces.svg" in capsys.readouterr().out
    assert Path("forces.svg").read_text().startswith("<?xml")
    assert run(["make", "balance-weighted", *SHORT, "--plot", "w.pdf"]) == 0
    assert {path.name for path in Path().iterdir()} == {"forces.svg", "w.pdf"}  # both in one


def test_a_command_at_a_time_is_in_the_clip() -> None:
    assert run(balance(*SHORT, "--at", "0.1:com_height=-0.01", "-o", "a.npz")) == 0
    (event,) = Clip.load("a.npz").events_of("command")
    assert (event.time, event.what, event.values) == (0.1, "com_height", {"value": -0.01})


def test_a_part_can_be_scaled_before_and_during_a_simulation() -> None:
    wishes = balance("--seconds", "1.3", "--character", "humanoid:left_forearm.length=1.5")
    assert run([*wishes, "--at", "0.1:right_forearm.length=1.5", "-o", "a.npz"]) == 0
    clip = Clip.load("a.npz")
    masses = [
        [frame.model.body(f"{side}_forearm").mass[0] for side in ("left", "right")]
        for frame in clip.frames()
    ]
    assert masses[0][0] == pytest.approx(1.5 * masses[0][1], rel=1e-6)
    assert masses[-1][0] == pytest.approx(masses[-1][1], rel=1e-6)


def test_without_opengl_nothing_is_simulated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(width: int, height: int) -> None:
        raise RenderUnavailable("install libosmesa6")

    monkeypatch.setattr(output, "create_context", missing)
    assert run(balance("-o", "clip.npz", "-o", "clip.png")) == 2
    assert "libosmesa6" in capsys.readouterr().err and not list(Path().iterdir())


def test_list_and_characters_speak_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    names = [each["name"] for each in listed["scenarios"]]
    assert {"balance", "balance-squat", "balance-push"} <= set(names)
    assert run(["characters", "--json"]) == 0
    bodies = {body["name"]: body for body in json.loads(capsys.readouterr().out)}
    assert set(bodies) == set(listed["characters"])
    assert bodies["humanoid"]["dof"] == 35


@pytest.mark.parametrize(
    "words", [[], ["list"], ["make"], ["characters"], ["characters", "describe"], ["bench"]]
)
def test_help_everywhere(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words, "--help"]) == 0
    assert "amble" in capsys.readouterr().out.split("Usage", 1)[1], "an example"


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
def test_terminals_without_unicode_are_served(tmp_path: Path) -> None:
    for words in (balance("--seconds", "0.05"), ["list", "balance-squat"], ["make", "--help"]):
        command = [sys.executable, "-m", "amble", *words]
        environment = os.environ | {"PYTHONIOENCODING": "ascii"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
        assert done.returncode == 0 and done.stdout and not done.stderr


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
