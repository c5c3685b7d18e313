"""Laws of the step planner: regular walking is its fixed point, and it is symmetric."""

from __future__ import annotations

import math

import pytest

from amble.control.walking.pendulum import (
    PressureClip,
    StepLimits,
    StepPlanner,
    StepWish,
    goal_of_step,
    nominal_step,
    pressure_towards,
)

OMEGA = math.sqrt(9.81)
WISH = StepWish(0.45, 0.08, 0.8 + 0j, 0.18, 0.0)
SOLE = PressureClip(0j, 0.0, 0.1, 0.03)


def test_the_pressure_takes_the_divergent_component_to_its_goal() -> None:
    xi, goal, seconds = 0.1 + 0.05j, 0.3 + 0.02j, 0.4
    p = pressure_towards(OMEGA, xi, goal, seconds)
    assert p + (xi - p) * math.exp(OMEGA * seconds) == pytest.approx(goal)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_regular_walking_is_left_as_it_is(side: float) -> None:
    step = nominal_step(OMEGA, 0j, side, WISH)
    goal = goal_of_step(OMEGA, 0j, step, WISH.double)
    xi = goal * math.exp(-OMEGA * WISH.swing)  # arrives by itself with the pressure at the stance
    plan = StepPlanner(OMEGA, 1.0, StepLimits()).plan(xi, 0.0, 0j, side, WISH, 0.1j * side, SOLE)
    assert abs(plan.pressure) < 1e-9
    assert abs(plan.place - step.place) < 0.01
    assert plan.duration == pytest.approx(WISH.swing, abs=0.01)


def test_plans_mirror() -> None:
    planner, xi = StepPlanner(OMEGA, 1.0, StepLimits()), 0.1 + 0.02j
    left = planner.plan(xi, 0.1, 0j, 1.0, WISH, -0.2 + 0.18j, SOLE)
    right = planner.plan(xi.conjugate(), 0.1, 0j, -1.0, WISH, -0.2 - 0.18j, SOLE)
    assert left.place == pytest.approx(right.place.conjugate())
    assert left.duration == right.duration


def test_a_push_ahead_makes_the_step_longer_and_sooner() -> None:
    planner = StepPlanner(OMEGA, 1.0, StepLimits())
    calm = planner.plan(0.1 + 0.03j, 0.1, 0j, 1.0, WISH, 0.18j, SOLE)
    pushed = planner.plan(0.35 + 0.03j, 0.1, 0j, 1.0, WISH, 0.18j, SOLE)
    assert pushed.place.real > calm.place.real + 0.02
    assert pushed.duration < calm.duration


def test_a_fall_over_the_stance_foot_hurries_the_step() -> None:
    """The next foot cannot cross, and the one after it must still reach: no time to lose."""
    planner = StepPlanner(OMEGA, 1.0, StepLimits())
    calm = planner.plan(0.1 - 0.03j, 0.1, 0j, -1.0, WISH, -0.1 - 0.18j, SOLE)
    over = planner.plan(0.1 + 0.14j, 0.1, 0j, -1.0, WISH, -0.1 - 0.18j, SOLE)
    assert over.duration < calm.duration - 0.05
