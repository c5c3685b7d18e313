"""Joint limits of a pose: the box that its angles must stay in, ball joints by rotation vector."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import Character

INSIDE = 1e-9  # [rad] kept from the limits, so that rounding does not exceed them


class JointLimits:
    """Reads and bounds the angles of a pose, all joints at once.

    All joints are 0 at rest, so that a pose's angles are its difference to the rest pose, in which
    MuJoCo writes the shortest rotation vector for a ball joint.
    """

    def __init__(self, character: Character) -> None:
        model = self._model = character.model
        self._rest = character.rest_qpos()
        self._difference = np.zeros(model.nv)
        self._step = np.zeros(model.nv)
        self.low = character.joint_limits[:, 0] + INSIDE
        self.high = character.joint_limits[:, 1] - INSIDE
        balls = model.jnt_type == mujoco.mjtJoint.mjJNT_BALL
        self._balls = model.jnt_qposadr[balls].astype(int)[:, None] + np.arange(4)

    def angles(self, qpos: np.ndarray) -> np.ndarray:
        """Angles (nv − 6,) of a pose (nq,); a ball joint gives its shortest rotation vector."""
        mujoco.mj_differentiatePos(self._model, self._difference, 1.0, self._rest, qpos)
        return self._difference[6:]

    def pose(self, angles: np.ndarray) -> np.ndarray:
        """The pose (nq,) of these angles (nv − 6,), its root as at rest."""
        qpos = self._rest.copy()
        self._step[6:] = angles
        mujoco.mj_integratePos(self._model, qpos, self._step, 1.0)
        return qpos

    def clamp(self, qpos: np.ndarray) -> None:
        """Bring every joint of a pose (nq,) within its limits, in place."""
        angles = self.angles(qpos)
        if (angles >= self.low).all() and (angles <= self.high).all():
            return
        within = self.pose(np.minimum(np.maximum(angles, self.low), self.high))
        if len(self._balls):
            # A quaternion and its negative mean the same; keep the sign that the pose had.
            quats = within[self._balls]
            flip = (quats * qpos[self._balls]).sum(axis=1, keepdims=True) < 0
            within[self._balls] = np.where(flip, -quats, quats)
        qpos[7:] = within[7:]
