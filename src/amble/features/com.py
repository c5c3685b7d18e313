"""Centre of mass, and the angular momentum about it (features eq. 10–14).

Both are read off the equations of motion of the free joint: its force rows are Newton's law of the
whole body, and its moment rows, taken about the centre of mass, Euler's.
"""

from __future__ import annotations

from typing import ClassVar

import mujoco
import numpy as np

from amble.features.feature import Feature
from amble.features.state import BodyState


class Com(Feature):
    """Position of the centre of mass c = Σ mᵢ cᵢ / m, (3,) [m]."""

    def value(self, state: BodyState) -> np.ndarray:
        return state.com_w.copy()

    def jacobian(self, state: BodyState) -> np.ndarray:
        J = np.zeros((3, state.model.nv))
        mujoco.mj_jacSubtreeCom(state.model, state.data, J, state.root)
        return J

    def drift(self, state: BodyState) -> np.ndarray:
        # m c̈ = M[0:3] q̈ + h[0:3] + m g, where h holds −m g: gravity is a force, no acceleration.
        return state.data.qfrc_bias[:3] / state.mass + state.model.opt.gravity


class AngularMomentum(Feature):
    """Angular momentum about the centre of mass, (3,) [kg m²/s], in world axes:

        L = Σ Iᵢ ωᵢ + mᵢ (cᵢ − c) × ċᵢ = A q̇          (eq. 10–12)
        L̇ = A q̈ + Ȧ q̇                                (eq. 13)

    Of order 1: the matrix A (the centroidal momentum matrix) is its Jacobian, and a task asks for
    its rate (eq. 8–9).
    """

    order: ClassVar[int] = 1

    def value(self, state: BodyState) -> np.ndarray:
        return self.jacobian(state) @ state.data.qvel

    def jacobian(self, state: BodyState) -> np.ndarray:
        A = np.zeros((3, state.model.nv))
        mujoco.mj_angmomMat(state.model, state.data, A, state.root)
        return A

    def drift(self, state: BodyState) -> np.ndarray:
        # The bias forces of the free joint, as a moment about c; gravity has none there.
        R_wb = state.data.xmat[state.root].reshape(3, 3)
        arm = state.com_w - state.data.xpos[state.root]
        bias = state.data.qfrc_bias
        return R_wb @ bias[3:6] - np.cross(arm, bias[:3])
