"""The walker's objectives, with a foot that follows its own curve."""

from __future__ import annotations

import math

import numpy as np

from amble.control.stepping.curves import TOUCHDOWN
from amble.control.stepping.footwork import Footwork
from amble.control.tasks import critical
from amble.control.walking.objectives import (
    LATE_SPEED,
    LONGEST_LEG,
    SWING_ACCELERATION,
    Objectives,
)
from amble.control.walking.parameters import WalkParameters
from amble.control.whole_body import WholeBody
from amble.features.feature import Kind
from amble.geometry.splines import smooth_step
from amble.geometry.turns import about_y, about_z, ground_frame, wrapped

FOOT_WEIGHT = 15.0  # against posture; a footprint says where the toes point
REACH_WEIGHT = 30.0
TURN_STIFFNESS = 600.0  # of its orientation
REACH_STIFFNESS = 500.0  # of the foot on its curve, for a human
LEVEL_BY = 0.5  # share of the swing after which the foot is level
CLIMB = 0.35  # [m/s] the most that the height's reference moves on a directed step, for a human
TURN_FROM, TURN_BY = 0.05, 0.65  # shares of the swing in which it turns


class FootworkObjectives(Objectives):
    """Fills the task table of one body."""

    def __init__(self, body: WholeBody, footwork: Footwork) -> None:
        super().__init__(body, footwork)
        self._footwork = footwork

    def _wanted_height(self, time: float, crouch: float) -> float:
        """On a directed step low enough for both legs from its beginning on, and never in a hurry:
        who falls or rises fast has no use of the pivot's pressure."""
        work, before = self._footwork, self._height
        if work.step is None or work.curve is None or before is None:
            return super()._wanted_height(time, crouch)
        step, com_w, xpos = work.step, self.body.com_w, self.body.data.xpos
        pivot, moving = self.soles[work.stance], self.soles[work.swing]
        share = min(max((time - work.curve.began) / step.seconds, 0.0), 1.0)
        ground = pivot.ground + (0.3 + 0.2 * share) * (step.ground - pivot.ground)
        wanted = ground + self.rest_height - crouch
        landing = work.curve.at(work.curve.began + TOUCHDOWN * step.seconds).place
        x, y, z = (about_z(step.yaw) @ moving.ankle).tolist()
        lands = [step.place.real + x, step.place.imag + y, step.ground + z]
        now = com_w[:2].tolist()
        ankles = [
            (pivot, xpos[pivot.body].tolist(), now),
            (moving, lands, [landing.real, landing.imag]),
        ]
        if work.reach is None:  # it still stands where it was
            ankles.append((moving, xpos[moving.body].tolist(), now))
        for sole, ankle, com in ankles:
            hip = xpos[sole.hip] - com_w
            far2 = float((com[0] + hip[0] - ankle[0]) ** 2 + (com[1] + hip[1] - ankle[1]) ** 2)
            longest2 = (LONGEST_LEG * sole.leg_length) ** 2
            up = math.sqrt(max(longest2 - far2, 0.25 * longest2))
            wanted = min(wanted, float(ankle[2]) + up - float(hip[2]))
        most = CLIMB * math.sqrt(self.size) * self.interval
        self._height = before + min(max(wanted - before, -most), most)
        return self._height

    def _swing(self, time: float, p: WalkParameters) -> None:
        """Level 3: the sole's middle along its straight reach (section 5.1)."""
        reach = self._footwork.reach
        if reach is None:
            super()._swing(time, p)
            return
        stepper, tasks = self.stepper, self.body.tasks
        sole = self.soles[stepper.swing]
        share = (time - reach.began) / reach.seconds
        turned = smooth_step((share - TURN_FROM) / (TURN_BY - TURN_FROM))
        yaw = stepper.lift_yaw + wrapped(stepper.heading - stepper.lift_yaw) * turned
        pitch = stepper.lift_pitch * (1 - smooth_step(share / LEVEL_BY))
        R_sole = ground_frame(self._ground_normal(share), yaw) @ about_y(pitch)
        ankle = R_sole @ sole.ankle
        at = reach.place(time)
        z, speed, gain = reach.height(time)
        if share > 1.0:  # late: down until it touches
            speed = -LATE_SPEED * stepper.slow
            z, gain = reach.high + speed * (time - reach.began - reach.seconds), 0.0
        kp = REACH_STIFFNESS * self._stiff
        tasks.setpoint(
            Kind.POINT,
            sole.origin,
            (0, 1, 2),
            kp=kp,
            kv=critical(kp),
            reference=np.array([at.place.real, at.place.imag, z]) + ankle,
            velocity=(at.velocity.real, at.velocity.imag, speed),
            acceleration=(at.acceleration.real, at.acceleration.imag, gain),
            weight=REACH_WEIGHT,
            limit=SWING_ACCELERATION,
        )
        kp = TURN_STIFFNESS * self._stiff
        tasks.orientation(
            sole.body, R_sole @ sole.rest_R, kp=kp, kv=critical(kp), weight=FOOT_WEIGHT
        )

    def _ground_normal(self, share: float) -> np.ndarray:
        """Of the ground under the foot that leaves, then of that where it lands (3,)."""
        reach = self._footwork.reach
        if reach is None or not self.stepper.parameters.sees_ground:
            return self.normal
        place = reach.begin if share < 0.3 else reach.end
        return np.asarray(self.body.terrain.normal(place.real, place.imag), float).reshape(3)
