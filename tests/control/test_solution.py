"""What a solve returns obeys physics: equations of motion, cones, torque and joint limits."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import whole_body_twin as twin
from scipy.optimize import nnls
from situations import TIME, random_situation

from amble.characters import character, character_names
from amble.control.tasks import XYZ
from amble.control.whole_body import WholeBody
from amble.features.com import Com
from amble.features.feature import Kind
from amble.world import MuJoCoWorld

SEEDS = range(3)
# The solver meets an inequality to some 1e-8 of its row and bound, at the last of three levels; λ
# counts in units of the mass, a tenth of the weight.
FEASIBLE = 1e-7
every_body = pytest.mark.parametrize("name", character_names())
every_seed = pytest.mark.parametrize("seed", SEEDS)


def solved(name: str, seed: int, *, non_penetration: bool = False) -> WholeBody:
    """A random situation, solved."""
    body = random_situation(name, seed, non_penetration=non_penetration)
    info = body.solve(TIME)
    assert info.solved, info
    return body


def unexplained(body: WholeBody, at: twin.Twin) -> tuple[np.ndarray, float]:
    """M q̈ + h − [0; τ] − J_cᵀ f (nv,), and the size of its terms [N m]."""
    inertial = at.state.mass_matrix @ body.acceleration
    ground = np.zeros_like(inertial)
    for point, force_w in zip(at.points, body.forces_w, strict=False):
        ground += point.jacobian(at.state).T @ force_w
    rest = inertial + at.state.bias - ground
    rest[6:] -= body.torque
    return rest, float(max(abs(inertial).max(), abs(at.state.bias).max(), abs(ground).max()))


@every_seed
@every_body
def test_torques_and_forces_give_the_accelerations(name: str, seed: int) -> None:
    """M q̈ + h = [0; τ] + J_cᵀ f + Gᵀ ρ with ρ ≥ 0 (eq. 22, 27): what is not explained by torques
    and ground pushes joints away from their limits, and nothing is left for the root."""
    body = solved(name, seed)
    at = twin.Twin(body)
    rest, scale = unexplained(body, at)
    assert abs(rest[:6]).max() <= 1e-8 * scale
    left = nnls(at.G.T, rest[6:])[1] if len(at.G) else np.linalg.norm(rest[6:])
    assert left <= 1e-8 * scale


@every_seed
@every_body
def test_forces_lie_in_their_friction_cones(name: str, seed: int) -> None:
    body = solved(name, seed)
    slack = FEASIBLE * (body.mass + abs(body.forces_w).max())
    for point, force_w in zip(body.contact_points, body.forces_w, strict=False):
        x, y, _ = body.points_w[point]
        normal = body.terrain.normal(x, y)
        upward = normal @ force_w
        sideways = np.linalg.norm(force_w - upward * normal)
        assert upward >= -slack
        assert sideways <= body.friction * upward + slack


@every_seed
@every_body
def test_limits_are_kept(name: str, seed: int) -> None:
    """Of torques, of joints at their bounds, and of points that must not enter the ground."""
    body = solved(name, seed, non_penetration=True)
    at = twin.Twin(body)
    assert np.all(abs(body.torque) <= body.torque_limits)
    rest, scale = unexplained(body, at)
    assert abs(rest[:6]).max() <= 1e-8 * scale
    slack = FEASIBLE * (1 + abs(at.least))
    assert np.all(at.G @ body.acceleration[6:] >= at.least - slack)
    for V, point in zip(at.cones, at.points, strict=True):
        acceleration = point.jacobian(at.state) @ body.acceleration + point.drift(at.state)
        rows, known = at.feature(point)
        slack = FEASIBLE * (np.linalg.norm(V.T @ rows, axis=1) + abs(V.T @ known))
        assert np.all(V.T @ acceleration >= -slack)


@every_body
def test_a_joint_without_a_motor_gets_no_torque(name: str) -> None:
    body = random_situation(name, seed=1)
    passive = np.arange(0, len(body.torque), 3)
    body.torque_limits[passive] = 0.0
    assert body.solve(TIME).solved
    np.testing.assert_array_equal(body.torque[passive], 0)
    rest, scale = unexplained(body, twin.Twin(body))
    assert abs(rest[:6]).max() <= 1e-8 * scale


@every_body
def test_the_simulator_accelerates_as_predicted(name: str) -> None:
    """In flight nothing but the torques acts, so MuJoCo's q̈ must be the one that was solved for."""
    world, rng = MuJoCoWorld(character(name)), np.random.default_rng(4)
    qpos, qvel = world.noisy_state(rng, 0.3)
    qpos[2] += 3.0
    world.reset(qpos, qvel)
    body = WholeBody(world.character, world.model, world.data, world.terrain)
    body.posture.limits = np.tile((-np.inf, np.inf), (world.model.nv - 6, 1))
    body.posture_kp[:], body.posture_kv[:] = 40.0, 12.0
    body.update()
    body.tasks.momentum(5.0)
    body.tasks.orientation(1, np.eye(3), kp=50.0, kv=14.0)
    body.tasks.end_level()
    assert body.solve(0.0).solved
    world.data.qfrc_applied[6:] = body.torque
    world.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    mujoco.mj_forward(world.model, world.data)
    scale = abs(world.data.qacc).max()
    np.testing.assert_allclose(world.data.qacc, body.acceleration, rtol=0, atol=1e-8 * scale)


def standing(name: str) -> WholeBody:
    """At rest on the ground, every foot's points in contact."""
    world = MuJoCoWorld(character(name))
    body = WholeBody(world.character, world.model, world.data, world.terrain)
    body.update()
    owners = [e for e in world.character.end_effectors for _ in e.sites]
    body.use_contacts(np.flatnonzero([owner in world.character.feet for owner in owners]))
    return body


@every_body
def test_a_task_within_reach_gets_what_it_asks_for(name: str) -> None:
    body = standing(name)
    wish = np.array([0.1, -0.1, 0.2])
    body.tasks.setpoint(Kind.COM, 0, XYZ, kp=0.0, kv=0.0, acceleration=wish)
    body.tasks.end_level()
    body.tasks.momentum(5.0)
    body.tasks.end_level()
    assert body.solve(0.0).solved
    state = twin.Twin(body).state
    found = Com().jacobian(state) @ body.acceleration + Com().drift(state)
    np.testing.assert_allclose(found, wish, atol=1e-8)
    assert body.residual[0] < 1e-8
    carried = body.forces_w[: len(body.contact_points)].sum(axis=0)
    weight = body.mass * (wish - body.model.opt.gravity)
    np.testing.assert_allclose(carried, weight, atol=1e-8 * weight[2])


def test_a_residual_is_the_distance_to_what_was_asked() -> None:
    body = standing("humanoid")
    body.tasks.setpoint(Kind.COM, 0, XYZ, kp=0.0, kv=0.0, acceleration=(0, 0, -15), weight=2.0)
    body.tasks.end_level()
    assert body.solve(0.0).solved
    # Feet push and do not pull, so the COM falls no faster than gravity lets it.
    assert body.residual[0] == pytest.approx(2 * (15 - 9.81), rel=1e-3)


@pytest.mark.parametrize("friction", (0.2, 1.0))
def test_the_controller_counts_on_less_friction_than_there_is(friction: float) -> None:
    world = MuJoCoWorld(character("humanoid"), friction=friction)
    body = WholeBody(world.character, world.model, world.data, world.terrain)
    assert body.friction == pytest.approx(0.8 * friction)
