"""Joint limits of a pose: the box that its angles must stay in, ball joints by rotation vector."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from amble.characters.character import Character

BENT = 0.1  # [rad] that a knee keeps from the limit at which its leg is straight
STRAIGHT = 0.03  # of a leg's length per rad: slower than this, a joint hardly lengthens it
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
        for j, side in _straight_at(character):
            v = int(model.jnt_dofadr[j]) - 6
            if side == 0:
                self.low[v] = min(self.low[v] + BENT, 0.0)
            else:
                self.high[v] = max(self.high[v] - BENT, 0.0)

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


def _straight_at(character: Character) -> Iterator[tuple[int, int]]:
    """Hinges inside legs, and which of their limits (0 low, 1 high) makes the leg straight.

    There the leg's length has no slope, and no small step would show how to bend it again.
    """
    model = character.model
    data = mujoco.MjData(model)
    for limb in character.limbs:
        if limb.kind != "leg" or len(limb.bodies) < 3:
            continue
        hip, ankle = model.body(limb.bodies[0]).id, model.body(limb.bodies[-1]).id
        inner = [model.body(name).id for name in limb.bodies[1:-1]]

        def length(q: int, angle: float, ends: tuple[int, int] = (hip, ankle)) -> float:
            data.qpos[:] = model.qpos0
            data.qpos[q] = angle
            mujoco.mj_kinematics(model, data)
            return float(np.linalg.norm(data.xpos[ends[1]] - data.xpos[ends[0]]))

        for j in range(model.njnt):
            if model.jnt_bodyid[j] not in inner or model.jnt_type[j] != mujoco.mjtJoint.mjJNT_HINGE:
                continue
            q, limits = int(model.jnt_qposadr[j]), character.joint_limits[model.jnt_dofadr[j] - 6]
            for side, limit in enumerate(limits):
                if not np.isfinite(limit):
                    continue
                inwards = 0.02 if side == 0 else -0.02
                here, near = length(q, limit), length(q, limit + inwards)
                if abs(near - here) < 0.02 * STRAIGHT * here and here > length(q, 0.0):
                    yield j, side
