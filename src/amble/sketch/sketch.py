"""Sketch: a rough idea of the motion to come, which a plan then makes physical (section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.sketch.contact import Contact


@dataclass(frozen=True)
class PendulumState:
    """The pendulum on its cart and the facing direction, at one moment (section 4.1)."""

    cart_w: np.ndarray  # (2,) [m]
    lean: np.ndarray  # (2,) of the pendulum towards x and y [rad]
    cart_velocity_w: np.ndarray  # (2,) [m/s]
    lean_rate: np.ndarray  # (2,) [rad/s]
    yaw: float  # [rad] facing, continuous
    yaw_rate: float  # [rad/s]


@dataclass(frozen=True, eq=False)
class Sketch:
    """K samples, 30 a second, of the pendulum over a horizon, and the contacts in it."""

    time: np.ndarray  # (K,) [s], the first is now
    com_w: np.ndarray  # (K, 3) of the pendulum's mass [m], over the plane fitted to the ground
    velocity_w: np.ndarray  # (K, 3) [m/s]
    ypr: np.ndarray  # (K, 3) facing, and the pendulum's lean as pitch and roll [rad]
    ypr_rate: np.ndarray  # (K, 3) [rad/s]
    cart_w: np.ndarray  # (K, 2) [m]
    cart_velocity_w: np.ndarray  # (K, 2) [m/s]
    lean: np.ndarray  # (K, 2) towards world x and y [rad]
    lean_rate: np.ndarray  # (K, 2) [rad/s]
    contacts: tuple[Contact, ...]  # by start: under way, committed, and new
    standing: bool  # whether it ends on feet that stay
    notes: tuple[str, ...] = ()  # what was limited, in words

    def pendulum(self, time: float) -> PendulumState:
        """The pendulum at a time of the horizon, linear between samples."""

        def at(values: np.ndarray) -> np.ndarray:
            columns = [np.interp(time, self.time, column) for column in values.T]
            return np.array(columns)

        return PendulumState(
            cart_w=at(self.cart_w),
            lean=at(self.lean),
            cart_velocity_w=at(self.cart_velocity_w),
            lean_rate=at(self.lean_rate),
            yaw=float(np.interp(time, self.time, self.ypr[:, 0])),
            yaw_rate=float(np.interp(time, self.time, self.ypr_rate[:, 0])),
        )
