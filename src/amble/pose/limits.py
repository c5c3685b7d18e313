"""Joint limits of a pose: the box that its angles must stay in, ball joints by rotation vector."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.characters.reach import ankle_of

BENT = 0.1  # [rad] that a knee keeps from the limit at which its leg is straight
STRAIGHT = 0.03  # of a leg's length per rad: slower than this, a joint hardly lengthens it
LONGER = 1.002  # of the length at rest: what a straight leg has at least
KNEE = 3.0  # times as much as any other joint, a single knee changes its leg's length
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
        for j, side, angle in _straight_at(character):
            v = int(model.jnt_dofadr[j]) - 6
            if side == 0:
                self.low[v] = min(angle + BENT, 0.0)
            else:
                self.high[v] = max(angle - BENT, 0.0)

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


def _straight_at(character: Character) -> Iterator[tuple[int, int, float]]:
    """Hinges inside legs, on which side (0 low, 1 high) and at which angle the leg is straight.

    There the leg's length has no slope, and no small step would show how to bend it again. Where a
    single knee could pass that angle, it is its limit too: knees do not bend both ways.
    """
    model = character.model
    data = mujoco.MjData(model)
    feet = {foot.name: foot for foot in character.end_effectors}
    for limb in character.limbs:
        if limb.kind != "leg" or limb.end_effector is None:
            continue
        hip = model.body(limb.bodies[0]).id
        ankle, ankle_b = ankle_of(model, limb, feet[limb.end_effector])
        inner = {model.body(name).id for name in limb.bodies[1:]} - {ankle}
        if ankle_b.any():  # the last body is a shank
            inner.add(ankle)

        def length(
            q: int, angle: float, ends: tuple[int, int, np.ndarray] = (hip, ankle, ankle_b)
        ) -> float:
            data.qpos[:] = model.qpos0
            data.qpos[q] = angle
            mujoco.mj_kinematics(model, data)
            first, last, point_b = ends
            at = data.xpos[last] + data.xmat[last].reshape(3, 3) @ point_b
            return float(np.linalg.norm(at - data.xpos[first]))

        bends = []  # by how much each joint changes the length [m]
        for j in range(model.njnt):
            if model.jnt_bodyid[j] not in inner or model.jnt_type[j] != mujoco.mjtJoint.mjJNT_HINGE:
                continue
            q, limits = int(model.jnt_qposadr[j]), character.joint_limits[model.jnt_dofadr[j] - 6]
            swept = [length(q, angle) for angle in np.linspace(-np.pi, np.pi, 25)]
            bends.append((float(np.ptp(swept)), j, q, limits))
            for side, limit in enumerate(limits):
                if not np.isfinite(limit):
                    continue
                inwards = 0.02 if side == 0 else -0.02
                here, near = length(q, limit), length(q, limit + inwards)
                if abs(near - here) < 0.02 * STRAIGHT * here and here > LONGER * length(q, 0.0):
                    yield j, side, float(limit)
        bends.sort(key=lambda bend: -bend[0])
        if bends and (len(bends) == 1 or bends[0][0] > KNEE * bends[1][0]):
            _, j, q, limits = bends[0]
            for side, limit in enumerate(np.clip(limits, -np.pi, np.pi)):
                way = np.linspace(0.0, limit, 100)
                lengths = [length(q, angle) for angle in way]
                k = int(np.argmax(lengths))
                passes = abs(limit - way[k]) > 2 * BENT
                if passes and lengths[k] > LONGER * lengths[0]:
                    yield j, side, float(way[k])
