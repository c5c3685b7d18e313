"""Positions and orientations of body parts."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.features.com import Com
from amble.features.feature import Feature
from amble.features.state import BodyState
from amble.geometry.rotations import quat_from_matrix, rotvec_from_quat


@dataclass(frozen=True)
class Position(Feature):
    """World position of a point fixed to a body, (3,) [m]."""

    body: int
    point_b: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def value(self, state: BodyState) -> np.ndarray:
        R_wb = state.data.xmat[self.body].reshape(3, 3)
        return state.data.xpos[self.body] + R_wb @ self.point_b

    def jacobian(self, state: BodyState) -> np.ndarray:
        J = np.zeros((3, state.model.nv))
        mujoco.mj_jac(state.model, state.data, J, None, self.value(state), self.body)
        return J

    def drift(self, state: BodyState) -> np.ndarray:
        twist = state.data.cvel[self.body]
        bias = state.bias_acceleration[self.body]
        arm = self.value(state) - state.com_w
        velocity = twist[3:] + np.cross(twist[:3], arm)
        return bias[3:] + np.cross(bias[:3], arm) + np.cross(twist[:3], velocity)


@dataclass(frozen=True)
class PositionFromCom(Feature):
    """A point of the body as seen from the centre of mass, in world axes, (3,) [m]."""

    body: int
    point_b: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def value(self, state: BodyState) -> np.ndarray:
        return Position(self.body, self.point_b).value(state) - state.com_w

    def jacobian(self, state: BodyState) -> np.ndarray:
        return Position(self.body, self.point_b).jacobian(state) - Com().jacobian(state)

    def drift(self, state: BodyState) -> np.ndarray:
        return Position(self.body, self.point_b).drift(state) - Com().drift(state)


@dataclass(frozen=True)
class Orientation(Feature):
    """World orientation of a body: a rotation matrix; its rate is the angular velocity [rad/s]."""

    body: int

    def value(self, state: BodyState) -> np.ndarray:
        return state.data.xmat[self.body].reshape(3, 3).copy()

    def difference(self, after: np.ndarray, before: np.ndarray) -> np.ndarray:
        return rotvec_from_quat(quat_from_matrix(after @ before.T))

    def jacobian(self, state: BodyState) -> np.ndarray:
        J = np.zeros((3, state.model.nv))
        mujoco.mj_jacBody(state.model, state.data, None, J, self.body)
        return J

    def drift(self, state: BodyState) -> np.ndarray:
        return state.bias_acceleration[self.body][:3].copy()
