"""Differences of poses and inverse dynamics undo what a simulation did."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

import amble
from amble.characters.character import GRAVITY, Character
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.differences import rates
from amble.motion.inverse_dynamics import inverse_dynamics

MakeClip = Callable[..., Clip]
BODIES = ("humanoid", "ostrich", "anymal", "luxo")


def points_of(character: Character) -> list[tuple[int, int]]:
    """Site and body of every contact point."""
    model = character.model
    return [
        (model.site(site).id, model.body(e.body).id)
        for e in character.end_effectors
        for site in e.sites
    ]


def driven(character: Character, fps: float, seconds: float = 0.5) -> dict[str, np.ndarray]:
    """Simulate smooth torques, forces at all contact points and a push on the root, in mid-air."""
    model = character.spec().compile()
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data, points = mujoco.MjData(model), points_of(character)
    root = model.body(character.root).id
    rng = np.random.default_rng(3)
    phase = rng.uniform(0, 2 * np.pi, model.nv - 6)
    mujoco.mj_forward(model, data)
    inertia = np.diag(full_mass_matrix(model, data))[6:]
    push_w = 0.1 * character.mass * GRAVITY * np.array([1.0, -0.5, 0.3])
    force_w = 0.05 * character.mass * rng.standard_normal((len(points), 3))
    rows: dict[str, list[np.ndarray]] = {"qpos": [], "qvel": [], "torque": [], "contact": []}
    for step in range(round(seconds / model.opt.timestep) + 1):
        # In proportion to what they turn, and damped, so that nothing spins wildly.
        torque = inertia * (15 * np.sin(10 * data.time + phase) - 10 * data.qvel[6:])
        contact_w = force_w * np.cos(9 * data.time)
        data.qfrc_applied[:] = 0.0
        data.qfrc_applied[6:] = torque
        for (site, body), f in zip(points, contact_w, strict=True):
            place = data.site_xpos[site].copy()
            mujoco.mj_applyFT(model, data, f, np.zeros(3), place, body, data.qfrc_applied)
        data.xfrc_applied[root, :3] = push_w
        if step % round(1 / (fps * model.opt.timestep)) == 0:
            now = (data.qpos, data.qvel, torque, contact_w)
            for row, value in zip(rows.values(), now, strict=True):
                row.append(value.copy())
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
    arrays = {name: np.array(row) for name, row in rows.items()}
    T = len(arrays["qpos"])
    return arrays | {"time": np.arange(T) / fps, "push": np.tile(push_w, (T, 1))}


def full_mass_matrix(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    full = np.zeros((model.nv, model.nv))
    for k, column in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, full[k], column)
    return full


@pytest.mark.parametrize("name", BODIES)
def test_torques_of_a_simulation_come_back(name: str) -> None:
    """Ball joints, armature, damping, contact forces and a push; what is left is the error of the
    differences, which falls with the square of the interval. Relative to the largest torque, to the
    weight and to the largest velocity."""
    body = amble.character(name)
    errors = []
    for fps in (100, 200):
        run = driven(body, fps)
        found = inverse_dynamics(
            body, run["time"], run["qpos"], run["contact"], external_force_w=run["push"]
        )
        inner = slice(round(0.3 * fps), -2)  # after the jerk of the start
        scale = np.abs(run["torque"]).max(), body.mass * GRAVITY, np.abs(run["qvel"]).max()
        missed = (found.torque - run["torque"], found.root_wrench, found.qvel - run["qvel"])
        errors.append([np.abs(e[inner]).max() / s for e, s in zip(missed, scale, strict=True)])
    assert max(errors[0]) < 2e-3
    assert errors[1][2] < errors[0][2] / 3.9
    assert max(errors[1][:2]) < 5e-4  # here the simulation, too, is of limited accuracy


@pytest.mark.parametrize("name", BODIES)
def test_without_ground_the_root_lacks_the_weight(name: str) -> None:
    body = amble.character(name)
    time, none = np.arange(5) / 60, np.zeros((5, len(points_of(body)), 3))
    qpos = np.tile(body.rest_qpos(), (5, 1))
    still = inverse_dynamics(body, time, qpos, none)
    weight_w = np.tile([0, 0, body.mass * GRAVITY], (5, 1))
    np.testing.assert_allclose(still.root_wrench[:, :3], weight_w, rtol=1e-9, atol=1e-9)
    assert (still.qvel == 0).all()

    qpos[:, 2] -= GRAVITY * time**2 / 2
    falling = inverse_dynamics(body, time, qpos, none)
    assert abs(falling.torque).max() < 1e-6 * body.mass
    assert abs(falling.root_wrench).max() < 1e-6 * body.mass
    np.testing.assert_allclose(falling.qvel[:, 2], -GRAVITY * time, atol=1e-9)


def test_legs_carry_the_weight(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip(0.2)
    found = inverse_dynamics(biped, clip.time, clip.qpos, clip.contact_force_w)
    # Weight evenly on all corners, whose middle is 5 cm before the ankles and the centre of mass
    # above them: the ankles hold half of it each, and the root lacks nothing but that torque.
    sole = biped.model.site_pos[[biped.model.site(s).id for s in clip.point_names]]
    half = biped.mass * GRAVITY / 2
    ankle = found.torque[:, [4, 9]]
    foot = biped.model.body("left_foot")
    expected = half * sole[:, 0].mean() - foot.mass[0] * GRAVITY * foot.ipos[0]
    np.testing.assert_allclose(ankle, expected, rtol=1e-9)
    np.testing.assert_allclose(found.root_wrench[:, :3], 0, atol=1e-9)


def test_a_push_may_act_on_any_part(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip(0.1)
    push = np.tile([0, 0, 10.0], (len(clip), 1))
    given = (biped, clip.time, clip.qpos, clip.contact_force_w)
    plain = inverse_dynamics(*given)
    foot = inverse_dynamics(*given, external_force_w=push, external_part="left_foot")
    np.testing.assert_allclose(plain.root_wrench[:, :3] - foot.root_wrench[:, :3], push, atol=1e-9)
    lever = biped.model.body("left_foot").ipos[0]
    np.testing.assert_allclose(foot.torque[:, 4] - plain.torque[:, 4], 10 * lever, atol=1e-9)


def test_a_simulated_squat_needs_its_own_torques() -> None:
    squat = amble.scenario("balance-squat")
    clip = squat.make(squat.request(seconds=1.2)).clip
    found = inverse_dynamics(clip.character, clip.time, clip.qpos, clip.contact_force_w)
    quiet = (clip.time > 0.8) & (clip.time < 1.1)  # around the lowest point
    error = np.linalg.norm(found.torque - clip.torque, axis=1)
    assert (error[quiet] / np.linalg.norm(clip.torque[quiet], axis=1)).max() < 0.02
    weight = clip.character.mass * GRAVITY
    assert abs(found.root_wrench[quiet, :3]).max() < 0.01 * weight


def test_differences_are_exact_for_steady_acceleration(biped: Character) -> None:
    time = np.array([0.0, 0.01, 0.03, 0.04, 0.08, 0.09])
    model = biped.model
    qpos = np.tile(model.qpos0, (len(time), 1))
    hip, knee = model.joint("left_hip").qposadr[0], model.joint("left_knee").qposadr[0]
    angle = 1.5 * time - 20 * time**2
    qpos[:, knee] = angle
    for row, a in zip(qpos, angle, strict=True):
        mujoco.mju_axisAngle2Quat(row[hip : hip + 4], np.array([0.6, 0.0, 0.8]), a)
    found = rates(model, time, qpos)
    hip, knee = model.joint("left_hip").dofadr[0], model.joint("left_knee").dofadr[0]
    np.testing.assert_allclose(found.acceleration[:, knee], -40, atol=1e-8)
    np.testing.assert_allclose(found.velocity[:, knee], 1.5 - 40 * time, atol=1e-8)
    omega = np.outer(1.5 - 40 * time, [0.6, 0, 0.8])
    np.testing.assert_allclose(found.velocity[:, hip : hip + 3], omega, atol=1e-7)


def test_one_and_two_poses_are_enough(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip(0.1)
    for T in (1, 2):
        found = inverse_dynamics(biped, clip.time[:T], clip.qpos[:T], clip.contact_force_w[:T])
        assert found.torque.shape == (T, biped.dof - 6) and np.isfinite(found.torque).all()


def test_wrong_shapes_are_named(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip(0.1)
    with pytest.raises(InputError, match="contact_force_w has shape"):
        inverse_dynamics(biped, clip.time, clip.qpos, clip.contact_force_w[:, 1:])
    with pytest.raises(InputError, match="qpos has shape"):
        inverse_dynamics(biped, clip.time, clip.qpos[1:], clip.contact_force_w)
