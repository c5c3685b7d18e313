"""Trace: what the measures need to know of a clip, played once."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.geometry.rotations import rotvec_from_quat
from amble.motion.clip import Clip
from amble.motion.differences import rates
from amble.motion.fall import rest_com_height


@dataclass(frozen=True)
class Trace:
    """What happened over T frames, in the world frame; the clip's reshapes are taken into account.

    Rates are differences of the poses, not the velocities that the clip says it had.
    """

    com_w: np.ndarray  # (T, 3) centre of mass [m]
    points_w: np.ndarray  # (T, P, 3) contact points [m]
    root_R_w: np.ndarray  # (T, 3, 3) orientation of the root against its rest orientation
    mass: np.ndarray  # (T,) [kg]
    rest_height: np.ndarray  # (T,) height of the centre of mass in the rest pose [m]
    momentum_w: np.ndarray  # (T, 3) angular momentum about the centre of mass [kg m²/s]
    joint_acceleration: np.ndarray  # (T, angles) of hinges and ball joints [rad/s²]
    reshaped: np.ndarray  # (T,) bool: a reshape happened since the previous frame


def trace(clip: Clip) -> Trace:
    """Play `clip` once and note down what its measures need."""
    T, P = len(clip), len(clip.point_names)
    model = clip.character.model
    root = model.body(clip.character.root).id
    sites = [model.site(name).id for name in clip.point_names]
    R_rest = _rest_orientation(model, root)

    com_w, points_w, root_R_w = np.empty((T, 3)), np.empty((T, P, 3)), np.empty((T, 3, 3))
    moved, momentum_w = rates(model, clip.time, clip.qpos), np.empty((T, 3))
    mass, rest_height, reshaped = np.empty(T), np.empty(T), np.zeros(T, dtype=bool)
    reshape_times = {e.time for e in clip.events_of("reshape")}
    previous = -np.inf
    for frame in clip.frames():
        k, data = frame.index, frame.data
        com_w[k] = data.subtree_com[root]
        points_w[k] = data.site_xpos[sites]
        data.qvel[:] = moved.velocity[k]
        mujoco.mj_comVel(frame.model, data)
        mujoco.mj_subtreeVel(frame.model, data)
        momentum_w[k] = data.subtree_angmom[root]
        root_R_w[k] = data.xmat[root].reshape(3, 3) @ R_rest.T
        reshaped[k] = any(previous + 1e-9 < t <= frame.time + 1e-9 for t in reshape_times)
        if k == 0 or reshaped[k]:
            body_mass = float(frame.model.body_mass.sum())
            height = rest_com_height(clip.character, frame.model)
        mass[k], rest_height[k] = body_mass, height
        previous = frame.time
    acceleration = moved.acceleration[:, 6:][:, turning(model)]
    return Trace(com_w, points_w, root_R_w, mass, rest_height, momentum_w, acceleration, reshaped)


def turning(model: mujoco.MjModel) -> np.ndarray:
    """Which of the nv − 6 actuated degrees of freedom are angles: all but slides."""
    return np.asarray(model.jnt_type[model.dof_jntid[6:]] != mujoco.mjtJoint.mjJNT_SLIDE)


def joint_angles(model: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """Angles of all actuated degrees of freedom, (T, nv − 6) from qpos (T, nq).

    A hinge gives its angle [rad], a slide its length [m], a ball joint the three components of its
    rotation vector [rad], the shortest of those that mean the same rotation.
    """
    angles = np.zeros((len(qpos), model.nv))
    for joint in range(model.njnt):
        q, v = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        kind = model.jnt_type[joint]
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            angles[:, v : v + 3] = rotvec_from_quat(qpos[:, q : q + 4])
        elif kind != mujoco.mjtJoint.mjJNT_FREE:
            angles[:, v] = qpos[:, q]
    return angles[:, 6:]


def _rest_orientation(model: mujoco.MjModel, root: int) -> np.ndarray:
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body_quat[root])
    return R.reshape(3, 3)
