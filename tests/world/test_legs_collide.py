"""Legs do not pass through each other, and what they do to each other is no force from outside."""

from __future__ import annotations

import numpy as np
import pytest

from amble.characters import character
from amble.world import MuJoCoWorld


@pytest.mark.parametrize("name", ["humanoid", "baby"])
def test_shanks_pressed_together_stay_on_their_sides(name: str) -> None:
    body = character(name)
    world = MuJoCoWorld(body)
    qpos = world.standing()
    qpos[2] += 3.0  # in the air, where nothing else holds the feet apart
    world.reset(qpos)
    model, data = world.model, world.data
    ankles = [model.body(body.parts[f"{side}_foot"]).id for side in ("left", "right")]
    closing = np.zeros(model.nv - 6)
    for side, sign in (("left", -1.0), ("right", 1.0)):  # about x: feet towards the middle
        hip = model.body(body.parts[f"{side}_thigh"]).dofadr[0] - 6
        closing[hip] = sign * 0.05 * body.mass * 9.81 * body.com_height
    closest, met = np.inf, False
    for _ in range(300):
        before = data.subtree_linvel[1].copy()
        world.step(closing, 1)
        left, right = data.xpos[ankles]
        closest = min(closest, float(left[1] - right[1]))
        met |= data.ncon > 0
        assert np.isfinite(before).all()
    assert met
    assert closest > 0.0
    np.testing.assert_allclose(world.ground_impulse_w, 0.0, atol=1e-6)
    assert not world.contacts().touching.any()
