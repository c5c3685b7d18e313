"""The planner as users drive it: steering, pushing, stopping, any frame rate."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import amble
from amble.errors import InputError, UnknownName
from amble.plan.forward import contact_wrench
from amble.planner.planner import PlannedFrame, Planner
from amble.sketch.command import Command
from amble.world import Push

STANDING = Command(speed=0.0)


def play(planner: Planner, seconds: float, fps: float = 30.0) -> list[PlannedFrame]:
    return list(planner.frames(seconds, fps))


def heading_of(frames: list[PlannedFrame]) -> float:
    way = frames[-1].state.com_w - frames[-16].state.com_w
    return float(np.rad2deg(np.arctan2(way[1], way[0])))


@pytest.mark.parametrize("name", ["humanoid", "luxo", "cassie", "anymal"])
def test_a_body_that_is_told_to_stand_stands(name: str) -> None:
    planner = Planner(amble.character(name), command=STANDING)
    frames = play(planner, 3.0)
    assert not planner.fallen
    moved = np.array([frame.state.com_w for frame in frames])
    assert np.ptp(moved, axis=0).max() < 0.01 * planner.body.height
    joints = np.array([frame.qpos for frame in frames])
    assert np.ptp(joints[30:], axis=0).max() < 0.05


def test_it_goes_where_it_is_told_and_stops() -> None:
    planner = Planner(amble.character("humanoid"), command=Command(speed=1.2))
    frames = play(planner, 4.0)
    assert heading_of(frames) == pytest.approx(0, abs=5)
    planner.command(heading=90)
    assert heading_of(play(planner, 4.0)) == pytest.approx(90, abs=8)
    planner.command(speed=0)
    play(planner, 3.5)
    quiet = play(planner, 1.0)
    assert np.linalg.norm(quiet[-1].state.com_w - quiet[0].state.com_w) < 0.01
    assert not planner.fallen


def test_contacts_and_forces_agree_with_newton_and_euler_across_plans() -> None:
    planner = Planner(amble.character("humanoid"), command=Command(speed=1.2))
    g = np.array([0, 0, -9.81])
    frames = play(planner, 4.0, fps=240.0)
    velocity = np.array([frame.state.velocity_w for frame in frames])
    dt = 1 / 240
    for k in range(1, len(frames) - 1):
        frame = frames[k]
        if frames[k + 1].plan is not frames[k - 1].plan:
            continue
        force, _ = contact_wrench(planner.body, frame.plan, frame.time, frame.state.com_w)
        acceleration = (velocity[k + 1] - velocity[k - 1]) / (2 * dt)
        assert np.allclose(acceleration, force / planner.body.mass + g, atol=0.6)


def test_forces_do_not_jump_from_plan_to_plan() -> None:
    planner = Planner(amble.character("humanoid"), command=Command(speed=1.2))
    stages = [planner.stage]
    for _ in planner.frames(5.0, 60.0):
        if planner.stage is not stages[-1]:
            stages.append(planner.stage)
    weight = planner.body.mass * 9.81
    for before, after in pairwise(stages[2:]):
        jump = before.plan.force(after.time) - after.plan.force(after.time)
        assert np.abs(jump).max() < 0.02 * weight


def test_frames_do_not_depend_on_how_often_they_are_asked_for() -> None:
    slow, fast = (
        play(Planner(amble.character("anymal"), command=Command(speed=0.8)), 3.0, fps)
        for fps in (30.0, 60.0)
    )
    for a, b in zip(slow, fast[::2], strict=True):
        assert np.allclose(a.state.com_w, b.state.com_w, atol=1e-6)


def test_a_push_moves_the_body_by_its_impulse_and_the_body_recovers() -> None:
    still, pushed = (
        Planner(amble.character("humanoid"), command=Command(speed=1.0)) for _ in range(2)
    )
    pushed.push(Push("abdomen", (0.0, 150.0, 0.0), start=3.0, seconds=0.2))
    a, b = play(still, 3.1, 60.0), play(pushed, 3.1, 60.0)
    gained = b[-1].state.velocity_w - a[-1].state.velocity_w
    assert gained[1] == pytest.approx(150 * 0.1 / pushed.body.mass, rel=0.4)
    play(pushed, 4.0)
    assert not pushed.fallen
    assert any(event.kind == "push" for event in pushed.events)


def test_commands_out_of_reach_are_limited_with_a_note() -> None:
    planner = Planner(amble.character("anymal"), command=Command(speed=50.0))
    play(planner, 2.0)
    planner.command(heading=5730.0)
    play(planner, 2.0)
    assert not planner.fallen
    assert any(event.kind == "limit" and "speed" in event.what for event in planner.events)


def test_it_stops_in_front_of_a_hole() -> None:
    terrain = amble.parse_terrain("hole:x=3,length=3")
    planner = Planner(amble.character("humanoid"), terrain, Command(speed=1.2))
    frames = play(planner, 9.0)
    assert not planner.fallen
    assert 1.5 < frames[-1].state.com_w[0] < 3.0
    assert frames[-1].state.velocity_w[0] == pytest.approx(0, abs=0.02)
    assert any(event.kind == "limit" and "blocked" in event.what for event in planner.events)


def test_bad_wishes_are_refused() -> None:
    planner = Planner(amble.character("luxo"))
    with pytest.raises(InputError, match="speed"):
        planner.command(speed=-1.0)
    with pytest.raises(InputError, match="heading"):
        planner.command(heading=float("nan"))
    with pytest.raises(UnknownName):
        planner.command(sped=1.0)
    with pytest.raises(UnknownName):
        planner.push(Push("wing", (0.0, 0.0, 0.0), 0.0, 1.0))


def test_plans_made_ahead_move_the_body_as_those_made_in_time() -> None:
    with Planner(amble.character("cassie"), command=Command(speed=0.8), ahead=True) as planner:
        frames = []
        for k in range(150):
            frames.append(planner.frame(k / 30))
            if planner._asked is not None:
                planner._asked[1].result()  # as if frames came no faster than plans
            if k == 90:
                planner.command(speed=0.4)
        assert planner.waits == 0
        assert not planner.fallen
    assert frames[-1].state.com_w[0] > 1.5
    with pytest.raises(amble.AmbleError):
        planner.frame(1.0)
