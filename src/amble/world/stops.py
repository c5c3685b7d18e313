"""Stops of ball joints in the world: how far a limb swings and twists.

MuJoCo's own limit of a ball joint is a cone about the rest pose. The character knows more: a range
for each component of the rotation vector, which for a limb along z are its swing about x and y and
its twist about z. Beyond a range a critically damped spring pushes back, hard for the limb that it
holds; hinges and the whole angle of ball joints keep MuJoCo's own limits.
"""

from __future__ import annotations

import mujoco
import numpy as np

from amble import _core
from amble.characters.character import Character

FREQUENCY = 100.0  # [rad/s] of a limb on its stop: thrown against it at 10 rad/s it goes 2° too far


class JointStops:
    """Torques that keep ball joints within `Character.joint_limits`."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, character: Character) -> None:
        self._model = model
        self._stiffness, self._damping = np.zeros(model.nv), np.zeros(model.nv)
        self._core = _core.Stops(
            model.jnt_type,
            model.jnt_qposadr,
            model.jnt_dofadr,
            data.qpos,
            data.qvel,
            np.ascontiguousarray(character.joint_limits, float),
            self._stiffness,
            self._damping,
        )
        self.fit()

    def fit(self) -> None:
        """As stiff as the limbs of the present shape need: k = I ω² with the inertia
        I = 1 / (M⁻¹)ᵢᵢ at rest, the least that the stop can meet."""
        model = self._model
        rest = mujoco.MjData(model)
        mujoco.mj_forward(model, rest)
        inverse = np.eye(model.nv)
        mujoco.mj_solveM(model, rest, inverse, np.eye(model.nv))
        inertia = 1.0 / np.diag(inverse)
        self._stiffness[:] = inertia * FREQUENCY**2
        self._damping[:] = 2 * inertia * FREQUENCY

    def add(self, torque: np.ndarray) -> None:
        """Add the stops' torques for the present state to joint torques (nv − 6,) [N m]."""
        self._core.add(torque)
