"""A reference as a clip says the same: its measures find its physics, and files hold it."""

from __future__ import annotations

import numpy as np
import pytest

import amble
from amble.tracking.flat_body import FlatBody
from amble.tracking.generated import planned_cycle
from amble.tracking.spacetime import Settings, solve
from amble.tracking.to_clip import clip_of


@pytest.mark.parametrize("name", ["humanoid-tracking", "humanoid"])
def test_measures_find_the_physics_of_the_reference(name: str) -> None:
    """Also of a body with ball joints, whose torques are about other axes."""
    body = FlatBody(amble.character(name))
    reference = solve(body, planned_cycle(body, 1.2, "walk"))
    clip = clip_of(body, reference, cycles=2)
    found = amble.measure(clip)
    assert not found["fell"]
    assert found["stance_slip_mm"]["max"] < 1
    assert found["penetration_mm"]["max"] < 1e-2
    assert found["friction_excess"] <= Settings().friction
    assert found["momentum_residual"] < 0.15
    assert found["max_torque_ratio"] <= 1.01
    power = np.sum(clip.torque * clip.qvel[:, 6:], axis=1)
    flat = [reference.u_at(k - 1)[0] @ reference.v_at(k - 1)[6:] for k in range(2 * len(reference))]
    np.testing.assert_allclose(power, flat, atol=1e-6)
