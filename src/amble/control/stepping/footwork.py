"""The state machine of stepping: stand, and step where one is told to or where it saves.

It is the walker's with two more ways to swing a foot. A *directed* step begins with both feet on
the ground: the COM moves along its Bézier towards the pivot, the foot leaves when the pivot can
carry, and reaches straight to its footprint. A *fixed* step is the paper's reactive step: its place
is decided once. All other swings are the walker's, planned anew from the measured state.
"""

from __future__ import annotations

import cmath
import math
from collections import deque
from dataclasses import dataclass, replace

from amble.control.stepping.curves import LIFT_OFF, TOUCHDOWN, ComCurve, Swing
from amble.control.stepping.footprints import FEET, Footprint
from amble.control.stepping.parameters import SteppingParameters
from amble.control.stepping.reach import Foot, Shape, Step, outline, planned_step
from amble.control.stepping.supervisor import FIXED_RULES, Damping, Momenta, Supervisor
from amble.control.walking.parameters import WalkParameters
from amble.control.walking.pendulum import Place, PressureClip, StepPlanner, pressure_towards
from amble.control.walking.soles import Sole
from amble.control.walking.steps import SOFT, Stage, Stepper
from amble.errors import InputError
from amble.geometry.polygons import ConvexPolygon
from amble.terrain.terrain import Terrain

# All lengths and times below are a human's; other bodies' go with their size and its root.
TRACK_STIFFNESS = 60.0  # k_L, critically damped, of the COM on the path of a fixed step
FOLLOW_GAIN = 2.0  # how far past its reference the pressure goes to bring ξ back to it
MISSED = 1.15  # with ξ so far outside both soles at the touchdown, a directed step cannot be kept
RIM, FULL = 0.008, 0.85  # [m] from the edges, and share of a sole, in which pressure is asked for
CORE = 0.4  # share of what a pivot can carry in which ξ must be when the other foot leaves
STILL, SETTLED = 0.10, 0.2  # [m/s], [s] of standing before the next footprint
NEAR_MIDDLE = 0.06  # [m] of ξ from the middle of the feet, before the next footprint
MOST_WAIT = 1.0  # [s] for the pivot to take over
CALM = 0.4  # [s] after a directed step in which only a ξ outside of the support asks for another
SLACK = 0.05  # [m] that feet may stand otherwise than they were told to
MOST_TRIES = 3  # to reach a footprint from which a disturbance kept it
EARLY = 0.6  # share of a swing on a curve after which the foot may land
PAUSE = 0.5  # [s] of standing before the feet are put beside each other
FARTHEST, INNER = 0.75, 0.13  # [m] of a step that saves from the standing foot


@dataclass(frozen=True)
class Taken:
    """A step that was taken, or begun."""

    kind: str  # directed or reactive
    foot: str
    decided: float  # [s]
    place: tuple[float, float]  # [m] where it should go, in the ground plane
    yaw: float  # [rad]
    landed: float = math.inf  # [s]
    reached: bool = False  # a directed step that was not given up


class Footwork(Stepper):
    """Decides which foot does what. `queue` holds footprints still to come."""

    def __init__(
        self, soles: tuple[Sole, Sole], planner: StepPlanner, size: float, terrain: Terrain
    ) -> None:
        super().__init__(soles, planner, size)
        self.terrain = terrain
        self.queue: deque[Footprint] = deque()
        self.taken: list[Taken] = []
        self.refused: list[tuple[float, str]] = []  # [s] and why
        self.supervisor: Supervisor
        self.momenta: Momenta
        self.step: Step | None = None  # the directed one under way
        self.curve: ComCurve | None = None  # of the COM, followed by ξ
        self.fixed: Place | None = None  # of a reactive step that is decided once
        self.reach: Swing | None = None  # of the foot, where it does not follow the plan
        self._tries = 0
        self._stood_from = 0.0  # [s]
        self._landed_at = -math.inf  # [s] of the last directed step
        self._heading: float | None = None  # [rad] that directed steps have led to

    @property
    def feet(self) -> tuple[Foot, Foot]:
        """Where both stand."""
        left, right = (Foot(sole.place, sole.yaw, sole.ground) for sole in self.soles)
        return left, right

    @property
    def shape(self) -> Shape:
        """Of the larger sole."""
        return Shape(
            self.size,
            max(sole.half_length for sole in self.soles),
            max(sole.half_width for sole in self.soles),
            min(sole.leg_length for sole in self.soles),
            abs(self.soles[0].rest_place - self.soles[1].rest_place),
        )

    def supervise(self, p: SteppingParameters, gravity: float) -> None:
        """Judge by these parameters from now on."""
        when, where = Damping(p.d_l, p.d_h), Damping(p.where_l, p.where_h)
        self.supervisor = Supervisor(p.rule, when, where, self.slow, gravity)
        self._settings = p

    # ---- the stages

    def _hold(self) -> None:
        """Keep the COM over the middle of the feet: as strongly as the walker can, or simply by
        c̈ = k_L (c_r − c) − d_L ċ (eq. 10)."""
        super()._hold()
        p = self._settings
        if p.balance == "simple":
            left, right = self.soles
            off = (left.place + right.place) / 2 - self.body.com
            pulled = p.pull / self.size * off - p.pull_damping / self.slow * self.body.velocity
            self.pressure = self._within(self.body.com - pulled / self.planner.omega**2)

    def _heading_asked(self, p: WalkParameters) -> float:
        if self._heading is not None and not p.on_the_move:
            return self._heading
        return super()._heading_asked(p)

    def _stand(self, time: float) -> None:
        self._hold()
        # What a step on purpose leaves of momentum is no reason for another.
        if time - self._landed_at > CALM * self.slow:
            if self._saves(time):
                return
        elif self._topples():
            self._saves(time, at_once=True)
            return
        if self.queue:
            if self._settled(time):
                self._begin(time)
        elif self.parameters.on_the_move or self._may_square_up(time):
            self._set_off(time)

    def _may_square_up(self, time: float) -> bool:
        """Whether the feet may be put beside each other: not where somebody has put them."""
        p = self._settings
        wished = p.square_up and p.rule != "none" and self._heading is None
        return wished and time - self._stood_from > PAUSE * self.slow

    def _shift(self, time: float) -> None:
        """Towards the pivot; the foot leaves as soon as the pivot can carry."""
        if self.fixed is not None and self.curve is not None:
            if time - self.curve.began < LIFT_OFF * self.curve.seconds:
                self._track(time)
            else:
                self._leave(time, self.fixed)
            return
        if self.step is None or self.curve is None:
            super()._shift(time)
            return
        if self._topples():
            self._saves(time, at_once=True)
            return
        T, elapsed = self.step.seconds, time - self.curve.began
        if elapsed < LIFT_OFF * T:
            self._follow(time)
            return
        clip, xi = self.soles[self.stance].clip(), self.body.xi
        core = clip._replace(half_length=CORE * clip.half_length, half_width=CORE * clip.half_width)
        if core(xi) != xi and elapsed < LIFT_OFF * T + MOST_WAIT * self.slow:
            self.pressure = self._straight(xi + FOLLOW_GAIN * (xi - clip.centre))
            return
        # Should it have waited, the COM goes on from there.
        self.curve = self.curve._replace(began=time - LIFT_OFF * T)
        self._reach_for(time, self.step, (TOUCHDOWN - LIFT_OFF) * T)

    def _single(self, time: float) -> None:
        if self.reach is None:
            super()._single(time)
            return
        swing, elapsed = self.soles[self.swing], time - self.began
        self.wish = self.wish._replace(swing=self.duration)
        if self.step is None:
            self._track(time)
        else:
            self._follow(time)
        if self.step is not None and self._misses(time, self.step):
            self._give_up()
            super()._single(time)
        elif (
            elapsed > EARLY * self.duration
            and swing.on_ground()
            and swing.fall_speed < SOFT * self.slow
        ):
            self._land(time)

    def _land(self, time: float) -> None:
        if self.taken and math.isinf(self.taken[-1].landed):
            self.taken[-1] = replace(self.taken[-1], landed=time, reached=self.reach is not None)
        if self.reach is None:
            super()._land(time)
            return
        foot = self.soles[self.swing]
        foot.yaw, foot.ground = foot.measured_yaw, foot.height
        self.steps += 1
        if self.step is not None:
            self._heading, self._landed_at = self._mean_yaw(), time
        self.step = self.reach = self.curve = self.path = self.fixed = None
        self._tries = 0
        self.stage, self.began, self._stood_from = Stage.STAND, time, time

    def _double(self, time: float) -> None:
        super()._double(time)
        if self.stage is Stage.STAND:
            self._stood_from = time

    def _lift(self, time: float, foot: int) -> None:
        """A swing by the walker's plan; while nobody walks, it is a step that saves."""
        super()._lift(time, foot)
        self.reach = self.curve = self.step = self.fixed = None

    # ---- steps that save

    def _support(self) -> ConvexPolygon:
        left, right = self.soles
        return ConvexPolygon(left.support(0.0) + right.support(0.0))

    def _topples(self) -> bool:
        """Whether ξ has left the support: on purpose the COM moves fast, too, but never so far."""
        xi = self.body.xi
        return self._settings.rule != "none" and self._support().gauge((xi.real, xi.imag)) > 1

    def _misses(self, time: float, step: Step) -> bool:
        """Whether ξ cannot be over the pivot and the footprint when the foot comes down.

        Where the pressure that follows the curve would miss, it becomes the one that goes for the
        middle of both.
        """
        if self._settings.rule == "none":
            return False
        pivot, left = self.soles[self.stance], max(self.began + self.duration - time, 0.05)
        landed = Foot(step.place, step.yaw, step.ground)
        hull = ConvexPolygon(pivot.support(0.0) + outline(landed, self.shape))
        omega, xi = self.planner.omega, self.body.xi
        middle = (pivot.place + step.place) / 2
        edges = PressureClip(pivot.place, pivot.yaw, pivot.half_length, pivot.half_width)
        for pressure in (self.pressure, edges(pressure_towards(omega, xi, middle, left))):
            self.pressure = pressure
            there = pressure + (xi - pressure) * math.exp(omega * left)
            if hull.gauge((there.real, there.imag)) < MISSED:
                return False
        return True

    def _saves(self, time: float, *, at_once: bool = False) -> bool:
        """Step if the momenta ask for it, or in any case; whether it does."""
        left, right = self.soles
        supervisor, momenta = self.supervisor, self.momenta
        if not (at_once or supervisor.needed(momenta, self._support())):
            return False
        if self.step is not None:
            self._give_up()
        foot = supervisor.foot(momenta, [left.place, right.place])
        place = supervisor.place(momenta)
        if supervisor.rule in FIXED_RULES:
            self.swing, self.stance = foot, 1 - foot
            place = self.fixed = self._within_reach(foot, place)
            self._step_to(time, place)
        else:
            self._lift(time, foot)
        self.path = None
        pair = (place.real, place.imag)
        self.taken.append(Taken("reactive", FEET[foot], time, pair, self.heading))
        return True

    def _within_reach(self, foot: int, place: Place) -> Place:
        """The nearest that a leg can do: beside the standing foot, not on it, and not too far."""
        pivot, side = self.soles[1 - foot], self.side
        turn = cmath.rect(1.0, pivot.yaw)
        local = (place - pivot.place) / turn
        if abs(local) > FARTHEST * self.size:
            local *= FARTHEST * self.size / abs(local)
        outward = max(side * local.imag, INNER * self.size)
        return pivot.place + turn * complex(local.real, side * outward)

    def _step_to(self, time: float, place: Place) -> None:
        """The paper's reactive step: its curves are fixed now. Both feet carry at its beginning,
        as they do on a step on purpose."""
        pivot, seconds = self.soles[self.stance].place, self._settings.react_seconds
        self.curve = ComCurve(self.body.com, pivot, (pivot + place) / 2, time, seconds)
        self.stage, self.began = Stage.SHIFT, time
        self._track(time)

    def _leave(self, time: float, place: Place) -> None:
        """The foot of a fixed step leaves the ground."""
        curve, heading = self.curve, self.heading
        super()._lift(time, self.swing)
        self.curve, self.path, self.heading = curve, None, heading
        sole, seconds = (
            self.soles[self.swing],
            (TOUCHDOWN - LIFT_OFF) * self._settings.react_seconds,
        )
        ground = float(self.terrain.height(place.real, place.imag))
        lift = self._settings.swing_height
        self.reach = Swing(sole.place, place, sole.height, ground, lift, time, seconds)
        self.target, self.duration = self._reference_at(place, heading), seconds

    # ---- directed steps

    def _settled(self, time: float) -> bool:
        """Between statically stable steps (section 6)."""
        left, right = self.soles
        off = abs(self.body.xi - (left.place + right.place) / 2)
        slow = abs(self.body.velocity) < STILL * self.slow
        stood = time - self._stood_from > SETTLED * self.slow
        return slow and stood and off < NEAR_MIDDLE * self.size

    def _begin(self, time: float) -> None:
        """The next footprint that can be taken."""
        while self.queue:
            footprint = self.queue.popleft()
            try:
                step = planned_step(footprint, self.feet, self.shape, self.terrain, SLACK)
            except InputError as error:
                self.refused.append((time, str(error)))
                continue
            self.step, self.swing, self.stance = step, step.foot, 1 - step.foot
            pivot = self.soles[self.stance].place
            middle = (pivot + step.place) / 2
            self.curve = ComCurve(self.body.com, pivot, middle, time, step.seconds)
            self.stage, self.began = Stage.SHIFT, time
            place = (step.place.real, step.place.imag)
            self.taken.append(Taken("directed", footprint.foot, time, place, step.yaw))
            return

    def _reach_for(self, time: float, step: Step, seconds: float) -> None:
        """The foot leaves the ground."""
        curve = self.curve
        super()._lift(time, step.foot)
        self.curve, self.path, self.heading = curve, None, step.yaw
        sole = self.soles[step.foot]
        self.reach = Swing(
            sole.place, step.place, sole.height, step.ground, step.lift, time, seconds
        )
        self.target, self.duration = self._reference_at(step.place, step.yaw), seconds

    def _follow(self, time: float) -> None:
        """Centre of pressure that leads ξ along the Bézier.

        With ξ_r = c_r + ċ_r/ω and p_r = c_r − c̈_r/ω², the pressure p = p_r + (1 + k)(ξ − ξ_r) lets
        the error die out as e^{−kωt}. The paper tracks c_r itself (eq. 10), which may ask for a
        pressure that the soles do not have.
        """
        if self.curve is None:
            return
        omega, xi = self.planner.omega, self.body.xi
        com = self.curve.at(time)
        error = xi - com.place - com.velocity / omega
        pressure = com.place - com.acceleration / omega**2 + (1 + FOLLOW_GAIN) * error
        single, pivot = self.stage is Stage.SINGLE, self.soles[self.stance]
        length, width = FULL * pivot.half_length, FULL * pivot.half_width
        clip = PressureClip(pivot.place, pivot.yaw, length, width)
        self.pressure = clip(pressure) if single else self._straight(pressure)

    def _track(self, time: float) -> None:
        """Centre of pressure for c̈ = k_L (c_r − c) + d_L (ċ_r − ċ) + c̈_r (eq. 10), as far as soles
        go."""
        if self.curve is None:
            return
        omega, body, com = self.planner.omega, self.body, self.curve.at(time)
        kp = TRACK_STIFFNESS / self.size
        pull = kp * (com.place - body.com) + 2 * math.sqrt(kp) * (com.velocity - body.velocity)
        wanted = body.com - (pull + com.acceleration) / omega**2
        single = self.stage is Stage.SINGLE
        self.pressure = self.soles[self.stance].clip()(wanted) if single else self._within(wanted)

    def _straight(self, pressure: Place) -> Place:
        """As far towards a pressure as the support reaches: ξ then goes where it should, if more
        slowly. The nearest place of the support would push it out of a narrow one."""
        left, right = self.soles
        support = ConvexPolygon(left.support(RIM) + right.support(RIM))
        xi = self.body.xi
        if support.gauge((xi.real, xi.imag)) > 1:
            return self._within(pressure)
        x, y = support.towards((xi.real, xi.imag), (pressure.real, pressure.imag))
        return complex(x, y)

    def _give_up(self) -> None:
        """Balance comes first; the footprint is tried again."""
        step, self.step, self.reach, self.curve = self.step, None, None, None
        self._tries += 1
        if step is not None and self._tries < MOST_TRIES:
            self.queue.appendleft(step.footprint)

    def _reference_at(self, place: Place, yaw: float) -> Place:
        """The point of the sole that steps are measured from, with its middle at a place."""
        sole = self.soles[self.swing]
        return place + (sole.reference - sole.place) * cmath.rect(1.0, yaw - sole.yaw)
