"""The world obeys physics, and its report says what happened."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from amble.characters import character, character_names
from amble.characters.character import Character
from amble.errors import InputError
from amble.terrain import Blocks, Flat, Noise, Slope, Stairs, Terrain
from amble.world import MuJoCoWorld, Push

GRAVITY = np.array([0.0, 0.0, -9.81])
NO_TORQUE = np.zeros(10)


def momentum_w(world: MuJoCoWorld) -> np.ndarray:
    """Linear momentum of the body (3,) [N s]."""
    mujoco.mj_subtreeVel(world.model, world.data)
    return np.array(world.data.subtree_linvel[1] * world.model.body_subtreemass[1])


def spin_w(world: MuJoCoWorld) -> np.ndarray:
    """Angular momentum about the centre of mass (3,) [N m s]."""
    mujoco.mj_subtreeVel(world.model, world.data)
    return np.array(world.data.subtree_angmom[1])


def energy(world: MuJoCoWorld) -> float:
    """Kinetic and potential energy, springs included [J]."""
    mujoco.mj_energyPos(world.model, world.data)
    mujoco.mj_energyVel(world.model, world.data)
    return float(world.data.energy.sum())


def lift(world: MuJoCoWorld, metres: float, qvel: np.ndarray | None = None) -> None:
    qpos = world.data.qpos.copy()
    qpos[2] += metres
    world.reset(qpos, qvel)


def test_free_fall(world: MuJoCoWorld) -> None:
    lift(world, 5.0)
    start = world.data.subtree_com[1].copy()
    world.step(NO_TORQUE, 500)
    # The integrator is semi-implicit: the fall is g t (t + Δt) / 2.
    expected = start + GRAVITY * 0.5 * (0.5 + world.timestep) / 2
    np.testing.assert_allclose(world.data.subtree_com[1], expected, atol=1e-9)
    np.testing.assert_allclose(world.ground_impulse_w, 0)


def test_torques_change_no_momentum_in_flight(biped: Character) -> None:
    world, rng = MuJoCoWorld(biped, timestep=0.0005), np.random.default_rng(0)
    lift(world, 20.0, qvel=rng.normal(size=16))
    before, spin_before = momentum_w(world), spin_w(world)
    for _ in range(100):
        world.step(rng.normal(scale=20, size=10), 2)
    fall = biped.mass * GRAVITY * world.time
    np.testing.assert_allclose(momentum_w(world), before + fall, rtol=1e-3, atol=0.1)
    np.testing.assert_allclose(spin_w(world), spin_before, atol=0.02 * np.linalg.norm(spin_before))


def test_passive_body_never_gains_energy(world: MuJoCoWorld) -> None:
    lift(world, 0.1)
    drop = world.character.mass * 9.81 * 0.1
    last = start = energy(world)
    for _ in range(100):
        world.step(NO_TORQUE, 10)
        now = energy(world)
        # The soft ground may give back what it stored.
        assert now <= last + 0.02 * drop
        last = now
    assert last < start - 0.9 * drop


def test_standing_body_weighs_its_weight(standing: MuJoCoWorld) -> None:
    weight = standing.character.mass * 9.81
    report = standing.contacts()
    assert report.touching.all()
    np.testing.assert_allclose(report.force_w.sum(axis=0), [0, 0, weight], atol=1e-2 * weight)
    np.testing.assert_allclose(report.other_force_w, 0)
    left, right = report.force_w[:4, 2].sum(), report.force_w[4:, 2].sum()
    assert left == pytest.approx(right, rel=1e-3)
    # The corners' forces act where the centre of mass is.
    points = standing.data.site_xpos[standing._contacts.sites]
    pressure = report.force_w[:, 2] @ points[:, :2] / weight
    np.testing.assert_allclose(pressure, standing.data.subtree_com[1, :2], atol=2e-3)


def test_impulse_of_ground_and_gravity_is_the_change_of_momentum(world: MuJoCoWorld) -> None:
    lift(world, 0.05)
    for _ in range(50):
        world.step(NO_TORQUE, 10)
    expected = world.ground_impulse_w + world.character.mass * GRAVITY * world.time
    np.testing.assert_allclose(momentum_w(world), expected, atol=1e-2)


def test_contact_report_sums_to_the_net_ground_force(world: MuJoCoWorld) -> None:
    rng = np.random.default_rng(1)
    world.reset(*world.noisy_state(rng, 0.2))
    world.push(Push("pelvis", (300.0, 200.0, 0.0), 0.0, 0.3))
    other = False
    for _ in range(150):
        before = world.ground_impulse_w
        world.step(rng.normal(scale=40, size=10))
        report = world.contacts()
        force = (world.ground_impulse_w - before) / world.timestep
        total = report.force_w.sum(axis=0) + report.other_force_w
        np.testing.assert_allclose(total, force, atol=1e-6 * (1 + abs(force).max()))
        world.step(NO_TORQUE, 9)
        other |= bool(report.other_force_w.any())
    assert other, "the pushed biped never lay on its back, so the test shows too little"


def test_each_foot_carries_what_rests_on_it(standing: MuJoCoWorld) -> None:
    standing.push(Push("pelvis", (0.0, 60.0, 0.0), standing.time, 0.3))
    standing.step(NO_TORQUE, 200)
    force = standing.contacts().force_w[:, 2]
    assert force[:4].sum() > 1.2 * force[4:].sum(), "pushed to the left, the left foot carries more"


@pytest.mark.parametrize("start", [0.05, 0.05037])
@pytest.mark.parametrize("seconds", [0.1, 0.0505, 0.00123, 0.0002])
def test_push_gives_its_impulse(world: MuJoCoWorld, start: float, seconds: float) -> None:
    """Also between two physics steps, and in less than one."""
    lift(world, 5.0)
    world.push(Push("pelvis", (100.0, -40.0, 20.0), 0.02, seconds))
    world.push(Push("left_foot", (0.0, 30.0, 0.0), start, seconds))
    world.step(NO_TORQUE, 20)
    np.testing.assert_allclose(world.push_impulse_w, 0)
    world.step(NO_TORQUE, 280)
    impulse = np.array([100.0, -10.0, 20.0]) * seconds
    np.testing.assert_allclose(world.push_impulse_w, impulse, rtol=1e-9)
    fall = world.character.mass * GRAVITY * world.time
    np.testing.assert_allclose(momentum_w(world) - fall, impulse, atol=0.02)
    assert not world.data.xfrc_applied.any()
    assert [(e.what, e.time) for e in world.log] == [("pelvis", 0.02), ("left_foot", start)]


@pytest.mark.parametrize("name", character_names())
def test_every_named_part_can_be_pushed(name: str) -> None:
    """In flight the body's momentum changes by just the impulse, wherever it is pushed."""
    body = character(name)
    world, newton = MuJoCoWorld(body), 0.1 * body.mass * 9.81
    for part in body.parts:
        lift(world, 5.0)
        world.push(Push(part, (newton, -newton, 0.5 * newton), 0.0, 0.004))
        world.step(np.zeros(world.model.nv - 6), 4)
        impulse = newton * np.array([1.0, -1.0, 0.5]) * 0.004
        fall = body.mass * GRAVITY * world.time
        np.testing.assert_allclose(momentum_w(world) - fall, impulse, atol=0.01 * newton * 0.004)


def test_forces_over_time_add_up(world: MuJoCoWorld) -> None:
    lift(world, 5.0)
    for k in range(10):  # a ramp of forces, each following on the one before
        world.push(Push("pelvis", (10.0 * k, 0.0, 0.0), 0.01 * k, 0.01))
    world.push(Push("pelvis", (0.0, 7.0, 0.0), 0.0, 0.1))  # another at the same time
    world.step(NO_TORQUE, 150)
    np.testing.assert_allclose(world.push_impulse_w, [4.5, 0.7, 0.0], atol=1e-9)


@pytest.mark.parametrize("joint", range(10))
def test_torque_turns_its_own_joint(world: MuJoCoWorld, joint: int) -> None:
    """From rest in the air, (M + Δt D) q̇ = Δt (τ + gravity), D the joints' damping."""
    lift(world, 5.0)
    mass, force = np.zeros((16, 16)), -world.data.qfrc_bias
    mujoco.mj_fullM(world.model, world.data, mass)
    torque = np.zeros(10)
    torque[joint] = 3.0
    force[6:] += torque
    dt = world.timestep
    expected = np.linalg.solve(mass + dt * np.diag(world.model.dof_damping), dt * force)
    world.step(torque)
    np.testing.assert_allclose(world.data.qvel, expected, atol=1e-9)


def test_push_at_a_point_turns_the_body(world: MuJoCoWorld) -> None:
    lift(world, 5.0)
    force, point_b = np.array([100.0, 0.0, 0.0]), np.array([0.0, 0.2, 0.3])
    lever = world.data.xpos[1] + point_b - world.data.subtree_com[1]
    world.push(Push("pelvis", tuple(force), 0.0, 0.005, tuple(point_b)))
    world.step(NO_TORQUE, 10)
    np.testing.assert_allclose(spin_w(world), np.cross(lever, force) * 0.005, atol=5e-3)


GROUNDS = [
    Flat(),
    Slope(15),
    Slope(-10, 60),
    Noise(0.2, start=0),
    Blocks(0.2, 0.1, start=0),
    Stairs(),
]


@pytest.mark.parametrize("terrain", GROUNDS, ids=lambda terrain: terrain.kind)
def test_reset_puts_the_lowest_point_on_the_ground(biped: Character, terrain: Terrain) -> None:
    world = MuJoCoWorld(biped, terrain)
    states = [(None, None), world.noisy_state(np.random.default_rng(0), 0.3)]
    for state in states:
        world.reset(*state)
        x, y, z = world.data.site_xpos[world._contacts.sites].T
        assert np.min(z - terrain.height(x, y)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("terrain", [Slope(8), Noise(0.05, start=0), Blocks(start=0)])
def test_body_comes_to_rest_on_uneven_ground(biped: Character, terrain: Terrain) -> None:
    world = MuJoCoWorld(biped, terrain)
    world.step(NO_TORQUE, 100)
    points = world.data.site_xpos[world._contacts.sites]
    report = world.contacts()
    assert report.touching.any()
    height = terrain.height(*points[report.touching, :2].T)
    # A sole may rest on a bump between its corners, whose points are then a little higher.
    assert np.all(abs(points[report.touching, 2] - height) < 0.03)


def test_friction_decides_whether_it_slides(biped: Character) -> None:
    moved = {}
    for friction in (0.05, 1.0):
        world = MuJoCoWorld(biped, Slope(12), friction=friction)
        start = world.data.site_xpos[world._contacts.sites, :2].mean(axis=0)
        world.step(NO_TORQUE, 300)
        moved[friction] = np.linalg.norm(
            world.data.site_xpos[world._contacts.sites, :2].mean(0) - start
        )
        force = world.contacts().force_w
        normal = force @ world.terrain.normal(0, 0)
        tangent = np.linalg.norm(force - normal[:, None] * world.terrain.normal(0, 0), axis=1)
        assert np.all(tangent <= np.sqrt(2) * friction * normal + 1e-6)
    assert moved[0.05] > moved[1.0] + 0.03


def test_noise_is_by_seed_and_within_limits(world: MuJoCoWorld) -> None:
    same = [world.noisy_state(np.random.default_rng(3), 0.2) for _ in range(2)]
    np.testing.assert_array_equal(same[0][0], same[1][0])
    np.testing.assert_array_equal(same[0][1], same[1][1])
    low, high = world.character.joint_limits.T
    for seed in range(20):
        qpos, qvel = world.noisy_state(np.random.default_rng(seed), 1.0)
        angle = np.zeros(16)
        mujoco.mj_differentiatePos(world.model, angle, 1.0, world.character.rest_qpos(), qpos)
        assert np.all(angle[6:] >= low - 1e-9) and np.all(angle[6:] <= high + 1e-9)
        assert not qvel[:6].any() and 0.4 < qvel[6:].std() < 1.8
    quiet, still = world.noisy_state(np.random.default_rng(0), 0.0)
    np.testing.assert_allclose(quiet, world.data.qpos, atol=1e-12)
    assert not still.any()


def test_wrong_input_is_refused(biped: Character, world: MuJoCoWorld) -> None:
    for wrong in (
        lambda: MuJoCoWorld(biped, timestep=0.0),
        lambda: MuJoCoWorld(biped, friction=-1),
        lambda: world.reset(qpos=np.zeros(3)),
        lambda: world.reset(qvel=np.full(16, np.nan)),
        lambda: world.noisy_state(np.random.default_rng(0), -1),
        lambda: world.push(Push("pelvs", (1, 0, 0), 0, 1)),
        lambda: world.push(Push("pelvis", (np.inf, 0, 0), 0, 1)),
        lambda: world.push(Push("pelvis", (1, 0, 0), 0, -1)),
        lambda: world.push(Push("pelvis", (1, 0), 0, 1)),  # type: ignore[arg-type]
        lambda: world.push(Push("pelvis", (1, 0, 0), 0, 1, (np.nan, 0, 0))),
        lambda: world.step(np.zeros(1)),
        lambda: world.step(np.zeros(16)),
        lambda: world.restore(np.zeros(7)),
        lambda: world.restore(np.full_like(world.save(), np.nan)),
    ):
        with pytest.raises(InputError):
            wrong()
