"""The human style: pelvis, spine, head and arms of walking and running people.

Everything is a sine of the legs' phases with amplitudes that grow with speed, and a blend from walk
to run by duty factor (how long a foot stands). Signs: x forward, y left, z up; a positive pitch
bows.
"""

from __future__ import annotations

import math

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.geometry.splines import smooth_step
from amble.geometry.turns import matrix_from_ypr, wrapped
from amble.pose.human_manners import Manner
from amble.pose.phases import PhasedMemory, contact_phase, follow
from amble.pose.style import Moment, Posture
from amble.sketch.contact import Contact

DEG = math.pi / 180
LEG_LENGTH = 0.925  # [m] of the person whose speeds these are
RESPONSE = 9.0  # [rad/s] with which speed, gait and crouch take effect
MOST_TWIST = 0.5  # [rad] of the pelvis towards the feet
ELBOW_REST = 16.0  # [deg] bend of the rest pose, in which joints are 0
NEEDED = ("lumbar_z", "thoracic_z", "neck_z", "left_shoulder_y", "right_shoulder_y", "left_elbow")


def is_human(character: Character) -> bool:
    """Whether the character has the joints that this style poses."""
    return set(NEEDED) <= set(character.dof_names)


class HumanStyle(PhasedMemory):
    """A person's bearing, standing, walking or running."""

    def __init__(self, character: Character, body: CentroidalBody, manner: Manner) -> None:
        super().__init__(RESPONSE)
        self.manner, self.body = manner, body
        names = character.dof_names
        dof = {name: k for k, name in enumerate(names)}

        def triple(joint: str) -> list[int]:
            """The three degrees of freedom of a ball joint."""
            return [dof[f"{joint}_{axis}"] for axis in "xyz"]

        self._count = len(names)
        self._spine = [(triple("lumbar"), 0.45), (triple("thoracic"), 0.55)]
        self._neck = triple("neck")
        self._arms = [
            (side, triple(f"{name}_shoulder"), dof[f"{name}_elbow"])
            for side, name in ((1, "left"), (-1, "right"))
        ]
        self._low, self._high = character.joint_limits.T
        self._pace = math.sqrt(LEG_LENGTH / body.leg_length)
        self._sides = [leg.side for leg in body.legs]

    def posture(self, moment: Moment) -> Posture:
        """Joint angles and the pelvis' turn at a moment."""
        forward, speed, run, crouch, twist, pitch, roll = self._gait.step(
            self._observed(moment), moment.dt
        )
        swing, step = self._waves(moment, abs(speed))
        m, walk = self.manner, 1 - run
        stride = _saturated(forward / 0.8)  # negative when walking backwards
        pace = smooth_step(speed / 0.8)

        # Pelvis: turns with the leg that is behind, sinks on the swinging side, tilts forward.
        turn = m.pelvis * stride * DEG * (5 * walk + 9 * run) * swing + twist
        drop = m.pelvis * pace * DEG * 4 * step
        tilt = DEG * ((1.5 * walk + 6 * run) * pace + 0.4 * m.trunk_lean) + 0.7 * crouch
        root = matrix_from_ypr(np.array((turn, tilt, drop)))

        # Thorax: turns against the pelvis and stays upright.
        thorax_turn = -stride * DEG * (6 * walk + 11 * run) * swing
        lean = DEG * (0.5 * pace + (1.5 + 0.8 * speed) * run + 0.6 * m.trunk_lean) + 0.4 * crouch
        spine = (-0.9 * drop + m.sway * DEG * pace * step, lean, thorax_turn - turn + 0.3 * twist)
        angles = [0.0] * self._count
        for joint, share in self._spine:
            for k, angle in zip(joint, spine, strict=True):
                angles[k] = share * angle

        # Head: level, and looking where the body goes.
        below = (drop + roll, tilt + pitch - m.head_bow * DEG, turn)
        for k, angle, more in zip(self._neck, spine, below, strict=True):
            angles[k] = -0.9 * (angle + more)
        self._pose_arms(angles, swing, stride, speed, run)
        posed = np.array(angles)
        return Posture(np.minimum(np.maximum(posed, self._low), self._high), root)

    def _pose_arms(
        self, angles: list[float], swing: float, stride: float, speed: float, run: float
    ) -> None:
        """Arms swing against the legs; elbows bend with speed, and more as an arm goes forward."""
        m, walk = self.manner, 1 - run
        amplitude = DEG * (min(8 + 14 * speed, 24) * walk + min(26 + 3.5 * speed, 46) * run)
        pace = smooth_step(speed / 0.8)
        bend = walk * (ELBOW_REST + pace * (4 + 4 * min(speed, 2))) + run * 88 + m.elbow_bend
        for side, (x, y, z), elbow in self._arms:
            wave = side * stride * m.arm_swing * swing
            forward = DEG * ((2 * walk + 12 * run) * pace - m.arm_forward) - amplitude * wave
            apart = DEG * (2 * walk * pace + 6 * run + m.arm_apart)
            inward = DEG * (8 * walk * pace + 20 * run + 0.3 * m.elbow_bend)
            angles[x], angles[y], angles[z] = side * apart, forward, -side * inward
            angles[elbow] = DEG * (bend - ELBOW_REST + (9 * walk + 14 * run) * wave)

    def _observed(self, moment: Moment) -> list[float]:
        """What the gait is: speeds [m/s], run blend, crouch, twist, pitch and roll [rad]."""
        state = moment.state
        (xx, _, _), (yx, _, _), (zx, zy, zz) = state.R_w.tolist()
        yaw = math.atan2(yx, xx)
        vx, vy = (self._pace * v for v in state.velocity_w[:2].tolist())
        forward, speed = vx * math.cos(yaw) + vy * math.sin(yaw), math.hypot(vx, vy)
        started = (c.duty for c in reversed(moment.contacts) if c.start <= moment.time)
        duty = next(started, 1.0)
        run = min(max((0.56 - duty) / 0.14, 0.0), 1.0)
        upright = min(max(zz, 0.0), 1.0)
        soles = [foot.sole for foot in moment.feet]
        lowest = min(sole.position_w.item(2) for sole in soles)
        standing = any(foot.standing for foot in moment.feet)
        height = (float(state.com_w[2]) - lowest) / self.body.height
        crouch = min(max(0.97 - height, 0.0) * 2.2, 0.75) * (1 - 0.6 * run) if standing else 0.0
        turns = [
            wrapped(math.atan2(sole.R_w.item(3), sole.R_w.item(0)) - yaw)
            * (1.0 if foot.standing else 0.3)
            for sole, foot in zip(soles, moment.feet, strict=True)
        ]
        twist = 0.5 * sum(turns) / len(turns) if upright > 0.5 else 0.0
        pitch = math.asin(min(max(-zx, -1.0), 1.0)) * upright
        roll = math.atan2(zy, max(zz, 0.3)) * upright
        limited = min(max(twist, -MOST_TWIST), MOST_TWIST)
        return [forward, speed, run, crouch, limited, pitch, roll]

    def _waves(self, moment: Moment, speed: float) -> tuple[float, float]:
        """Sine and cosine of the stride: 1 with the left leg far behind; over the left leg."""
        by_limb: list[list[Contact]] = [[] for _ in self._sides]
        for contact in moment.contacts:
            by_limb[contact.limb].append(contact)
        phases = [contact_phase(mine, moment.time) for mine in by_limb]
        if self._phases is not None and speed >= 0.02:
            pairs = zip(self._phases, phases, strict=True)
            phases = [follow(old, new, moment.dt) for old, new in pairs]
        self._phases = tuple(phases)
        swing = step = 0.0
        for side, phase in zip(self._sides, self._phases, strict=True):
            angle = 2 * math.pi * phase.value
            swing += 0.5 * side * math.sin(angle)
            step += 0.5 * side * math.cos(angle)
        return swing, step


def _saturated(x: float) -> float:
    """Odd, smooth, ±1 beyond ±1."""
    return math.copysign(smooth_step(abs(x)), x)
