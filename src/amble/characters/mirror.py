"""Mirror: left ↔ right in the plane y = 0, for poses, velocities and contact points.

Pairs are found by name (left/right, l/r, LF/RF, …), in whatever style a model is written, and the
signs by geometry: from the joint axes at rest. A body without a partner is its own mirror image.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.geometry.rotations import quat_conjugate, quat_multiply, rotate

# A rotation vector is a pseudovector: mirrored in y = 0 its x and z change sign.
_PSEUDO = np.array([-1.0, 1.0, -1.0])
_POLAR = -_PSEUDO
_WORDS = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
_JOINT = mujoco.mjtJoint


@dataclass(frozen=True, eq=False)
class MirrorMap:
    """mirrored[i] = signs[i] · original[dofs[i]] over the actuated degrees of freedom.

    `bodies` and `points` say likewise whose mirror image each one is.
    """

    bodies: np.ndarray  # (nbody,) MuJoCo body ids
    dofs: np.ndarray  # (nv − 6,)
    signs: np.ndarray  # (nv − 6,) ±1
    points: np.ndarray  # (contact points,)
    root_quat: np.ndarray  # (4,) of the root at rest
    _qpos: np.ndarray  # (nq − 7,)
    _qpos_signs: np.ndarray  # (nq − 7,)

    def mirror_pose(self, qpos: np.ndarray) -> np.ndarray:
        """Mirrored generalised positions (..., nq)."""
        qpos = np.asarray(qpos, dtype=float)
        position = qpos[..., :3] * _POLAR
        # R' = M (R R0ᵀ) M R0, with R0 the root's orientation at rest.
        turn = quat_multiply(qpos[..., 3:7], quat_conjugate(self.root_quat))
        quat = quat_multiply(turn * np.concatenate([[1.0], _PSEUDO]), self.root_quat)
        joints = self._qpos_signs * qpos[..., 7:][..., self._qpos]
        return np.concatenate([position, quat, joints], axis=-1)

    def mirror_velocity(self, qvel: np.ndarray) -> np.ndarray:
        """Mirrored generalised velocities, accelerations or forces (..., nv)."""
        qvel = np.asarray(qvel, dtype=float)
        linear = qvel[..., :3] * _POLAR
        angular = rotate(self.root_quat, qvel[..., 3:6]) * _PSEUDO
        angular = rotate(quat_conjugate(self.root_quat), angular)
        return np.concatenate([linear, angular, self.mirror_joints(qvel[..., 6:])], axis=-1)

    def mirror_joints(self, values: np.ndarray) -> np.ndarray:
        """Mirrored joint angles, velocities or torques (..., nv − 6)."""
        return self.signs * np.asarray(values, dtype=float)[..., self.dofs]


def find_mirror(model: mujoco.MjModel, points: Sequence[tuple[str, ...]]) -> MirrorMap | None:
    """The mirror map of a body alone; `points` are the site names of each end effector.

    None where a pair's joints differ in number or kind, or its contact points in number.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    names = [model.body(b).name for b in range(model.nbody)]
    bodies = np.array([_partner(names, b, data.xipos[:, 1]) for b in range(model.nbody)])
    if not np.array_equal(bodies[bodies], np.arange(model.nbody)):
        return None
    maps = _map_joints(model, data, bodies)
    order = _map_points(model, data, bodies, points)
    if maps is None or order is None:
        return None
    dofs, signs, qpos, qpos_signs = maps
    root_quat = model.qpos0[3:7].copy()
    return MirrorMap(bodies, dofs, signs, order, root_quat, qpos, qpos_signs)


def swapped_names(name: str) -> Iterator[str]:
    """What the partner of a body of this name may be called, likeliest first."""
    for left, right in _WORDS:
        for a, b in ((left, right), (right, left)):
            if a in name:
                yield name.replace(a, b)
    tokens = [(m.start(), m.end()) for m in re.finditer(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    swap = str.maketrans("lrLR", "rlRL")
    # Tokens of one letter (thigh_l), then the first (LF, lfoot) or last (FL) letter of longer ones.
    for exact in (True, False):
        for start, end in tokens:
            for at in {start: None, end - 1: None}:
                if (end - start == 1) == exact and name[at] in "lrLR":
                    yield name[:at] + name[at].translate(swap) + name[at + 1 :]


def _partner(names: Sequence[str], b: int, side: np.ndarray) -> int:
    """The body on the other side: by name, if its centre of mass is indeed on the other side."""
    for candidate in swapped_names(names[b]):
        if candidate in names and candidate != names[b]:
            other = names.index(candidate)
            if side[b] * side[other] < 0:
                return other
    return b


def _map_joints(
    model: mujoco.MjModel, data: mujoco.MjData, bodies: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    dofs, signs = np.zeros(model.nv, dtype=int), np.ones(model.nv)
    qpos, qpos_signs = np.zeros(model.nq, dtype=int), np.ones(model.nq)
    for b, other in enumerate(bodies):
        joints, others = _joints(model, b), _joints(model, other)
        if [model.jnt_type[j] for j in joints] != [model.jnt_type[j] for j in others]:
            return None
        for j, k in zip(joints, others, strict=True):
            if model.jnt_type[j] == _JOINT.mjJNT_FREE:
                continue
            v, q = model.jnt_dofadr[j], model.jnt_qposadr[j]
            flips = _flips(model, data, j, k)
            width = len(flips)
            dofs[v : v + width] = model.jnt_dofadr[k] + np.arange(width)
            signs[v : v + width] = flips
            if width == 3:  # a quaternion: its vector part turns like the rotation vector
                flips = np.concatenate([[1.0], flips])
            qpos[q : q + len(flips)] = model.jnt_qposadr[k] + np.arange(len(flips))
            qpos_signs[q : q + len(flips)] = flips
    return dofs[6:] - 6, signs[6:], qpos[7:] - 7, qpos_signs[7:]


def _joints(model: mujoco.MjModel, b: int) -> range:
    return range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])


def _flips(model: mujoco.MjModel, data: mujoco.MjData, j: int, k: int) -> np.ndarray:
    """Signs (1,) or (3,) with which joint k's motion, mirrored, becomes joint j's."""
    if model.jnt_type[j] == _JOINT.mjJNT_BALL:
        ours = data.xmat[model.jnt_bodyid[j]].reshape(3, 3).T
        theirs = data.xmat[model.jnt_bodyid[k]].reshape(3, 3).T
    else:
        ours, theirs = data.xaxis[j : j + 1], data.xaxis[k : k + 1]
    mirrored = theirs * (_POLAR if model.jnt_type[j] == _JOINT.mjJNT_SLIDE else _PSEUDO)
    return np.where(np.sum(ours * mirrored, axis=1) < 0, -1.0, 1.0)


def _map_points(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    bodies: np.ndarray,
    points: Sequence[tuple[str, ...]],
) -> np.ndarray | None:
    """Contact points by place: each lies in its foot where its partner lies, mirrored."""
    mujoco.mj_forward(model, data)
    groups = [np.array([model.site(name).id for name in names], dtype=int) for names in points]
    starts = np.cumsum([0] + [len(group) for group in groups])
    owner = [int(model.site_bodyid[group[0]]) for group in groups]
    order = np.zeros(starts[-1], dtype=int)
    for i, group in enumerate(groups):
        other = owner.index(bodies[owner[i]]) if bodies[owner[i]] in owner else i
        if len(groups[other]) != len(group):
            return None
        ours = data.site_xpos[group] - data.site_xpos[group].mean(axis=0)
        theirs = data.site_xpos[groups[other]] - data.site_xpos[groups[other]].mean(axis=0)
        distance = np.linalg.norm(ours[:, None] - (theirs * _POLAR)[None], axis=-1)
        order[starts[i] : starts[i + 1]] = starts[other] + np.argmin(distance, axis=1)
    return order if np.array_equal(order[order], np.arange(len(order))) else None
