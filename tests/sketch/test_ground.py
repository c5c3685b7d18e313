"""Planes under ways and feet."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sketch_walks import body_of

from amble.sketch.contact import Contact, standing_sole
from amble.sketch.ground import fit_plane, foothold, steppable, survey
from amble.terrain import Blocks, Flat, Noise, Slope, Stairs, Terrain


def test_plane_fit_recovers_a_plane() -> None:
    xy = np.random.default_rng(0).uniform(-1, 1, (3, 40, 2))
    plane = np.array([0.2, -0.1])
    a, bx, by = fit_plane(xy, 0.5 + xy @ plane).T
    assert np.allclose(a, 0.5 + xy.mean(1) @ plane, atol=1e-3)
    assert np.allclose([bx, by], plane[:, None], atol=1e-3)


def test_prior_keeps_the_slope_of_few_close_samples_small() -> None:
    xy = np.array([[0.0, 0.0], [0.01, 0.0]])
    assert abs(fit_plane(xy, np.array([0.0, 0.05]))[1]) < 0.5 * 5.0


@pytest.mark.parametrize("degrees", [-15, 5, 20])
def test_survey_of_a_slope_is_the_slope(degrees: float) -> None:
    way = np.column_stack([np.linspace(0, 3, 91), np.zeros(91)])
    found = survey(Slope(degrees), way, 0.925, 1.2)
    tilt = math.tan(math.radians(degrees))
    assert np.allclose(found.height[:60], tilt * way[:60, 0], atol=0.03)
    assert found.slope == pytest.approx(tilt, abs=0.01)
    assert found.open.all()


def test_survey_is_smooth_over_stairs_and_agrees_with_a_later_one() -> None:
    way = np.column_stack([np.linspace(0, 4, 121), np.zeros(121)])
    first = survey(Stairs(), way[:91], 0.925, 1.2)
    later = survey(Stairs(), way[15:106], 0.925, 1.2)
    assert np.abs(np.diff(first.height, 2)).max() < 0.004
    assert np.abs(first.height[15:60] - later.height[:45]).max() < 0.02


@pytest.mark.parametrize("terrain", [Flat(), Slope(15), Stairs(), Noise(), Blocks()])
def test_soles_touch_the_ground_and_never_sink_in(terrain: Terrain) -> None:
    rng = np.random.default_rng(2)
    leg = body_of("humanoid").legs[0]
    for _ in range(60):
        xy, yaw = rng.uniform(-2, 4, 2), rng.uniform(-3, 3)
        position, normal = foothold(terrain, leg, xy, yaw)
        contact = Contact(0, 0.0, 0.0, 1.0, 1.0, 0.5, position, yaw, normal)
        R = standing_sole(contact, leg, 0.5).R_w
        grid = [(x, y) for x in (*leg.effectors, 0.0) for y in (-leg.half_width, leg.half_width)]
        corners = position + np.array([(x, y, 0.0) for x, y in grid]) @ R.T
        above = corners[:, 2] - terrain.height(corners[:, 0], corners[:, 1])
        assert np.linalg.norm(normal) == pytest.approx(1)
        if not isinstance(terrain, Stairs | Blocks):  # whose edges a corner may just pass
            assert above.min() > -0.005
            assert above.min() < 0.02


def test_a_point_foot_takes_the_ground_as_it_is() -> None:
    leg = body_of("anymal").legs[0]
    position, normal = foothold(Slope(20), leg, np.array([1.0, 0.3]), 0.4)
    assert position[2] == pytest.approx(math.tan(math.radians(20)))
    assert np.allclose(normal, Slope(20).normal(0, 0))


def test_what_can_be_stepped_on() -> None:
    xy = np.array([[0.0, 0.0]])
    assert steppable(Flat(), 0.9, xy, 0.0).all()
    assert not steppable(Slope(40), 0.9, xy, 0.0).any()
    assert not steppable(Flat(), 0.9, xy, 0.5).any()
    assert not steppable(Flat(), 0.9, xy, -0.5).any()
