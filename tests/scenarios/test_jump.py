"""The character jumps: what the jump scenarios must show."""

from __future__ import annotations

import numpy as np
import pytest

from amble.characters import Character, character
from amble.characters.reshape import Scale
from amble.scenarios import Outcome, scenario

pytestmark = pytest.mark.slow


def make(name: str, body: str | Character = "humanoid", **wishes: object) -> Outcome:
    chosen = scenario(name)
    return chosen.make(chosen.request(body, **wishes))


@pytest.mark.parametrize("height", (0.1, 0.2, 0.3, 0.4))
def test_a_jump_is_as_high_as_commanded_and_ends_standing_still(height: float) -> None:
    outcome = make("jump", settings={"height": height})
    assert outcome.reached_goal, outcome.reason
    (jump,) = outcome.report["measures"]["jumps"]
    assert abs(jump["apex_m"] - height) < 0.15 * height
    assert outcome.report["measures"]["still_s"] >= 3


@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("name", ("jump", "jump-twist-90", "jump-forward", "jump-scissor-kick"))
def test_jumps_from_a_random_state(name: str, seed: int) -> None:
    outcome = make(name, noise=0.05, seed=seed)
    assert outcome.reached_goal, outcome.reason


def test_half_a_turn_in_the_air() -> None:
    outcome = make("jump-twist-180")
    assert outcome.reached_goal, outcome.reason
    assert abs(outcome.report["measures"]["twist_deg"] - 180) < 10


def test_a_turn_to_the_right_mirrors_one_to_the_left() -> None:
    left, right = (make("jump-twist-90", settings={"twist": twist}) for twist in (90, -90))
    turns = [each.report["measures"]["twist_deg"] for each in (left, right)]
    assert abs(sum(turns)) < 5


def test_a_jump_forward_lands_well_ahead() -> None:
    outcome = make("jump-forward")
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["jump_distance_m"] > 0.6


def test_legs_open_sideways_in_a_split() -> None:
    outcome = make("jump-air-split")
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["jumps"][0]["spread_deg"] > 50


def test_a_series_of_jumps_grows() -> None:
    outcome = make("jump-series")
    assert outcome.reached_goal, outcome.reason
    heights = [jump["apex_m"] for jump in outcome.report["measures"]["jumps"]]
    assert len(heights) == 4 and heights == sorted(heights)


@pytest.mark.parametrize(
    "body", ("humanoid-tracking", "baby", "asymmetric", "cassie", "ostrich", "dinosaur")
)
def test_other_bipeds_jump_with_the_same_controller(body: str) -> None:
    """At their default heights; none tumbles, and no joint goes far past its limits."""
    outcome = make("jump", body, seconds=7.0)
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["max_lean_deg"] < 60
    assert outcome.report["measures"]["joint_limit_excess_deg"] < 30


def random_body(rng: np.random.Generator) -> Character:
    """A humanoid whose segments have 0.7 to 1.4 times their usual length and mass."""
    person = character("humanoid")

    def scale() -> Scale:
        return Scale(length=float(rng.uniform(0.7, 1.4)), mass=float(rng.uniform(0.7, 1.4)))

    scales = {}
    for part in ("thigh", "shank", "foot", "upper_arm", "forearm"):
        scales[f"left_{part}"] = scales[f"right_{part}"] = scale()
    for part in ("pelvis", "abdomen", "thorax", "head"):
        if part in person.parts:
            scales[part] = scale()
    return person.reshaped(scales)


def test_random_bodies_jump() -> None:
    """19 of the first 20 do (docs/papers/features.md); here the share of three."""
    rng = np.random.default_rng(0)
    landed = [make("jump", random_body(rng), seconds=7.0).reached_goal for _ in range(3)]
    assert sum(landed) >= 2


@pytest.mark.parametrize("size", ({"height": 1.2, "mass": 26}, {"height": 2.5, "mass": 220}))
def test_children_and_giants_jump(size: dict[str, float]) -> None:
    outcome = make("jump", character("humanoid", **size), seconds=8.0)
    assert outcome.reached_goal, outcome.reason


def test_a_jump_beyond_its_strength_is_no_success() -> None:
    outcome = make("jump", settings={"height": 1.5})
    assert not outcome.reached_goal
    assert outcome.reason != "done"


def test_a_clip_that_ends_too_early_has_not_stood_still() -> None:
    outcome = make("jump", seconds=4.0)
    assert not outcome.reached_goal and "still" in outcome.reason
