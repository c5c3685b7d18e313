"""Newton and Euler for whole bodies: the rate of momentum is the external wrench.

    m c̈ = m g + Σ f        L̇ = Σ (p − c) × f + n

with the accelerations of the simulator and the momenta of the features (features eq. 10–14).
Motors, joint limits, joint damping and collisions of the body with itself act within it: they must
not show.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from amble.characters import character, character_names
from amble.features.com import AngularMomentum, Com
from amble.features.state import BodyState
from amble.world import MuJoCoWorld

every_body = pytest.mark.parametrize("name", character_names())


def thrown(name: str, rng: np.random.Generator) -> MuJoCoWorld:
    """A body that turns and flails high over the ground."""
    world = MuJoCoWorld(character(name))
    qpos, qvel = world.noisy_state(rng, 0.6)
    qpos[2] += 5.0
    qpos[3:7] = rng.normal(size=4)
    qpos[3:7] /= np.linalg.norm(qpos[3:7])
    qvel[:6] = 2 * rng.normal(size=6)
    world.reset(qpos, qvel)
    drive(world, rng, 1.0)
    return world


def landing(name: str, rng: np.random.Generator) -> MuJoCoWorld:
    """A body that hits the ground at 1 m/s."""
    world = MuJoCoWorld(character(name))
    qpos, qvel = world.noisy_state(rng, 0.3)
    qpos[2] -= 0.01 * world.character.height
    qvel[2] = -1.0
    world.reset(qpos, qvel)
    drive(world, rng, 0.1)
    return world


def drive(world: MuJoCoWorld, rng: np.random.Generator, strength: float) -> None:
    """All motors at random, at this fraction of their limits."""
    limits = world.character.torque_limits
    world.data.qfrc_applied[6:] = strength * limits * rng.uniform(-1, 1, len(limits))


def rates(world: MuJoCoWorld) -> tuple[np.ndarray, np.ndarray]:
    """What acts besides gravity, as the momenta show it: force (3,) [N], moment about the COM
    (3,) [N m]."""
    mujoco.mj_forward(world.model, world.data)
    state, acceleration = BodyState(world.model, world.data), world.data.qacc
    com, spin = Com(), AngularMomentum()
    com_acceleration = com.jacobian(state) @ acceleration + com.drift(state)
    force = state.mass * (com_acceleration - world.model.opt.gravity)
    return force, spin.jacobian(state) @ acceleration + spin.drift(state)


def tolerance(world: MuJoCoWorld) -> float:
    """Rounding of sums over all degrees of freedom, relative to the forces within the body."""
    return 1e-11 * float(abs(world.data.qfrc_applied).max() + abs(world.data.qfrc_bias).max())


@every_body
def test_momenta_are_the_sums_over_all_parts(name: str) -> None:
    world = thrown(name, np.random.default_rng(1))
    model, data, state = world.model, world.data, BodyState(world.model, world.data)
    linear, angular = np.zeros(3), np.zeros(3)
    for body in range(1, model.nbody):
        velocity = np.zeros(6)  # angular, then linear of the part's own centre of mass
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
        R_wi = data.ximat[body].reshape(3, 3)
        inertia = R_wi @ np.diag(model.body_inertia[body]) @ R_wi.T
        momentum = model.body_mass[body] * velocity[3:]
        linear += momentum
        angular += inertia @ velocity[:3] + np.cross(data.xipos[body] - state.com_w, momentum)
    scale = abs(angular).max() + abs(linear).max()
    found = state.mass * Com().jacobian(state) @ data.qvel
    np.testing.assert_allclose(found, linear, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(AngularMomentum().value(state), angular, rtol=0, atol=1e-12 * scale)


@every_body
def test_in_free_flight_the_com_falls_and_angular_momentum_stays(name: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(3):
        world = thrown(name, rng)
        force, moment = rates(world)
        np.testing.assert_allclose(force, 0, rtol=0, atol=tolerance(world))
        np.testing.assert_allclose(moment, 0, rtol=0, atol=tolerance(world))


@every_body
def test_a_push_changes_momentum_by_its_wrench(name: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        world = thrown(name, rng)
        data, body = world.data, int(rng.integers(1, world.model.nbody))
        push = 100 * rng.normal(size=6)
        data.xfrc_applied[body] = push
        force, moment = rates(world)
        arm = data.xipos[body] - BodyState(world.model, data).com_w
        np.testing.assert_allclose(force, push[:3], rtol=0, atol=tolerance(world))
        expected = np.cross(arm, push[:3]) + push[3:]
        np.testing.assert_allclose(moment, expected, rtol=0, atol=tolerance(world))


@every_body
def test_the_ground_changes_momentum_by_its_contact_forces(name: str) -> None:
    world = landing(name, np.random.default_rng(4))
    model, data = world.model, world.data
    force, moment = rates(world)
    com = BodyState(model, data).com_w
    ground, about_com = np.zeros(3), np.zeros(3)
    for k in range(data.ncon):
        bodies = model.geom_bodyid[data.contact[k].geom]
        if 0 not in bodies:
            continue  # within the body
        local = np.zeros(6)  # in the contact frame, from the first geom on the second
        mujoco.mj_contactForce(model, data, k, local)
        R = data.contact[k].frame.reshape(3, 3).T * (1 if bodies[0] == 0 else -1)
        ground += R @ local[:3]
        about_com += np.cross(data.contact[k].pos - com, R @ local[:3]) + R @ local[3:]
    assert ground[2] > 0
    scale = abs(data.qfrc_constraint).max()
    np.testing.assert_allclose(force, ground, rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(moment, about_com, rtol=0, atol=1e-10 * scale)
