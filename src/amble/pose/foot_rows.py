"""Rows of the pose problem that hold a foot in its place: a sole, an edge or a point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody, Leg
from amble.characters.character import Character
from amble.pose.feet import FootState
from amble.pose.weights import IkWeights

EDGE_IN_AIR = 0.05  # share of its weight that the toe of an edge has in the air


@dataclass(frozen=True, eq=False)
class FootTarget:
    """Where a foot's points should be, and how its MJCF body should be turned."""

    points_w: list[np.ndarray]  # each (3,) [m]
    points_b: list[np.ndarray]  # the same in the frame of the MJCF body
    quat: np.ndarray  # (4,)
    R_s: np.ndarray  # (3, 3) from the world to the sole


@dataclass(frozen=True, eq=False)
class FootRows:
    """The rows of one leg: a sole's place and turn, an edge's heel and toe, or a point."""

    span: slice
    body: int
    ankle_height: float  # [m]
    points_b: np.ndarray  # (n, 3) in the frame of the MJCF body [m]
    along: tuple[float, ...]  # where they lie along the foot [m]
    turns: bool  # whether the orientation counts too
    rest_quat: np.ndarray  # (4,) of the MJCF body at rest, when the sole is level
    rest_R: np.ndarray  # (3, 3) the same

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.span.stop - self.span.start

    def target(self, foot: FootState) -> FootTarget:
        """What `fill` compares with.

        A sole is held at its pivot, and by its ankle in the air: where the ankle's joints cannot
        follow, the heel lifts, or the foot hangs, and the rest of the body is not bent for it.
        """
        sole = foot.sole
        if not self.turns:
            points = [sole.position_w + x * sole.R_w[:, 0] for x in self.along]
            return FootTarget(points, list(self.points_b), np.empty(0), sole.R_w.T)
        x, z = foot.load * foot.pivot, (1 - foot.load) * self.ankle_height
        point = sole.position_w + x * sole.R_w[:, 0] + z * sole.R_w[:, 2]
        point_b = self.points_b[0] + x * self.rest_R[0] + z * self.rest_R[2]
        quat = np.empty(4)
        mujoco.mju_mat2Quat(quat, sole.R_w.ravel())
        mujoco.mju_mulQuat(quat, quat, self.rest_quat)
        return FootTarget([point], [point_b], quat, sole.R_w.T)

    def weights(self, foot: FootState, w: IkWeights) -> np.ndarray:
        """Of the rows (count,)."""
        found = np.full(self.count, w.swing + foot.load * (w.stance - w.swing))
        if self.turns:
            found[3:] = w.swing_turn + foot.load * (w.stance_turn - w.swing_turn)
        elif len(self.along) > 1:
            found[3:] *= EDGE_IN_AIR + foot.load * (1 - EDGE_IN_AIR)
        return found

    def distance(self, data: mujoco.MjData, target: FootTarget) -> float:
        """Of the foot from its place [m]."""
        R = data.xmat[self.body].reshape(3, 3)
        away = data.xpos[self.body] + R @ target.points_b[0] - target.points_w[0]
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
        turned = rows[3:6] if self.turns else None
        for k, wanted in enumerate(target.points_w):
            point = at + R @ target.points_b[k]
            part = slice(3 * k, 3 * k + 3)
            mujoco.mj_jac(model, data, rows[part], turned, point, self.body)
            residual[part] = wanted - point
        if self.turns:
            turn = np.empty(3)
            mujoco.mju_subQuat(turn, target.quat, data.xquat[self.body])
            # In the sole's own axes: roll, pitch, yaw.
            residual[3:6] = target.R_s @ (R @ turn)
            rows[3:6] = target.R_s @ rows[3:6]


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
    span = slice(start, start + count)
    return FootRows(span, b, leg.ankle_height, points, along, sole, data.xquat[b].copy(), R.copy())
