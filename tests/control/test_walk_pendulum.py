"""Laws of the step planner: regular walking is its fixed point, and it is symmetric."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from amble.control.walking import pendulum
from amble.control.walking.pendulum import (
    Place,
    PressureClip,
    StepLimits,
    StepPlan,
    StepPlanner,
    StepWish,
    double_support_share,
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


def twin(
    planner: StepPlanner,
    xi: Place,
    elapsed: float,
    stance: Place,
    side: float,
    wish: StepWish,
    foot: Place,
    clip: PressureClip,
) -> StepPlan:
    """What `StepPlanner.plan` does, in numpy: every time at once, and the cheapest of them."""
    omega, limits, size = planner.omega, planner.limits, planner.size
    step = nominal_step(omega, stance, side, wish)
    goal = goal_of_step(omega, stance, step, wish.double)
    left = max(wish.swing - elapsed, pendulum.SHORT_NOTICE * math.sqrt(size))
    pressure = clip(pressure_towards(omega, xi, goal, left))
    soonest = max(min(limits.shortest, wish.swing) - elapsed, 0.02)
    latest = max(max(limits.longest, wish.swing) - elapsed, soonest + 0.01)
    interval = pendulum.INTERVAL * math.sqrt(size)
    left_s = soonest + interval * np.arange(1 + int((latest - soonest) / interval))

    end = pressure + (xi - pressure) * np.exp(omega * left_s)
    kappa = double_support_share(omega, wish.double)
    ideal = (end - kappa * stance - step.offset) / (1 - kappa)
    weight = pendulum.STEP_ERROR * (1 - kappa) ** 2
    turn = cmath.rect(1.0, wish.heading)
    wanted = ((step.place + weight * ideal) / (1 + weight) - stance) / turn
    inner = min(limits.inner, 0.72 * wish.width)
    x = np.clip(wanted.real, limits.back, limits.ahead)
    y = side * np.clip(side * wanted.imag, inner, limits.outer)
    place = stance + turn * (x + 1j * y)

    missed = (ideal - place) / turn * (1 - kappa)
    sideways = side * missed.imag
    share = np.where(sideways < 0, pendulum.INWARD, pendulum.OUTWARD)
    lag = np.maximum(abs(place - foot) - limits.foot_speed * left_s, 0.0)
    soon = wish.double + min(limits.shortest, wish.swing)
    away = (missed + step.offset / turn) * math.exp(omega * soon)
    wide = np.maximum(-side * away.imag - limits.outer, 0.0)
    far = np.maximum(np.maximum(away.real - limits.ahead, limits.back - away.real), 0.0)
    cost = abs(place - step.place) ** 2 + pendulum.TOO_FAST * lag**2
    cost += pendulum.STEP_ERROR * (missed.real**2 + sideways**2 * share)
    cost += pendulum.TIMING * size * (left_s + elapsed - wish.swing) ** 2
    cost += pendulum.UNREACHED * (wide**2 + far**2)
    best = int(cost.argmin())
    return StepPlan(pressure, complex(place[best]), elapsed + float(left_s[best]))


@pytest.mark.parametrize("size", [1.0, 0.4])
def test_the_compiled_search_finds_what_the_twin_finds(size: float) -> None:
    rng = np.random.default_rng(2)
    limits = StepLimits().scaled(size)
    planner = StepPlanner(math.sqrt(9.81 / size), size, limits)
    for _ in range(200):
        place = [complex(*rng.normal(0, 0.25 * size, 2)) for _ in range(3)]
        velocity = complex(*rng.normal(0, 0.6, 2))
        swing, double, width = rng.uniform((0.2, 0.04, 0.1), (0.7, 0.15, 0.3))
        wish = StepWish(swing, double, velocity, width, rng.uniform(-3, 3))
        side = float(rng.choice((-1, 1)))
        clip = PressureClip(place[1], wish.heading, 0.1 * size, 0.03 * size)
        now = (place[0], rng.uniform(0, swing), place[1], side, wish, place[2], clip)
        found, expected = planner.plan(*now), twin(planner, *now)
        assert found.duration == pytest.approx(expected.duration)
        assert found.place == pytest.approx(expected.place)
        assert found.pressure == pytest.approx(expected.pressure)
