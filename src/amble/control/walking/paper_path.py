"""The paper's own path of the COM and its own footsteps, in world coordinates (eq. 18–20).

Fixed when a foot is planted, and blind to what happens until the next: the paper's authors call it
fragile. `--set planner=paper` walks by it; the default plans from the measured state instead.
"""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple, Protocol

from amble.control.walking.pendulum import Place, StepWish


class Reference(NamedTuple):
    """Of the COM in the ground plane."""

    place: Place  # [m]
    velocity: complex  # [m/s]
    acceleration: complex  # [m/s²]


class Leading(Protocol):
    """A path of the COM."""

    def at(self, time: float) -> Reference:
        """Where the COM should be at a time [s]."""


class ComPath(NamedTuple):
    """y(φ) = φ p₁ + (1 − φ) p₀ + α l_hip sin(πφ) d⊥, φ from 0 to 1 in the duration (eq. 19)."""

    begin: Place  # p₀, where the COM was when the foot was planted
    end: Place  # p₁
    sway: complex  # α l_hip d⊥ [m], towards the stance foot
    began: float  # [s]
    duration: float  # [s]

    def at(self, time: float) -> Reference:
        """Where the COM should be, how fast, how much faster."""
        T = max(self.duration, 1e-3)
        passed = time - self.began
        steady = (self.end - self.begin) / T
        if passed >= T:  # the foot is late: straight on
            return Reference(self.end + steady * (passed - T), steady, 0j)
        rate = math.pi / T
        angle = rate * passed
        return Reference(
            self.begin + steady * passed + self.sway * math.sin(angle),
            steady + self.sway * rate * math.cos(angle),
            -self.sway * rate**2 * math.sin(angle),
        )


def path(
    com: Place,
    stance: Place,
    side: float,
    wish: StepWish,
    omega: float,
    began: float,
    duration: float,
) -> ComPath:
    """From a new stance foot; `side` is 1 when the left foot swings next.

    l_hip is that of a pendulum of frequency ω over feet of this width, w/2 (1 − 1/cosh(ωT/2)): a
    wider sine would need a centre of pressure far outside the sole, p = y − ÿ/ω².
    """
    ahead = cmath.rect(1.0, wish.heading)
    outward = 1j * ahead * side  # from the stance foot to the foot that swings
    step = wish.velocity.real * wish.duration
    end = stance + outward * wish.width / 2 + ahead * step / 2
    hip = wish.width / 2 * (1 - 1 / math.cosh(omega * duration / 2))
    return ComPath(com, end, -hip * outward, began, duration)


def footstep(stance: Place, side: float, wish: StepWish) -> Place:
    """Where the swing foot lands (eq. 18): 2 (l_hip + l_foot) aside, the step length ahead."""
    ahead = cmath.rect(1.0, wish.heading)
    return stance + ahead * (wish.velocity * wish.duration + 1j * side * wish.width)
