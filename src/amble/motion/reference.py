"""Reference motion (.reference.npz) for learning: plain arrays that numpy alone can read.

    fps                      () frames a second
    time                     (T,) [s]
    root_position            (T, 3) world [m]
    root_quaternion          (T, 4) w x y z, body to world
    root_linear_velocity     (T, 3) world [m/s], of the root body's origin
    root_angular_velocity    (T, 3) world [rad/s]
    joint_names              (n,) the actuated degrees of freedom, in the order of the model;
                             NAME_x, NAME_y, NAME_z are the components of a ball joint
    joint_position           (T, n) hinge [rad], slide [m]; of a ball joint its rotation vector
    joint_velocity           (T, n) hinge [rad/s], slide [m/s]; of a ball joint the angular velocity
                             in the frame of its child [rad/s]
    joint_torque             (T, n) [N m], of a slide [N]
    body_names               (b,) MJCF bodies, the world left out
    body_position            (T, b, 3) origins, world [m]
    body_quaternion          (T, b, 4) w x y z, body to world
    contact_names            (c,) end effectors: feet, hands
    contact                  (T, c) bool, whether it touches
    contact_force            (T, c, 3) world [N], of the ground on it
    model                    () MJCF of the body, where it needs no files of its own; else ""

x is forward, y left, z up.
"""

from __future__ import annotations

import io
from pathlib import Path

import mujoco
import numpy as np

from amble.geometry.rotations import rotate, rotvec_from_quat
from amble.motion.clip import Clip
from amble.motion.files import replacing


def write_reference(clip: Clip, path: str | Path) -> None:
    """Write the arrays named above; equal clips give equal bytes."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **reference_arrays(clip))
    with replacing(Path(path)) as unfinished:
        unfinished.write_bytes(buffer.getvalue())


def reference_arrays(clip: Clip) -> dict[str, np.ndarray]:
    """The arrays named above."""
    character, model = clip.character, clip.character.model
    T, bodies = len(clip), model.nbody - 1
    place, quat = np.empty((T, bodies, 3)), np.empty((T, bodies, 4))
    for frame in clip.frames():
        place[frame.index] = frame.data.xpos[1:]
        quat[frame.index] = frame.data.xquat[1:]
    effectors = character.end_effectors
    touching, force = np.zeros((T, len(effectors)), bool), np.zeros((T, len(effectors), 3))
    first = 0
    for k, effector in enumerate(effectors):
        points = slice(first, first + len(effector.sites))
        first = points.stop
        touching[:, k] = clip.touching[:, points].any(axis=1)
        force[:, k] = clip.contact_force_w[:, points].sum(axis=1)
    return {
        "fps": np.array(float(clip.fps)),
        "time": clip.time,
        "root_position": clip.qpos[:, :3],
        "root_quaternion": clip.qpos[:, 3:7],
        "root_linear_velocity": clip.qvel[:, :3],
        "root_angular_velocity": rotate(clip.qpos[:, 3:7], clip.qvel[:, 3:6]),
        "joint_names": np.array(character.dof_names, dtype=str),
        "joint_position": _joint_position(model, clip.qpos),
        "joint_velocity": clip.qvel[:, 6:],
        "joint_torque": clip.torque,
        "body_names": np.array([model.body(b).name for b in range(1, model.nbody)], dtype=str),
        "body_position": place,
        "body_quaternion": quat,
        "contact_names": np.array([effector.name for effector in effectors], dtype=str),
        "contact": touching,
        "contact_force": force,
        "model": np.array("" if character.assets else character.xml),
    }


def _joint_position(model: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """Positions (T, nv − 6) in the layout of `qvel[6:]`."""
    columns = []
    for j in range(model.njnt):
        first = int(model.jnt_qposadr[j])
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL:
            columns.append(rotvec_from_quat(qpos[:, first : first + 4]))
        elif model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE:
            columns.append(qpos[:, first : first + 1])
    return np.concatenate(columns, axis=1) if columns else np.empty((len(qpos), 0))
