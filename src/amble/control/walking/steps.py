"""The state machine of walking: stand, shift the weight, swing, stand on both feet, swing, …

Each foot is in one of the paper's four states (figure 3): swing; plant while it takes over the
weight; support while it carries; heel-off before it leaves the ground. What the paper takes from a
fixed schedule is planned anew from the measured state, at every call.
"""

from __future__ import annotations

import cmath
import math
from enum import Enum

from amble.control.walking.paper_path import Leading, footstep, path
from amble.control.walking.parameters import WalkParameters
from amble.control.walking.pendulum import (
    Place,
    StepPlanner,
    StepWish,
    double_support_share,
    goal_of_step,
    nominal_step,
    pressure_towards,
)
from amble.control.walking.soles import Sole
from amble.geometry.polygons import ConvexPolygon
from amble.geometry.turns import wrapped

# All lengths and times below are a human's; other bodies' go with their size and its root.
MOST_TURN = math.radians(35)  # in one step
STAND_GAIN = 1.2  # how far past ξ the pressure goes to bring it back while standing
SHIFT_GAIN = 2.0  # the same while the weight is shifted onto the first stance foot
SHIFT_NEAR, SHIFT_SECONDS = 0.02, 1.5  # [m], [s] the shift is over
FALL_AHEAD = (4.0, 6.0)  # [1/s] looks ahead at linear and angular momentum: step or stand
EARLIEST, SOFT = 0.12, 0.3  # [s], [m/s] of a touchdown
HEEL_OFF_AHEAD = 0.10  # [m] the heel rises when the COM is this far ahead of a carrying sole
HEEL_OFF_LATE = 0.6  # not before this share of the other foot's swing
HEEL_OFF_PRESSURE = -0.3  # nor while pressure is wanted farther back than this share of the sole
ROLL = 0.1  # [s] in which the pressure gets to the toes before the heel rises
STUMBLE = 0.15  # share of a swing after which the foot should touch nothing
TOO_STEEP = 0.4  # [rad] a foot that touches like this hangs on something
BLIND_SWING = 0.76  # steps on ground that nobody sees are shorter
OFF_PATH, FIND_AGAIN = 0.10, 2.0  # [m] of ξ, [s] until the path is tried again
NO_COMMAND = 0.05  # [rad] turns that are not worth a step


class Stage(Enum):
    """What the walker as a whole is doing."""

    STAND = "stand"
    SHIFT = "shift"  # of the weight to the first stance foot
    SINGLE = "single"  # one foot swings
    DOUBLE = "double"  # the foot that has landed takes over


class FootState(Enum):
    """What one foot is doing (figure 3)."""

    SWING = "swing"
    PLANT = "plant"
    SUPPORT = "support"
    HEEL_OFF = "heel-off"


class Balance2D:
    """The body in the ground plane: what the state machine measures."""

    com: Place = 0j
    velocity: complex = 0j
    xi: Place = 0j  # divergent component of motion, with angular momentum
    toppling: Place = 0j  # where the body would need its feet soon (stepping paper)


class Stepper:
    """Decides which foot does what, where the pressure goes, where and when the next foot lands."""

    def __init__(self, soles: tuple[Sole, Sole], planner: StepPlanner, size: float) -> None:
        self.soles = soles
        self.resize(planner, size)
        self.body = Balance2D()
        self.stage = Stage.STAND
        self.swing, self.stance = 1, 0
        self.began = 0.0  # [s] of the stage
        self.duration = 0.45  # [s] of the present swing, as planned
        self.heading = 0.0  # [rad] of the present step
        self.pressure: Place = 0j
        self.target: Place = 0j  # of the swing foot's reference point
        self.path: Leading | None = None  # of the COM, where the paper's planner leads it
        self.steps = 0
        self.late_heel_off = self.stumbled = False
        self._leads = False  # whether the paper's planner leads
        self._lost_until = -math.inf  # [s]
        self.lift_place, self.lift_height, self.lift_yaw, self.lift_pitch = 0j, 0.0, 0.0, 0.0
        self._old_pressure: Place = 0j
        self._rolls_from = math.inf  # [s] of the swing, when the pressure began to go to the toes

    def resize(self, planner: StepPlanner, size: float) -> None:
        """Plan for a body of another size [m of COM height]."""
        self.planner, self.size, self.slow = planner, size, math.sqrt(size)

    @property
    def states(self) -> tuple[FootState, FootState]:
        """Of the left and the right foot."""
        states = [FootState.SUPPORT, FootState.SUPPORT]
        if self.stage is Stage.SINGLE:
            states[self.swing] = FootState.SWING
            if self.late_heel_off:
                states[self.stance] = FootState.HEEL_OFF
        elif self.stage is Stage.DOUBLE:
            states[self.stance] = FootState.PLANT
            if self.heel_off:
                states[self.swing] = FootState.HEEL_OFF
        return states[0], states[1]

    @property
    def side(self) -> float:
        """1 when the left foot swings or is next to, else −1."""
        return 1.0 if self.swing == 0 else -1.0

    def advance(self, time: float, p: WalkParameters, velocity: complex) -> None:
        """Go through the states and plan; `velocity` is what is asked for now."""
        # On ground that nobody sees, toes that push off last would be the first to stub.
        self.parameters, self.heel_off = p, p.heel_off and p.sees_ground
        self._asked_heading = self._heading_asked(p)
        self._leads = p.planner == "paper" and not self._lost(time, p)
        swing = p.swing_duration * (1 - 0.3 * max(abs(velocity.real) / self.slow - 0.9, 0.0))
        if not p.sees_ground:
            swing *= BLIND_SWING
        self.wish = StepWish(swing, p.swing_delay, velocity, p.width, self.heading)
        if self.stage is Stage.STAND:
            self._stand(time)
        if self.stage is Stage.SHIFT:
            self._shift(time)
        if self.stage is Stage.SINGLE:
            self._single(time)
        if self.stage is Stage.DOUBLE:
            self._double(time)

    # ---- the stages

    def _heading_asked(self, p: WalkParameters) -> float:
        """Where to go [rad]."""
        return math.radians(p.heading)

    def _hold(self) -> None:
        """Keep ξ over the middle of the feet."""
        left, right = self.soles
        middle = (left.place + right.place) / 2
        xi = self.body.xi
        self.pressure = self._within(middle + (1 + STAND_GAIN) * (xi - middle))
        self.heading = self._mean_yaw()

    def _stand(self, time: float) -> None:
        self._hold()
        left, right = self.soles
        whole = ConvexPolygon(left.support(0.0) + right.support(0.0))
        if whole.gauge(_pair(self.body.toppling)) > 1:
            away = [abs(self.body.toppling - sole.place) for sole in self.soles]
            self._lift(time, away.index(min(away)))
        else:
            self._set_off(time)

    def _set_off(self, time: float) -> None:
        """Begin to walk, if somebody wants that or the feet stand badly."""
        turn = wrapped(self._asked_heading - self.heading)
        if self.parameters.on_the_move or abs(turn) > NO_COMMAND or self._feet_apart():
            leftwards = self.wish.velocity.imag > 0.02 or turn > NO_COMMAND
            self.swing, self.stance = (0, 1) if leftwards else (1, 0)
            self.stage, self.began = Stage.SHIFT, time

    def _shift(self, time: float) -> None:
        """Bring ξ to where the first step starts, beside the stance foot."""
        stance, swing = self.soles[self.stance], self.soles[self.swing]
        apart = swing.place - stance.place
        growth = math.exp(self.planner.omega * self.wish.duration)
        width = min(abs(apart), self.wish.width)
        goal = stance.reference + apart / abs(apart) * 1.15 * width / (1 + growth)
        xi = self.body.xi
        self.pressure = self._within(xi + SHIFT_GAIN * (xi - goal))
        there = abs(xi - goal) < SHIFT_NEAR * self.size
        if there or time - self.began > SHIFT_SECONDS * self.slow:
            self._turn()
            self._lift(time, self.swing)

    def _single(self, time: float) -> None:
        elapsed = time - self.began
        p, stance, swing = self.parameters, self.soles[self.stance], self.soles[self.swing]
        plan = self.planner.plan(
            self.body.xi,
            elapsed,
            stance.reference,
            self.side,
            self.wish._replace(heading=self.heading),
            swing.place,
            stance.clip(),
            adapt_place=p.adapt_place,
            adapt_time=p.adapt_time,
        )
        self.pressure, self.target, self.duration = plan
        if self.path is not None:
            self.target, self.duration = self._paper_step, self.wish.swing
        self._rise_late(elapsed)
        may_land = elapsed > max(EARLIEST * self.slow, 0.5 * self.duration)
        if not may_land:
            self.stumbled |= elapsed > STUMBLE * self.duration and swing.touches()
        elif swing.touches() and swing.fall_speed < SOFT * self.slow:
            flat = abs(swing.pitch) < TOO_STEEP
            if flat or elapsed > self.duration:
                self._land(time)

    def _rise_late(self, elapsed: float) -> None:
        """Late in the support the heel goes up, when the COM is well ahead of the sole."""
        stance = self.soles[self.stance]
        self.late_heel_off = False
        if not self.heel_off or self.wish.velocity.real < 0.3 * self.slow:
            return
        turn = cmath.rect(1.0, stance.yaw)
        ahead = ((self.body.com - stance.place) / turn).real
        wanted = (self.pressure - stance.place) / turn
        # The toes brake: who has to hurry ahead keeps the heel down.
        free = wanted.real > HEEL_OFF_PRESSURE * stance.half_length
        # A foot that finds no ground in time needs the body lower, not higher.
        late = HEEL_OFF_LATE * self.duration < elapsed < 1.1 * self.wish.swing
        if not (free and late and ahead > HEEL_OFF_AHEAD * self.size):
            self._rolls_from = math.inf
            return
        self._rolls_from = min(self._rolls_from, elapsed)
        rolled = min((elapsed - self._rolls_from) / (ROLL * self.slow), 1.0)
        self.late_heel_off = rolled == 1.0
        toes = complex(stance.half_length, wanted.imag)
        self.pressure = stance.place + turn * ((1 - rolled) * wanted + rolled * toes)

    def _land(self, time: float) -> None:
        foot = self.soles[self.swing]
        foot.yaw, foot.ground = foot.measured_yaw, foot.height
        self.steps += 1
        self._old_pressure = self.pressure
        self.stance, self.swing = self.swing, self.stance
        swung, self.stage, self.began = time - self.began, Stage.DOUBLE, time
        self.late_heel_off = False
        self._turn()
        self._lead(time, swung)

    def _double(self, time: float) -> None:
        """The pressure moves to the new foot, plus what corrects ξ."""
        elapsed, total = time - self.began, self.wish.double
        omega, stance = self.planner.omega, self.soles[self.stance].reference
        share, left = min(elapsed / total, 1.0), max(total - elapsed, 0.0)
        wish = self.wish._replace(heading=self.heading)
        step = nominal_step(omega, stance, self.side, wish)
        goal = goal_of_step(omega, stance, step, total)
        rest = double_support_share(omega, max(left, 1e-4)) * (1 - share)
        xi = self.body.xi - rest * (self._old_pressure - stance)
        correction = pressure_towards(omega, xi, goal, left + wish.swing) - stance
        wanted = (1 - share) * self._old_pressure + share * stance + correction
        self.pressure = self._within(wanted, toes_only=self.heel_off)
        if elapsed < total - 1e-9:
            return
        if self._may_stop():
            self.stage, self.began, self.path = Stage.STAND, time, None
        else:
            self._lift(time, self.swing)
            self._single(time)

    # ---- what they share

    def _lift(self, time: float, foot: int) -> None:
        self.swing, self.stance = foot, 1 - foot
        self.stage, self.began, self.duration = Stage.SINGLE, time, self.wish.swing
        sole = self.soles[foot]
        self.stumbled, self._rolls_from = False, math.inf
        self.lift_place, self.lift_height = sole.place, sole.height
        self.lift_yaw, self.lift_pitch = sole.yaw, sole.pitch
        self.target = sole.reference
        if self._leads:
            wish = self.wish._replace(heading=self.heading)
            self._paper_step = footstep(self.soles[self.stance].reference, self.side, wish)
            if self.path is None:
                self._lead(time, self.wish.swing)
        else:
            self.path = None

    def _lead(self, time: float, swung: float) -> None:
        """A new path of the paper's planner, as long as the last step was (section 6.1)."""
        if not self._leads:
            self.path = None
            return
        wish, stance = self.wish._replace(heading=self.heading), self.soles[self.stance]
        omega, seconds = self.planner.omega, swung + self.wish.double
        self.path = path(self.body.com, stance.reference, self.side, wish, omega, time, seconds)

    def _lost(self, time: float, p: WalkParameters) -> bool:
        """Whether ξ is, or was of late, too far from the paper's path to follow it; then steps are
        planned from the measured state."""
        if p.supervisor and self.path is not None:
            at = self.path.at(time)
            away = abs(self.body.xi - at.place - at.velocity / self.planner.omega)
            if away > OFF_PATH * self.size:
                self._lost_until, self.path = time + FIND_AGAIN * self.slow, None
        return time < self._lost_until

    def _turn(self) -> None:
        turn = wrapped(self._asked_heading - self.heading)
        self.heading += min(max(turn, -MOST_TURN), MOST_TURN)

    def _within(self, pressure: Place, *, toes_only: bool = False) -> Place:
        """The nearest place in the support of both feet; `toes_only` of the one behind."""
        front, rear = self.soles[self.stance], self.soles[self.swing]
        hull = ConvexPolygon(front.support() + rear.support(toes_only=toes_only))
        x, y = hull.nearest(_pair(pressure))
        return complex(x, y)

    def _mean_yaw(self) -> float:
        left, right = self.soles
        return left.yaw + 0.5 * wrapped(right.yaw - left.yaw)

    def _feet_apart(self) -> bool:
        """Whether the feet stand so unevenly that a step should put them together."""
        left, right = self.soles
        apart = (left.place - right.place) / cmath.rect(1.0, self._mean_yaw())
        off = 0.08 * self.size
        return abs(apart.real) > off or abs(apart.imag - self.wish.width) > off

    def _may_stop(self) -> bool:
        """Whether it can stand as it is, and nobody wants more steps."""
        turn = wrapped(self._asked_heading - self.heading)
        if self.parameters.on_the_move or abs(turn) > 0.02:
            return False
        left, right = self.soles
        whole = ConvexPolygon(left.support(0.0) + right.support(0.0))
        if whole.gauge(_pair(self.body.toppling)) > 0.95:
            return False
        turned = cmath.rect(1.0, self._mean_yaw())
        apart = (left.place - right.place) / turned
        off = (self.body.xi - (left.place + right.place) / 2) / turned
        size = self.size
        together = abs(apart.real) < 0.1 * size and 0.1 * size < apart.imag < 0.32 * size
        still = abs(off.real) < 0.07 * size and abs(off.imag) < 0.1 * size
        return together and still and abs(wrapped(left.yaw - right.yaw)) < 0.15


def _pair(place: Place) -> tuple[float, float]:
    return (place.real, place.imag)
