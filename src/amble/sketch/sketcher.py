"""Sketcher: from a wish to a rough idea of the motion to come (centroidal section 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY
from amble.geometry.turns import wrapped
from amble.sketch.command import Command
from amble.sketch.contact import Contact
from amble.sketch.facing import Course, Turn, course_towards
from amble.sketch.gait import Gait
from amble.sketch.ground import footholds, nudged
from amble.sketch.pendulum import Pendulum
from amble.sketch.schedule import Draft, Latest
from amble.sketch.sketch import PendulumState, Sketch
from amble.sketch.steps import NEAR_YAW, Stepper, standing_places
from amble.sketch.sway import Sway, still, sway_of
from amble.sketch.travel import Travel, Traveller, allowed_speed, allowed_turn, turn_notes
from amble.terrain.terrain import Terrain

RATE = 30.0  # [1/s] samples of a sketch
HORIZON = 3.0  # [s · √(L / 0.925 m)]
FREEDOM, FREEDOM_ROUGH, FREEDOM_URGENT = 0.12, 0.06, 0.35  # [m · L / 0.925 m]
NUDGE = 0.1  # [m · L / 0.925 m] by which a foot is moved off the edge of a step
LATEST = 0.03  # [s] before a heel lifts, after which it does
LEAST_ROLL = 0.3  # of the usual time with the heel lifted, at rest
LOWEST, TIPTOE = 0.35, 0.02  # of the leg's length: how low it may crouch, how far it may stretch
EASED = 0.3  # [s · √(L / 0.925 m)] in which the height moves to what the ground says
SHORTEST_TURN = 0.4  # [s · √(L / 0.925 m)]
HOLD = 0.55  # of the time until the first foot lifts, in which a standing body stays where it is
ANCHOR = 0.2  # [m · L / 0.925 m] over which a standing body leans back over its feet
BRAKING = 0.16  # [leg lengths] by which its capture point may then be beyond it
SHORTER = 0.6  # [m · L / 0.925 m] by which a walker stops sooner, beside the foot that lands next


Heights = tuple[np.ndarray, np.ndarray]  # times [s] and heights of the centre of mass [m]
Anchor = tuple[np.ndarray, float]
Memory = tuple[Course | None, Sway | None, Heights | None]


class Sketcher:
    """Sketches the motion of one body on one ground.

    It remembers the turn it is in and the sway, so that successive sketches go on smoothly.
    """

    def __init__(self, body: CentroidalBody, gait: Gait, terrain: Terrain) -> None:
        self.body, self.gait, self.terrain = body, gait, terrain
        inertia = 0.5 * float(body.inertia_b[0, 0] + body.inertia_b[1, 1])
        samples = math.ceil(HORIZON * gait.time_scale * RATE)
        self.pendulum = Pendulum(body.height, body.mass, inertia, RATE, samples)
        self._traveller = Traveller(self.pendulum, gait, terrain)
        self._heights_allowed = _allowed_heights(body)
        self._course: Course | None = None
        self._sway: Sway | None = None
        self._heights: Heights | None = None

    @property
    def memory(self) -> Memory:
        """What it remembers of the last sketch; give it back to sketch again from there."""
        return self._course, self._sway, self._heights

    @memory.setter
    def memory(self, memory: Memory) -> None:
        self._course, self._sway, self._heights = memory

    def start(
        self, xy: Sequence[float] = (0.0, 0.0), yaw: float = 0.0, speed: float = 0.0
    ) -> tuple[PendulumState, tuple[Contact, ...]]:
        """A body on standing feet at `xy`, whose cart moves forward at `speed` [m/s]."""
        self._course = self._sway = self._heights = None
        cart = np.asarray(xy, dtype=float)
        forward = np.array([math.cos(yaw), math.sin(yaw)])
        state = PendulumState(cart, np.zeros(2), speed * forward, np.zeros(2), yaw, 0.0)
        places = standing_places(self.gait, cart, yaw, 1.0)
        positions, normals = footholds(self.terrain, self.body.legs, places.xy, places.yaw)
        contacts = tuple(
            Contact(
                limb=limb,
                start=-1.0,
                flat=-1.0,
                heel_off=math.inf,
                end=math.inf,
                middle=-0.5,
                position_w=positions[limb],
                yaw=float(places.yaw[limb]),
                normal_w=normals[limb],
                fixed=True,
                freedom=self._freedom(False, False),
            )
            for limb in range(self.gait.limbs)
        )
        return state, contacts

    def sketch(
        self,
        now: float,
        pendulum: PendulumState,
        command: Command,
        contacts: Sequence[Contact],
        *,
        urgent: bool = False,
        landings: Mapping[int, float] | None = None,
        turned_round: bool = False,
    ) -> Sketch:
        """The motion from `now`, given the contacts under way or decided.

        `contacts` holds at least each limb's latest. They come back in the result, at most with
        another lift-off, followed by new ones. `urgent` is for a body that was pushed: quick steps,
        footholds far from where they were wished. `landings` says when limbs in the air were to
        land until now. `turned_round` lets the foot that landed last step first.
        """
        gait = self.gait
        given = sorted(contacts, key=lambda c: c.start)
        latest = self._latest(now, pendulum, given)
        facing, heading = math.radians(command.facing), math.radians(command.heading)
        speed, notes = allowed_speed(gait, command.speed, facing)
        moving = float(np.hypot(*pendulum.cart_velocity_w))
        self._course = course_towards(
            now,
            (pendulum.yaw, pendulum.yaw_rate, self._way(pendulum)),
            (heading, heading + facing),
            allowed_turn(gait, max(speed, moving)),
            SHORTEST_TURN * gait.time_scale,
            self._course,
        )
        turns = (self._course.facing, self._course.heading)
        if not self._heights_allowed[0] <= command.height <= self._heights_allowed[1]:
            low, high = self._heights_allowed
            notes += (f"height limited to {low:.2f} … {high:.2f} m (wished {command.height:.2f})",)
        notes += turn_notes(gait, now, turns[0], max(speed, moving))
        width = command.width
        anchor = None
        if speed == 0:
            anchor = self._anchor(now, pendulum, latest, turns[0].target, width)
        level = float(np.mean([c.position_w[2] for c in latest.values()])) if given else None
        # Feet that stand must first be unloaded: the body waits for them.
        hold = 0.0 if urgent else HOLD * gait.lift_delay
        hold = hold if all(math.isinf(c.end) for c in latest.values()) else 0.0

        def stepped(anchor: Anchor | None) -> tuple[Travel, Stepper, list[Draft], bool]:
            travel = self._travel(now, pendulum, speed, turns, level, anchor, hold)
            stepper = Stepper(
                *(self.body, gait, self.terrain, now, travel, latest),
                stride=command.stride,
                width=command.width,
                urgent=urgent,
                landings=landings or {},
                turned_round=turned_round,
            )
            return travel, stepper, *stepper.drafts()

        travel, stepper, drafts, standing = stepped(anchor)
        if speed == 0 and travel.stops and len(drafts) > 2 and not urgent:
            first = drafts[0]
            beside = (
                first.xy - standing_places(gait, np.zeros(2), turns[0].target, width).xy[first.limb]
            )
            if self._can_stop(pendulum, first.start - now, beside):
                sooner = stepped((beside, SHORTER * gait.scale))
                then = sooner[2][0].start - now if sooner[2] else math.inf
                if len(sooner[2]) < len(drafts) and self._can_stop(pendulum, then, beside):
                    travel, stepper, drafts, standing = sooner
        if stepper.failed:
            notes += ("no ground for a foot on the way",)
        made = self._contacts(drafts, travel, urgent)
        stepping = {d.limb for d in drafts}
        ours = {id(c): limb for limb, c in latest.items()}
        kept = [
            stepper.schedule.kept(ours[id(c)], standing and ours[id(c)] not in stepping)
            if id(c) in ours
            else c
            for c in given
        ]
        rolled = [_leaving(gait, c, now, travel) for c in (*kept, *made)]
        everything = tuple(sorted(rolled, key=lambda c: (c.start, c.limb)))
        before = still(now) if self._sway is None and stepper.all_stand else self._sway
        self._sway = sway_of(gait, everything, now, command.sway, before)
        return self._sketch(travel, everything, command, standing, (*notes, *travel.notes))

    def _latest(self, now: float, state: PendulumState, given: Sequence[Contact]) -> Latest:
        """The last contact of each limb; one that ended a moment ago where none is known."""
        latest: Latest = {c.limb: c for c in given}
        missing = [limb for limb in range(self.gait.limbs) if limb not in latest]
        if missing:
            places = standing_places(self.gait, state.cart_w, state.yaw, 1.0)
            end = now - 0.1 * self.gait.time_scale
            start = end - 0.5 * self.gait.stride(0.0)
            for limb in missing:
                at = np.array([*places.xy[limb], 0.0])
                yaw, up = float(places.yaw[limb]), np.array([0.0, 0.0, 1.0])
                middle = 0.5 * (start + end)
                latest[limb] = Contact(
                    limb, start, start, end, end, middle, at, yaw, up, fixed=True
                )
        return latest

    def _way(self, state: PendulumState) -> float:
        """Direction in which a body moves, or looks when it hardly moves [rad]."""
        vx, vy = state.cart_velocity_w
        if math.hypot(vx, vy) < 0.1 * self.gait.pace:
            return state.yaw
        return state.yaw + wrapped(math.atan2(vy, vx) - state.yaw)

    def _anchor(
        self, now: float, pendulum: PendulumState, latest: Latest, yaw: float, width: float
    ) -> Anchor | None:
        """Where feet want the cart of a body that stops (2,) [m], and how far away that may be [m].

        Feet that stand keep it over them; a walker stops beside the foot that lands next, if it
        can.
        """
        resting = standing_places(self.gait, np.zeros(2), yaw, width)
        wished = {
            limb: c.position_w[:2] - resting.xy[limb]
            for limb, c in latest.items()
            if abs(wrapped(c.yaw - float(resting.yaw[limb]))) <= NEAR_YAW
        }
        found = [wished[limb] for limb in wished if math.isinf(latest[limb].end)]
        if found:
            return np.mean(found, axis=0), ANCHOR * self.gait.scale
        newest = max(latest, key=lambda limb: latest[limb].start)
        lands = latest[newest].start - now
        if newest in wished and lands > 0 and self._can_stop(pendulum, lands, wished[newest]):
            return wished[newest], SHORTER * self.gait.scale
        return None

    def _can_stop(self, state: PendulumState, seconds: float, cart: np.ndarray) -> bool:
        """Whether a body on two legs can stop with its cart there, on a foot that lands in some
        seconds: its capture point is then not far beyond the foot."""
        falling = math.sqrt(self.body.height / GRAVITY)
        capture = state.cart_w + (seconds + falling) * state.cart_velocity_w
        speed = math.hypot(*state.cart_velocity_w)
        beyond = float((capture - cart) @ state.cart_velocity_w) / max(speed, 1e-6)
        return self.gait.limbs == 2 and beyond <= BRAKING * self.gait.leg_length

    def _travel(
        self,
        now: float,
        state: PendulumState,
        speed: float,
        turns: tuple[Turn, Turn],
        level: float | None,
        anchor: Anchor | None,
        hold: float,
    ) -> Travel:
        travel = self._traveller.plan(now, state, speed, *turns, level, hold=hold)
        if anchor is not None and travel.stops:
            centre, farthest = anchor
            if math.hypot(*(centre - travel.motion.cart_w[-1])) <= farthest:
                return self._traveller.plan(now, state, speed, *turns, level, centre)
        return travel

    def _freedom(self, rough: bool, urgent: bool) -> float:
        share = FREEDOM_URGENT if urgent else (FREEDOM_ROUGH if rough else FREEDOM)
        return share * self.gait.scale

    def _contacts(self, drafts: list[Draft], travel: Travel, urgent: bool) -> list[Contact]:
        if not drafts:
            return []
        gait = self.gait
        legs = [self.body.legs[d.limb] for d in drafts]
        xy, yaw = np.array([d.xy for d in drafts]), np.array([d.yaw for d in drafts])
        if travel.ground.rough:
            xy = nudged(self.terrain, legs, xy, yaw, NUDGE * gait.scale)
        positions, normals = footholds(self.terrain, legs, xy, yaw)
        freedom = self._freedom(travel.ground.rough, urgent)
        made = []
        for d, leg, position, normal in zip(drafts, legs, positions, normals, strict=True):
            contact = Contact(
                limb=d.limb,
                start=d.start,
                flat=d.start,
                heel_off=d.end,
                end=d.end,
                middle=d.middle,
                position_w=position,
                yaw=d.yaw,
                normal_w=normal,
                speed=d.speed,
                duty=d.duty,
                freedom=freedom,
            )
            made.append(_rolling(gait, contact, d) if len(leg.effectors) > 1 else contact)
        return made

    def _sketch(
        self,
        travel: Travel,
        contacts: tuple[Contact, ...],
        command: Command,
        standing: bool,
        notes: tuple[str, ...],
    ) -> Sketch:
        m, yaw, time = travel.motion, travel.yaw, travel.time
        sway, sway_rate = (self._sway or still(time[0])).at(time)
        left = np.column_stack([-np.sin(yaw), np.cos(yaw)])
        ahead = np.column_stack([np.cos(yaw), np.sin(yaw)])
        speeds = np.hypot(m.com_velocity_w[:, 0], m.com_velocity_w[:, 1])
        wished = np.clip(self.gait.lift(speeds) + command.height, *self._heights_allowed)
        height = travel.ground.height + self.body.height + wished
        if self._heights is not None:
            # What is seen of the ground changes from sketch to sketch; the body does not jump.
            off = float(np.interp(time[0], *self._heights)) - height[0]
            height = height + off * np.exp(-(time - time[0]) / (EASED * self.gait.time_scale))
        self._heights = (time, height)
        climb = np.gradient(height, time)
        com = np.column_stack([m.com_w + sway[:, None] * left, height])
        turning = -(sway * travel.yaw_rate)[:, None] * ahead
        velocity = np.column_stack([m.com_velocity_w + sway_rate[:, None] * left + turning, climb])
        pitch, roll = (m.lean * ahead).sum(1), -(m.lean * left).sum(1)
        pitch_rate = (m.lean_rate * ahead).sum(1) - roll * travel.yaw_rate
        roll_rate = -(m.lean_rate * left).sum(1) + pitch * travel.yaw_rate
        return Sketch(
            time=time,
            com_w=com,
            velocity_w=velocity,
            ypr=np.column_stack([yaw, pitch, roll]),
            ypr_rate=np.column_stack([travel.yaw_rate, pitch_rate, roll_rate]),
            cart_w=m.cart_w,
            cart_velocity_w=m.cart_velocity_w,
            lean=m.lean,
            lean_rate=m.lean_rate,
            contacts=contacts,
            standing=standing,
            notes=notes,
        )


def _allowed_heights(body: CentroidalBody) -> tuple[float, float]:
    """How far the centre of mass may be below and above its height at rest [m]."""
    slack = [
        leg.longest - (leg.hip_b[2] - leg.reference_b[2] - leg.ankle_height) for leg in body.legs
    ]
    return -LOWEST * body.leg_length, max(0.0, min(slack)) + TIPTOE * body.leg_length


def _rolling(gait: Gait, contact: Contact, d: Draft) -> Contact:
    """The contact of a sole that lands on its heel and leaves on its toe."""
    run = gait.running(d.duty)
    heel, toe = gait.phases(run)
    strike = gait.strike_angle(d.forward, run if d.forward > 0 else 0.0)
    seconds = d.seconds if math.isinf(d.end) else d.end - d.start
    flat = d.start + heel * seconds
    if math.isinf(d.end):
        return replace(contact, flat=flat, strike=strike)
    heel_off = max(d.end - toe * seconds, flat)
    push_off = gait.push_off_angle(d.forward, run if d.forward > 0 else 0.0)
    return replace(contact, flat=flat, heel_off=heel_off, strike=strike, push_off=push_off)


def _leaving(gait: Gait, contact: Contact, now: float, travel: Travel) -> Contact:
    """The contact with its heel down as long as the body is slow when the foot leaves.

    A body that brakes needs its heels; only one that goes on forward rolls over its toes.
    """
    if not math.isfinite(contact.end) or contact.push_off <= 0 or contact.heel_off <= now + LATEST:
        return contact
    velocity = [
        float(np.interp(contact.end, travel.time, v)) for v in travel.motion.com_velocity_w.T
    ]
    yaw = float(np.interp(contact.end, travel.time, travel.yaw))
    forward = max(0.0, velocity[0] * math.cos(yaw) + velocity[1] * math.sin(yaw))
    share = min(1.0, forward / gait.roll_speed)
    if share >= 1.0:
        return contact
    roll = (LEAST_ROLL + (1 - LEAST_ROLL) * share) * (contact.end - contact.heel_off)
    angle = min(contact.push_off, gait.push_off_angle(forward, gait.running(contact.duty)))
    angle = gait.rolled_within(roll, angle)
    return replace(contact, heel_off=contact.end - roll, push_off=angle)
