"""Rows that hold a foot in its place, in numpy and MuJoCo: part of `momentum_ik_twin`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.pose.feet import FootState
from amble.pose.foot_rows import FootRows
from amble.pose.weights import IkWeights

EDGE_IN_AIR = 0.05  # share of its weight that the toe of an edge has in the air


@dataclass(frozen=True, eq=False)
class FootTarget:
    """Where a foot's points should be, and how its MJCF body should be turned."""

    points_w: list[np.ndarray]  # each (3,) [m]
    points_b: list[np.ndarray]  # the same in the frame of the MJCF body
    quat: np.ndarray  # (4,)
    R_s: np.ndarray  # (3, 3) from the world to the sole


class FootRowsTwin:
    """The numbers of one leg's rows, the first of which is `start`."""

    def __init__(self, rows: FootRows, start: int) -> None:
        self.span = slice(start, start + rows.count)
        self.count, self.body, self.ankle_height = rows.count, rows.body, rows.ankle_height
        self.points_b, self.along, self.turns = rows.points_b, rows.along, rows.turns
        self.rest_R, self.rest_quat = rows.rest_R, np.empty(4)
        mujoco.mju_mat2Quat(self.rest_quat, rows.rest_R.ravel())

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
