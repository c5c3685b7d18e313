"""The skeleton of a clip's body, and its motion: one joint for every moving body of the model."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.geometry.rotations import (
    matrix_from_quat,
    quat_conjugate,
    quat_multiply,
    rotate,
)
from amble.motion.clip import Clip
from amble.motion.skeleton import Skeleton, SkeletonMotion, smooth_signs, unique_names

TIP = "_tip"  # after a body's name: the site at the end of its bone


def skeleton_bodies(model: mujoco.MjModel) -> list[int]:
    """The MJCF bodies that become joints, parents first: all but the world."""
    return list(range(1, model.nbody))


def clip_skeleton(clip: Clip) -> SkeletonMotion:
    """The clip as joints that turn. A joint lies where its body's first MJCF joint has its axis.

    At rest the axes of all joints are the world's. Where a slide, or a reshape of the body, moves a
    joint within its parent, its `places` vary.
    """
    model = clip.character.model
    bodies = skeleton_bodies(model)
    points = np.array([_anchor(model, body) for body in bodies])  # (J, 3) in the body's frame
    rest = mujoco.MjData(model)
    rest.qpos[:] = model.qpos0
    mujoco.mj_kinematics(model, rest)
    rest_places = rest.xpos[bodies] + rotate(rest.xquat[bodies], points)
    unturn = quat_conjugate(rest.xquat[bodies])

    T, J = len(clip), len(bodies)
    places, quats = np.empty((T, J, 3)), np.empty((T, J, 4))
    for frame in clip.frames():
        data = frame.data
        places[frame.index] = data.xpos[bodies] + rotate(data.xquat[bodies], points)
        quats[frame.index] = quat_multiply(data.xquat[bodies], unturn)

    parents = tuple(
        -1 if k == 0 else bodies.index(int(model.body_parentid[body]))
        for k, body in enumerate(bodies)
    )
    up = list(parents[1:])
    own_places, own_quats = places.copy(), quats.copy()
    away = places[:, 1:] - places[:, up]
    own_places[:, 1:] = np.einsum("tjki,tjk->tji", matrix_from_quat(quats[:, up]), away)
    own_quats[:, 1:] = quat_multiply(quat_conjugate(quats[:, up]), quats[:, 1:])

    offsets = rest_places.copy()
    offsets[1:] -= rest_places[up]
    skeleton = Skeleton(
        names=unique_names(model.body(body).name for body in bodies),
        parents=parents,
        offsets=offsets,
        tips=_tips(model, rest, bodies, parents, rest_places),
    )
    return SkeletonMotion(skeleton, clip.fps, own_places, smooth_signs(own_quats))


def _anchor(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Where the body's joint is, in the body's frame (3,); the body's origin if it has none."""
    if model.body_jntnum[body] == 0:
        return np.zeros(3)
    return np.array(model.jnt_pos[model.body_jntadr[body]])


def _tips(
    model: mujoco.MjModel,
    rest: mujoco.MjData,
    bodies: list[int],
    parents: tuple[int, ...],
    places: np.ndarray,
) -> np.ndarray:
    """Ends of the last bones: their site NAME_tip, or as far beyond the centre of mass as the joint
    is before it."""
    tips = np.full((len(bodies), 3), np.nan)
    for k, body in enumerate(bodies):
        if k in parents:
            continue
        site = mujoco.mj_name2id(
            model, mujoco.mjtObj.mjOBJ_SITE.value, f"{model.body(body).name}{TIP}"
        )
        if site >= 0:
            tips[k] = rest.site_xpos[site] - places[k]
        else:
            com_w = rest.xpos[body] + rotate(rest.xquat[body], model.body_ipos[body])
            tips[k] = 2 * (com_w - places[k])
    return tips
