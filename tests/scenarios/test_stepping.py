"""Steps on purpose and steps that save: what the scenarios must show."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from amble.cli.app import run
from amble.scenarios import Change, Outcome, scenario
from amble.world import Push

pytestmark = pytest.mark.slow
DIRECTIONS = range(0, 360, 45)


def make(name: str, body: str | None = None, **wishes: object) -> Outcome:
    chosen = scenario(name)
    return chosen.make(chosen.request(body, **wishes))


def push(newton: float, degrees: float, part: str = "thorax", start: float = 1.0) -> Push:
    angle = math.radians(degrees)
    return Push(part, (newton * math.cos(angle), newton * math.sin(angle), 0.0), start, 0.1)


@pytest.mark.parametrize("name", ["steps-directed", "steps-turn-on-spot", "steps-handstand"])
def test_feet_and_hands_go_where_they_are_told(name: str) -> None:
    outcome = make(name)
    assert outcome.reached_goal, outcome.reason
    found = outcome.report["measures"]
    assert found["footprints_reached"] == found["footprints_asked"] >= 10
    assert found["heel_error_mm"]["max"] < 10
    assert found["toe_direction_error_deg"]["max"] < 2
    assert found["reactive_steps"] == 0


@pytest.mark.parametrize("body", ["baby", "ostrich", "asymmetric"])
def test_other_bodies_step_by_the_same_controller(body: str) -> None:
    outcome = make("steps-directed", body)
    assert outcome.reached_goal, outcome.reason
    outcome = make("steps-reactive-250", body)
    assert outcome.reached_goal, outcome.reason


def test_a_pushed_body_gives_a_footprint_up_rather_than_fall() -> None:
    wishes = {"footprints": "left:0.3:0.0885:0;right:0.3:-0.0885:0"}
    for degrees in DIRECTIONS:
        pushes = (push(300, degrees, start=0.7),)
        outcome = make("steps-directed", settings=wishes, pushes=pushes, seconds=8)
        assert outcome.report["measures"]["stands_at_end"], f"{degrees}°: {outcome.reason}"


@pytest.mark.parametrize("part", ["thorax", "pelvis"])
@pytest.mark.parametrize("newton", [170, 350])
def test_pushes_from_all_sides_are_survived_and_it_stands_again(part: str, newton: float) -> None:
    for degrees in DIRECTIONS:
        outcome = make("steps-reactive", pushes=(push(newton, degrees, part),), seconds=5.5)
        assert outcome.reached_goal, f"{degrees}°: {outcome.reason}"


def test_small_pushes_are_absorbed_without_a_step() -> None:
    for degrees in DIRECTIONS:
        outcome = make("steps-reactive", pushes=(push(60, degrees),), seconds=3)
        assert outcome.report["measures"]["reactive_steps"] == 0
        assert not outcome.clip.events_of("liftoff")


def test_without_stepping_it_falls_where_the_supervisor_saves_it() -> None:
    hard = (push(450, 0),)
    saved = make("steps-reactive", pushes=hard, seconds=5)
    lost = make("steps-reactive", pushes=hard, seconds=5, settings={"rule": "none"})
    assert saved.reached_goal and not lost.reached_goal
    assert 0 < saved.report["measures"]["push_to_lift_off_s"][0] < 0.1


def test_the_seed_decides_the_directions() -> None:
    first, again, other = (make("steps-reactive", seconds=2, seed=s) for s in (1, 1, 2))
    assert first.clip.events_of("push") == again.clip.events_of("push")
    assert first.clip.events_of("push") != other.clip.events_of("push")


def test_higher_dampings_step_where_lower_ones_do_not(tmp_path: Path) -> None:
    outcome = make("steps-tendency", settings={"cells": 2})
    low, high = outcome.report["measures"]["tendency"]["by_d_h_then_d_l"]
    assert low[0] == "no step" and high[1] != "no step"
    assert outcome.plot is not None
    outcome.plot(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_two_rules_stand_side_by_side() -> None:
    outcome = make("steps-versus-pendulum", settings={"force": 250})
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["pendulum"]["fell"]
    assert set(outcome.others) == {"pendulum"}


@pytest.mark.parametrize("degrees", [0, 90, 225])
def test_balance_under_supervision_steps_and_balances_again(degrees: float) -> None:
    wishes = {"settings": {"supervisor": True}, "seconds": 7}
    outcome = make("balance", pushes=(push(450, degrees),), **wishes)
    assert outcome.reached_goal, outcome.reason
    assert abs(outcome.clip.qvel[-1]).max() < 0.05
    quiet = make("balance", pushes=(push(60, degrees),), **wishes)
    assert not quiet.clip.events_of("liftoff")


def test_supervision_can_begin_later() -> None:
    changes = (Change(0.5, "supervisor", "true"),)
    outcome = make("balance", pushes=(push(450, 0),), changes=changes, seconds=6)
    assert outcome.reached_goal, outcome.reason


@pytest.mark.parametrize("degrees", [0, 90])
def test_a_walk_by_the_papers_path_is_saved(degrees: float) -> None:
    hard = (push(350, degrees, start=5.1),)
    wishes = {"planner": "paper", "speed": 0.6}
    alone = make("walk", pushes=hard, seconds=8, settings=wishes)
    saved = make("walk", pushes=hard, seconds=8, settings=wishes | {"supervisor": True})
    assert not alone.reached_goal
    assert saved.reached_goal, saved.reason


def test_a_footprint_that_cannot_be_reached_ends_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "x.npz"
    wish = ["--set", "footprints=left:3:0:0", "-o", str(made)]
    assert run(["make", "steps-directed", *wish]) == 2
    assert "out of reach" in capsys.readouterr().err
    assert not made.exists()
