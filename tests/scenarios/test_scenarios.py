"""What every scenario promises, and what the scenarios of a family add to it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from amble.characters import Scale, character
from amble.control.whole_body import SolveInfo, Statistics
from amble.errors import InputError, UnknownName
from amble.scenarios import Change, Growth, scenario, scenario_names
from amble.scenarios.balance import SquatParameters, pushes_around, squat
from amble.scenarios.reshape import groups, growth
from amble.scenarios.simulated import statistics
from amble.world import MuJoCoWorld, Push


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_has_settings_with_a_meaning_and_defaults_in_range(name: str) -> None:
    chosen = scenario(name)
    assert chosen.name == name and chosen.summary and chosen.seconds > 0
    assert all(info.doc for info in chosen.settings.values())
    chosen.check(chosen.request())


@pytest.mark.parametrize("name", scenario_names())
def test_every_report_is_json_and_agrees_with_its_outcome(name: str) -> None:
    chosen = scenario(name)
    outcome = chosen.make(chosen.request(seconds=0.1))
    report = json.loads(json.dumps(outcome.report, allow_nan=False))
    assert report["scenario"] == name and report["character"] == chosen.character
    assert report["reached_goal"] == outcome.reached_goal
    assert report["seconds"] == pytest.approx(outcome.clip.seconds)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownName, match="balance-push"):
        scenario("balance-pus")
    with pytest.raises(InputError, match="outside the clip"):
        scenario("balance").request(pushes=(Push("thorax", (1, 0, 0), start=99, seconds=1),))


def test_pushes_come_evenly_from_all_sides_and_scale_with_the_weight() -> None:
    chosen = scenario("balance-push")
    impulses = {}
    for name in ("humanoid", "ostrich"):
        body = character(name)
        pushes = list(pushes_around(body, chosen.parameters_of(chosen.request(body))))
        forces = np.array([push.force_w for push in pushes])
        assert len(pushes) == 8 and np.abs(forces.sum(axis=0)).max() < 1e-9
        assert pushes[-1].start + 1 < chosen.seconds
        impulses[name] = np.linalg.norm(forces[0]) / body.mass
    assert impulses["ostrich"] == pytest.approx(impulses["humanoid"], rel=0.01)


def test_pushes_of_the_request_take_the_place_of_the_scenarios_own() -> None:
    chosen = scenario("balance-push")
    own = Push("head", (10, 0, 0), start=0.05, seconds=0.05)
    clip = chosen.make(chosen.request(seconds=0.2, pushes=(own,))).clip
    assert [event.what for event in clip.events_of("push")] == ["head"]


def test_squat_rate_and_acceleration_are_derivatives_of_its_height() -> None:
    parameters, step = SquatParameters(depth=0.3, frequency=0.5), 1e-4
    for time in np.linspace(0, 3, 13):
        before, now, after = (squat(time + k * step, parameters) for k in (-1, 0, 1))
        assert (after[0] - before[0]) / (2 * step) == pytest.approx(now[1], abs=1e-6)
        assert (after[1] - before[1]) / (2 * step) == pytest.approx(now[2], abs=1e-6)
    assert squat(1.0, parameters)[0] == pytest.approx(-0.3) and squat(0, parameters)[0] == 0


def test_a_change_is_recorded_and_reaches_the_controller() -> None:
    chosen = scenario("balance-squat")
    request = chosen.request(seconds=0.2, changes=(Change(0.1, "depth", "0.1"),))
    (event,) = chosen.make(request).clip.events_of("command")
    assert (event.time, event.what, event.values["value"]) == (0.1, "depth", 0.1)


def test_noise_follows_the_seed() -> None:
    chosen = scenario("balance")
    first, again, other = (
        chosen.make(chosen.request(seconds=0.05, noise=0.05, seed=seed)).clip.qpos[0]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_legs_grow_together_and_feet_do_not_grow() -> None:
    parts = groups(character("humanoid"))
    (legs,) = [group for group in parts if "left_thigh" in group]
    assert set(legs) == {"left_thigh", "left_shank", "right_thigh", "right_shank"}
    assert not any({"head", "left_hand", "left_foot"} & set(group) for group in parts)
    assert any("left_forearm" in group and "right_forearm" not in group for group in parts)


def test_growth_multiplies_the_length_by_the_factor() -> None:
    world = MuJoCoWorld(character("humanoid"))
    shank = world.model.body("left_shank").id
    before = np.linalg.norm(world.model.body_pos[shank])
    actions = list(growth(world, ["left_thigh"], 1.5, start=1.0, seconds=0.2))
    for _, grow in actions:
        grow()
    assert np.linalg.norm(world.model.body_pos[shank]) == pytest.approx(1.5 * before)
    assert all(1.0 <= time < 1.2 for time, _ in actions)


def test_parts_grow_in_any_scenario_and_the_clip_says_so() -> None:
    for name in ("balance", "balance-squat"):
        chosen = scenario(name)
        growths = (
            Growth(0.05, "left_forearm", Scale(length=1.5, girth=1.2)),
            Growth(0.05, "head", Scale(mass=0.5)),
        )
        outcome = chosen.make(chosen.request(seconds=1.2, growths=growths))
        before, *_, after = (frame.model.body_mass.copy() for frame in outcome.clip.frames())
        model = outcome.clip.character.model
        ratio = {model.body(b).name: after[b] / before[b] for b in range(1, model.nbody)}
        assert ratio["left_forearm"] == pytest.approx(1.5 * 1.2**2)
        assert ratio["head"] == pytest.approx(0.5) and ratio["right_forearm"] == 1
    with pytest.raises(UnknownName, match="left_thigh"):
        chosen.request(growths=(Growth(0.0, "left_tigh", Scale(length=2)),))
    with pytest.raises(InputError, match="outside the clip"):
        chosen.request(growths=(Growth(99.0, "left_thigh", Scale(length=2)),))


def test_a_simulation_that_diverges_keeps_its_last_second() -> None:
    chosen = scenario("balance")
    push = Push("thorax", (1e12, 0, 0), start=0.05, seconds=0.1)
    outcome = chosen.make(chosen.request(seconds=0.5, pushes=(push,)))
    assert not outcome.reached_goal and "diverged" in outcome.reason
    assert outcome.evidence is not None and outcome.evidence.time[0] == 0
    assert json.loads(json.dumps(outcome.report, allow_nan=False))["reason"] == outcome.reason


def test_a_failed_solve_is_reported_with_its_level_and_constraint() -> None:
    class Failing:
        statistics = Statistics(
            solves=3,
            failures=1,
            worst=SolveInfo("infeasible", 1, "torque limit of left_knee", 9, 4, True),
        )

    found = statistics(Failing())  # type: ignore[arg-type]
    assert found["solver_failures"] == 1
    assert (
        found["solver_failure"] == "level 2: torque limit of left_knee cannot be met (infeasible)"
    )
