"""Stops of ball joints: where the world pushes back, and how far a thrown limb goes."""

from __future__ import annotations

import numpy as np
import pytest

from amble.characters import character
from amble.geometry.rotations import quat_from_rotvec
from amble.motion.trace import joint_angles
from amble.world import MuJoCoWorld
from amble.world.stops import JointStops


def placed(joint: str, angles: tuple[float, float, float]) -> tuple[MuJoCoWorld, int]:
    """A humanoid in the air with one ball joint turned; the joint's first degree of freedom."""
    world = MuJoCoWorld(character("humanoid"))
    model = world.model
    qpos = world.data.qpos.copy()
    qpos[2] += 5.0
    address = model.joint(joint).qposadr[0]
    qpos[address : address + 4] = quat_from_rotvec(angles)
    world.reset(qpos)
    return world, int(model.joint(joint).dofadr[0]) - 6


def stop_torque(world: MuJoCoWorld) -> np.ndarray:
    torque = np.zeros(world.model.nv - 6)
    JointStops(world.model, world.data, world.character).add(torque)
    return torque


def test_within_its_limits_a_joint_is_free() -> None:
    world, _ = placed("lumbar", (0.05, 0.05, 0.05))
    assert not stop_torque(world).any()


@pytest.mark.parametrize("axis", (0, 1, 2))
@pytest.mark.parametrize("side", (0, 1))
def test_beyond_a_limit_it_is_pushed_back_about_that_axis(axis: int, side: int) -> None:
    dof = placed("lumbar", (0, 0, 0))[1] + axis
    bound = character("humanoid").joint_limits[dof, side]
    angles = np.zeros(3)
    angles[axis] = bound + (0.1 if side else -0.1)
    world, first = placed("lumbar", tuple(angles))
    torque = stop_torque(world)
    assert torque[first + axis] * (1 if side else -1) < 0
    others = np.delete(torque, first + axis)
    assert abs(others).max() < 1e-9 * abs(torque).max()


@pytest.mark.parametrize("spin", ((0, 0, 12), (0, 0, -12), (0, -12, 0), (12, 0, 0)))
def test_a_thrown_arm_stops_near_its_limits(spin: tuple[float, float, float]) -> None:
    world, first = placed("left_shoulder", (0, 0, 0))
    qvel = np.zeros(world.model.nv)
    qvel[6 + first : 9 + first] = spin
    world.reset(world.data.qpos.copy(), qvel)
    low, high = world.character.joint_limits.T
    worst = 0.0
    for _ in range(500):
        world.step(np.zeros(world.model.nv - 6))
        angles = joint_angles(world.model, world.data.qpos[None])[0][first : first + 3]
        part = slice(first, first + 3)
        worst = max(worst, *(low[part] - angles), *(angles - high[part]))
    assert np.degrees(worst) < 6
