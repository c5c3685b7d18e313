"""LcpWorld keeps the promises of `World`, and momentum."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import amble
from amble.errors import InputError
from amble.tracking.flat_body import ROOT, FlatBody
from amble.tracking.lcp_world import LcpWorld
from amble.world import Push, SimulationDiverged


@pytest.fixture
def world() -> LcpWorld:
    return LcpWorld(amble.character("humanoid-tracking"))


def servo(world: LcpWorld) -> np.ndarray:
    """Torques of a soft spring to the rest pose."""
    q, v = world.flat_state
    return world.own_torque(-(150 * q + 3 * v)[ROOT:])


def drive(world: LcpWorld, steps: int) -> None:
    for _ in range(steps):
        world.step(servo(world))


def test_it_stands_for_a_while_on_the_ground(world: LcpWorld) -> None:
    drive(world, 24)
    report = world.contacts()
    weight = 9.81 * world.character.mass
    assert world.unsolved == 0 and world.time == pytest.approx(0.2)
    assert report.touching.any()
    assert world.ground_impulse_w[2] / 0.2 == pytest.approx(weight, rel=0.1)
    assert world.data.site_xpos[world.body.corners, 2].min() > -0.002


def test_momentum_changes_by_the_impulses_of_ground_push_and_weight(world: LcpWorld) -> None:
    """Exact up to the turn of the body within a step, which a semi-implicit step leaves out."""
    world.push(Push("thorax", (120.0, 60.0, 0.0), start=0.05, seconds=0.05))
    mass = world.character.mass
    drive(world, 24)
    mujoco.mj_subtreeVel(world.model, world.data)
    speed = world.data.subtree_linvel[world.model.body(world.character.root).id]
    gained = world.ground_impulse_w + world.push_impulse_w - [0, 0, mass * 9.81 * world.time]
    assert world.push_impulse_w == pytest.approx([6.0, 3.0, 0.0])
    assert mass * speed == pytest.approx(gained, abs=0.03 * mass)


def test_a_saved_state_goes_on_in_the_same_way(world: LcpWorld) -> None:
    drive(world, 10)
    state = world.save()
    drive(world, 10)
    first = world.data.qpos.copy()
    world.restore(state)
    drive(world, 10)
    assert np.array_equal(world.data.qpos, first)
    with pytest.raises(InputError, match="another world"):
        world.restore(np.zeros(3))


def test_own_and_flat_torques_have_the_same_power() -> None:
    body, rng = FlatBody(amble.character("humanoid-tracking")), np.random.default_rng(0)
    q, v = 0.5 * rng.normal(size=(2, body.n))
    torque = rng.normal(size=body.n - ROOT)
    own = body.own_torque(q, torque)
    assert own @ body.qvel(q, v)[ROOT:] == pytest.approx(torque @ v[ROOT:])
    assert body.flat_torque(q, own) == pytest.approx(torque)


def test_what_it_cannot_do_is_refused(world: LcpWorld) -> None:
    with pytest.raises(InputError, match="cannot grow"):
        world.reshape("left_thigh", 1.1)
    with pytest.raises(InputError, match="shape"):
        world.step(np.zeros(3))
    with pytest.raises(SimulationDiverged):
        world.step(np.full(world.model.nv - 6, np.nan))
