"""Feet: where every foot of a body is, frame by frame, while contacts change under it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter

import numpy as np

from amble.characters.centroidal import CentroidalBody, Leg
from amble.geometry.splines import polynomial, quintic_coefficients
from amble.plan.plan import BodyState
from amble.pose.swing import (
    ROLLS,
    Stance,
    Swing,
    SwingShape,
    held_up,
    sole_corners,
    turn_between,
    turned,
    within_reach,
)
from amble.sketch.contact import Contact, Sole
from amble.terrain.terrain import Terrain

STANCE_SETTLES = 0.1  # [s] in which a standing foot takes up a change
SHORTEST_CHANGE = 0.04  # [s]
DIFFERENCE = 1e-3  # [s]
ROLLING_BUMP, FLAT_BUMP = 0.06, 0.10  # height of a swing, of the leg's length
# A quintic that begins with a rate or an acceleration overshoots by these shares of it, times its
# duration once or twice; a foot turns by no more than this on its way to another path.
RATE_OVERSHOOTS, ACCELERATION_OVERSHOOTS, MOST_OVERSHOOT = 0.20, 0.0173, 0.5  # …, …, [rad]
UNCHANGED = 1e-9  # [m], [rad]


@dataclass(frozen=True)
class FootState:
    """A foot at one frame."""

    sole: Sole
    standing: bool
    load: float  # 1 standing, 0 in the air, smooth between
    ground_ankle_w: np.ndarray  # (3,) ankle at the nearest moment on the ground [m]
    until_ground: float  # [s] until then, negative after it, 0 while standing
    pivot: float  # [m] along the foot: what it turns about then, heel or toe

    def at(self, sole: Sole) -> FootState:
        """The same foot elsewhere."""
        return FootState(
            sole, self.standing, self.load, self.ground_ankle_w, self.until_ground, self.pivot
        )

    def raised(self, height: float) -> FootState:
        """The same foot, some metres higher."""
        return self.at(Sole(self.sole.position_w + np.array([0.0, 0.0, height]), self.sole.R_w))


@dataclass(frozen=True)
class _Change:
    """What is left of an old path: a quintic that fades to nothing.

    The place is that of the foot's pivot: a foot that stands on its toe turns about it.
    """

    start: float  # [s]
    seconds: float
    pivot: float  # [m] along the foot
    coefficients: tuple[np.ndarray, ...]  # six of (6,): place [m] and rotation vector [rad]

    def applied(self, sole: Sole, time: float) -> Sole:
        """The foot of the new path, as far from it as is left."""
        if time >= self.start + self.seconds:
            return sole
        left = polynomial((time - self.start) / self.seconds, self.coefficients)
        R = turned(sole.R_w, left[3:])
        back = self.pivot * (sole.R_w[:, 0] - R[:, 0])
        return Sole(sole.position_w + left[:3] + back, R)


@dataclass(frozen=True)
class _Course:
    """The contact a foot is in or has left, the one it goes to, and the way between them."""

    now: Contact | None
    then: Contact | None
    swing: Swing | None
    stance: Stance | None
    # The last contacts found to mean this course: a new plan often says the same in new objects.
    _seen: list[Contact | None] = field(default_factory=lambda: [None, None])

    def means(self, now: Contact | None, then: Contact | None) -> bool:
        """Whether these contacts ask for this same course."""
        seen = self._seen
        if now is seen[0] and then is seen[1] and now is not None:
            return True
        if not (_same(now, self.now) and _same(then, self.then)):
            return False
        seen[:] = now, then
        return True

    def sole(self, time: float, leg: Leg, hip_w: np.ndarray) -> Sole:
        if self.swing is not None and self.now is not None and time > self.now.end:
            return self.swing.sole(time, hip_w)
        if self.stance is None:
            return Sole(hip_w + leg.reference_b - leg.hip_b, np.eye(3))
        return self.stance.sole(time)

    def standing(self, time: float) -> bool:
        return self.now is not None and (time <= self.now.end or self.swing is None)

    def state(self, time: float, leg: Leg, sole: Sole) -> FootState:
        if self.swing is None or self.standing(time):
            heel = self.now is not None and self.now.strike > 0 and time < self.now.flat
            pivot = leg.effectors[0 if heel else -1]
            return FootState(sole, self.standing(time), 1.0, sole.ankle_w(leg), 0.0, pivot)
        swing = self.swing
        ankle_w, until = swing.nearest_end(time)
        pivot = leg.effectors[0 if until > 0 and swing.land.strike > 0 else -1]
        return FootState(sole, False, swing.load(time), ankle_w, until, pivot)


@dataclass(frozen=True)
class FootMemory:
    """All that a foot's path depends on besides the contacts."""

    time: float  # [s] of the last frame
    course: _Course
    change: _Change | None
    hip_w: np.ndarray  # (3,) at that frame


class Feet:
    """The paths of all feet of a body.

    When a contact that matters is moved or re-timed, the new path begins where the old one was,
    with its velocity and acceleration: the difference fades as a quintic until the foot lands.
    """

    def __init__(self, body: CentroidalBody, terrain: Terrain) -> None:
        self.body, self.terrain = body, terrain
        self._corners = [sole_corners(leg) for leg in body.legs]
        self._leg_length = body.leg_length
        self._limbs = range(len(body.legs))
        self._contacts: Sequence[Contact] | None = None
        self._by_limb: tuple[list[Contact], ...] = ()
        self.reset()

    def reset(self) -> None:
        """Forget the past."""
        self._memory: tuple[FootMemory | None, ...] = (None,) * len(self.body.legs)
        self._contacts = None

    def mark(self) -> tuple[FootMemory | None, ...]:
        """The memory of the paths, to be given back to `restore`."""
        return self._memory

    def restore(self, mark: tuple[FootMemory | None, ...]) -> None:
        """Go back to a `mark`."""
        self._memory, self._contacts = mark, None

    def at(
        self, time: float, state: BodyState, contacts: Sequence[Contact], hips_w: np.ndarray
    ) -> tuple[FootState, ...]:
        """Every foot at `time`; `hips_w` (legs, 3) [m] are where the hips are."""
        found, memory = [], []
        news = contacts is not self._contacts
        if news:
            self._contacts = contacts
            self._by_limb = tuple([c for c in contacts if c.limb == i] for i in self._limbs)
        for limb, leg in enumerate(self.body.legs):
            kept = self._advance(limb, leg, time, state, contacts, hips_w[limb], news)
            memory.append(kept)
            sole = _total(kept.course, kept.change, leg, time, hips_w[limb])
            found.append(kept.course.state(time, leg, sole))
        self._memory = tuple(memory)
        return tuple(found)

    def drawn_in(self, feet: Sequence[FootState], hips_w: np.ndarray) -> tuple[FootState, ...]:
        """The feet, those in the air within reach of their hips (legs, 3) and off the ground."""
        found = []
        for leg, foot, hip_w, corners in zip(
            self.body.legs, feet, hips_w, self._corners, strict=True
        ):
            if not foot.standing:
                sole = within_reach(foot.sole, leg, hip_w, foot.load)
                sole = held_up(sole, corners, self.terrain)
                if sole is not foot.sole:
                    foot = foot.at(sole)
            found.append(foot)
        return tuple(found)

    def _advance(
        self,
        limb: int,
        leg: Leg,
        time: float,
        state: BodyState,
        contacts: Sequence[Contact],
        hip_w: np.ndarray,
        news: bool,
    ) -> FootMemory:
        old, mine = self._memory[limb], self._by_limb[limb]
        if old is None:
            course = self._course(leg, time, mine, contacts, None, state)
            return FootMemory(time, course, None, hip_w)
        course, change = old.course, old.change
        if news:
            # First what they say of the last frame, which must agree with what was shown.
            course = self._course(leg, old.time, mine, contacts, old.course, state)
        if course is not old.course:
            change = self._carried_over(old, course, leg)
        # Then time goes on: paths of one course join smoothly.
        course = self._course(leg, time, mine, contacts, course, state)
        return FootMemory(time, course, change, hip_w)

    def _course(
        self,
        leg: Leg,
        time: float,
        mine: Sequence[Contact],
        contacts: Sequence[Contact],
        old: _Course | None,
        state: BodyState,
    ) -> _Course:
        """The course at `time`, which is `old` itself where nothing has changed."""
        now = then = None
        for contact in mine:
            if contact.start > time:
                then = contact
                break
            now = contact
        if old is not None:
            if now is None:
                now = old.now
            if old.means(now, then):
                return old
        swing = None
        if now is not None and then is not None and math.isfinite(now.end):
            length = self._leg_length
            walk = ROLLING_BUMP if now.push_off > ROLLS else FLAT_BUMP
            shape = SwingShape.between(now, then, length, walk)
            aside = self._aside(leg, now, then, contacts, state, shape.beside)
            swing = Swing(leg, now, then, shape, self.terrain, aside)
        stood = now or then
        return _Course(now, then, swing, Stance(stood, leg) if stood else None)

    def _aside(
        self,
        leg: Leg,
        lift: Contact,
        land: Contact,
        contacts: Sequence[Contact],
        state: BodyState,
        beside: float,
    ) -> np.ndarray:
        """How far the middle of a swing must keep to its own side of the planted foot (3,) [m]."""
        middle = 0.5 * (lift.end + land.start)
        left_w = np.array([-state.R_w[1, 0], state.R_w[0, 0], 0.0])
        left_w *= leg.side / max(math.hypot(left_w[0], left_w[1]), 1e-9)
        needed = 0.0
        for contact in contacts:
            other = self.body.legs[contact.limb]
            opposite = other.side == -leg.side and abs(other.hip_b[0] - leg.hip_b[0]) < 0.05
            if leg.side and opposite and contact.holds(middle):
                way = 0.5 * (lift.position_w + land.position_w) - contact.position_w
                needed = max(needed, beside - float(way @ left_w))
        # Beyond this the feet are meant to cross.
        return min(needed, 2 * beside) * left_w

    def _carried_over(self, old: FootMemory, course: _Course, leg: Leg) -> _Change | None:
        """The difference of the old path and the new course at the last frame, fading."""
        pivot = 0.0
        if course.standing(old.time):
            pivot = course.state(old.time, leg, course.sole(old.time, leg, old.hip_w)).pivot
        away = []
        for t in (old.time - DIFFERENCE, old.time, old.time + DIFFERENCE):
            before = _total(old.course, old.change, leg, t, old.hip_w)
            after = course.sole(t, leg, old.hip_w)
            turn = turn_between(after.R_w, before.R_w)
            place = before.position_w - after.position_w
            place = place + pivot * (before.R_w[:, 0] - after.R_w[:, 0])
            away.append(np.concatenate([place, turn]))
        if np.abs(away).max() < UNCHANGED:
            return None
        rate = (away[2] - away[0]) / (2 * DIFFERENCE)
        acceleration = (away[2] - 2 * away[1] + away[0]) / DIFFERENCE**2
        seconds = STANCE_SETTLES
        if not course.standing(old.time) and course.then is not None:
            seconds = max(course.then.start - old.time, SHORTEST_CHANGE)
        _calm(rate[3:], MOST_OVERSHOOT / (RATE_OVERSHOOTS * seconds))
        _calm(acceleration[3:], MOST_OVERSHOOT / (ACCELERATION_OVERSHOOTS * seconds**2))
        zero = np.zeros(6)
        c = quintic_coefficients(seconds, away[1], rate, acceleration, zero, zero, zero)
        return _Change(old.time, seconds, pivot, c)


def _total(
    course: _Course, change: _Change | None, leg: Leg, time: float, hip_w: np.ndarray
) -> Sole:
    sole = course.sole(time, leg, hip_w)
    return sole if change is None else change.applied(sole, time)


def _calm(vector: np.ndarray, most: float) -> None:
    """Shorten a vector to at most this length."""
    vector *= min(1.0, most / max(math.sqrt(vector @ vector), 1e-12))


_numbers = attrgetter(
    *(
        f.name
        for f in fields(Contact)
        if f.name not in ("limb", "position_w", "normal_w", "fixed", "freedom", "middle")
    )
)


def _same(a: Contact | None, b: Contact | None) -> bool:
    """Whether two contacts mean the same path."""
    if a is b:
        return True
    if a is None or b is None:
        return False
    return (
        _numbers(a) == _numbers(b)
        and a.position_w.tolist() == b.position_w.tolist()
        and a.normal_w.tolist() == b.normal_w.tolist()
    )
