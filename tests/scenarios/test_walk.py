"""The character walks: what the walking scenarios must show."""

from __future__ import annotations

import math

import pytest

from amble.scenarios import Change, Outcome, scenario
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
