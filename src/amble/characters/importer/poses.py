"""Poses a model brings along: its keyframes, by joint name, so that they outlive the scene."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.geometry.rotations import quat_multiply

NATIVE_REST = "native_rest"  # MJCF custom numeric: the rest pose in the file's own coordinates
Pose = Mapping[str, np.ndarray]  # joint name → its generalised positions


def named_poses(scene: mujoco.MjModel) -> dict[str, Pose]:
    """Keyframes that differ from zero, and Gymnasium's custom numeric `init_qpos`."""
    poses: dict[str, Pose] = {}
    for k in range(scene.nkey):
        if not np.allclose(scene.key_qpos[k], scene.qpos0):
            poses[scene.key(k).name or f"keyframe {k}"] = _by_joint(scene, scene.key_qpos[k])
    for n in range(scene.nnumeric):
        if scene.numeric(n).name == "init_qpos" and scene.numeric_size[n] == scene.nq:
            start = scene.numeric_adr[n]
            qpos = scene.numeric_data[start : start + scene.nq]
            poses["init_qpos"] = _by_joint(scene, qpos)
    return poses


def body_pose(model: mujoco.MjModel, pose: Pose, free: str | None) -> np.ndarray:
    """Generalised positions (nq,) of the body alone; `free` is the name its free joint had."""
    qpos = model.qpos0.copy()
    for j in range(1, model.njnt):
        value = pose.get(model.joint(j).name)
        if value is not None:
            start = model.jnt_qposadr[j]
            qpos[start : start + len(value)] = value
    if free is not None and free in pose:
        qpos[3:7] = pose[free][3:7] / np.linalg.norm(pose[free][3:7])
    return qpos


def native_qpos(character: Character, qpos: np.ndarray) -> np.ndarray:
    """Generalised positions (nq,) of an imported character in the coordinates of its own file.

    The root's seven come first, as if the file had a free joint; loops and order are the same.
    """
    model = character.model
    rest = model.numeric(NATIVE_REST).data
    native = np.array(qpos, dtype=float)
    if model.body_jntnum[2] == 0 and character.root.endswith("_upright"):
        native[3:7] = quat_multiply(native[3:7], model.body_quat[2])
    for j in range(1, model.njnt):
        start = model.jnt_qposadr[j]
        if model.jnt_type[j] == int(mujoco.mjtJoint.mjJNT_BALL):
            ball = slice(start, start + 4)
            native[ball] = quat_multiply(rest[start - 7 : start - 3], native[ball])
        else:
            native[start] += rest[start - 7]
    return native


def _by_joint(model: mujoco.MjModel, qpos: np.ndarray) -> Pose:
    ends = [*model.jnt_qposadr[1:], model.nq]
    return {
        model.joint(j).name: np.array(qpos[model.jnt_qposadr[j] : ends[j]])
        for j in range(model.njnt)
    }
