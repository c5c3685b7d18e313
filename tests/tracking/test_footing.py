"""Feet of a reference go to the height of the ground, turned as they were."""

from __future__ import annotations

import numpy as np
import pytest

from amble.terrain import Flat, Stairs
from amble.tracking.flat_body import ROOT, FlatBody
from amble.tracking.footing import FASTEST, Footing


def bent(body: FlatBody) -> np.ndarray:
    q = body.flat(body.character.rest_qpos())
    for name, angle in (("hip_y", -0.4), ("knee", 0.8), ("ankle_y", -0.4)):
        for side in ("left", "right"):
            q[body.names.index(f"{side}_{name}")] = angle
    return q


@pytest.mark.parametrize("lift", [(0.06, 0.0), (0.0, 0.04), (-0.03, 0.05)])
def test_each_foot_is_lifted_as_a_whole_by_its_leg(
    body: FlatBody, lift: tuple[float, float]
) -> None:
    footing, q = Footing(body, Flat()), bent(body)
    for _ in range(30):
        footing.follow(np.array(lift), q, 1 / 120)
    before, after = body.corners_w(q), body.corners_w(q + footing.offset)
    assert after[:, :2] == pytest.approx(before[:, :2], abs=2e-3)
    assert after[:, 2] - before[:, 2] == pytest.approx(np.repeat(lift, 4), abs=2e-3)
    moved = {body.names[k].split("_")[1] for k in np.flatnonzero(footing.offset)}
    assert moved <= {"hip", "knee", "ankle"} and not footing.offset[:ROOT].any()


def test_lifts_change_no_faster_than_they_may(body: FlatBody) -> None:
    footing, q = Footing(body, Flat()), bent(body)
    footing.follow(np.array([0.1, 0.0]), q, 1 / 120)
    assert footing.lift == pytest.approx([FASTEST / 120, 0.0])
    assert footing.rate == pytest.approx(120 * footing.offset)


def test_level_ground_changes_nothing(body: FlatBody) -> None:
    footing = Footing(body, Flat())
    footing.follow(np.zeros(2), bent(body), 1 / 120)
    assert not footing.offset.any() and not footing.rate.any()


def test_across_an_edge_a_foot_finds_the_mean(body: FlatBody) -> None:
    q = bent(body)
    toes = body.corners_w(q)[2:4, 0].mean()
    footing = Footing(body, Stairs(rise=0.1, run=1.0, start=float(toes) - 0.05, count=2))
    assert footing.height_under(footing.corners(q, 0)) == pytest.approx(0.05)
