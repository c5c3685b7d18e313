"""What deviations and forces cost: tables 2 and 3 of the tracking paper, for any flat body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from amble.characters.character import Limb
from amble.tracking.flat_body import ROOT, FlatBody

# Table 2: Q of coordinates, Q of velocities × 1e-2; R × 1e-7 and P × 1e-5 of torques.
_LOOK_AHEAD: Mapping[str, tuple[float, float, float, float]] = {
    "height": (10.0, 12.0, 0.0, 0.0),
    "location": (4.0, 12.0, 0.0, 0.0),
    "orientation": (12.0, 8.0, 0.0, 0.0),
    "trunk": (5.0, 4.0, 1.0, 0.40),
    "ankle": (8.0, 4.0, 0.20, 0.30),
    "knee": (10.0, 6.0, 0.40, 0.30),
    "hip": (11.0, 8.0, 0.60, 0.30),
    "shoulder": (2.0, 2.0, 1.0, 0.60),
    "elbow": (2.0, 2.0, 1.0, 0.50),
}
_FORCE = 0.060e-5  # P of each force component at heel and toe; their R is zero
# Table 3: of the accelerations of joints.
_ADAPTATION: Mapping[str, float] = {
    "ankle": 0.090,
    "knee": 0.20,
    "hip": 0.38,
    "trunk": 0.64,
    "shoulder": 0.67,
    "elbow": 0.54,
}
TRUNK_PLACE = (6.0, 6.0, 0.010)  # of the trunk's acceleration: location twice, height
SHOULDER_PLACE = (0.50, 0.50, 0.0010)


@dataclass(frozen=True, eq=False)
class LookAheadWeights:
    """Diagonals of eq. 6; forces have the same in every component."""

    state: np.ndarray  # Q (2 n,): of q − q̄, then of v − v̄
    torque_change: np.ndarray  # R (n − 6,): of τ − τ̄
    torque: np.ndarray  # P (n − 6,): of τ
    force: float = _FORCE  # P: of a force [1/N²]


def look_ahead_weights(body: FlatBody, place: float = 1.0) -> LookAheadWeights:
    """Table 2 for a body's coordinates; `place` times the cost of the root's x and y."""
    rows = np.array([_LOOK_AHEAD[kind] for kind in coordinate_kinds(body)])
    q, v, R, P = rows.T.copy()
    q[:2] *= place
    return LookAheadWeights(np.concatenate([q, 1e-2 * v]), 1e-7 * R[ROOT:], 1e-5 * P[ROOT:])


def adaptation_weights(body: FlatBody) -> np.ndarray:
    """Table 3 (n − 6,) for the accelerations of a body's joints."""
    return np.array([_ADAPTATION[kind] for kind in coordinate_kinds(body)[ROOT:]])


def coordinate_kinds(body: FlatBody) -> tuple[str, ...]:
    """The row of the tables that each coordinate (n) belongs to."""
    kinds = ["location", "location", "height", *["orientation"] * 3]
    limb_of = {name: limb for limb in body.character.limbs for name in limb.bodies}
    model = body.model
    for joint in range(ROOT, body.n):
        name = model.body(int(model.jnt_bodyid[joint])).name
        kinds.append(_kind(name, limb_of.get(name)))
    return tuple(kinds)


def _kind(name: str, limb: Limb | None) -> str:
    if limb is None or limb.kind not in ("leg", "arm"):
        return "trunk"
    first, second = ("hip", "knee") if limb.kind == "leg" else ("shoulder", "elbow")
    index = limb.bodies.index(name)
    if limb.kind == "leg" and index >= 2:
        return "ankle"
    return first if index == 0 else second
