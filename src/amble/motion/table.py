"""CSV: one row a frame, with names and units in the first row; for spreadsheets and other tools."""

from __future__ import annotations

import csv
from pathlib import Path

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.motion.clip import Clip
from amble.motion.clip_skeleton import clip_skeleton
from amble.motion.files import replacing


def write_table(clip: Clip, path: str | Path) -> None:
    """Time, pose, rates, places of all joints, and force and contact of each end effector."""
    motion = clip_skeleton(clip)
    names = ["time [s]", *pose_names(clip.character)]
    columns = [clip.time[:, None], clip.qpos]
    for joint, word in enumerate(motion.skeleton.names):
        names += [f"{word} {axis} [m]" for axis in "xyz"]
        columns.append(motion.places_w[:, joint])
    first = 0
    for effector in clip.character.end_effectors:
        points = slice(first, first + len(effector.sites))
        first = points.stop
        names += [f"{effector.name} force {axis} [N]" for axis in "xyz"]
        names.append(f"{effector.name} touches")
        columns.append(clip.contact_force_w[:, points].sum(axis=1))
        columns.append(clip.touching[:, points].max(axis=1, initial=False, keepdims=True))
    rows = np.concatenate([np.asarray(column, dtype=float) for column in columns], axis=1)
    with (
        replacing(Path(path)) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([f"{value:.9g}" for value in row] for row in rows)


def pose_names(character: Character) -> list[str]:
    """A name with its unit for every entry of `qpos`."""
    model = character.model
    quaternion = [f"q{axis}" for axis in "wxyz"]
    names: list[str] = []
    for j in range(model.njnt):
        kind, joint = model.jnt_type[j], model.joint(j).name
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            names += [f"root {axis} [m]" for axis in "xyz"] + [f"root {q}" for q in quaternion]
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            names += [f"{joint} {q}" for q in quaternion]
        elif kind == mujoco.mjtJoint.mjJNT_SLIDE:
            names.append(f"{joint} [m]")
        else:
            names.append(f"{joint} [rad]")
    return names
