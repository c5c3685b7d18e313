"""The objectives of table 2, from what the state machine decided.

1  contact     what of each sole carries stays where it is
2  COM         ω² (c − p) in the plane, its height
3  neck over the COM, swing foot, angular momentum, head, pelvis and thorax, arm torques, posture
"""

from __future__ import annotations

import cmath
import math

import mujoco
import numpy as np

from amble.control.tasks import XYZ, critical
from amble.control.walking.hands import Hands
from amble.control.walking.parameters import WalkParameters
from amble.control.walking.soles import Sole
from amble.control.walking.steps import FootState, Stage, Stepper
from amble.control.whole_body import WholeBody
from amble.features.feature import Kind
from amble.geometry.turns import about_y, about_z, ground_frame, wrapped

# Gains and weights of a human; stiffnesses go with 1/size, so that times go with √size.
CONTACT_STIFFNESS = 150.0
HEIGHT_STIFFNESS = 120.0
TRUNK_STIFFNESS = 60.0  # neck over the COM
TURN_STIFFNESS = 100.0  # head, pelvis, thorax
FOOT_STIFFNESS = 300.0  # orientation of the swing foot
POSTURE_STIFFNESS = 60.0
PATH_STIFFNESS = 60.0  # of the COM on the paper's path
UPPER_WEIGHT = 10.0  # of the first two levels where all are one weighted sum
TRUNK_WEIGHT = 3.0
SWING_WEIGHT, FOOT_WEIGHT = 10.0, 3.0
MOMENTUM_GAIN = 5.0  # [1/s]
# Over the trunk's inertia. About z it makes arms and shoulders swing against the legs.
MOMENTUM_WEIGHT = np.array([1.0, 1.0, 40.0])
HEAD_WEIGHT = 1.0
PELVIS_WEIGHT = np.array([1.0, 1.0, 30.0])
PELVIS_TURN = 0.33  # [rad/m] the hip of the foot that is ahead goes with it, for a human
PELVIS_LEAN = 0.5  # share of the thorax's
THORAX_WEIGHT = np.array([1.0, 1.0, 1.5])  # upright, and it may turn against the legs
ARM_TORQUE_WEIGHT = 0.001  # for the torques of a man of 78 kg and 1 m of COM height
ARM_POSTURE, ARM_SWING_POSTURE, SWING_POSTURE = 2.0, 0.5, 0.1
TWIST_POSTURE = 0.3  # of the back about z
SWING_ACCELERATION = 80.0  # [m/s²] the most that is asked of a swing foot
LEVEL_BY = 0.5  # share of the swing after which the foot is level
STUMBLE_LIFT = 0.06  # [m] higher when the foot has hit something, for a human
# [m] feet up and knees bent where nobody sees the ground, for a human.
BLIND_LIFT, BLIND_CROUCH = 0.09, 0.05
LATE, LATE_SPEED = 0.035, 0.6  # [s], [m/s] a foot that finds no ground goes on down
LONGEST_LEG = 0.98  # share of the leg's straight length that the COM's height may use
HEEL_OFF_PITCH = math.radians(30)  # of a foot on its toes
OVERDUE_SINK = 0.5  # [m/s] the body goes down while a foot is overdue
RISE, SINK = 1.5, 2.5  # [m/s] the most that the height's reference moves


class Objectives:
    """Fills the task table of one body."""

    def __init__(self, body: WholeBody, stepper: Stepper) -> None:
        self.body, self.stepper = body, stepper
        character, model = body.character, body.model
        self.soles = stepper.soles
        self._legs = [_dofs(model, limb.bodies) for limb in character.limbs if limb.kind == "leg"]
        arms = [_dofs(model, limb.bodies) for limb in character.limbs if limb.kind == "arm"]
        self._arms = np.concatenate([*arms, np.zeros(0, int)]).astype(int)
        spines = [_dofs(model, limb.bodies) for limb in character.limbs if limb.kind == "spine"]
        self._twisting = np.array([d for spine in spines for d in spine[2::3]], int)  # about z
        pitches = [arm[1] for arm in arms if len(arm) > 2]  # about y of a ball-jointed shoulder
        self._swinging = np.array(pitches, int)
        self._root = model.body(character.root).id
        self._head = model.body(character.parts["head"]).id if "head" in character.parts else None
        thorax = character.parts.get("thorax")
        self._thorax = model.body(thorax).id if thorax else None
        self._neck = body.origin_of(character.parts["head"]) if "head" in character.parts else None
        self.hands = Hands(character, body)
        self._height: float | None = None
        self._touching: list[int] | None = None

    def measure_rest(self, rest: mujoco.MjData) -> None:
        """What the rest pose says."""
        self.rest_R = {b: rest.xmat[b].reshape(3, 3).copy() for b in range(len(rest.xmat))}
        com = rest.subtree_com[self._root]
        soles = rest.site_xpos[self.body.sites[np.concatenate([s.points for s in self.soles])]]
        self.rest_height = float(com[2] - soles[:, 2].mean())
        if self._neck is not None:
            self.rest_neck = rest.xpos[self._head] - com
        inertia = 0.1 * self.body.mass * self.rest_height**2
        self.size, self._stiff = self.rest_height, 1.0 / self.rest_height
        self.hands.measure_rest(rest, self.size)
        self._momentum_weight = MOMENTUM_WEIGHT / inertia
        self._arm_weight = ARM_TORQUE_WEIGHT * 78.0 / (self.body.mass * self.size)

    def fill(self, time: float, p: WalkParameters, lean: float, crouch: float, head: float) -> None:
        """All tasks anew; lean and crouch [m] and head pitch [rad] as they are now."""
        tasks = self.body.tasks
        strict = p.combination == "prioritised"
        self._upper_weight = 1.0 if strict else UPPER_WEIGHT
        tasks.clear()
        self._contact()
        if strict:
            tasks.end_level()
        self._centre_of_mass(time, crouch)
        if strict:
            tasks.end_level()
        heading = self._body_heading(time)
        self._trunk(heading, lean)
        if self.stepper.stage is Stage.SINGLE:
            self._swing(time, p)
        self._heel_off()
        tasks.momentum(MOMENTUM_GAIN / self.stepper.slow, weight=self._momentum_weight)
        if len(self._swinging) and p.arm_swing > 0:
            tasks.minimum_torque(self._swinging, weight=self._arm_weight * p.arm_swing)
        self._uprights(heading, head, lean)
        self.hands.fill(p.hands)
        tasks.end_level()
        self._posture(p)

    def _contact(self) -> None:
        """Level 1: corners of the soles that carry, all or the toes."""
        points, soles = [], []
        for sole, state in zip(self.soles, self.stepper.states, strict=True):
            if state is FootState.SWING:
                continue
            some = sole.toes if state is FootState.HEEL_OFF else sole.points
            points += some.tolist()
            soles += [sole] * len(some)
        kp = CONTACT_STIFFNESS * self._stiff
        if points != self._touching:
            self._touching = points
            self.body.use_contacts(np.array(points))
            count = len(points)
            self._contact_rows = np.repeat(points, 3), np.tile(XYZ, count)
            self._contact_kp = np.tile((0.0, 0.0, kp), count)
        references = np.zeros((len(points), 3))
        if self.normal[2] == 1.0:
            references[:, 2] = [sole.ground for sole in soles]
        else:
            places = self.body.points_w[points, :2].tolist()
            references[:, 2] = [
                _ground_under(sole, self.normal, *place)
                for sole, place in zip(soles, places, strict=True)
            ]
        self.body.tasks.setpoint(
            Kind.POINT,
            *self._contact_rows,
            kp=self._contact_kp,
            kv=2 * math.sqrt(kp),
            reference=references.ravel(),
            weight=self._upper_weight,
        )

    #: of the ground that is walked on, as far as it is known
    normal: np.ndarray = np.array([0.0, 0.0, 1.0])

    def _centre_of_mass(self, time: float, crouch: float) -> None:
        """Level 2: the pendulum's acceleration about the centre of pressure, and the height."""
        tasks, body, stepper = self.body.tasks, self.body, self.stepper
        omega, p = stepper.planner.omega, stepper.pressure
        kp = HEIGHT_STIFFNESS * self._stiff
        height = self._wanted_height(time, crouch)
        weight = self._upper_weight
        tasks.setpoint(Kind.COM, 0, (2,), kp=kp, kv=critical(kp), reference=height, weight=weight)
        if stepper.path is not None:
            place, velocity, acceleration = stepper.path.at(time)
            kp = PATH_STIFFNESS * self._stiff
            tasks.setpoint(
                Kind.COM, 0, (0, 1), kp=kp, kv=critical(kp), weight=weight,
                reference=(place.real, place.imag),
                velocity=(velocity.real, velocity.imag),
                acceleration=(acceleration.real, acceleration.imag),
            )  # fmt: skip
            return
        # The momentum that its damping gives back to the ground moves the pressure.
        spin = MOMENTUM_GAIN / stepper.slow / (body.mass * self.rest_height)
        Lx, Ly, _ = body.momentum_w.tolist()
        tasks.setpoint(
            Kind.COM,
            0,
            (0, 1),
            kp=-(omega**2),
            kv=0.0,
            reference=(p.real, p.imag),
            acceleration=(spin * Ly, -spin * Lx),
            weight=weight,
        )

    def _trunk(self, heading: float, lean: float) -> None:
        """Level 3: the neck over the COM. In the paper this is level 2; but sole, COM and neck
        together leave only the arms to make the angular momentum of a push, and they would flail.
        """
        if self._neck is None:
            return
        kp = TRUNK_STIFFNESS * self._stiff
        place = about_z(heading)[:2, :2] @ (self.rest_neck[:2] + np.array([lean, 0.0]))
        self.body.tasks.setpoint(
            Kind.POINT_FROM_COM, self._neck, (0, 1), kp=kp, kv=critical(kp), reference=place,
            weight=TRUNK_WEIGHT,
        )  # fmt: skip

    def _wanted_height(self, time: float, crouch: float) -> float:
        """Over the ground between the feet, and no higher than the legs reach."""
        stepper, com = self.stepper, float(self.body.com_w[2])
        stance, swing = self.soles[stepper.stance], self.soles[stepper.swing]
        ground = stance.ground
        if stepper.stage in (Stage.STAND, Stage.SHIFT):
            ground = (stance.ground + swing.ground) / 2
        elif stepper.stage is Stage.SINGLE:
            share = min((time - stepper.began) / max(stepper.duration, 0.1), 1.0)
            ahead = self.landing_ground()
            ground += (0.7 if ahead < ground else 0.3) * share * (ahead - ground)
        wanted = ground + self.rest_height - crouch
        if not stepper.parameters.sees_ground:
            wanted -= BLIND_CROUCH * self.size
        wanted -= 0.03 * self.size * max(abs(stepper.wish.velocity.real) / stepper.slow - 0.6, 0.0)
        if stepper.stage is Stage.SINGLE:  # a foot that does not reach the ground needs help
            overdue = time - stepper.began - 1.1 * stepper.wish.swing
            wanted -= OVERDUE_SINK * stepper.slow * max(overdue, 0.0)
        xpos = self.body.data.xpos
        for sole, state in zip(self.soles, stepper.states, strict=True):
            hip = xpos[sole.hip].tolist()
            if state in (FootState.PLANT, FootState.SUPPORT):
                x, y, z = xpos[sole.body].tolist()
            elif state is FootState.SWING and time - stepper.began > 0.4 * stepper.duration:
                left = max(stepper.began + stepper.duration - time, 0.0)
                place = self._landing_ankle(sole) - stepper.body.velocity * left
                x, y, z = place.real, place.imag, self.landing_ground() + float(sole.ankle[2])
            else:
                continue
            far2 = (hip[0] - x) ** 2 + (hip[1] - y) ** 2
            longest2 = (LONGEST_LEG * sole.leg_length) ** 2
            up = math.sqrt(max(longest2 - far2, 0.25 * longest2))
            wanted = min(wanted, z + up + com - hip[2])
        if self._height is None:
            self._height = wanted
        dt = self.interval * math.sqrt(self.size)
        self._height += max(min(wanted - self._height, RISE * dt), -SINK * dt)
        return self._height

    #: [s] between calls of `fill`
    interval: float = 0.004

    def landing_ground(self) -> float:
        """Height of the ground where the swing foot will land [m], as far as it is known."""
        stepper = self.stepper
        if not stepper.parameters.sees_ground:
            return self.soles[stepper.stance].ground
        target = stepper.target
        return float(self.body.terrain.height(target.real, target.imag))

    def _landing_centre(self, sole: Sole) -> complex:
        """Middle of the sole when its reference point is at the target."""
        behind = sole.reference - sole.place
        turn = cmath.rect(1.0, self.stepper.heading - sole.yaw)
        return self.stepper.target - behind * turn

    def _landing_ankle(self, sole: Sole) -> complex:
        ankle = complex(float(sole.ankle[0]), float(sole.ankle[1]))
        return self._landing_centre(sole) + cmath.rect(1.0, self.stepper.heading) * ankle

    def _swing(self, time: float, p: WalkParameters) -> None:
        """Level 3: up to the step height and then down, all the while to the planned place."""
        tasks, stepper, body = self.body.tasks, self.stepper, self.body
        sole = self.soles[stepper.swing]
        elapsed, total = time - stepper.began, stepper.duration
        end, phase = stepper.began + total, min(elapsed / max(0.8 * total, 0.05), 1.0)
        eased = phase * phase * (3 - 2 * phase)
        yaw = stepper.lift_yaw + wrapped(stepper.heading - stepper.lift_yaw) * eased
        level = min(elapsed / (LEVEL_BY * total), 1.0)  # the toes come up soon, or they stub
        pitch = stepper.lift_pitch * (1 - level * level * (3 - 2 * level))
        R_sole = ground_frame(self.normal, yaw) @ about_y(pitch)
        ankle = (R_sole @ sole.ankle).tolist()
        centre, ground = self._landing_centre(sole), self.landing_ground()
        rising = elapsed < 0.45 * total
        hurry = min(total / stepper.wish.swing, 1.0)  # quick steps stay low, or they land late
        if rising:
            lift = hurry * p.swing_height
            lift += self.size * (STUMBLE_LIFT * stepper.stumbled + BLIND_LIFT * (not p.sees_ground))
            z, speed = max(stepper.lift_height, ground) + lift, 0.0
            when = stepper.began + 0.5 * total
        else:
            z, speed, when = ground - 0.005 * self.size, -0.15 * stepper.slow, end
        z += ankle[2]
        if not rising and total - elapsed < LATE * stepper.slow:
            speed = -LATE_SPEED * stepper.slow
            when = time + 0.08
            z = float(body.points_w[sole.origin, 2]) + 0.08 * speed
        most = SWING_ACCELERATION
        place = (centre.real + ankle[0], centre.imag + ankle[1])
        tasks.target(
            Kind.POINT, sole.origin, (0, 1), reference=place, deadline=end, weight=SWING_WEIGHT,
            limit=most,
        )  # fmt: skip
        tasks.target(
            Kind.POINT, sole.origin, (2,), reference=z, velocity=speed, deadline=when,
            weight=SWING_WEIGHT, limit=most,
        )  # fmt: skip
        kp = FOOT_STIFFNESS * self._stiff
        tasks.orientation(
            sole.body, R_sole @ sole.rest_R, kp=kp, kv=critical(kp), weight=FOOT_WEIGHT
        )

    def _heel_off(self) -> None:
        """Level 3: a foot on its toes lifts its heel just so far."""
        kp = FOOT_STIFFNESS * self._stiff
        for sole, state in zip(self.soles, self.stepper.states, strict=True):
            if state is FootState.HEEL_OFF:
                R = ground_frame(self.normal, sole.yaw) @ about_y(HEEL_OFF_PITCH)
                self.body.tasks.orientation(
                    sole.body, R @ sole.rest_R, kp=kp, kv=critical(kp), weight=FOOT_WEIGHT
                )

    def _uprights(self, heading: float, head: float, lean: float) -> None:
        """Level 3: head, pelvis and thorax upright; the head looks where it goes."""
        tasks, kp = self.body.tasks, TURN_STIFFNESS * self._stiff
        R = about_z(heading)
        kv = critical(kp)
        left, right = self.soles
        lead = ((right.place - left.place) / cmath.rect(1.0, heading)).real / self.size
        pitch = 0.0
        if self._neck is not None:  # as the neck's place asks for
            pitch = math.asin(max(-0.9, min(lean / float(self.rest_neck[2]), 0.9)))
        R_turn = about_z(heading + PELVIS_TURN * lead) @ about_y(PELVIS_LEAN * pitch)
        R_pelvis = R_turn @ self.rest_R[self._root]
        tasks.orientation(self._root, R_pelvis, kp=kp, kv=kv, weight=PELVIS_WEIGHT)
        if self._thorax is not None:
            R_thorax = R @ about_y(pitch) @ self.rest_R[self._thorax]
            tasks.orientation(self._thorax, R_thorax, kp=kp, kv=kv, weight=THORAX_WEIGHT)
        if self._head is not None:
            R_head = R @ about_y(head) @ self.rest_R[self._head]
            tasks.orientation(self._head, R_head, kp=kp, kv=kv, weight=HEAD_WEIGHT)

    def _body_heading(self, time: float) -> float:
        """Where the trunk faces: between the feet, and ahead with the foot that swings."""
        stepper = self.stepper
        left, right = self.soles
        if stepper.stage is not Stage.SINGLE:
            return left.yaw + 0.5 * wrapped(right.yaw - left.yaw)
        stance = self.soles[stepper.stance].yaw
        begin = 0.5 * wrapped(stepper.lift_yaw - stance)
        end = 0.5 * wrapped(stepper.heading - stance)
        share = min((time - stepper.began) / max(stepper.duration, 0.1), 1.0)
        return stance + begin + (end - begin) * share

    def _posture(self, p: WalkParameters) -> None:
        """What is left over: joints to the rest pose, legs that swing hardly at all."""
        body, stepper = self.body, self.stepper
        body.posture_kp[:] = POSTURE_STIFFNESS * self._stiff
        body.posture_kv[:] = critical(POSTURE_STIFFNESS * self._stiff)
        weight = body.posture_weight
        weight[:] = 1.0
        weight[self._arms] = ARM_POSTURE
        weight[self._twisting] = TWIST_POSTURE
        weight[self._swinging] = ARM_SWING_POSTURE + (1 - p.arm_swing)
        if stepper.stage is Stage.SINGLE:
            weight[self._legs[stepper.swing]] = SWING_POSTURE


def _ground_under(sole: Sole, normal: np.ndarray, x: float, y: float) -> float:
    """Height of the plane that a sole stands on."""
    dx, dy = x - sole.place.real, y - sole.place.imag
    return sole.ground - (float(normal[0]) * dx + float(normal[1]) * dy) / float(normal[2])


def _dofs(model: mujoco.MjModel, bodies: tuple[str, ...]) -> np.ndarray:
    """Actuated degrees of freedom that move some bodies."""
    found: list[int] = []
    for name in bodies:
        body = model.body(name)
        start = int(body.dofadr[0]) - 6
        found += range(start, start + int(body.dofnum[0]))
    return np.array(found, int)
