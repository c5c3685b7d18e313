"""Dynamics of flat bodies equal MuJoCo's, and their derivatives equal central differences."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import amble
from amble.tracking.dynamics import FlatDynamics
from amble.tracking.flat_body import FlatBody

BIPEDS = [
    name
    for name in amble.character_names()
    if len(amble.character(name).feet) == 2 and not amble.character(name).model.neq
]


@pytest.fixture(params=BIPEDS)
def body(request: pytest.FixtureRequest) -> FlatBody:
    return FlatBody(amble.character(request.param))


def _state(body: FlatBody, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=(3, body.n)) * np.array([[0.7], [2.0], [5.0]])
    q[:3] += [30.0, -20.0, 1.0]  # far from the world's origin
    return q, v, a


def test_it_equals_mujoco(body: FlatBody) -> None:
    dynamics, model = FlatDynamics(body), body.model
    data = mujoco.MjData(model)
    for seed in range(4):
        q, v, a = _state(body, seed)
        force = np.random.default_rng(seed).normal(size=(8, 3)) * 100
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_forward(model, data)
        data.qacc[:] = a
        M = np.empty((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        expected = np.empty(model.nv)
        mujoco.mj_rne(model, data, 1, expected)
        expected += model.dof_armature * a
        np.testing.assert_allclose(dynamics.mass(q), M, atol=1e-9)
        np.testing.assert_allclose(dynamics.bias(q, v), data.qfrc_bias, atol=1e-7)
        places, J, turn = dynamics.points(q), dynamics.jacobians(q), np.empty((3, body.n))
        np.testing.assert_allclose(places, data.site_xpos[body.corners], atol=1e-10)
        for i, site in enumerate(body.corners):
            shift, foot = np.empty((2, 3, body.n))
            mujoco.mj_jacSite(model, data, shift, foot, site)
            np.testing.assert_allclose(J[i], shift, atol=1e-10)
            expected -= shift.T @ force[i]
            name = model.body(int(model.site_bodyid[site])).name
            turn = dynamics.turn_jacobian(q, name)
            np.testing.assert_allclose(turn, foot, atol=1e-12)
            R = data.body(name).xmat.reshape(3, 3)
            np.testing.assert_allclose(dynamics.rotation(q, name), R, atol=1e-12)
        np.testing.assert_allclose(dynamics.inverse(q, v, a, force).torque, expected, atol=1e-7)


def test_derivatives_equal_central_differences(body: FlatBody) -> None:
    dynamics, step = FlatDynamics(body), 1e-5
    q, v, a = _state(body, 7)
    force = np.random.default_rng(1).normal(size=(8, 3)) * 100
    found = dynamics.inverse(q, v, a, force)
    alone = dynamics.inverse(q, v, a)
    for i, e in enumerate(step * np.eye(body.n)):
        for name, ways in (
            ("by_q", ((q + e, v, a), (q - e, v, a))),
            ("by_v", ((q, v + e, a), (q, v - e, a))),
            ("by_a", ((q, v, a + e), (q, v, a - e))),
        ):
            up, down = (dynamics.inverse(*way, force).torque for way in ways)
            expected = (up - down) / (2 * step)
            scale = 1 + np.abs(getattr(found, name)).max()
            np.testing.assert_allclose(
                getattr(found, name)[:, i], expected, atol=2e-7 * scale, err_msg=f"{name} {i}"
            )
    H = dynamics.force_derivative(q, force)
    np.testing.assert_allclose(found.by_q, alone.by_q - H, atol=1e-9)
    np.testing.assert_allclose(H, H.T, atol=1e-9)


def test_drift_is_the_curvature_of_paths(body: FlatBody) -> None:
    """On a path with constant v the points accelerate by J̇ v."""
    dynamics, step = FlatDynamics(body), 1e-4
    q, v, _ = _state(body, 3)
    before, at, after = (dynamics.points(q + s * step * v) for s in (-1, 0, 1))
    np.testing.assert_allclose(
        dynamics.drifts(q, v), (before - 2 * at + after) / step**2, rtol=1e-3, atol=1e-3
    )


def test_many_poses_at_once(body: FlatBody) -> None:
    dynamics = FlatDynamics(body)
    states = [_state(body, seed) for seed in range(3)]
    force = np.random.default_rng(1).normal(size=(3, 8, 3))
    q, v, a = (np.array(each) for each in zip(*states, strict=True))
    many = dynamics.inverse(q, v, a, force)
    for k in range(3):
        one = dynamics.inverse(q[k], v[k], a[k], force[k])
        np.testing.assert_array_equal(many.by_q[k], one.by_q)
        np.testing.assert_array_equal(many.torque[k], one.torque)


def test_points_of_any_body_can_be_asked_for() -> None:
    """Parts without a joint of their own, such as the head of this one, ride on their carrier."""
    body = FlatBody(amble.character("humanoid-tracking"))
    place = np.array([0.02, 0.03, 0.1])
    dynamics, q = FlatDynamics(body, [("head", place)]), _state(body, 5)[0]
    data = mujoco.MjData(body.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(body.model, data)
    head = body.model.body("head").id
    expected = data.xpos[head] + data.xmat[head].reshape(3, 3) @ place
    np.testing.assert_allclose(dynamics.points(q)[0], expected, atol=1e-10)
