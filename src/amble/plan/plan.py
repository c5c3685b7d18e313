"""Plan: motion of the rigid body, contacts and contact forces over a horizon (section 5)."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from amble.geometry.splines import hermite, hermite_acceleration, hermite_rate
from amble.geometry.turns import body_rates_from_ypr_rates, matrix_from_ypr
from amble.sketch.contact import Contact


@dataclass(frozen=True)
class BodyState:
    """The rigid body at one moment, in the world frame."""

    com_w: np.ndarray  # (3,) [m]
    velocity_w: np.ndarray  # (3,) [m/s]
    R_w: np.ndarray  # (3, 3) against its orientation at rest
    omega_w: np.ndarray  # (3,) angular velocity [rad/s]


@dataclass(frozen=True, eq=False)
class Plan:
    """A horizon of N segments for a body with E effectors, those of all limbs in order.

    The centre of mass is a cubic Hermite spline, and so are yaw, pitch and roll; forces are linear
    between nodes, which makes the centre of mass exactly the cubic that they cause.
    """

    time: np.ndarray  # (N + 1,) [s]
    com_w: np.ndarray  # (N + 1, 3) [m]
    velocity_w: np.ndarray  # (N + 1, 3) [m/s]
    ypr: np.ndarray  # (N + 1, 3) yaw, pitch, roll [rad]; yaw is continuous
    ypr_rate: np.ndarray  # (N + 1, 3) [rad/s]
    cone: np.ndarray  # (N + 1, E, 4) weights of the friction cone's edges [N]
    force_w: np.ndarray  # (N + 1, E, 3) [N] on the body
    contacts: tuple[Contact, ...]  # by start, footholds as planned

    @property
    def start(self) -> float:
        """Of the horizon [s]."""
        return float(self.time[0])

    @property
    def end(self) -> float:
        """Of the horizon [s]."""
        return float(self.time[-1])

    def state(self, time: float) -> BodyState:
        """The body at a time of the horizon."""
        k, u, _ = self._segment(time)
        found = np.array((1.0, u, u * u, u * u * u)) @ self._cubics[k]
        turns = found[6:9]
        R = matrix_from_ypr(turns)
        omega_b = body_rates_from_ypr_rates(turns) @ found[9:]
        return BodyState(found[:3], found[3:6], R, R @ omega_b)

    def turns(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Yaw, pitch, roll (3,) [rad] and their rates (3,) [rad/s]."""
        k, u, h = self._segment(time)
        turns = self.ypr[k], self.ypr_rate[k], self.ypr[k + 1], self.ypr_rate[k + 1]
        return hermite(u, h, *turns), hermite_rate(u, h, *turns)

    def acceleration(self, time: float) -> np.ndarray:
        """Of the centre of mass (3,) [m/s²]."""
        k, u, h = self._segment(time)
        ends = self.com_w[k], self.velocity_w[k], self.com_w[k + 1], self.velocity_w[k + 1]
        return hermite_acceleration(u, h, *ends)

    def force(self, time: float) -> np.ndarray:
        """Contact forces (E, 3) [N] in the world frame."""
        k, u, _ = self._segment(time)
        return (1 - u) * self.force_w[k] + u * self.force_w[k + 1]

    def forces(self, times: np.ndarray) -> np.ndarray:
        """Contact forces (T, E, 3) [N] in the world frame at many times."""
        k = np.clip(np.searchsorted(self.time, times, side="right") - 1, 0, len(self.time) - 2)
        u = np.clip((times - self.time[k]) / (self.time[k + 1] - self.time[k]), 0.0, 1.0)
        u = u[:, None, None]
        return np.asarray((1 - u) * self.force_w[k] + u * self.force_w[k + 1])

    def cone_weights(self, time: float) -> np.ndarray:
        """Weights of the friction cones' edges (E, 4) [N]."""
        k, u, _ = self._segment(time)
        return (1 - u) * self.cone[k] + u * self.cone[k + 1]

    def total_force(self, time: float) -> np.ndarray:
        """Sum of the contact forces (3,) [N]."""
        k, u, _ = self._segment(time)
        return (1 - u) * self._total_w[k] + u * self._total_w[k + 1]

    @cached_property
    def _cubics(self) -> np.ndarray:
        """Coefficients (N, 4, 12) of 1, u, u², u³ in the centre of mass, its velocity, the turns
        and their rates."""
        h = np.diff(self.time)[:, None]
        found = np.zeros((len(h), 4, 4, 3))
        curves = (self.com_w, self.velocity_w), (self.ypr, self.ypr_rate)
        for j, (value, rate) in enumerate(curves):
            a, b, da, db = value[:-1], value[1:], h * rate[:-1], h * rate[1:]
            cubic = a, da, 3 * (b - a) - 2 * da - db, 2 * (a - b) + da + db
            for power, c in enumerate(cubic):
                found[:, power, 2 * j] = c
                if power:
                    found[:, power - 1, 2 * j + 1] = power * c / h
        return found.reshape(len(h), 4, 12)

    @cached_property
    def _total_w(self) -> np.ndarray:
        return self.force_w.sum(axis=1)

    @cached_property
    def _nodes(self) -> list[float]:
        return self.time.tolist()

    def _segment(self, time: float) -> tuple[int, float, float]:
        # Plain numbers: this is asked many times a frame.
        nodes = self._nodes
        k = min(max(bisect_right(nodes, time) - 1, 0), len(nodes) - 2)
        h = nodes[k + 1] - nodes[k]
        return k, min(max((time - nodes[k]) / h, 0.0), 1.0), h
