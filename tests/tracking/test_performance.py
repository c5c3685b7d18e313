"""A performance keeps its place in the world from motion to motion, and follows the ground."""

from __future__ import annotations

import numpy as np
import pytest

from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.performance import EARLY, Performance, landings
from amble.tracking.reference import Reference, Travel
from amble.tracking.regulator import LookAhead, Regulator

ROWS, LANDING = 60, 40
BOTH = np.array([True, True])
NOWHERE = np.zeros(29)


@pytest.fixture(scope="module")
def regulator(body: FlatBody) -> Regulator:
    """A glide ahead and to the left; the second foot lands in row 40 and lifts in row 10."""
    q = np.tile(body.flat(body.character.rest_qpos()), (ROWS, 1))
    travel = Travel(0.6, 0.1, 0.5)
    q[:, 0] += np.linspace(0, 0.6, ROWS, endpoint=False)
    contact = np.ones((ROWS, CORNERS), bool)
    contact[10:LANDING, 4:] = False
    force = np.where(contact[..., None], [0.0, 0.0, 90.0], 0.0)
    torque = np.zeros((ROWS, body.n - ROOT))
    reference = Reference("glide", body.character.name, 1 / 120, q, torque, force, contact, travel)
    return Regulator(body, reference, LookAhead(cycles=1, seconds=0.0))


def test_the_frame_moves_on_by_the_travel_of_every_round(regulator: Regulator) -> None:
    performance = Performance(regulator)
    for _ in range(2 * ROWS):
        performance.advance(BOTH, np.zeros(2), NOWHERE)
    travel = regulator.reference.travel
    assert travel is not None
    twice = travel.times(2)
    frame = performance.frame
    assert (frame.dx, frame.dy, frame.yaw) == pytest.approx((twice.dx, twice.dy, twice.yaw))
    assert performance.finished == 2 and performance.row == 0


def test_local_states_are_the_world_seen_from_the_frame(regulator: Regulator) -> None:
    performance = Performance(regulator)
    for _ in range(ROWS + 5):
        performance.advance(BOTH, np.zeros(2), NOWHERE)
    q = performance.reference()
    q[3] += 2 * np.pi  # turned once more, which is the same pose
    v = performance.frame.vector(regulator.v(5))
    here, rate = performance.local(q, v)
    assert here == pytest.approx(regulator.q(5)) and rate == pytest.approx(regulator.v(5))


def test_an_early_landing_takes_the_motion_on_without_moving_the_body(
    regulator: Regulator,
) -> None:
    performance = Performance(regulator, by_contact=True)
    assert [(each.row, each.foot) for each in landings(regulator)] == [(LANDING, 1)]
    rows = round(EARLY * 120)
    flying = np.array([True, False])
    while performance.row < LANDING - rows:
        performance.advance(flying, np.zeros(2), NOWHERE)
    expected = regulator.q(performance.row + 1)[:2]
    performance.advance(BOTH, np.zeros(2), NOWHERE)
    assert performance.row == LANDING
    assert performance.reference()[:2] == pytest.approx(expected)


def test_by_time_alone_contacts_change_nothing(regulator: Regulator) -> None:
    performance = Performance(regulator)
    for _ in range(35):
        performance.advance(BOTH, np.full(2, -0.3), NOWHERE)
    assert performance.row == 35 and performance.ground == 0


def test_the_reference_sinks_to_the_ground_that_is_found(regulator: Regulator) -> None:
    performance = Performance(regulator, by_contact=True)
    for _ in range(120):
        performance.advance(np.array([True, False]), np.array([-0.04, -np.inf]), NOWHERE)
    assert performance.ground == pytest.approx(-0.04, abs=1e-4)


def test_motions_follow_one_another_as_chosen(regulator: Regulator, body: FlatBody) -> None:
    other = Regulator(body, regulator.reference, LookAhead(law="lqr", cycles=1, seconds=0.0))
    performance = Performance(regulator, lambda performance: other)
    for _ in range(ROWS):
        performance.advance(BOTH, np.zeros(2), NOWHERE)
    assert performance.regulator is other
