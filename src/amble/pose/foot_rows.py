"""Rows of the pose problem that hold a foot in its place: a sole, an edge or a point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody, Leg
from amble.characters.character import Character
from amble.sketch.contact import Sole

SOLE_ARM = 0.12  # [m] at which a turn of a sole counts like a shift


@dataclass(frozen=True, eq=False)
class FootTarget:
    """Where a foot's points should be, and how its MJCF body should be turned."""

    points_w: list[np.ndarray]  # each (3,) [m]
    quat: np.ndarray  # (4,)


@dataclass(frozen=True, eq=False)
class FootRows:
    """The rows of one leg: a sole's place and turn, an edge's heel and toe, or a point."""

    span: slice
    scale: np.ndarray  # (count,) weights relative to the foot's
    body: int
    points_b: np.ndarray  # (n, 3) in the frame of the MJCF body [m]
    along: tuple[float, ...]  # where they lie along the foot [m]
    turns: bool  # whether the orientation counts too
    rest_quat: np.ndarray  # (4,) of the MJCF body at rest, when the sole is level

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.span.stop - self.span.start

    def target(self, sole: Sole) -> FootTarget:
        """What `fill` compares with."""
        points = [sole.position_w + x * sole.R_w[:, 0] for x in self.along]
        quat = np.empty(4)
        if self.turns:
            mujoco.mju_mat2Quat(quat, sole.R_w.ravel())
            mujoco.mju_mulQuat(quat, quat, self.rest_quat)
        return FootTarget(points, quat)

    def distance(self, data: mujoco.MjData, sole: Sole) -> float:
        """Of the foot from its place [m]."""
        R = data.xmat[self.body].reshape(3, 3)
        away = data.xpos[self.body] + R @ self.points_b[0] - sole.position_w
        away = away - self.along[0] * sole.R_w[:, 0]
        return math.sqrt(away @ away)

    def fill(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        target: FootTarget,
        rows: np.ndarray,
        residual: np.ndarray,
    ) -> None:
        """Jacobian and error: rows · δ should be residual."""
        R = data.xmat[self.body].reshape(3, 3)
        at = data.xpos[self.body]
        for k, wanted in enumerate(target.points_w):
            point = at + R @ self.points_b[k]
            part = slice(3 * k, 3 * k + 3)
            turned = rows[3:6] if self.turns else None
            mujoco.mj_jac(model, data, rows[part], turned, point, self.body)
            residual[part] = wanted - point
        if self.turns:
            turn = np.empty(3)
            mujoco.mju_subQuat(turn, target.quat, data.xquat[self.body])
            residual[3:6] = R @ turn


def foot_rows(character: Character, body: CentroidalBody) -> tuple[FootRows, ...]:
    """The rows of all legs, one after the other."""
    model = character.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    com = data.subtree_com[model.body(character.root).id]
    found, start = [], 0
    for leg in body.legs:
        rows = _rows(model, data, com, leg, start)
        found.append(rows)
        start = rows.span.stop
    return tuple(found)


def _rows(
    model: mujoco.MjModel, data: mujoco.MjData, com: np.ndarray, leg: Leg, start: int
) -> FootRows:
    b = model.body(leg.foot.body).id
    sole = leg.half_width > 0
    along = (0.0,) if sole else leg.effectors
    R = data.xmat[b].reshape(3, 3)
    reference = com + leg.reference_b - data.xpos[b]
    points = np.array([R.T @ (reference + np.array([x, 0.0, 0.0])) for x in along])
    count = 6 if sole else 3 * len(along)
    scale = np.ones(count)
    if sole:
        scale[3:] = SOLE_ARM**2
    span = slice(start, start + count)
    return FootRows(span, scale, b, points, along, sole, data.xquat[b].copy())
