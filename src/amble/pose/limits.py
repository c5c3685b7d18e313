"""Joint limits of a pose: the box that its angles must stay in, ball joints by rotation vector."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.geometry.rotations import quat_from_rotvec, rotvec_from_quat

INSIDE = 1e-9  # [rad] kept from the limits, so that rounding does not exceed them


class JointLimits:
    """Reads and bounds the angles of a pose, all joints at once."""

    def __init__(self, character: Character) -> None:
        model = character.model
        balls, hinges = [], []
        for j in range(model.njnt):
            kind = model.jnt_type[j]
            if kind == mujoco.mjtJoint.mjJNT_BALL:
                balls.append(j)
            elif kind != mujoco.mjtJoint.mjJNT_FREE:
                hinges.append(j)
        self._hinge_q = model.jnt_qposadr[hinges].astype(int)
        self._hinge_v = model.jnt_dofadr[hinges].astype(int) - 6
        self._ball_q = model.jnt_qposadr[balls].astype(int)[:, None] + np.arange(4)
        self._ball_v = model.jnt_dofadr[balls].astype(int)[:, None] - 6 + np.arange(3)
        self.low = character.joint_limits[:, 0] + INSIDE
        self.high = character.joint_limits[:, 1] - INSIDE
        self._angles = np.zeros(model.nv - 6)

    def angles(self, qpos: np.ndarray) -> np.ndarray:
        """Angles (nv − 6,) of a pose (nq,); a ball joint gives its shortest rotation vector."""
        out = self._angles
        out[self._hinge_v] = qpos[self._hinge_q]
        if len(self._ball_q):
            out[self._ball_v] = rotvec_from_quat(qpos[self._ball_q])
        return out

    def set_angles(self, qpos: np.ndarray, angles: np.ndarray) -> None:
        """Write angles (nv − 6,) into a pose (nq,)."""
        qpos[self._hinge_q] = angles[self._hinge_v]
        if len(self._ball_q):
            qpos[self._ball_q] = quat_from_rotvec(angles[self._ball_v])

    def clamp(self, qpos: np.ndarray) -> None:
        """Bring every joint of a pose (nq,) within its limits, in place."""
        angles = self.angles(qpos)
        if (angles >= self.low).all() and (angles <= self.high).all():
            return
        within = np.minimum(np.maximum(angles, self.low), self.high)
        before = qpos[self._ball_q]
        self.set_angles(qpos, within)
        if len(before):
            # A quaternion and its negative mean the same; keep the sign that the pose had.
            flip = (before * qpos[self._ball_q]).sum(axis=1) < 0
            qpos[self._ball_q] = np.where(flip[:, None], -qpos[self._ball_q], qpos[self._ball_q])
