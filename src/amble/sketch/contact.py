"""Contact: one foot on the ground from touchdown to lift-off, and how the foot rolls over it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from amble.characters.centroidal import Leg
from amble.geometry.splines import polynomial, quintic_coefficients
from amble.geometry.turns import about_y, ground_frame

SHORTEST_ROLL = 0.03  # [s]


@dataclass(frozen=True, eq=False)
class Contact:
    """One contact of a limb (centroidal section 4.2, figure 5).

    The foot lands on its heel, lies flat, rolls over its toe and lifts off; a foot with a single
    contact point has no phases: `flat` is then `start`, and `heel_off` is `end`. A foot that stands
    until further notice has an infinite `heel_off` and `end`.
    """

    limb: int
    start: float  # [s] touchdown
    flat: float  # [s] the whole sole is down
    heel_off: float  # [s] the heel lifts
    end: float  # [s] lift-off
    middle: float  # [s] t_ij, the time at which the cart is sampled
    position_w: np.ndarray  # (3,) where the foot's reference point is when it lies flat [m]
    yaw: float  # [rad] of the foot
    normal_w: np.ndarray  # (3,) of the ground under it
    strike: float = 0.0  # [rad] how far the toe is up at touchdown
    push_off: float = 0.0  # [rad] how far the heel is up at lift-off
    speed: float = 0.0  # [m/s] of the body over it
    duty: float = 1.0  # its share of the stride
    fixed: bool = False  # whether a plan may still move it
    freedom: float = 0.12  # [m] how far, to each side

    @property
    def seconds(self) -> float:
        """From touchdown to lift-off."""
        return self.end - self.start

    def holds(self, time: float) -> bool:
        """Whether the foot is on the ground."""
        return self.start <= time <= self.end

    @cached_property
    def R_flat_w(self) -> np.ndarray:
        """Orientation of the foot when it lies flat (3, 3)."""
        return ground_frame(self.normal_w, self.yaw)

    def moved(self, position_w: np.ndarray, normal_w: np.ndarray | None = None) -> Contact:
        """The same contact elsewhere."""
        normal = self.normal_w if normal_w is None else normal_w
        return replace(self, position_w=np.asarray(position_w, dtype=float), normal_w=normal)


@dataclass(frozen=True)
class Sole:
    """Where a foot is: its reference point and its orientation."""

    position_w: np.ndarray  # (3,) [m]
    R_w: np.ndarray  # (3, 3)

    def ankle_w(self, leg: Leg) -> np.ndarray:
        """Position of the ankle (3,) [m]."""
        return self.position_w + leg.ankle_height * self.R_w[:, 2]


def roll_angle(contact: Contact, time: float) -> float:
    """Pitch of a standing foot [rad]: negative on the heel, 0 flat, positive on the toe."""
    t = min(max(time, contact.start), contact.end)
    if t < contact.flat and contact.strike > 0:
        h = max(contact.flat - contact.start, SHORTEST_ROLL)
        rate = 0.6 * contact.strike / h
        c = quintic_coefficients(h, -contact.strike, rate, 0.0, 0.0, 0.0, 0.0)
        return polynomial((t - contact.start) / h, c)
    if t > contact.heel_off and contact.push_off > 0:
        h = max(contact.end - contact.heel_off, SHORTEST_ROLL)
        rate = contact.push_off / h
        c = quintic_coefficients(h, 0.0, 0.0, 0.0, contact.push_off, rate, 0.0)
        return polynomial((t - contact.heel_off) / h, c)
    return 0.0


def standing_sole(contact: Contact, leg: Leg, time: float) -> Sole:
    """The foot at a time of its contact: it pivots about its heel, lies flat, pivots on its toe."""
    pitch = roll_angle(contact, time)
    R_flat = contact.R_flat_w
    if pitch == 0.0 or not math.isfinite(pitch):
        return Sole(contact.position_w, R_flat)
    R = R_flat @ about_y(pitch)
    pivot = np.array([leg.effectors[0] if pitch < 0 else leg.effectors[-1], 0.0, 0.0])
    return Sole(contact.position_w + (R_flat - R) @ pivot, R)
