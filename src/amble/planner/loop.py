"""The closed loop: from one stage of a motion to the next (section 3.1).

The sketch begins where the last one is, corrected towards where the body really is; the plan begins
with the body's real state. A plan that fails is tried again along the `LADDER`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.plan.horizon import Start
from amble.plan.plan import Plan
from amble.plan.solve import Attempt, solve
from amble.plan.units import units_of
from amble.plan.weights import Limits, Weights
from amble.planner.release import kept, released
from amble.planner.stage import Stage
from amble.planner.strain import leaning, straining
from amble.sketch.command import Command
from amble.sketch.contact import Contact
from amble.sketch.ground import footholds
from amble.sketch.sketch import PendulumState, Sketch
from amble.sketch.sketcher import Sketcher

FOLLOWED = 0.15  # share of the body's deviation from the sketch that the next sketch takes over
CORRECTION = 0.25  # [units of speed] at which a foot in the air can be sent elsewhere
REMEMBERED = 3.0  # [units of time] for which contacts of the past are kept
COMMITTED = 0.15  # [units of time] before touchdown, after which a foothold is decided
TIMED = 0.8  # [units of time] before touchdown, after which its time is
RETRY = 0.3  # [units of time] until the next attempt when no plan was found
STANDING, LONGEST, SHORTEST_HORIZON = 5.0, 5.5, 1.5  # [units of time]
SOFTER_FREEDOM, DEEPER_SINK = 1.6, 0.45  # `Limits` of a plan that is tried again
STRETCH = 0.3  # `Limits` of a plan after a push
SHAKEN = 6.0  # [units of time] after a push, in which plans must not strain the body
URGENT_SPEED, URGENT_PLACE = 0.10, 0.06  # deviation from the sketch that calls for quick steps


@dataclass(frozen=True)
class Rung:
    """One way to try a plan."""

    name: str
    softer: bool = False  # follow the sketch less closely, and let footholds move further
    urgent: bool = False  # shorter strides, shorter contacts
    let_go: bool = False  # forces begin anew, and feet that would be left behind lift
    stay: float = 0.0  # [units of time] that feet on the ground stay longer
    wider: float = 1.0  # footholds may move this much further, and the body sink deeper
    turned_round: bool = False  # the foot that landed last steps first, to the side of a fall
    unhurried: bool = False  # strides of the gait, however far off the body is
    slower: float = 1.0  # share of the commanded speed
    longer: float = 1.0  # horizon


LADDER = (
    Rung(""),
    Rung("softer weights", softer=True),
    Rung("a longer horizon", softer=True, longer=1.3),
    Rung("quicker steps", softer=True, urgent=True),
    Rung("the other foot", softer=True, urgent=True, turned_round=True),
    Rung("other forces", softer=True, urgent=True, let_go=True),
    Rung("feet that stay", softer=True, let_go=True, stay=0.8, slower=0.3),
    Rung("long steps", softer=True, urgent=True, let_go=True, wider=1.5),
    Rung("slower", softer=True, urgent=True, let_go=True, wider=1.5, slower=0.5),
    Rung("a stop", softer=True, urgent=True, let_go=True, wider=1.5, slower=0.0),
    Rung("a slow stop", softer=True, unhurried=True, let_go=True, wider=2.5, slower=0.0),
)
"""Tried in this order, until a plan is found that does not lean far and, after a push, does not
strain the body; else the one that strains it least is taken. If none helps, the body goes on with
the plan it has, as long as that lasts, and tries again; when it has run out, it falls."""


class Loop:
    """Makes stages. Holds no state of its own, but what is true of the body and the ground."""

    def __init__(
        self,
        body: CentroidalBody,
        sketcher: Sketcher,
        weights: Weights | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.body, self.sketcher = body, sketcher
        self.weights, self.limits = weights or Weights(), limits or Limits()
        self._units = units_of(body)

    def first(self, command: Command, xy: tuple[float, float] = (0.0, 0.0)) -> Stage:
        """A body that stands, facing its heading."""
        pendulum, contacts = self.sketcher.start(xy, np.deg2rad(command.heading + command.facing))
        sketch = self.sketcher.sketch(0.0, pendulum, replace(command, speed=0.0), contacts)
        zero = np.zeros(3)
        start = Start(0.0, sketch.com_w[0], zero, sketch.ypr[0], zero)
        stage = self._plan(0.0, start, pendulum, replace(command, speed=0.0), contacts, False, None)
        return replace(stage, due=0.0)

    def next(self, stage: Stage, time: float, command: Command) -> Stage:
        """The stage that begins at `time`, with a command that may be new."""
        start = stage.start(time)
        pendulum, urgent = self._followed(stage, start)
        committed = self._committed(stage, time, urgent)
        return self._plan(time, start, pendulum, command, committed, urgent, stage)

    def _followed(self, stage: Stage, start: Start) -> tuple[PendulumState, bool]:
        """The pendulum drawn towards the body, and whether the body is far off (section 5.2)."""
        sketch, time = stage.sketch, start.time
        pendulum = sketch.pendulum(time)
        expected = [np.interp(time, sketch.time, column) for column in sketch.com_w.T]
        expected_v = [np.interp(time, sketch.time, column) for column in sketch.velocity_w.T]
        off = (start.com_w - expected)[:2]
        off_v = (start.velocity_w - expected_v)[:2]
        urgent = bool(
            np.linalg.norm(off_v) > URGENT_SPEED * self._units.speed
            or np.linalg.norm(off) > URGENT_PLACE * self._units.length
        )
        share = 1.0 if stage.trajectory is not None or urgent else FOLLOWED
        moved = replace(
            pendulum,
            cart_w=pendulum.cart_w + share * off,
            cart_velocity_w=pendulum.cart_velocity_w + share * off_v,
        )
        return moved, urgent

    def _committed(self, stage: Stage, time: float, urgent: bool) -> tuple[Contact, ...]:
        """Contacts that have begun or are about to, where the last plan put them.

        One that comes a little later keeps its time, if not its place; so does the landing of a
        body that flies or pushes off to fly: that time is in its speed already. When it is urgent,
        only what cannot be changed stays.
        """
        unit = self._units.time
        contacts = [c for c in stage.contacts if c.end > time - REMEMBERED * unit]
        standing = [c for c in contacts if c.holds(time)]
        leaves = max((c.end for c in standing), default=time)
        landing = min((c.start for c in contacts if c.start > time), default=np.inf)
        pushing_off = all(c.middle < time for c in standing) and leaves < landing
        timed = landing if pushing_off else time + (0.0 if urgent else TIMED * unit)
        fastest = CORRECTION * self._units.speed
        return tuple(
            replace(c, fixed=True)
            if c.start < time + COMMITTED * unit
            else replace(c, freedom=min(c.freedom, fastest * (c.start - time)))
            for c in contacts
            if c.start <= max(timed, time + COMMITTED * unit) + 1e-6
        )

    def _plan(
        self,
        time: float,
        start: Start,
        pendulum: PendulumState,
        command: Command,
        contacts: Sequence[Contact],
        urgent: bool,
        before: Stage | None,
    ) -> Stage:
        previous = None if before is None else before.plan
        pushed = -math.inf if before is None else before.pushed
        if urgent or (before is not None and before.trajectory is not None):
            pushed = time
        shaken = time - pushed < SHAKEN * self._units.time
        landings = {} if before is None else _landings(before, time)
        failures: list[str] = []
        found: Stage | None = None
        least = math.inf
        both_stand = len(self.body.legs) == 2 and all(
            any(c.limb == limb and c.holds(time) for c in contacts) for limb in (0, 1)
        )
        for rung in LADDER:
            if rung.turned_round and not both_stand:
                continue
            slower = replace(command, speed=rung.slower * command.speed)
            if before is not None:
                self.sketcher.memory = before.memory
            sketch = self.sketcher.sketch(
                *(time, pendulum, slower, contacts),
                urgent=rung.urgent or (urgent and not (rung.stay or rung.unhurried)),
                landings=landings,
                turned_round=rung.turned_round,
            )
            if rung.stay > 0:
                sketch = kept(sketch, start, rung.stay * self._units.time)
            elif rung.let_go:
                sketch = released(self.body, self.sketcher.gait, sketch, start)
            attempt = self._attempt(sketch, start, rung, previous, urgent or rung.urgent)
            if attempt.failure:
                failures.append(attempt.failure)
                continue
            strained = leaning(attempt.plan, start)
            if shaken:
                strained = straining(self.body, attempt.plan, sketch, start)
            if strained.value < least:
                least = strained.value
                plan = self._grounded(attempt.plan)
                memory = self.sketcher.memory
                found = Stage(time, self._due(plan, time), sketch, plan, memory)
                found = replace(found, rung=rung.name, pushed=pushed)
            if least <= 1.0:
                break
        if found is not None:
            return replace(found, failures=tuple(failures))
        if before is None:
            memory = self.sketcher.memory
            return Stage(
                *(time, time, sketch, attempt.plan, memory),
                failures=tuple(failures),
                fallen=failures[0],
            )
        retry = time + RETRY * self._units.time
        if before.plan.end > retry:
            same = replace(before, time=time, due=retry, failures=tuple(failures))
            return replace(same, rung="the plan before")
        return replace(before, time=time, due=np.inf, failures=tuple(failures), fallen=failures[0])

    def _attempt(
        self, sketch: Sketch, start: Start, rung: Rung, previous: Plan | None, urgent: bool
    ) -> Attempt:
        weights = self.weights.softer() if rung.softer else self.weights
        limits = replace(self.limits, freedom=SOFTER_FREEDOM) if rung.softer else self.limits
        if rung.wider > 1.0:
            limits = replace(limits, freedom=limits.freedom * rung.wider, sink=DEEPER_SINK)
        if urgent:
            limits = replace(limits, stretch=STRETCH)
        seconds = rung.longer * self._horizon(sketch)
        if rung.let_go:
            start = replace(start, cone=None)
        return solve(self.body, sketch, start, seconds, weights, limits, previous)

    def _horizon(self, sketch: Sketch) -> float:
        """One cycle: until every limb has stood in the middle of a new contact, and beyond the
        contact in which the next plan is due [s]."""
        now = float(sketch.time[0])
        new = sorted((c for c in sketch.contacts if not c.fixed), key=lambda c: c.middle)
        limbs, unit = len(self.body.legs), self._units.time
        if len(new) < limbs:
            return STANDING * unit
        end = new[limbs - 1].middle
        if math.isfinite(new[0].end):
            end = max(end, new[0].end + 0.5 * unit)
        return float(np.clip(end - now, SHORTEST_HORIZON * unit, LONGEST * unit))

    def _due(self, plan: Plan, time: float) -> float:
        """In the middle of the next contact (bipeds), or of the cycle (others)."""
        middles = sorted(c.middle for c in plan.contacts if not c.fixed and c.middle > time)
        unit = self._units.time
        if not middles:
            return time + 0.6 * STANDING * unit
        limbs = len(self.body.legs)
        due = middles[min((limbs - 1) // 2, len(middles) - 1)]
        return float(np.clip(due, time + RETRY * unit, 0.5 * (time + plan.end) + 0.3 * unit))

    def _grounded(self, plan: Plan) -> Plan:
        """The plan with its free footholds on the real ground instead of on planes near them."""
        free = [c for c in plan.contacts if not c.fixed and c.start < plan.end]
        if not free:
            return plan
        places, normals = footholds(
            self.sketcher.terrain,
            [self.body.legs[c.limb] for c in free],
            np.array([c.position_w[:2] for c in free]),
            np.array([c.yaw for c in free]),
        )
        real = {
            id(c): c.moved(place, normal)
            for c, place, normal in zip(free, places, normals, strict=True)
        }
        return replace(plan, contacts=tuple(real.get(id(c), c) for c in plan.contacts))


def _landings(stage: Stage, time: float) -> dict[int, float]:
    """When the limbs that are in the air at `time` were to land [s]."""
    standing = {c.limb for c in stage.contacts if c.holds(time)}
    found: dict[int, float] = {}
    for c in stage.contacts:
        if c.start > time and c.limb not in standing:
            found[c.limb] = min(c.start, found.get(c.limb, math.inf))
    return found
