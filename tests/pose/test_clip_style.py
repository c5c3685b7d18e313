"""Clips as styles, and styles that change on the move."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import amble
from amble.characters.centroidal import centroidal_body
from amble.cli.app import run
from amble.errors import InputError, UnknownName
from amble.motion.clip import Clip
from amble.motion.differences import rates
from amble.motion.trace import joint_angles
from amble.planner.planner import Planner
from amble.pose.clip_style import style_from_clip
from amble.pose.cycle import cycle_of
from amble.pose.feet import Feet
from amble.pose.poser import Poser
from amble.pose.style import Moment
from amble.scenarios import scenario
from amble.scenarios.scenario import Change
from amble.sketch.command import Command
from amble.terrain import Flat

HUMANOID = amble.character("humanoid")
ARMS = ("left_shoulder_y", "right_shoulder_y", "left_elbow", "right_elbow")


def walk(character: str = "humanoid", **settings: object) -> Clip:
    chosen = scenario("humanoid-walk")
    request = chosen.request(character, seconds=6.0, settings=settings)
    outcome = chosen.make(request)
    assert outcome.reached_goal
    return outcome.clip


@pytest.fixture(scope="module")
def marching() -> Clip:
    return walk(style="march")


@pytest.fixture
def file(marching: Clip, tmp_path: Path) -> Path:
    marching.save(tmp_path / "march.npz")
    return tmp_path / "march.npz"


def test_a_clip_as_style_gives_its_motion_back(marching: Clip, file: Path) -> None:
    again = walk(style=str(file))
    theirs, ours = (joint_angles(HUMANOID.model, clip.qpos)[150:] for clip in (marching, again))
    for name in ARMS:
        k = HUMANOID.dof_names.index(name)
        assert np.corrcoef(theirs[:, k], ours[:, k])[0, 1] > 0.95, name
        assert np.ptp(ours[:, k]) == pytest.approx(np.ptp(theirs[:, k]), rel=0.15), name


def test_the_cycle_holds_the_poses_of_the_clip(marching: Clip) -> None:
    cycle = cycle_of(marching, HUMANOID, centroidal_body(HUMANOID))
    angles = np.array([cycle.angles(phase + cycle.offsets) for phase in np.linspace(0, 1, 61)])
    np.testing.assert_allclose(angles[0], angles[-1], atol=1e-9)
    swing = angles[:, HUMANOID.dof_names.index("left_shoulder_y")]
    real = joint_angles(HUMANOID.model, marching.qpos)[150:]
    real = real[:, HUMANOID.dof_names.index("left_shoulder_y")]
    assert np.ptp(swing) == pytest.approx(np.ptp(real), rel=0.08)
    # The other way, the stride runs backwards.
    back = [cycle.angles(phase + cycle.offsets, way=-1.0) for phase in np.linspace(0, 1, 61)]
    trunk = cycle.leg == len(cycle.offsets)
    np.testing.assert_allclose(np.array(back)[:, trunk], angles[::-1][:, trunk], atol=1e-9)


def test_longer_strides_exaggerate_the_motion_and_shorter_ones_lessen_it(
    marching: Clip,
) -> None:
    cycle = cycle_of(marching, HUMANOID, centroidal_body(HUMANOID))
    phases = [phase + cycle.offsets for phase in np.linspace(0, 1, 31)]
    usual, more = (np.array([cycle.angles(p, gain) for p in phases]) for gain in (1.0, 1.3))
    mean = cycle.coefficients[:, 0]
    np.testing.assert_allclose(more - mean, 1.3 * (usual - mean), atol=1e-9)


def test_a_body_that_stands_is_at_rest(file: Path) -> None:
    body = centroidal_body(HUMANOID)
    style = style_from_clip(str(file), HUMANOID, body)
    planner = Planner(HUMANOID, command=Command(speed=0.0, style=str(file)))
    frame = planner.frame(0.0)
    hips_w = np.array([frame.state.com_w + leg.hip_b for leg in body.legs])
    feet = Feet(body, Flat()).at(0.0, frame.state, frame.contacts, hips_w)
    posture = style.posture(Moment(0.0, 0.0, frame.state, frame.contacts, feet))
    np.testing.assert_allclose(posture.angles, 0.0, atol=1e-3)
    np.testing.assert_allclose(posture.root_R_b, np.eye(3), atol=1e-3)


@pytest.mark.parametrize("name", ["cassie", "anymal"])
def test_any_body_takes_its_own_clips(name: str, tmp_path: Path) -> None:
    walk(name).save(tmp_path / "own.npz")
    walk(name, style=str(tmp_path / "own.npz"))


def test_a_change_of_style_is_smooth(file: Path) -> None:
    planner = Planner(HUMANOID, command=Command(speed=1.2))
    frames = list(planner.frames(3.0, 60.0))
    for style in ("sad", str(file), "natural"):
        planner.command(style=style)
        frames += planner.frames(0.3 if style == "sad" else 1.5, 60.0)
    time, qpos = np.array([f.time for f in frames]), np.array([f.qpos for f in frames])
    acceleration = np.abs(rates(HUMANOID.model, time, qpos).acceleration)
    arms = [6 + HUMANOID.dof_names.index(name) for name in ARMS]
    before, after = acceleration[60:180, arms].max(), acceleration[181:, arms].max()
    assert after < 2.5 * before
    angles = joint_angles(HUMANOID.model, qpos)
    assert np.abs(np.diff(angles[180:], axis=0)).max() < 0.25, "no jump"


def test_a_change_of_style_takes_effect_and_can_be_undone_by_a_mark() -> None:
    body = centroidal_body(HUMANOID)
    planner = Planner(HUMANOID, command=Command(speed=0.0))
    frame = planner.frame(0.0)
    poser = Poser(HUMANOID, body, Flat())
    times = np.arange(0.0, 1.0, 1 / 30)
    for t in times[:10]:
        plain = poser.frame(t, frame.state, frame.contacts)
    mark = poser.mark()
    poser.set_style("wide_arms")
    poser.frame(times[10], frame.state, frame.contacts)
    poser.restore(mark)
    undone = poser.frame(times[10], frame.state, frame.contacts)
    np.testing.assert_allclose(undone, plain, atol=2e-3)
    poser.set_style("wide_arms")
    for t in times[11:]:
        wide = poser.frame(t, frame.state, frame.contacts)
    other = Poser(HUMANOID, body, Flat(), "wide_arms")
    for t in times:
        alike = other.frame(t, frame.state, frame.contacts)
    assert np.abs(wide - plain).max() > 0.3
    np.testing.assert_allclose(wide, alike, atol=0.02)


def test_an_unknown_style_is_refused_before_anything_changes() -> None:
    planner = Planner(HUMANOID, command=Command(speed=1.0))
    planner.frame(0.0)
    events = list(planner.events)
    with pytest.raises(UnknownName, match="sad"):
        planner.command(speed=2.0, style="saad")
    assert planner.events == events
    assert planner._command == Command(speed=1.0)


@pytest.mark.parametrize("wish", [("--set", "style=foo"), ("--at", "1:style=foo")])
def test_the_command_line_refuses_an_unknown_style(
    wish: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.npz"
    assert run(["make", "humanoid-walk", *wish, "-o", str(file)]) == 2
    assert "unknown style 'foo'" in capsys.readouterr().err
    assert not file.exists()


def test_clips_that_cannot_be_a_style_are_refused(marching: Clip, tmp_path: Path) -> None:
    def refused(path: Path, text: str, character: str = "humanoid") -> None:
        with pytest.raises(InputError, match=text) as error:
            Planner(amble.character(character), command=Command(style=str(path)))
        assert path.name in str(error.value) and "\n" not in str(error.value)

    refused(tmp_path / "none.npz", "no such file")
    (tmp_path / "text.npz").write_text("walk")
    refused(tmp_path / "text.npz", "not a clip")
    marching.save(tmp_path / "march.npz")
    refused(tmp_path / "march.npz", "joints are not those of 'cassie'", "cassie")
    still = replace(marching, touching=np.ones_like(marching.touching))
    still.save(tmp_path / "still.npz")
    refused(tmp_path / "still.npz", "steps 0 times; give a walk or run")
    chosen = scenario("cassie-walk")
    with pytest.raises(InputError, match="joints"):
        change = (Change(1.0, "style", str(tmp_path / "march.npz")),)
        chosen.make(chosen.request(seconds=2.0, changes=change))
