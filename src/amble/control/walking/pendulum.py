"""Where and when to step: the divergent component of motion of a linear inverted pendulum.

Places in the ground plane are complex numbers, x + i y: to turn one is to multiply it by e^{iψ}.

With ω = √(g/z) the part ξ = c + ċ/ω of a pendulum's state runs away from the centre of pressure p,

    ξ̇ = ω (ξ − p),        ξ(t) = p + (ξ(0) − p) e^{ωt},

while the rest follows it by itself. Who puts the next foot to the right place behind and beside ξ
walks on; nothing else is needed (Englsberger et al. 2015, Khadiv et al. 2016).
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import NamedTuple

from amble import _core

Place = complex  # [m] in the ground plane

STEP_ERROR = 60.0  # what a missed ξ at the end of a step costs, against a misplaced foot
INWARD, OUTWARD = 0.05, 3.0  # share of that when ξ is missed to the inside, to the outside
TIMING = 2.0  # [m²/s²] what a step of another duration costs, for a human
TOO_FAST = 200.0  # what a place that the foot cannot reach in time costs
UNREACHED = 60.0  # what it costs when the step after this one cannot be long or wide enough
INTERVAL, MOST_TIMES = 0.01, 256  # [s] between the times of a touchdown that are tried, for a human
SHORT_NOTICE = 0.15  # [s] the centre of pressure never corrects ξ faster than this, for a human


class StepWish(NamedTuple):
    """What a step is asked to be."""

    swing: float  # [s] while one foot is in the air
    double: float  # [s] while both feet are on the ground
    velocity: complex  # [m/s] ahead + i · to the left, in the frame of the heading
    width: float  # [m] between the feet
    heading: float  # [rad]

    @property
    def duration(self) -> float:
        """From one touchdown to the next [s]."""
        return self.swing + self.double


class Nominal(NamedTuple):
    """A step of endless regular walking."""

    place: Place  # of the next foot
    offset: complex  # ξ relative to the next foot at the end of the double support


class StepPlan(NamedTuple):
    """How to go on from now."""

    pressure: Place  # centre of pressure
    place: Place  # where the swing foot lands
    duration: float  # of the whole swing [s]


@dataclass(frozen=True)
class StepLimits:
    """What legs can do. The defaults are a human's."""

    shortest: float = 0.18  # [s]
    longest: float = 0.65  # [s]
    back: float = -0.55  # [m]
    ahead: float = 0.80  # [m]
    inner: float = 0.11  # [m]
    outer: float = 0.65  # [m]
    foot_speed: float = 3.6  # [m/s]

    def scaled(self, size: float) -> StepLimits:
        """Those of a body whose centre of mass is `size` metres high: times go with √size."""
        slow = math.sqrt(size)
        return StepLimits(
            shortest=slow * self.shortest,
            longest=slow * self.longest,
            back=size * self.back,
            ahead=size * self.ahead,
            inner=size * self.inner,
            outer=size * self.outer,
            foot_speed=slow * self.foot_speed,
        )


def double_support_share(omega: float, seconds: float) -> float:
    """κ = 1 − (1 − e^{−ωT})/(ωT): how much a pressure that moves evenly from the old foot to the
    new one in T acts as if it had stayed at the old one."""
    x = omega * seconds
    return 1 - (1 - math.exp(-x)) / x if x > 1e-6 else 0.0


def nominal_step(omega: float, stance: Place, side: float, wish: StepWish) -> Nominal:
    """The regular step from a stance foot; `side` is 1 when the left foot swings, else −1."""
    T = wish.duration
    growth = math.exp(omega * T)
    turn = cmath.rect(1.0, wish.heading)
    advance, sway = wish.velocity * T, 1j * side * wish.width
    place = stance + turn * (advance + sway)
    return Nominal(place, turn * (advance / (growth - 1) - sway / (1 + growth)))


def goal_of_step(omega: float, stance: Place, step: Nominal, double: float) -> Place:
    """Where ξ should be when the swing foot touches down."""
    kappa = double_support_share(omega, double)
    return (1 - kappa) * step.place + kappa * stance + step.offset


def pressure_towards(omega: float, xi: Place, goal: Place, seconds: float) -> Place:
    """The constant centre of pressure that takes ξ to its goal in some time."""
    growth = math.exp(omega * seconds)
    return (goal - xi * growth) / (1 - growth)


class StepPlanner:
    """Plans the present step of one body from its measured state: first what the ankle can do,
    then the place and the time of the next foot."""

    def __init__(self, omega: float, size: float, limits: StepLimits) -> None:
        self.omega, self.size, self.limits = omega, size, limits
        self._notice = SHORT_NOTICE * math.sqrt(size)
        self._interval = INTERVAL * math.sqrt(size)
        self._search = _core.StepSearch(
            omega,
            error=STEP_ERROR,
            inward=INWARD,
            outward=OUTWARD,
            timing=TIMING * size,
            too_fast=TOO_FAST,
            unreached=UNREACHED,
            back=limits.back,
            ahead=limits.ahead,
            outer=limits.outer,
            foot_speed=limits.foot_speed,
        )

    def plan(
        self,
        xi: Place,
        elapsed: float,
        stance: Place,
        side: float,
        wish: StepWish,
        foot: Place,
        clip: PressureClip,
        *,
        adapt_place: bool = True,
        adapt_time: bool = True,
    ) -> StepPlan:
        """`elapsed` seconds of the swing are over, and its foot is at `foot`."""
        omega, limits = self.omega, self.limits
        step = nominal_step(omega, stance, side, wish)
        goal = goal_of_step(omega, stance, step, wish.double)
        left = max(wish.swing - elapsed, self._notice)
        pressure = clip(pressure_towards(omega, xi, goal, left))
        if not adapt_place:
            return StepPlan(pressure, step.place, wish.swing)

        soonest = max(min(limits.shortest, wish.swing) - elapsed, 0.02)
        latest = max(max(limits.longest, wish.swing) - elapsed, soonest + 0.01)
        if not adapt_time:
            soonest = latest = max(wish.swing - elapsed, 0.02)
        count = min(1 + int((latest - soonest) / self._interval), MOST_TIMES)
        place, left = self._search.best(
            xi,
            pressure,
            stance,
            foot,
            step.place,
            step.offset,
            cmath.rect(1.0, wish.heading),
            side,
            min(limits.inner, 0.72 * wish.width),
            double_support_share(omega, wish.double),
            elapsed - wish.swing,
            # The step after this one follows as soon as can be.
            math.exp(omega * (wish.double + min(limits.shortest, wish.swing))),
            soonest,
            self._interval,
            count,
        )
        return StepPlan(pressure, place, elapsed + left)


class PressureClip(NamedTuple):
    """The part of a sole in which the centre of pressure is kept."""

    centre: Place
    yaw: float  # [rad]
    half_length: float  # [m]
    half_width: float  # [m]

    def __call__(self, pressure: Place) -> Place:
        turn = cmath.rect(1.0, self.yaw)
        local = (pressure - self.centre) / turn
        x = min(max(local.real, -self.half_length), self.half_length)
        y = min(max(local.imag, -self.half_width), self.half_width)
        return self.centre + turn * complex(x, y)
