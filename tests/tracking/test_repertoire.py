"""The value function takes the shortest way round, and keeps to transitions that hold."""

from __future__ import annotations

import numpy as np
import pytest

from amble.errors import InputError
from amble.tracking.motion_graph import MotionGraph
from amble.tracking.repertoire import DISCOUNT, STRAIN, ValueFunction, wrapped

NAMES = ("walk", "left", "right", "about")
TURNS, STEPS = (0, 45, -45, 180), (120, 120, 120, 480)


@pytest.fixture
def graph() -> MotionGraph:
    progress = tuple(
        np.radians(np.linspace(0, turn, steps + 1))
        for turn, steps in zip(TURNS, STEPS, strict=True)
    )
    held = np.ones((4, 4), bool)
    return MotionGraph(NAMES, progress, 1 / 120, held, np.where(held, 0.02, np.inf))


@pytest.mark.parametrize(
    ("error", "best"), [(0, "walk"), (45, "left"), (-45, "right"), (-90, "right"), (100, "left")]
)
def test_it_turns_to_the_side_of_the_wish(graph: MotionGraph, error: float, best: str) -> None:
    assert NAMES[ValueFunction(graph).next(0, np.radians(error))] == best


def test_angles_count_once_round(graph: MotionGraph) -> None:
    values = ValueFunction(graph)
    for error in (-3.0, 0.4, 2.0):
        assert values.next(0, error) == values.next(0, error + 2 * np.pi)
        assert values.value(1, 30, error) == pytest.approx(values.value(1, 30, error - 2 * np.pi))
    assert wrapped(np.array([np.pi, -np.pi, 7.0])) == pytest.approx([-np.pi, -np.pi, 7 - 2 * np.pi])


def test_a_transition_that_falls_is_never_chosen(graph: MotionGraph) -> None:
    graph.held[0, 1] = False
    values = ValueFunction(graph)
    assert NAMES[values.next(0, np.radians(45))] != "left"
    assert NAMES[values.next(2, np.radians(45))] == "left"


def test_values_keep_bellmans_equation(graph: MotionGraph) -> None:
    values = ValueFunction(graph)
    for motion in range(4):
        for error in np.radians([0, 50, -120]):
            follow = values.next(motion, error)
            through = STRAIN * 0.02 + values.value(follow, 0, error)
            assert values._at(motion, np.array([error]))[0] == pytest.approx(through, abs=1e-4)


def test_the_value_of_a_row_is_what_is_left(graph: MotionGraph) -> None:
    values, error = ValueFunction(graph), 0.7
    whole, later = values.value(0, 0, error), values.value(0, 60, error)
    time = np.arange(60) / 120
    passed = error * (DISCOUNT**time).sum() / 120
    assert whole == pytest.approx(passed + DISCOUNT**0.5 * later)


def test_a_motion_that_nothing_can_follow_is_told(graph: MotionGraph) -> None:
    graph.held[3] = False
    with pytest.raises(InputError, match="'about'"):
        ValueFunction(graph)
