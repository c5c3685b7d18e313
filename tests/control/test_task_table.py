"""The task table: what is put in stays where it was put, and it says when it is full."""

from __future__ import annotations

import numpy as np
import pytest

from amble.control.tasks import XYZ, TaskTable
from amble.errors import AmbleError
from amble.features.feature import Kind


def filled() -> TaskTable:
    """Two levels of 3 + 1 and 3 rows."""
    tasks = TaskTable()
    tasks.setpoint(Kind.POINT, 4, XYZ, kp=(1, 2, 3), kv=5.0, reference=(7, 8, 9), limit=6.0)
    tasks.target(Kind.COM, 0, (2,), reference=0.9, deadline=1.5, velocity=0.1, weight=3.0)
    tasks.end_level()
    tasks.momentum(2.5)
    tasks.end_level()
    return tasks


def test_rows_follow_each_other_and_levels_end_where_they_were_ended() -> None:
    tasks = TaskTable()
    places = [
        tasks.setpoint(Kind.COM, 0, (0, 1), kp=1.0, kv=2.0),
        tasks.minimum_torque([3, 5, 8]),
        tasks.orientation(2, np.eye(3), kp=1.0, kv=2.0),
    ]
    assert [(place.start, place.stop) for place in places] == [(0, 2), (2, 5), (5, 8)]
    tasks.end_level()
    tasks.momentum(1.0)
    tasks.end_level()
    tasks.setpoint(Kind.COM, 0, (2,), kp=1.0, kv=2.0)  # no level ends after it
    assert tasks.levels.tolist() == [0, 8, 11]


def test_columns_hold_what_was_given() -> None:
    tasks = filled()
    kind, index, axis, mode, _ = tasks.ints[:7].T
    assert kind.tolist() == [Kind.POINT] * 3 + [Kind.COM] + [Kind.MOMENTUM] * 3
    assert index.tolist() == [4, 4, 4, 0, 0, 0, 0]
    assert axis.tolist() == [0, 1, 2, 2, 0, 1, 2]
    assert mode.tolist() == [0, 0, 0, 1, 0, 0, 0]
    inf = np.inf
    np.testing.assert_array_equal(
        tasks.reals[
            [0, 2, 3, 4]
        ],  # weight, kp, kv, reference, velocity, acceleration, deadline, limit
        [
            (1, 1, 5, 7, 0, 0, 0, 6),
            (1, 3, 5, 9, 0, 0, 0, 6),
            (3, 0, 0, 0.9, 0.1, 0, 1.5, inf),
            (1, 2.5, 0, 0, 0, 0, 0, inf),
        ],
    )


def test_moving_a_reference_touches_its_rows_only() -> None:
    tasks = filled()
    before = tasks.reals.copy()
    tasks.refer(slice(1, 3), (10, 11), velocity=12.0)
    tasks.feed_forward(slice(3, 4), 13.0)
    changed = np.argwhere(tasks.reals != before)
    assert changed.tolist() == [[1, 3], [1, 4], [2, 3], [2, 4], [3, 5]]
    assert tasks.reals[tuple(changed.T)].tolist() == [10, 12, 11, 12, 13]


def test_what_is_cleared_leaves_no_trace_in_new_rows() -> None:
    tasks = TaskTable()
    for _ in range(3):
        tasks.orientation(1, 2 * np.eye(3), kp=9.0, kv=9.0, weight=9.0)
    tasks.clear()
    assert tasks.levels.tolist() == [0, 0]
    rows = tasks.setpoint(Kind.COM, 0, XYZ, kp=0.0, kv=0.0)
    assert rows == slice(0, 3)
    assert tasks.ints[rows, 4].tolist() == [0, 0, 0]
    np.testing.assert_array_equal(tasks.reals[0], (1, 0, 0, 0, 0, 0, 0, np.inf))


def test_each_orientation_has_its_own_rotation() -> None:
    tasks, turned = TaskTable(), np.diag((1.0, -1.0, -1.0))
    first = tasks.orientation(1, np.eye(3), kp=1.0, kv=2.0)
    second = tasks.orientation(1, turned, kp=1.0, kv=2.0)
    slots = tasks.ints[[first.start, second.start], 4]
    np.testing.assert_array_equal(tasks.rotations[slots], [np.eye(3), turned])


@pytest.mark.parametrize("axes", ((0,), XYZ))
def test_a_full_table_says_so_and_stays_as_it_was(axes: tuple[int, ...]) -> None:
    tasks = TaskTable(capacity=3)
    tasks.setpoint(Kind.COM, 0, XYZ, kp=1.0, kv=2.0)
    ints, reals = tasks.ints.copy(), tasks.reals.copy()
    with pytest.raises(AmbleError, match="3"):
        tasks.setpoint(Kind.MOMENTUM, 0, axes, kp=3.0, kv=4.0)
    tasks.end_level()
    assert tasks.levels.tolist() == [0, 3]
    np.testing.assert_array_equal(tasks.ints, ints)
    np.testing.assert_array_equal(tasks.reals, reals)


def test_more_orientations_than_it_holds_are_refused() -> None:
    tasks = TaskTable(rotations=1)
    tasks.orientation(1, np.eye(3), kp=1.0, kv=2.0)
    with pytest.raises(AmbleError, match="1"):
        tasks.orientation(2, np.eye(3), kp=1.0, kv=2.0)
