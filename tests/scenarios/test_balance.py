"""The character stands: what the balance scenarios must show, each over its whole length."""

from __future__ import annotations

import math

import numpy as np
import pytest

from amble.characters import character
from amble.scenarios import Outcome, scenario
from amble.terrain import parse_terrain
from amble.world import Push

pytestmark = pytest.mark.slow
BIPEDS = ("humanoid", "humanoid-tracking", "baby", "asymmetric", "cassie", "ostrich", "dinosaur")


def make(name: str, body: str = "humanoid", **wishes: object) -> Outcome:
    chosen = scenario(name)
    return chosen.make(chosen.request(body, **wishes))


def test_standing_a_minute_drifts_less_than_two_millimetres() -> None:
    outcome = make("balance", seconds=60.0)
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["com_drift_mm"] < 2


def test_squat_follows_its_height_and_leans_from_the_hips() -> None:
    """As people do; with an upright trunk ankles end soon, and the spine has to bend."""
    outcome = make("balance-squat")
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["com_height_rms_mm"] < 15
    assert outcome.report["measures"]["max_lean_deg"] < 40
    assert outcome.report["measures"]["joint_limit_excess_deg"] < 1
    assert np.abs(outcome.clip.qvel[:, 6:]).max() < 4
    assert outcome.report["measures"]["stance_slip_mm"]["max"] < 5


@pytest.mark.parametrize("newton", [100, 200, 300])
def test_pushes_from_eight_sides_are_survived(newton: int) -> None:
    outcome = make("balance-push", settings={"force": newton})
    assert outcome.reached_goal, outcome.reason


@pytest.mark.parametrize("body", BIPEDS)
@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_every_biped_stands_and_survives_a_push(body: str, degrees: int) -> None:
    newton = 0.25 * 9.81 * character(body).mass
    angle = math.radians(degrees)
    part = "thorax" if "thorax" in character(body).parts else character(body).root
    push = Push(part, (newton * math.cos(angle), newton * math.sin(angle), 0), 15.0, 0.1)
    outcome = make("balance", body, seconds=20.0, pushes=(push,))
    assert outcome.reached_goal, outcome.reason


@pytest.mark.parametrize("body", BIPEDS)
@pytest.mark.parametrize("seed", (1, 2))
def test_every_biped_stands_up_from_a_random_state(body: str, seed: int) -> None:
    outcome = make("balance", body, seconds=3.0, noise=0.05, seed=seed)
    assert outcome.reached_goal, outcome.reason


@pytest.mark.parametrize("slope", ("degrees=12", "degrees=-12", "degrees=8,direction_degrees=90"))
def test_it_stands_on_slopes(slope: str) -> None:
    outcome = make("balance", seconds=5.0, terrain=parse_terrain(f"slope:{slope}"))
    assert outcome.reached_goal, outcome.reason


@pytest.mark.parametrize("newton", (500, 3000))
def test_a_push_that_is_too_strong_is_a_fall_and_no_explosion(newton: int) -> None:
    push = Push("thorax", (newton, 0, 0), 0.2, 0.2)
    outcome = make("balance", seconds=4.0, pushes=(push,))
    assert not outcome.reached_goal and outcome.reason.startswith("fell")
    assert outcome.report["measures"]["fell"]


@pytest.mark.parametrize("size", ({"height": 1.2, "mass": 30}, {"height": 3.0, "mass": 300}))
def test_children_and_giants_stand_and_are_pushed(size: dict[str, float]) -> None:
    body = character("humanoid", **size)
    push = Push("thorax", (0.0, 0.3 * 9.81 * body.mass, 0.0), 1.0, 0.1)
    chosen = scenario("balance")
    outcome = chosen.make(chosen.request(body, seconds=4.0, pushes=(push,)))
    assert outcome.reached_goal, outcome.reason


def test_limbs_grow_to_twice_their_length_while_standing() -> None:
    outcome = make("balance-reshape")
    assert outcome.reached_goal, outcome.reason


def test_the_comparison_reports_both_combinations() -> None:
    outcome = make("balance-weighted", seconds=4.0)
    assert outcome.reached_goal, outcome.reason
    assert "fell" in outcome.report["measures"]["weighted"]
    assert list(outcome.others) == ["weighted"]
