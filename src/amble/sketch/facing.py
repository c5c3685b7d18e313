"""Where the body looks and where it goes: Hermite splines towards the wish (appendix B)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from amble.geometry.splines import hermite, hermite_rate
from amble.geometry.turns import wrapped

SAME = 1e-6  # [rad] wishes that differ by less are one wish
OFF = 1e-3  # [rad] a body this far from its turn begins another


@dataclass(frozen=True)
class Turn:
    """A cubic from an angle and its rate to an angle at rest, which then stays."""

    start: float  # [s]
    seconds: float  # [s]
    angle: float  # [rad] at the start
    rate: float  # [rad/s] at the start
    target: float  # [rad]

    @property
    def end(self) -> float:
        """When the target is reached [s]."""
        return self.start + self.seconds

    def angles(self, times: np.ndarray) -> np.ndarray:
        """Angles [rad] at times [s]."""
        u: Any = np.clip((times - self.start) / self.seconds, 0.0, 1.0)
        angles: Any = hermite(u, self.seconds, self.angle, self.rate, self.target, 0.0)
        return np.asarray(angles)

    def rates(self, times: np.ndarray) -> np.ndarray:
        """Rates [rad/s] at times [s]."""
        u: Any = np.clip((times - self.start) / self.seconds, 0.0, 1.0)
        rates: Any = hermite_rate(u, self.seconds, self.angle, self.rate, self.target, 0.0)
        return np.asarray(rates)


def turn_towards(
    now: float, angle: float, rate: float, wish: float, fastest: float, shortest: float
) -> Turn:
    """The turn to a wished direction along the shorter way, no faster than `fastest` on average.

    Half turns go the way the body already turns, else the way the wish was said: 180° left, −180°
    right.
    """
    difference = wrapped(wish - angle)
    if math.pi - abs(difference) < 1e-3:
        if abs(rate) > 1e-3:
            difference = math.copysign(abs(difference), rate)
        else:
            difference = math.copysign(abs(difference), wish - angle)
    against = max(0.0, -rate * math.copysign(1.0, difference)) / fastest
    seconds = abs(difference) / fastest + (0.4 + 0.4 * min(against, 2.0)) * shortest
    return Turn(now, max(seconds, shortest), angle, rate, angle + difference)


@dataclass(frozen=True)
class Course:
    """Facing and heading of a body over time; a turn is made anew only when the wish changes."""

    facing: Turn
    heading: Turn
    wishes: tuple[float, float]  # heading and facing, in the world [rad]


def course_towards(
    now: float,
    state: tuple[float, float, float],
    wishes: tuple[float, float],
    fastest: float,
    shortest: float,
    before: Course | None,
) -> Course:
    """Turns of facing and heading towards `wishes` (heading, facing), both in the world [rad].

    `state` is yaw [rad], its rate [rad/s] and the heading [rad], which is used only where none was
    under way.
    """
    yaw, yaw_rate, way = state
    if before is None:
        return Course(
            turn_towards(now, yaw, yaw_rate, wishes[1], fastest, shortest),
            turn_towards(now, way, 0.0, wishes[0], fastest, shortest),
            wishes,
        )
    facing, heading = before.facing, before.heading
    if not _same(wishes[0], before.wishes[0]):
        heading = turn_towards(now, *_at(heading, now), wishes[0], fastest, shortest)
    # Anew also when the body is not where the turn was to have brought it.
    if not _same(wishes[1], before.wishes[1]) or abs(yaw - _at(facing, now)[0]) > OFF:
        facing = turn_towards(now, yaw, yaw_rate, wishes[1], fastest, shortest)
    return Course(facing, heading, wishes)


def _same(a: float, b: float) -> bool:
    return abs(a - b) < SAME


def _at(turn: Turn, now: float) -> tuple[float, float]:
    times = np.array([now])
    return float(turn.angles(times)[0]), float(turn.rates(times)[0])
