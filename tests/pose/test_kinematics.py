"""The core's kinematics against MuJoCo's."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import amble
from amble import _core
from amble.characters import character_names
from amble.pose.momentum_ik import body_tree

# Welded bodies, several joints on one body, a slide, a ball off its body's origin, joints not zero
# at rest.
MIXED = """
<mujoco><compiler autolimits="true"/><worldbody>
  <body name="root" pos="0 0 1" quat="0.9 0.1 0.3 0.2"><freejoint/>
    <geom type="box" size="0.1 0.2 0.3" pos="0.05 0.1 0" euler="10 20 30"/>
    <body pos="0.1 0 0" euler="30 0 20"><geom size="0.05" pos="0.1 0 0"/>
      <body pos="0.2 0.1 0" quat="0.7 0.1 0.2 -0.3">
        <joint axis="1 1 0" pos="0.02 0 0.1" ref="20"/><joint type="slide" axis="0 1 1" ref="0.1"/>
        <joint axis="0 0 1" pos="0.1 0 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.2 0.1 0.3"/>
        <body pos="0.2 0.1 0.3"><joint type="ball" pos="0.05 0.02 0"/>
          <geom type="box" size="0.1 0.05 0.02"/></body>
      </body>
    </body>
  </body>
</worldbody></mujoco>"""
SUBJECTS = (*character_names(), "mixed")


def _model(name: str) -> mujoco.MjModel:
    if name == "mixed":
        return mujoco.MjModel.from_xml_string(MIXED)
    return amble.character(name).model


def _poses(model: mujoco.MjModel, rng: np.random.Generator, count: int) -> np.ndarray:
    poses = np.tile(model.qpos0, (count, 1))
    for qpos in poses:
        mujoco.mj_integratePos(model, qpos, rng.standard_normal(model.nv), 1.0)
    return poses


@pytest.mark.parametrize("name", SUBJECTS)
def test_places_and_jacobians_are_mujocos(name: str) -> None:
    model = _model(name)
    data, core = mujoco.MjData(model), _core.Kinematics(body_tree(model))
    rng = np.random.default_rng(1)
    J, turn, expected, expected_turn = (np.full((3, model.nv), np.nan) for _ in range(4))
    at, R = np.empty(3), np.empty((3, 3))
    for qpos in _poses(model, rng, 5):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        core.place(qpos)
        for b in range(1, model.nbody):
            core.body(b, at, R)
            np.testing.assert_allclose(at, data.xpos[b], atol=1e-12)
            np.testing.assert_allclose(R.ravel(), data.xmat[b], atol=1e-12)
            point = at + 0.2 * rng.standard_normal(3)
            core.jacobian(b, point, J, turn)
            mujoco.mj_jac(model, data, expected, expected_turn, point, b)
            np.testing.assert_allclose(J, expected, atol=1e-12)
            np.testing.assert_allclose(turn, expected_turn, atol=1e-12)


@pytest.mark.parametrize("name", SUBJECTS)
def test_centre_of_mass_and_momentum_are_mujocos(name: str) -> None:
    model = _model(name)
    data, core = mujoco.MjData(model), _core.Kinematics(body_tree(model))
    com, inertia = np.empty(3), np.empty((3, 3))
    J, A, expected = (np.full((3, model.nv), np.nan) for _ in range(3))
    for qpos in _poses(model, np.random.default_rng(2), 5):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        core.place(qpos)
        core.centre(com, J, A, inertia)
        np.testing.assert_allclose(com, data.subtree_com[1], atol=1e-12)
        mujoco.mj_jacSubtreeCom(model, data, expected, 1)
        np.testing.assert_allclose(J, expected, atol=1e-12)
        mujoco.mj_angmomMat(model, data, expected, 1)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(A, expected, atol=1e-12 * scale)
        xx, yy, zz, xy, xz, yz = data.cinert[1:, :6].sum(axis=0)
        np.testing.assert_allclose(
            inertia, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], atol=1e-12 * scale
        )


@pytest.mark.parametrize("name", SUBJECTS)
def test_differences_and_steps_are_mujocos(name: str) -> None:
    model = _model(name)
    core, rng = _core.Kinematics(body_tree(model)), np.random.default_rng(3)
    found, expected = np.empty(model.nv), np.empty(model.nv)
    for a, b in zip(_poses(model, rng, 5), _poses(model, rng, 5), strict=True):
        core.differentiate(a, b, 0.3, found)
        mujoco.mj_differentiatePos(model, expected, 0.3, a, b)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        core.differentiate(a, a, 1.0, found)
        np.testing.assert_allclose(found, 0.0, atol=1e-15)
        ours, theirs, velocity = a.copy(), a.copy(), 3 * rng.standard_normal(model.nv)
        core.integrate(ours, velocity, 0.7)
        mujoco.mj_integratePos(model, theirs, velocity, 0.7)
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
        core.differentiate(a, ours, 0.7, found)
        core.integrate(a, found, 0.7)
        core.differentiate(a, ours, 1.0, found)
        np.testing.assert_allclose(found, 0.0, atol=1e-12)
