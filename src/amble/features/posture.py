"""The joints themselves: their angles and their torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np

from amble.features.feature import Feature
from amble.features.state import BodyState


@dataclass(frozen=True, eq=False)
class Posture(Feature):
    """All joint angles [rad], the value being the whole qpos; ball joints by rotation vectors."""

    model: mujoco.MjModel

    def value(self, state: BodyState) -> np.ndarray:
        return state.data.qpos.copy()

    def difference(self, after: np.ndarray, before: np.ndarray) -> np.ndarray:
        out = np.zeros(self.model.nv)
        mujoco.mj_differentiatePos(self.model, out, 1.0, before, after)
        return out[6:]

    def jacobian(self, state: BodyState) -> np.ndarray:
        return np.eye(state.model.nv)[6:]

    def drift(self, state: BodyState) -> np.ndarray:
        return np.zeros(state.model.nv - 6)


@dataclass(frozen=True)
class Torque(Feature):
    """Torques of some actuated degrees of freedom [N m]; what eq. 15 makes small.

    Of order 0: the equations of motion (eq. 22) give it from the accelerations themselves,

        τ = M_a q̈ + h_a − Q_a

    with Q (nv,) the generalised force of contacts, joint limits and pushes, `BodyState.force`.
    Where these are unknowns too, as in the controller, each is a column −Q_a beside J = M_a.
    """

    dofs: tuple[int, ...]  # places among the actuated ones, 0 the first after the free joint
    order: ClassVar[int] = 0

    def value(self, state: BodyState) -> np.ndarray:
        return self._of(state.data.qfrc_applied + state.data.qfrc_actuator)

    def jacobian(self, state: BodyState) -> np.ndarray:
        return self._of(state.mass_matrix)

    def drift(self, state: BodyState) -> np.ndarray:
        return self._of(state.bias - state.force)

    def _of(self, rows: np.ndarray) -> np.ndarray:
        return rows[6:][list(self.dofs)]
