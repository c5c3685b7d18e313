"""BodyState: the dynamics of one instant, in numpy, from MuJoCo's arrays.

The plain twin of the compiled core: every feature is defined on it, and the tests compare the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np


@dataclass(frozen=True, eq=False)
class BodyState:
    """A model and its data, with position- and velocity-dependent quantities computed."""

    model: mujoco.MjModel
    data: mujoco.MjData
    root: int = 1  # body with the free joint
    #: (nv,) generalised force of contacts, joint limits and pushes, where they are known
    force: np.ndarray | float = 0.0

    @cached_property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(self.model.body_mass.sum())

    @cached_property
    def mass_matrix(self) -> np.ndarray:
        """M (nv, nv)."""
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    @cached_property
    def bias(self) -> np.ndarray:
        """h (nv,): Coriolis, centrifugal and gravity forces less the passive ones."""
        return self.data.qfrc_bias - self.data.qfrc_passive

    @property
    def com_w(self) -> np.ndarray:
        """Centre of mass (3,) [m]."""
        return self.data.subtree_com[self.root]

    @cached_property
    def bias_acceleration(self) -> np.ndarray:
        """(nbody, 6) acceleration [angular, linear at the COM] of each body with q̈ = 0."""
        out = np.zeros((self.model.nbody, 6))
        for body in range(1, self.model.nbody):
            first, count = self.model.body_dofadr[body], self.model.body_dofnum[body]
            dofs = slice(first, first + count) if count else slice(0, 0)
            out[body] = out[self.model.body_parentid[body]]
            out[body] += self.data.qvel[dofs] @ self.data.cdof_dot[dofs]
        return out
