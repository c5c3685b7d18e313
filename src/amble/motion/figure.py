"""Figure: a clip as other programs take it: joints that turn, and surfaces that hang on them."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.geometry.rotations import matrix_from_quat
from amble.motion.clip import Clip
from amble.motion.clip_skeleton import clip_skeleton, skeleton_bodies
from amble.motion.shape_keys import ShapeKeys, shape_keys
from amble.motion.skeleton import SkeletonMotion
from amble.motion.surfaces import Surface, body_surfaces, joined


@dataclass(frozen=True, eq=False)
class Skin:
    """Triangles of one colour, each vertex fixed to one joint; in the world, at rest.

    What changes its size has `keys`, displacements of its vertices in the same axes.
    """

    surface: Surface
    joints: np.ndarray  # (V,) joint of each vertex
    name: str = ""  # of the part that changes its size
    keys: ShapeKeys | None = None


@dataclass(frozen=True, eq=False)
class Figure:
    """Joints, their motion, and what hangs on them."""

    name: str
    motion: SkeletonMotion
    skins: tuple[Skin, ...]


def figure(clip: Clip) -> Figure:
    """The clip's body at rest, in the size it has at the clip's beginning, and its motion."""
    model = clip.character.model
    rest = mujoco.MjData(model)
    rest.qpos[:] = model.qpos0
    mujoco.mj_kinematics(model, rest)
    changing = shape_keys(clip)
    parts: dict[tuple[float, ...], list[tuple[Surface, int]]] = {}
    growing: list[Skin] = []
    for joint, body in enumerate(skeleton_bodies(model)):
        R_wb, first = matrix_from_quat(rest.xquat[body]), 0
        for surface in body_surfaces(model, body):
            placed = surface.moved(R_wb, rest.xpos[body])
            count = len(surface.vertices)
            if body in changing:
                of_body = changing[body]
                moved = of_body.displacements[:, first : first + count] @ R_wb.T
                keys = ShapeKeys(moved, of_body.weights)
                name = f"{model.body(body).name}_{len(growing)}"
                growing.append(Skin(placed, np.full(count, joint), name, keys))
            else:
                parts.setdefault(surface.rgba, []).append((placed, joint))
            first += count
    skins = []
    for pieces in parts.values():
        (whole,) = joined([surface for surface, _ in pieces])
        joints = np.repeat([j for _, j in pieces], [len(s.vertices) for s, _ in pieces])
        skins.append(Skin(whole, joints))
    return Figure(clip.character.name, clip_skeleton(clip), (*skins, *growing))
