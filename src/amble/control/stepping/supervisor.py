"""The momentum supervisor: when to step, with which foot, and where (stepping section 4).

Who wants to get rid of the momenta L and H at the rates d_l and d_h needs a centre of pressure at

    p_x = c_x + d_l L_x c_z / f_z + d_h H_y / f_z
    p_y = c_y + d_l L_y c_z / f_z − d_h H_x / f_z          (eq. 5, 6)

When that leaves the support, a foot is put where it is, or farther.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from amble.control.walking.pendulum import Place
from amble.geometry.polygons import ConvexPolygon

LEAST_LOAD = 0.3  # of the weight: a body that hardly touches the ground has no centre of pressure
RULES = ("ours", "paper", "pendulum", "pendulum-replanned", "capture", "none")
PENDULUMS = ("pendulum", "pendulum-replanned", "capture")  # blind to angular momentum
FIXED_RULES = ("paper", "pendulum", "capture")  # the place of the foot is decided once


class Damping(NamedTuple):
    """d_l and d_h [1/s]."""

    linear: float
    angular: float


class Momenta(NamedTuple):
    """What the supervisor assesses."""

    com: Place  # [m]
    height: float  # of the COM over the soles, c_z [m]
    linear: complex  # L_x + i L_y [N s]
    angular: complex  # H_x + i H_y about the COM [N m s]
    load: float  # f_z [N]
    weight: float  # m g [N]

    def pressure(self, damping: Damping) -> Place:
        """Centre of pressure that damps the momenta (eq. 5, 6)."""
        load = max(self.load, LEAST_LOAD * self.weight)
        spin = complex(self.angular.imag, -self.angular.real)
        pushed = damping.linear * self.height * self.linear + damping.angular * spin
        return self.com + pushed / load

    def capture(self, gravity: float) -> Place:
        """Capture point c + ċ √(z/g) (eq. 7)."""
        mass = self.weight / gravity
        return self.com + math.sqrt(max(self.height, 1e-3) / gravity) * self.linear / mass


@dataclass(frozen=True)
class Supervisor:
    """One rule, with its dampings; `slow` is the root of the body's size, 1 for a human."""

    rule: str
    when: Damping
    where: Damping
    slow: float
    gravity: float

    def now(self, momenta: Momenta) -> Place:
        """The point that must stay over the support."""
        return self._point(momenta, self.when)

    def place(self, momenta: Momenta) -> Place:
        """Where a foot should go, as far as this rule says it."""
        return self._point(momenta, self.where)

    def needed(self, momenta: Momenta, support: ConvexPolygon) -> bool:
        """Whether the body should step."""
        point = self.now(momenta)
        return self.rule != "none" and support.gauge((point.real, point.imag)) > 1

    def foot(self, momenta: Momenta, feet: Sequence[Place]) -> int:
        """Which one: the nearest to the desired centre of pressure (section 4.2)."""
        point = self.now(momenta)
        away = [abs(point - foot) for foot in feet]
        return away.index(min(away))

    def _point(self, momenta: Momenta, damping: Damping) -> Place:
        if self.rule == "capture":
            return momenta.capture(self.gravity)
        angular = 0.0 if self.rule in PENDULUMS else damping.angular
        return momenta.pressure(Damping(damping.linear / self.slow, angular / self.slow))
