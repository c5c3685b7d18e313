"""The character jumps: what the jump scenarios must show."""

from __future__ import annotations

import pytest

from amble.scenarios import Outcome, scenario

pytestmark = pytest.mark.slow


def make(name: str, body: str = "humanoid", **wishes: object) -> Outcome:
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


def test_a_jump_beyond_its_strength_is_no_success() -> None:
    outcome = make("jump", settings={"height": 1.5})
    assert not outcome.reached_goal
    assert outcome.reason != "done"


def test_a_clip_that_ends_too_early_has_not_stood_still() -> None:
    outcome = make("jump", seconds=4.0)
    assert not outcome.reached_goal and "still" in outcome.reason
