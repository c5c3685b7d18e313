"""Warps reach their turn, speed and stride, and join the walk that they come from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from consistency import equation_residual, slip, sole_heights

import amble
from amble.errors import InputError, UnknownName
from amble.tracking.flat_body import FlatBody
from amble.tracking.generated import planned_cycle, standing
from amble.tracking.library import reference, reference_names
from amble.tracking.reference import Reference
from amble.tracking.spacetime import solve
from amble.tracking.transitions import start_motion, stop_motion
from amble.tracking.warp import motion_of, warped

WEIGHT = 71.4 * 9.81


@pytest.fixture(scope="module")
def body() -> FlatBody:
    return FlatBody(amble.character("humanoid-tracking"))


@pytest.fixture(scope="module")
def walk(body: FlatBody) -> Reference:
    return solve(body, planned_cycle(body, 1.2, "walk"))


@pytest.mark.parametrize("degrees", [45, -30])
def test_turns_reach_their_angle_and_join_the_walk(
    body: FlatBody, walk: Reference, degrees: float
) -> None:
    motion = warped(body, motion_of(walk), angle=math.radians(degrees), attached=True)
    turn = solve(body, motion)
    assert turn.travel is not None
    np.testing.assert_allclose(turn.travel.yaw, math.radians(degrees))
    # The state that it begins with is the walk's, and so is the one that it ends with, turned.
    np.testing.assert_array_equal(turn.q[:2], walk.q[:2])
    end = np.array([turn.q_at(len(turn) + k) for k in range(2)])
    np.testing.assert_allclose(end, turn.travel.pose(walk.q[:2]), atol=1e-12)
    assert equation_residual(body, turn).max() < 1e-6 * WEIGHT
    assert slip(body, turn) < 1e-6
    assert sole_heights(body, turn)[1] > -1e-6
    away = np.degrees(np.abs((turn.q - motion.q)[:, 6:]).mean())
    assert away < 2


def test_speed_and_stride(body: FlatBody, walk: Reference) -> None:
    assert walk.travel is not None
    slow = warped(body, motion_of(walk), speed=0.7, stride=0.8)
    assert slow.travel is not None
    np.testing.assert_allclose(slow.travel.dx, 0.8 * walk.travel.dx)
    np.testing.assert_allclose(slow.seconds, walk.seconds * 0.8 / 0.7, atol=slow.step)
    found = solve(body, slow)
    assert equation_residual(body, found).max() < 1e-6 * WEIGHT
    places = np.array([body.midpoints_w(found.q_at(k)) for k in (0, len(found))])
    np.testing.assert_allclose(places[1] - places[0], [[0.8 * walk.travel.dx, 0, 0]] * 4, atol=1e-9)


@pytest.mark.slow
def test_start_and_stop_join_standing_and_walk(body: FlatBody, walk: Reference) -> None:
    stand = solve(body, standing(body))
    for make, before, after in ((start_motion, stand, walk), (stop_motion, walk, stand)):
        motion = make(body, stand, walk, 1.2)
        found = solve(body, motion)
        assert not found.periodic
        np.testing.assert_array_equal(found.q[:2], before.q[:2])
        away = found.q[-2:] - after.q[:2]
        np.testing.assert_allclose(away, [away[0]] * 2, atol=1e-12)
        np.testing.assert_allclose(away[0, 2:], 0, atol=1e-12)  # only elsewhere
        np.testing.assert_array_equal(found.torque[-1], after.torque[1])
        assert equation_residual(body, found).max() < 1e-6 * WEIGHT
        assert slip(body, found) < 1e-6


def test_what_cannot_be_warped_is_told(body: FlatBody, walk: Reference) -> None:
    motion = motion_of(walk)
    with pytest.raises(InputError, match="60° a cycle"):
        warped(body, motion, angle=math.radians(90))
    with pytest.raises(InputError, match=r"0\.4 to 2\.5"):
        warped(body, motion, speed=9)
    turn = warped(body, motion, angle=0.3)
    with pytest.raises(InputError, match="straight"):
        warped(body, turn, angle=0.3)


def test_the_library_knows_its_names() -> None:
    assert {"walk", "run", "stand", "start", "stop", "turn-180"} <= set(reference_names())
    with pytest.raises(UnknownName, match="turn-45"):
        reference("turn-46")
