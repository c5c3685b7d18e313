"""Planned locomotion as users run it, judged over whole clips."""

from __future__ import annotations

import numpy as np
import pytest

import amble
from amble.planner.planner import Planner
from amble.sketch.command import Command

PLANNED = [n for n in amble.scenario_names() if amble.scenario(n).family == "planned"]
PUSHED = "humanoid-push"


def made(name: str, seconds: float, **wishes: object) -> amble.Outcome:
    chosen = amble.scenario(name)
    return chosen.make(chosen.request(seconds=seconds, **wishes))


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in PLANNED if n != PUSHED])
def test_every_scenario_moves_well(name: str) -> None:
    outcome = made(name, 20.0)
    m = outcome.report["measures"]
    assert outcome.reached_goal, outcome.reason
    assert not m["fell"]
    assert m["stance_slip_mm"]["mean"] <= 2 and m["stance_slip_mm"]["max"] <= 10
    assert m["penetration_mm"]["max"] <= 5
    assert m["joint_limit_excess_deg"] == 0
    assert m["friction_excess"] <= 0.01
    assert m["momentum_residual"] <= 0.10
    assert m["replan_spike"] <= 1.5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["humanoid-walk", "luxo-hop", "anymal-trot", "cassie-walk"])
@pytest.mark.parametrize("seed", [101, 102])
def test_commands_at_random_never_end_in_a_fall(name: str, seed: int) -> None:
    outcome = made(name, 40.0, seed=seed, settings={"wander": "true"})
    m = outcome.report["measures"]
    assert outcome.reached_goal, outcome.reason
    assert m["joint_limit_excess_deg"] == 0
    assert m["plan_failures"] <= 0.25 * m["plans"]
    assert m["stance_slip_mm"]["mean"] <= 2


@pytest.mark.slow
@pytest.mark.parametrize("force", [400, 600, 800])
def test_hard_pushes_from_four_sides_are_survived_upright(force: int) -> None:
    """At other moments of the stride the same force asks for other steps: three of them."""
    runs = [
        made(PUSHED, 4 * pause + 3, settings={"force": force, "pause": pause})
        for pause in (4.0, 4.13, 4.29)
    ]
    assert all(run.reached_goal for run in runs), [run.reason for run in runs]
    leans = sorted(run.report["measures"]["max_lean_deg"] for run in runs)
    assert leans[0] < 30 and leans[1] < 45


@pytest.mark.slow
def test_pushes_are_survived_and_an_excessive_one_is_a_fall() -> None:
    pushed = made(PUSHED, 20.0, settings={"force": 400})
    assert pushed.reached_goal, pushed.reason
    assert len(pushed.clip.events_of("push")) == 5
    thrown = made(PUSHED, 8.0, settings={"force": 20000})
    assert not thrown.reached_goal and "fell" in thrown.reason
    assert thrown.report["measures"]["fell"]
    assert np.isfinite(thrown.clip.qpos).all()


@pytest.mark.slow
def test_the_force_of_a_walk_has_two_peaks() -> None:
    clip = made("humanoid-walk", 10.0, settings={"speed": 1.1}).clip
    weight = clip.character.mass * 9.81
    force = clip.contact_force_w[:, :4, 2].sum(axis=1) / weight  # left foot
    on = clip.touching[:, :4].any(axis=1)
    begins = np.flatnonzero(on[1:] & ~on[:-1]) + 1
    ends = np.flatnonzero(~on[1:] & on[:-1]) + 1
    stances = [force[a : ends[ends > a][0]] for a in begins[2:-1] if (ends > a).any()]
    assert len(stances) >= 4
    for stance in stances:
        third = len(stance) // 3
        first, middle, last = stance[:third], stance[third:-third], stance[-third:]
        assert max(first.max(), middle[: len(middle) // 3].max()) > 1.03
        assert max(last.max(), middle[-len(middle) // 3 :].max()) > 1.03
        assert middle.min() < 0.97


@pytest.mark.slow
def test_a_stop_takes_a_step_or_two_and_a_half_turn_little_more() -> None:
    clip = made("humanoid-sharp-turn", 14.0).clip
    steps = [e.time for e in clip.events_of("touchdown")]
    assert sum(12.0 < t < 14.0 for t in steps) <= 3
    com = np.array([f.data.subtree_com[1].copy() for f in clip.frames()])
    velocity = np.gradient(com[:, 0], clip.time)
    back = clip.time[(clip.time > 4.0) & (velocity < -0.7)][0]
    assert sum(4.0 < t < back for t in steps) <= 4


def test_the_mirror_image_of_a_command_gives_the_mirror_image_of_the_motion() -> None:
    left, right = (
        Planner(amble.character("humanoid"), command=Command(speed=0.9, heading=0.0))
        for _ in range(2)
    )
    # Turning on the spot decides which foot goes first: the inner one.
    left.command(heading=60.0)
    right.command(heading=-60.0)
    mirror = left.character.mirror
    assert mirror is not None
    for a, b in zip(left.frames(5.0, 30.0), right.frames(5.0, 30.0), strict=True):
        assert np.allclose(a.state.com_w * [1, -1, 1], b.state.com_w, atol=2e-3)


def test_the_same_request_gives_the_same_clip() -> None:
    first, second = (
        made("cassie-walk", 3.0, seed=3, settings={"wander": "true"}).clip for _ in range(2)
    )
    assert np.array_equal(first.qpos, second.qpos)
    assert np.array_equal(first.contact_force_w, second.contact_force_w)


@pytest.mark.parametrize("name", ["humanoid-walk", "anymal-trot"])
def test_commands_beyond_a_body_are_limited_with_a_note(name: str) -> None:
    outcome = made(name, 6.0, settings={"speed": 50})
    assert outcome.reached_goal, outcome.reason
    assert any("speed limited" in note for note in outcome.report["notes"])


def test_a_cliff_stops_the_body() -> None:
    terrain = amble.parse_terrain("hole:x=2.5,length=500")
    outcome = made("humanoid-walk", 8.0, terrain=terrain)
    assert outcome.reached_goal, outcome.reason
    assert any("blocked" in note for note in outcome.report["notes"])
    assert outcome.clip.qpos[:, 0].max() < 2.6
