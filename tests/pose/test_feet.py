"""Laws of feet: they stand where planned, swing smoothly, clear the ground, follow changes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from walks import human_gait, robot_gait

import amble
from amble.characters.centroidal import CentroidalBody, centroidal_body
from amble.pose.feet import Feet
from amble.pose.swing import Stance, Swing, SwingShape, sole_corners
from amble.sketch.contact import Contact, standing_sole
from amble.terrain import Flat
from amble.terrain.stairs import Stairs

DT = 1e-3


@pytest.fixture(scope="module")
def body() -> CentroidalBody:
    return centroidal_body(amble.character("humanoid"))


def _pair(body: CentroidalBody, speed: float) -> tuple[Contact, Contact]:
    mine = [c for c in human_gait(body, speed).contacts if c.limb == 0]
    return mine[2], mine[3]


def _swing(body: CentroidalBody, speed: float, terrain=None) -> Swing:
    lift, land = _pair(body, speed)
    shape = SwingShape.between(lift, land, body.leg_length, 0.06)
    return Swing(body.legs[0], lift, land, shape, terrain or Flat())


def test_a_stance_is_the_standing_sole(body: CentroidalBody) -> None:
    contact, _ = _pair(body, 1.2)
    stance = Stance(contact, body.legs[0])
    for time in np.linspace(contact.start, contact.end, 23):
        expected = standing_sole(contact, body.legs[0], time)
        found = stance.sole(time)
        assert np.allclose(found.position_w, expected.position_w, atol=1e-12)
        assert np.allclose(found.R_w, expected.R_w, atol=1e-12)


@pytest.mark.parametrize("speed", [0.6, 1.2, 3.0])
def test_a_swing_joins_its_contacts_in_place_velocity_and_acceleration(
    body: CentroidalBody, speed: float
) -> None:
    swing, leg = _swing(body, speed), body.legs[0]
    for contact, time, outwards in (
        (swing.lift, swing.lift.end, 1),
        (swing.land, swing.land.start, -1),
    ):
        inside = [
            standing_sole(contact, leg, time - outwards * k * DT).position_w for k in range(4)
        ]
        beyond = [swing.sole(time + outwards * k * DT).position_w for k in range(4)]
        assert np.allclose(inside[0], beyond[0], atol=1e-9)
        v = [(-11 * p[0] + 18 * p[1] - 9 * p[2] + 2 * p[3]) / (6 * DT) for p in (inside, beyond)]
        assert np.allclose(v[0], -v[1], atol=0.01)
        a = [(2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) / DT**2 for p in (inside, beyond)]
        assert np.allclose(a[0], a[1], atol=0.05 * np.abs(a[0]).max() + 1.0)


@pytest.mark.parametrize("speed", [0.6, 1.2, 3.0, 5.0])
def test_no_corner_of_a_swinging_sole_goes_below_the_ground(
    body: CentroidalBody, speed: float
) -> None:
    swing, corners = _swing(body, speed), sole_corners(body.legs[0])
    for time in np.linspace(swing.lift.end, swing.land.start, 80):
        sole = swing.sole(time)
        assert (sole.position_w + corners @ sole.R_w.T)[:, 2].min() > -0.005


def test_a_swing_goes_over_steps(body: CentroidalBody) -> None:
    terrain = Stairs()
    leg, corners = body.legs[0], sole_corners(body.legs[0])
    lift, land = _pair(body, 1.2)
    xs = np.linspace(-1, 4, 501)
    edge = float(xs[np.argmax(terrain.height(xs, 0 * xs) > 0.01)])
    at = np.array([edge - 0.3, 0.09, 0.0])
    to = at + np.array([0.55, 0.0, 0.0])
    to[2] = float(terrain.height(to[0] + 0.1, to[1]))
    lift, land = lift.moved(at), land.moved(to)
    swing = Swing(leg, lift, land, SwingShape.between(lift, land, 0.92, 0.06), terrain)
    for time in np.linspace(lift.end, land.start, 60)[3:-3]:
        sole = swing.sole(time)
        points = sole.position_w + corners @ sole.R_w.T
        depth = terrain.height(points[:, 0], points[:, 1]) - points[:, 2]
        assert depth.max() < 0.02


def test_a_changed_foothold_is_met_without_a_jump(body: CentroidalBody) -> None:
    gait = human_gait(body, 1.2)
    mine = [c for c in gait.contacts if c.limb == 0]
    lift, land = mine[3], mine[4]
    middle = 0.5 * (lift.end + land.start)
    shift = land.start + 0.05 - land.start
    moved = replace(
        land.moved(land.position_w + np.array([0.06, 0.04, 0.0])),
        start=land.start + shift,
        flat=land.flat + shift,
        yaw=0.2,
    )
    changed = tuple(moved if c is land else c for c in gait.contacts)
    feet = Feet(body, Flat())
    hips = np.array([leg.hip_b for leg in body.legs])
    places = []
    times = np.arange(lift.end - 0.05, moved.start + 0.05, DT)
    for time in times:
        state = gait.state(time)
        contacts = gait.contacts if time < middle else changed
        places.append(feet.at(time, state, contacts, state.com_w + hips)[0].sole)
    p = np.array([sole.position_w for sole in places])
    at = int(np.searchsorted(times, middle))
    acceleration = np.diff(p, 2, axis=0) / DT**2
    jumps = np.abs(np.diff(acceleration, axis=0)).max(axis=1)
    usual = np.abs(np.diff(acceleration[: at - 5], axis=0)).max()
    assert jumps[at - 4 : at + 4].max() < 2 * usual + 1.0
    landed = int(np.searchsorted(times, moved.start))
    assert np.allclose(
        p[landed + 1], standing_sole(moved, body.legs[0], times[landed + 1]).position_w
    )
    turned = math.atan2(places[-1].R_w[1, 0], places[-1].R_w[0, 0])
    assert turned == pytest.approx(0.2, abs=1e-9)


def test_feet_of_a_lamp_lift_and_land_flat() -> None:
    body = centroidal_body(amble.character("luxo"))
    gait = robot_gait(body, 0.8, 0.8, 0.55, (0.0,))
    feet = Feet(body, Flat())
    heights = []
    for time in np.arange(0.0, 1.6, 0.01):
        state = gait.state(time)
        foot = feet.at(time, state, gait.contacts, state.com_w + body.legs[0].hip_b[None])[0]
        heights.append(foot.sole.position_w[2])
        assert foot.standing == any(c.holds(time) for c in gait.contacts)
    assert 0.05 < max(heights) < 0.12
    assert min(heights) >= 0.0
