"""Where a style puts the hands: a setpoint on each, relative to the pelvis (section 9, "sad")."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.control.tasks import XYZ, critical
from amble.control.whole_body import WholeBody
from amble.features.feature import Kind

HAND_STIFFNESS = 100.0  # for a human
HAND_WEIGHT = 2.0
# Wrists from the hip joint of their side: ahead, outward, up [m], for a human of 1 m of COM height.
PLACES = {
    "pockets": (0.06, 0.11, 0.06),
    "chest": (0.26, 0.02, 0.34),
}
BENT = {"pockets": 0.8, "chest": 1.7}  # [rad] elbows at rest: straight ones lock
HANDS = ("free", *PLACES)


class Hands:
    """Holds the hands of one body where its style wants them."""

    def __init__(self, character: Character, body: WholeBody) -> None:
        self._body = body
        self._root = body.model.body(character.root).id
        hands, parts = hand_bodies(character), character.parts
        self._points = [body.origin_of(hand) for hand in hands]
        self._elbows = [_elbow(body.model, body.model.body(hand).id) for hand in hands]
        self._rest = body.posture_reference.copy()
        self._thighs = [
            body.model.body(parts[f"{side}_thigh"]).id for side in ("left", "right") if hands
        ]

    def measure_rest(self, rest: mujoco.MjData, size: float) -> None:
        """Hip joints as seen from the pelvis, in the frame of the rest pose's heading."""
        self._size = size
        kp = HAND_STIFFNESS / size
        self._kp, self._kv = kp, critical(kp)
        pelvis = rest.xpos[self._root]
        self._hips = [rest.xpos[thigh] - pelvis for thigh in self._thighs]
        self._rest_R = rest.xmat[self._root].reshape(3, 3).copy()

    def fill(self, where: str) -> None:
        """Level 3: the hands to their place, moving along with the pelvis."""
        for elbow, towards in filter(None, self._elbows):
            bend = towards * BENT.get(where, 0.0)
            self._body.posture_reference[elbow] = self._rest[elbow] + bend
        if where not in PLACES:
            return
        data = self._body.data
        R = data.xmat[self._root].reshape(3, 3) @ self._rest_R.T
        ahead, outward, up = (self._size * a for a in PLACES[where])
        for point, hip, side in zip(self._points, self._hips, (1, -1), strict=True):
            offset = hip + np.array([ahead, side * outward, up])
            self._body.tasks.setpoint(
                Kind.POINT,
                point,
                XYZ,
                kp=self._kp,
                kv=self._kv,
                reference=data.xpos[self._root] + R @ offset,
                velocity=self._body.com_velocity_w,
                weight=HAND_WEIGHT,
            )


def _elbow(model: mujoco.MjModel, hand: int) -> tuple[int, float] | None:
    """Place in qpos of the nearest hinge above a hand, and the sign of bending it."""
    body = hand
    while body:
        for joint in range(
            model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]
        ):
            if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE:
                low, high = model.jnt_range[joint]
                return int(model.jnt_qposadr[joint]), 1.0 if high > -low else -1.0
        body = int(model.body_parentid[body])
    return None


def hand_bodies(character: Character) -> list[str]:
    """MJCF bodies of both hands, where there are two hands and two thighs by name."""
    names = [f"{side}_{part}" for part in ("hand", "thigh") for side in ("left", "right")]
    if any(name not in character.parts for name in names):
        return []
    return [character.parts[name] for name in names[:2]]
