"""Paths of the swing foot and of the centre of mass during one step (stepping section 5).

Places in the ground plane are complex numbers, x + i y.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from amble.control.walking.paper_path import Reference
from amble.control.walking.pendulum import Place
from amble.geometry.splines import smooth_step

WIDTH = 0.08  # of the Gaussian speed profile, in shares of a whole step (section 5.1)
LIFT_OFF, TOUCHDOWN = 0.3, 0.7  # shares of a step: 2.5 widths around its middle the foot moves
HURRY = 0.6  # share of the time in the air in which a foot gets up a step, or down
RELEASE, CLEAR = 0.2, 0.25  # share of the time in the air, and of the lift, to be off the ground
BELL = WIDTH / (TOUCHDOWN - LIFT_OFF)  # the same width in shares of the time in the air


class Profile(NamedTuple):
    """A quantity that runs from 0 to 1, its rate and acceleration by the share of time."""

    value: float
    rate: float
    acceleration: float


def bell_travel(share: float) -> Profile:
    """How far a reach with a Gaussian speed has come, from 0 to 1 in the time in the air.

    The speed e^{−(u − ½)²/2w²} is scaled so that the whole way is made: the paper scales its
    amplitude to the distance.
    """
    if share <= 0.0:
        return Profile(0.0, 0.0, 0.0)
    if share >= 1.0:
        return Profile(1.0, 0.0, 0.0)
    z, edge = (share - 0.5) / BELL, 0.5 / BELL / math.sqrt(2)
    whole = BELL * math.sqrt(2 * math.pi) * math.erf(edge)
    rate = math.exp(-0.5 * z * z) / whole
    value = 0.5 + 0.5 * math.erf(z / math.sqrt(2)) / math.erf(edge)
    return Profile(value, rate, -z / BELL * rate)


def bell_lift(share: float) -> Profile:
    """The second Gaussian: 1 in the middle of the time in the air, next to 0 at its ends."""
    if not 0.0 < share < 1.0:
        return Profile(0.0, 0.0, 0.0)
    z = (share - 0.5) / BELL
    value = math.exp(-0.5 * z * z)
    return Profile(value, -z / BELL * value, (z * z - 1) / BELL**2 * value)


def release(share: float) -> Profile:
    """Clear of the ground from soon after the lift-off to shortly before the touchdown: a Gaussian
    begins so slowly that the foot would drag."""
    u = min(share, 1.0 - share) / RELEASE
    sign = 1.0 if share < 0.5 else -1.0
    if not 0.0 < u < 1.0:
        return Profile(1.0 if u >= 1.0 else 0.0, 0.0, 0.0)
    rate, bend = 30 * u * u * (1 - u) ** 2, 60 * u * (1 - u) * (1 - 2 * u)
    return Profile(smooth_step(u), sign * rate / RELEASE, bend / RELEASE**2)


def ease(share: float) -> Profile:
    """Ease-in/ease-out, 3u² − 2u³."""
    u = min(max(share, 0.0), 1.0)
    moving = 0.0 < share < 1.0
    return Profile(u * u * (3 - 2 * u), 6 * u * (1 - u), (6 - 12 * u) if moving else 0.0)


class Swing(NamedTuple):
    """A straight reach of the sole's middle, with a lift (section 5.1)."""

    begin: Place
    end: Place
    low: float  # height of the sole where it leaves [m]
    high: float  # height of the ground where it lands [m]
    lift: float  # [m] over the higher of both
    began: float  # [s] when it leaves the ground
    seconds: float  # in the air

    def place(self, time: float) -> Reference:
        """In the ground plane."""
        way, T = bell_travel((time - self.began) / self.seconds), self.seconds
        far = self.end - self.begin
        return Reference(
            self.begin + way.value * far, way.rate / T * far, way.acceleration / T**2 * far
        )

    def height(self, time: float) -> tuple[float, float, float]:
        """Of the sole [m], its rate [m/s] and acceleration [m/s²].

        Up a step the foot rises before it goes ahead, and down it goes ahead before it sinks.
        """
        share, T = (time - self.began) / self.seconds, self.seconds
        rise, lift, free = self.high - self.low, bell_lift(share), release(share)
        high, clear = (1 - CLEAR) * self.lift, CLEAR * self.lift
        way = bell_travel((share if rise > 0 else share - 1 + HURRY) / HURRY)
        z = self.low + rise * way.value + high * lift.value + clear * free.value
        speed = rise * way.rate / HURRY + high * lift.rate + clear * free.rate
        gain = rise * way.acceleration / HURRY**2 + high * lift.acceleration
        gain += clear * free.acceleration
        return z, speed / T, gain / T**2


class ComCurve(NamedTuple):
    """Quadratic Bézier of the COM over one step (section 5.2): from where it is, drawn by the pivot
    foot, to the middle between pivot and target; eased in and out."""

    begin: Place
    pivot: Place
    middle: Place
    began: float  # [s]
    seconds: float

    def at(self, time: float) -> Reference:
        """c(e) = (1 − e)² c₀ + 2 e (1 − e) c_pivot + e² c_middle, with e = ease(t/T)."""
        T = self.seconds
        e, rate, acceleration = ease((time - self.began) / T)
        rate, acceleration = rate / T, acceleration / T**2
        a, b, c = self.begin, self.pivot, self.middle
        place = (1 - e) ** 2 * a + 2 * e * (1 - e) * b + e * e * c
        slope = 2 * (1 - e) * (b - a) + 2 * e * (c - b)
        bend = 2 * (a - 2 * b + c)
        return Reference(place, slope * rate, bend * rate**2 + slope * acceleration)
