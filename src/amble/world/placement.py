"""Where a simulation begins: the rest pose, or one near it, put on the ground."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.geometry.rotations import quat_from_rotvec, rotvec_from_quat
from amble.terrain.terrain import Terrain


def put_on_ground(
    model: mujoco.MjModel, data: mujoco.MjData, sites: np.ndarray, terrain: Terrain
) -> None:
    """Move the root vertically until the lowest of the contact points just touches the ground."""
    mujoco.mj_kinematics(model, data)
    if len(sites):
        x, y, z = data.site_xpos[sites].T
        data.qpos[2] += np.max(terrain.height(x, y) - z)


def noisy_joints(
    character: Character, qpos: np.ndarray, rng: np.random.Generator, deviation: float
) -> np.ndarray:
    """`qpos` with every joint turned by a random angle of this deviation [rad], within its limits.

    A ball joint is turned by a random rotation vector in its own frame. The root stays.
    """
    model = character.model
    noise = np.concatenate([np.zeros(6), deviation * rng.standard_normal(model.nv - 6)])
    noisy = qpos.copy()
    mujoco.mj_integratePos(model, noisy, noise, 1.0)
    low, high = character.joint_limits.T
    for joint in range(1, model.njnt):
        q, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint] - 6
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
            angles = rotvec_from_quat(noisy[q : q + 4])
            angles = np.clip(angles, low[dof : dof + 3], high[dof : dof + 3])
            noisy[q : q + 4] = quat_from_rotvec(angles)
        else:
            noisy[q] = np.clip(noisy[q], low[dof], high[dof])
    return noisy
