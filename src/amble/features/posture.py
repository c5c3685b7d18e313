"""The joints themselves: their angles and their torques."""

from __future__ import annotations

from dataclasses import dataclass

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
class Torque:
    """Torque of one actuated degree of freedom [N m] (eq. 15).

    A function of the unknowns, not of the state: the reduced dynamics provide its row.
    """

    dof: int
