"""The character walks: what the walking scenarios must show."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from amble.scenarios import Change, Outcome, scenario
from amble.terrain.text import parse_terrain
from amble.world import Push

pytestmark = pytest.mark.slow
BIPEDS = ("humanoid-tracking", "baby", "asymmetric", "cassie", "ostrich", "dinosaur")


def make(name: str, body: str = "humanoid", **wishes: object) -> Outcome:
    chosen = scenario(name)
    return chosen.make(chosen.request(body, **wishes))


@pytest.mark.parametrize("name, speed", [("walk", 1.0), ("walk-slow", 0.5)])
def test_it_walks_at_about_the_speed_asked_for(name: str, speed: float) -> None:
    outcome = make(name, seconds=8.0)
    assert outcome.reached_goal, outcome.reason
    assert 0.7 * speed * 6 < outcome.report["measures"]["distance_m"] < speed * 8


def test_it_turns_around_and_stands_still_again() -> None:
    changes = (Change(3.0, "heading", 180.0), Change(7.0, "speed", 0.0))
    outcome = make("walk-slow", seconds=10.0, changes=changes)
    assert outcome.reached_goal, outcome.reason
    assert abs(outcome.clip.qvel[-1, :2]).max() < 0.05


@pytest.mark.parametrize("phase", [0.0, 0.2, 0.4])
def test_who_walks_fast_turns_about_at_any_phase(phase: float) -> None:
    changes = (Change(5.0 + phase, "heading", 180.0),)
    outcome = make("walk", seconds=9.5, changes=changes, settings={"speed": 1.2})
    assert outcome.reached_goal, outcome.reason
    assert outcome.clip.qvel[-50:, 0].mean() < -0.6


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_pushes_of_200_newton_are_survived(degrees: int) -> None:
    angle = math.radians(degrees)
    push = Push("thorax", (200 * math.cos(angle), 200 * math.sin(angle), 0), 3.2, 0.1)
    outcome = make("walk-slow", seconds=6.0, pushes=(push,))
    assert outcome.reached_goal, outcome.reason


@pytest.mark.parametrize("body", BIPEDS)
def test_every_biped_walks_by_the_same_controller(body: str) -> None:
    outcome = make("walk-slow", body, seconds=5.0)
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["distance_m"] > 0.5


def test_pushes_of_300_newton_at_a_metre_a_second_mostly_are_survived() -> None:
    survived = 0
    for k in range(8):
        angle, start = 2 * math.pi * k / 8, 3.5 + 0.13 * k
        push = Push("thorax", (300 * math.cos(angle), 300 * math.sin(angle), 0), start, 0.1)
        survived += make("walk", seconds=start + 2.5, pushes=(push,)).reached_goal
    assert survived >= 7


@pytest.mark.parametrize("name", ["walk", "walk-fast"])
def test_what_nobody_asked_for_emerges(name: str) -> None:
    measures = make(name, seconds=12.0).report["measures"]
    assert measures["arm_leg_correlation"] > 0.6
    assert measures["trunk_correlation"] < 0.0
    assert measures["vertical_momentum_ratio"] < 0.15
    assert measures["heel_before_toe_s"] > 0.05


def test_the_plot_of_a_walk_shows_arms_against_legs(tmp_path: Path) -> None:
    outcome = make("walk", seconds=7.0)
    assert outcome.plot is not None
    outcome.plot(tmp_path / "gait.png")
    assert (tmp_path / "gait.png").read_bytes().startswith(b"\x89PNG")
    bird = make("walk-slow", "ostrich", seconds=4.0)  # no arms: forces alone
    assert bird.plot is not None
    bird.plot(tmp_path / "bird.svg")
    assert {path.name for path in tmp_path.iterdir()} == {"gait.png", "bird.svg"}


@pytest.mark.parametrize("name", ["walk-sad", "walk-proud", "walk-tired", "walk-sneaky"])
def test_styles_walk(name: str) -> None:
    outcome = make(name, seconds=5.0)
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["distance_m"] > 0.8


def test_a_sad_walker_looks_down_with_the_hands_at_the_hips() -> None:
    *_, frame = make("walk-sad", seconds=4.0).clip.frames()
    data, body = frame.data, frame.model.body
    ahead = data.xmat[body("head").id].reshape(3, 3)[:, 0]
    assert ahead[2] < -0.3
    for side in ("left", "right"):
        hand, hip = data.xpos[body(f"{side}_hand").id], data.xpos[body(f"{side}_thigh").id]
        assert abs(hand - hip).max() < 0.25


@pytest.mark.parametrize("name", ["walk", "walk-slow"])
def test_it_stops_within_about_a_second(name: str) -> None:
    clip = make(name, seconds=7.0, changes=(Change(4.0, "speed", 0.0),)).clip
    after = clip.time > 5.2
    assert abs(clip.qvel[after, :2]).max() < 0.15


@pytest.mark.parametrize("degrees", [0, 90, 180])
def test_slopes_of_8_degrees(degrees: int) -> None:
    ground = parse_terrain(f"slope:degrees=8,direction_degrees={degrees}")
    outcome = make("walk-slow", seconds=5.0, terrain=ground)
    assert outcome.reached_goal, outcome.reason


def test_blocks_that_nobody_sees_mostly_are_survived() -> None:
    survived = 0
    for seed in range(6):
        ground = parse_terrain(f"blocks:amplitude=0.04,size=0.4,start=0.7,extent=8,seed={seed}")
        settings = {"sees_ground": False, "speed": 0.8}
        outcome = make("walk", seconds=6.0, terrain=ground, settings=settings)
        survived += outcome.reached_goal
    assert survived >= 5


def test_the_papers_own_path_walks() -> None:
    outcome = make("walk", seconds=5.0, settings={"planner": "paper", "speed": 0.5})
    assert outcome.reached_goal, outcome.reason


def test_limbs_grow_while_walking() -> None:
    outcome = make("walk-reshape", seconds=12.0)
    assert outcome.reached_goal, outcome.reason


def test_a_weighted_sum_is_shown_beside_priorities() -> None:
    outcome = make("walk-weighted", seconds=4.0)
    assert set(outcome.others) == {"weighted"}
    assert not outcome.report["measures"]["weighted"]["fell"]
