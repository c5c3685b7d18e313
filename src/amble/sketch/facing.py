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


class Course:
    """Facing and heading of a body over time; a turn is made anew only when the wish changes."""

    def __init__(self, shortest: float) -> None:
        self.shortest = shortest  # [s] of any turn
        self.facing: Turn | None = None
        self.heading: Turn | None = None
        self._wishes = (math.nan, math.nan)

    def follow(
        self,
        now: float,
        yaw: float,
        yaw_rate: float,
        heading: float,
        wish: tuple[float, float],
        fastest: float,
    ) -> tuple[Turn, Turn]:
        """Turns of facing and heading towards `wish` = (heading, facing), both in the world [rad].

        `heading` is used only where none was under way.
        """
        way = self.heading
        if way is None or not _same(wish[0], self._wishes[0]):
            angle, rate = (heading, 0.0) if way is None else _at(way, now)
            way = turn_towards(now, angle, rate, wish[0], fastest, self.shortest)
        look = self.facing
        # A new wish, or a body that is not where the turn was to have brought it.
        if (
            look is None
            or not _same(wish[1], self._wishes[1])
            or abs(yaw - _at(look, now)[0]) > OFF
        ):
            look = turn_towards(now, yaw, yaw_rate, wish[1], fastest, self.shortest)
        self.heading, self.facing, self._wishes = way, look, wish
        return look, way

    def forget(self) -> None:
        """Start anew from whatever the body does."""
        self.facing = self.heading = None
        self._wishes = (math.nan, math.nan)


def _same(a: float, b: float) -> bool:
    return abs(a - b) < SAME


def _at(turn: Turn, now: float) -> tuple[float, float]:
    times = np.array([now])
    return float(turn.angles(times)[0]), float(turn.rates(times)[0])
