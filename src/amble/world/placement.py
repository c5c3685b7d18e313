"""Where a simulation begins: the rest pose, or one near it, put on the ground."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.geometry.rotations import quat_from_rotvec, rotvec_from_quat
from amble.terrain.terrain import Terrain

_FLAT = 0.002  # unevenness under the soles, by the height of the COM, that needs no care
_STEPS = 30
_TURN, _BEND = 0.1, 0.01  # [m/rad] turning the root and bending joints against the soles' height


def put_on_ground(
    model: mujoco.MjModel, data: mujoco.MjData, sites: np.ndarray, terrain: Terrain
) -> None:
    """Move the root vertically until the lowest of the contact points just touches the ground."""
    mujoco.mj_kinematics(model, data)
    if len(sites):
        x, y, z = data.site_xpos[sites].T
        data.qpos[2] += np.max(terrain.height(x, y) - z)


def lay_feet_on_ground(
    model: mujoco.MjModel, data: mujoco.MjData, character: Character, terrain: Terrain
) -> None:
    """Bend the legs of a body at rest until its soles lie on uneven ground, the trunk upright.

    Damped Gauss–Newton on the height of the feet's contact points over the ground, with the centre
    of mass where it is over the feet at rest and the joints near rest. A body with closed loops or
    springs, and one whose soles lie well enough as they are, stays as it is.
    """
    sites = np.array([model.site(site).id for foot in character.feet for site in foot.sites], int)
    clearance, before = _clearance(model, data, sites, terrain), data.qpos.copy()
    worst = float(np.ptp(clearance)) if len(sites) else 0.0
    if model.neq or model.jnt_stiffness.any() or worst < _FLAT * character.com_height:
        return
    root = model.body(character.root).id
    offset = data.subtree_com[root, :2] - data.site_xpos[sites, :2].mean(axis=0)
    stay = np.diag(np.concatenate([np.zeros(3), np.full(3, _TURN), np.full(model.nv - 6, _BEND)]))
    J_point, J_com = np.empty((3, model.nv)), np.empty((3, model.nv))
    away = np.empty(model.nv)
    for _ in range(_STEPS):
        clearance = _clearance(model, data, sites, terrain)
        jacobians = []
        for site in sites:
            mujoco.mj_jacSite(model, data, J_point, None, site)
            jacobians.append(J_point.copy())
        mujoco.mj_jacSubtreeCom(model, data, J_com, root)
        shift = data.subtree_com[root, :2] - data.site_xpos[sites, :2].mean(axis=0) - offset
        mujoco.mj_differentiatePos(model, away, 1.0, before, data.qpos)
        J_heights = np.array([J[2] for J in jacobians])
        J_shift = (J_com - np.mean(jacobians, axis=0))[:2]
        A = np.vstack([J_heights, J_shift, stay])
        b = np.concatenate([-clearance, -shift, -stay @ away])
        mujoco.mj_integratePos(model, data.qpos, np.linalg.lstsq(A, b, rcond=None)[0], 1.0)
        data.qpos[:] = within_limits(character, data.qpos)
    if np.ptp(_clearance(model, data, sites, terrain)) > 0.3 * worst:  # an edge under a foot
        data.qpos[:] = before


def _clearance(
    model: mujoco.MjModel, data: mujoco.MjData, sites: np.ndarray, terrain: Terrain
) -> np.ndarray:
    """Height of some sites over the ground (n,) [m], with everything that Jacobians need."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    x, y, z = data.site_xpos[sites].T
    return np.asarray(z - terrain.height(x, y))


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
    return within_limits(character, noisy)


def within_limits(character: Character, qpos: np.ndarray) -> np.ndarray:
    """A copy of `qpos` with every joint within its limits."""
    model, low, high = character.model, *character.joint_limits.T
    inside = qpos.copy()
    for joint in range(1, model.njnt):
        q, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint] - 6
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL:
            angles = rotvec_from_quat(inside[q : q + 4])
            angles = np.clip(angles, low[dof : dof + 3], high[dof : dof + 3])
            inside[q : q + 4] = quat_from_rotvec(angles)
        else:
            inside[q] = np.clip(inside[q], low[dof], high[dof])
    return inside
