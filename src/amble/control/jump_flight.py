"""Flight (features section 5): no contact, the soles at places relative to the COM.

Soles where the landing wants them, on the way swung about the COM; an upright trunk; posture. All
in one level, as in the paper: momentum is what the take-off gave, and legs that insist would fling
the trunk about.
"""

from __future__ import annotations

import math

import numpy as np

from amble.control.balance import Balance
from amble.control.jump_parameters import JumpParameters
from amble.control.jump_thrust import EARLY_BRAKE, set_limits, turn, turning, upright
from amble.control.squat import leg_dofs
from amble.control.tasks import XYZ, critical
from amble.features.feature import Kind
from amble.geometry.rotations import matrix_from_quat, quat_from_rotvec

BEND = 0.04  # [m] legs at touchdown are shorter than standing by this, for a human
STIFFNESS = 400.0  # [1/s²] of the soles' places
READY = 0.85  # share of the flight after which the soles are as they land
HIP_TURN = math.radians(30)  # how far the feet turn ahead of the root, or stay behind
TUCK = 0.2  # legs that reach ahead of the COM bend by this share of how far
SOON = 0.1  # [s] no turn is to end sooner than this
STOP = 0.4  # share of the capture point's way that the feet land ahead of the COM
SOLE_WEIGHT = 100.0  # of the soles' places against posture
AIM = 0.97  # share of a twist made in the air: the body turns on a little when it has landed
LEG_WEIGHT = 0.1
TRUNK_WEIGHT = 2.0  # of the trunk against that in balance: the whole body turns rather than it


class Flight:
    """Tasks from the take-off to the touchdown."""

    def __init__(self, balance: Balance, size: float, gravity: float) -> None:
        self.balance, self.body = balance, balance.body
        self.size, self.gravity = size, gravity
        self._root = self.body.model.body(self.body.character.root).id
        self._leg_dofs = leg_dofs(self.body.model, self.body.character)

    def begin(self, time: float, parameters: JumpParameters, heading: float) -> None:
        """The body has just taken off, its feet at `heading` [rad]."""
        p, self._parameters = parameters, parameters
        self._start, self._heading = time, heading
        self._take_off_speed = float(self.body.com_velocity_w[2])
        self._final = heading + AIM * math.radians(p.twist)
        relative = self.body.points_w[self.balance.feet] - self.body.com_w
        self._take_off = relative @ turn(heading)
        self._landing = self.balance.rest_soles + np.array([0.0, 0.0, BEND * self.size])
        self._side = np.sign(self._landing[:, 1])
        self._duration = self._time_left()
        self._last_yaw = self._root_yaw()
        self._yaw = heading + _wrapped(self._last_yaw - heading)
        self._last = (time, (self.body.points_w[self.balance.feet] - self.body.com_w).ravel())
        self._build()

    def falling_speed(self, time: float) -> float:
        """Downward speed [m/s] of a body that nothing touched since the take-off."""
        return self.gravity * (time - self._start) - self._take_off_speed

    def refer(self, time: float) -> None:
        """Move the soles along."""
        phase = min((time - self._start) / self._duration, 1.0)
        yaw = self._root_yaw()
        self._yaw += _wrapped(yaw - self._last_yaw)
        self._last_yaw = yaw
        blend = _smooth(phase / READY)
        soles = (1 - blend) * self._take_off + blend * self._landing_ahead()
        soles = self._swung(soles, math.sin(math.pi * min(phase / READY, 1.0)) ** 2)
        ahead = np.clip(self._final - self._yaw, -HIP_TURN, HIP_TURN)
        aim = self._heading
        if self._parameters.twist:
            aim = self._yaw + blend * ahead
        before = self._last[1]
        places = (soles @ turn(aim).T).ravel()
        elapsed, self._last = time - self._last[0], (time, places)
        velocity = (places - before) / elapsed if elapsed > 0 else 0.0
        self.body.tasks.refer(self._soles, places, velocity)
        rate = (self._final - self._yaw) / max(self._duration * (1 - phase), SOON)
        for rows in self._turning:
            self.body.tasks.refer(rows, 0.0, rate if self._parameters.twist else 0.0)

    def _landing_ahead(self) -> np.ndarray:
        """Places of the soles at touchdown: ahead of the COM by its way while it is stopped."""
        vx, vy = self.body.com_velocity_w[:2]
        fall = STOP * math.sqrt(self.size / self.gravity)
        ahead = turn(self._final).T @ np.array([fall * vx, fall * vy, 0.0])
        ahead[2] = TUCK * math.hypot(ahead[0], ahead[1])
        return self._landing + ahead

    def _swung(self, soles: np.ndarray, share: float) -> np.ndarray:
        """Soles turned about an axis through the COM, left and right ones against each other."""
        p = self._parameters
        if not p.ankle_angle:
            return soles
        angle, axis = math.radians(p.ankle_angle) * share, math.radians(p.ankle_axis)
        direction = np.array([math.cos(axis), math.sin(axis), 0.0])
        out = soles.copy()
        for side in (-1.0, 1.0):
            R = matrix_from_quat(quat_from_rotvec(side * angle * direction))
            out[self._side == side] = soles[self._side == side] @ R.T
        return out

    def _time_left(self) -> float:
        """Until the soles touch in their landing place [s]."""
        body = self.body
        ground = float(body.terrain.height(body.com_w[0], body.com_w[1]))
        fall = body.com_w[2] - ground + self._landing[:, 2].mean()
        v = float(body.com_velocity_w[2])
        root = math.sqrt(max(v**2 + 2 * self.gravity * fall, 0.0))
        return max((v + root) / self.gravity, 0.1)

    def _build(self) -> None:
        p, body, tasks = self._parameters, self.body, self.body.tasks
        body.use_contacts(np.arange(0))
        set_limits(body, EARLY_BRAKE)
        body.posture_kp[:] = p.posture_stiffness
        body.posture_kv[:] = critical(p.posture_stiffness)
        body.posture_weight[self._leg_dofs] = LEG_WEIGHT
        feet = self.balance.feet
        tasks.clear()
        self._soles = tasks.setpoint(
            Kind.POINT_FROM_COM,
            np.repeat(feet, 3),
            np.tile(XYZ, len(feet)),
            kp=STIFFNESS,
            kv=critical(STIFFNESS),
            weight=SOLE_WEIGHT / math.sqrt(len(feet)),
        )
        self.balance.squat(0.0)
        self._turning = turning(
            upright(self.balance, self._heading, p, TRUNK_WEIGHT * p.trunk_weight)
        )
        tasks.end_level()

    def _root_yaw(self) -> float:
        R = self.body.data.xmat[self._root].reshape(3, 3)
        return math.atan2(R[1, 0], R[0, 0])


def _smooth(x: float) -> float:
    """From 0 to 1 with no speed at either end."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


def _wrapped(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi
