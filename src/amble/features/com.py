"""Centre of mass, and the angular momentum about it (features eq. 10–14)."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.features.feature import Feature
from amble.features.state import BodyState


class Com(Feature):
    """Position of the centre of mass [m]."""

    def value(self, state: BodyState) -> np.ndarray:
        return state.com_w.copy()

    def jacobian(self, state: BodyState) -> np.ndarray:
        J = np.zeros((3, state.model.nv))
        mujoco.mj_jacSubtreeCom(state.model, state.data, J, state.root)
        return J

    def drift(self, state: BodyState) -> np.ndarray:
        # m c̈ = M[0:3] q̈ + h[0:3] + m g: the free joint's force rows are Newton's law of the body.
        return state.data.qfrc_bias[:3] / state.mass + state.model.opt.gravity


class AngularMomentum(Feature):
    """Angular momentum about the centre of mass [kg m²/s]: first order, its rate is controlled."""

    def value(self, state: BodyState) -> np.ndarray:
        return self.jacobian(state) @ state.data.qvel

    def jacobian(self, state: BodyState) -> np.ndarray:
        A = np.zeros((3, state.model.nv))
        mujoco.mj_angmomMat(state.model, state.data, A, state.root)
        return A

    def drift(self, state: BodyState) -> np.ndarray:
        # Moment of the bias forces about the centre of mass: Ṗ J q̇ + P J̇ q̇ of eq. 13.
        R_wb = state.data.xmat[state.root].reshape(3, 3)
        arm = state.com_w - state.data.xpos[state.root]
        bias = state.data.qfrc_bias
        return R_wb @ bias[3:6] - np.cross(arm, bias[:3])
