"""The flat twin of a character moves, weighs and turns like the character itself."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import amble
from amble.characters.character import Character
from amble.errors import InputError
from amble.tracking.flat_body import FlatBody

BIPEDS = [name for name in amble.character_names() if len(amble.character(name).feet) == 2]
SHAPED = amble.character("humanoid-tracking").reshaped({"left_thigh": amble.Scale(length=1.3)})
BODIES = [*(amble.character(name) for name in BIPEDS), SHAPED]


def _random(body: FlatBody, rng: np.random.Generator, T: int) -> tuple[np.ndarray, np.ndarray]:
    walk = np.cumsum(0.05 * rng.normal(size=(T, body.n)), axis=0)
    return walk, rng.normal(size=(T, body.n))


@pytest.mark.parametrize("character", BODIES, ids=lambda c: c.name)
def test_poses_and_velocities_agree_with_the_character(character: Character) -> None:
    body, rng = FlatBody(character), np.random.default_rng(2)
    q, v = _random(body, rng, 12)
    qpos, qvel = body.qpos(q), body.qvel(q, v)
    np.testing.assert_allclose(body.flat(qpos), q, atol=1e-9)
    np.testing.assert_allclose(body.flat_velocity(q, qvel), v, atol=1e-8)
    own, flat = mujoco.MjData(character.model), mujoco.MjData(body.model)
    rotors = 0.5 * np.sum(character.model.dof_armature * qvel**2, axis=1)
    flat_rotors = 0.5 * np.sum(body.model.dof_armature * v**2, axis=1)
    for k in range(len(q)):
        own.qpos[:], own.qvel[:] = qpos[k], qvel[k]
        flat.qpos[:], flat.qvel[:] = q[k], v[k]
        mujoco.mj_forward(character.model, own)
        mujoco.mj_forward(body.model, flat)
        np.testing.assert_allclose(flat.xpos[1:], own.xpos[1:], atol=1e-9)
        np.testing.assert_allclose(flat.site_xpos, own.site_xpos, atol=1e-9)
        np.testing.assert_allclose(flat.subtree_com[0], own.subtree_com[0], atol=1e-9)
        for model, data, extra in (
            (character.model, own, rotors[k]),
            (body.model, flat, flat_rotors[k]),
        ):
            mujoco.mj_energyVel(model, data)
            data.energy[1] -= extra
        np.testing.assert_allclose(flat.energy[1], own.energy[1], rtol=1e-9)


def test_the_tracking_body_is_already_flat() -> None:
    body = FlatBody(amble.character("humanoid-tracking"))
    assert body.n == 29 and body.model.nq == body.model.nv == 29
    assert body.names[:6] == ("root_px", "root_py", "root_pz", "root_z", "root_y", "root_x")
    assert body.names[6:] == body.character.dof_names
    np.testing.assert_array_equal(body.limits[6:], body.character.joint_limits)
    np.testing.assert_array_equal(body.torque_limits, body.character.torque_limits)
    rest = body.flat(body.character.rest_qpos())
    corners = body.corners_w(rest)
    np.testing.assert_allclose(corners[:, 2], 0, atol=1e-9)
    assert (corners[[2, 3, 6, 7], 0] > corners[[0, 1, 4, 5], 0] + 0.1).all()  # toes lie ahead
    assert (corners[::2, 1] > corners[1::2, 1]).all()  # left corners lie to the left
    np.testing.assert_allclose(body.midpoints_w(rest)[0], corners[:2].mean(axis=0))


def test_other_bodies_are_refused_in_words() -> None:
    with pytest.raises(InputError, match="two"):
        FlatBody(amble.character("anymal"))
