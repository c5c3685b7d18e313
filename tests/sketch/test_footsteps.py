"""Footstep times: ordered whatever happens, optimal, mirrored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sketch_walks import body_of

from amble.sketch.footsteps import Objective, Past, Trace, Wish, solve
from amble.sketch.gait import Groups, gait_of

BIPED: Groups = ((0,), (1,), (0,), (1,), (0,), (1,))


def objective(
    speed: float = 1.15, turn: float = 0.0, earliest: float = -np.inf, mirror: bool = False
) -> Objective:
    gait = gait_of(body_of("humanoid"))
    t = np.arange(91) / 30.0
    yaw = turn * np.minimum(t, 1.0)
    v = speed * np.column_stack([np.cos(yaw), np.sin(yaw)])
    cart = np.cumsum(v, axis=0) / 30.0
    past = Past(np.array([-0.5, 0.0]), np.array([[-0.6, 0.07], [0.0, -0.07]]))
    offsets = np.array([gait.offset(i, 0.0) for i in range(2)])
    order = BIPED
    if mirror:
        past = Past(past.middle[::-1].copy(), past.xy[::-1] * [1, -1])
        order = tuple((1 - group[0],) for group in BIPED)
    trace = Trace(0.0, 30.0, cart, yaw, yaw, 0.05 * t)
    wish = Wish(1.1, speed * 0.55, np.array([earliest] * 6), offsets)
    return Objective(gait, order, 2, trace, past, wish)


@given(z=st.lists(st.floats(-50, 50), min_size=6, max_size=6), earliest=st.floats(-1, 1))
def test_order_holds_for_any_unknowns(z: list[float], earliest: float) -> None:
    times = objective(earliest=earliest).times(np.array([z]))[0]
    assert (np.diff(times) > 0).all()
    assert times[0] > 0.0
    assert times[0] >= earliest


@settings(max_examples=30)
@given(speed=st.floats(0.2, 4.0), turn=st.floats(-2.5, 2.5))
def test_optimum_cannot_be_improved_nearby(speed: float, turn: float) -> None:
    problem = objective(speed, turn)
    z = solve(problem, iterations=60, tolerance=1e-7)
    best = problem.cost(z)
    for k in range(len(z)):
        for step in (-0.05, 0.05):
            moved = z.copy()
            moved[k] += step
            assert problem.cost(moved) > best - 1e-6 - 1e-6 * best


def test_a_straight_walk_keeps_its_rhythm() -> None:
    problem = objective()
    times = problem.times(solve(problem)[None])[0]
    assert np.diff(times) == pytest.approx(0.55, abs=0.04)


def test_force_makes_steps_quicker() -> None:
    calm, hasty = objective(), objective()
    hasty.trace._table[:, 2] *= 10
    hasty.trace._steps[:, 2] *= 10
    last = [p.times(solve(p)[None])[0, -1] for p in (calm, hasty)]
    assert last[1] < last[0] - 0.02


def test_mirrored_problem_has_the_mirrored_optimum() -> None:
    left, right = objective(turn=1.5), objective(turn=-1.5, mirror=True)
    assert np.allclose(solve(left), solve(right), atol=1e-7)
