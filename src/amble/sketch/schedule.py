"""Schedule: from middles of contacts to touchdowns and lift-offs that fit together (C.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from amble.sketch.contact import Contact
from amble.sketch.gait import Gait

SOONEST = 0.05  # [s] before which no new contact starts
HASTEN = 0.6  # share of its remaining time in the air that a foot needs to land after all
CHANGE = 0.1  # [s] ahead of which the end of a contact under way stays as it is
LINGER = 0.02  # [s] ahead of which a foot can be told to stay a moment longer
OVERLAP = 0.04  # [s] that both feet of a walk are down, at least
FIRST_SWING = 0.38  # [s · √(L / 0.925 m)] of a foot that stood: the body is already falling
HASTE = 0.7  # of the shortest swing, after a push
SWING_SPEED = 1.0  # of √(g L): greatest mean speed of a foot through the air past a body at rest
CUT_OVERLAP = 0.045  # [s] the same after a push
CUT_SOONEST = 0.06  # [s] in which a foot can lift after a push


@dataclass
class Draft:
    """A contact being made."""

    limb: int
    middle: float  # [s]
    seconds: float  # [s] wished on the ground
    stride: float  # [s] of the limb
    xy: np.ndarray  # (2,) of the reference point [m]
    yaw: float  # [rad]
    speed: float  # [m/s] of the body
    forward: float  # [m/s] the part of it along the facing
    stays: bool = False
    start: float = 0.0  # [s]
    end: float = 0.0  # [s]

    @property
    def duty(self) -> float:
        """Share of the stride on the ground."""
        return min(1.0, self.seconds / self.stride)

    @property
    def swing(self) -> float:
        """Wished time in the air before it [s]."""
        return self.stride - self.seconds


Latest = dict[int, Contact]


class Schedule:
    """Fits drafts, in the order of their middles, to the latest contacts of the limbs."""

    def __init__(
        self,
        now: float,
        gait: Gait,
        latest: Latest,
        urgent: bool,
        delay: float,
        rolls: tuple[bool, ...],
        stands: tuple[bool, ...],
        landings: Mapping[int, float],
        turned_round: bool = False,
    ) -> None:
        self.landings = landings  # when feet in the air were to land until now [s]
        self.turned_round = turned_round  # whether the foot that landed last leaves first
        self.stands = stands  # whether each limb's latest contact lasts until further notice
        self.rolls = rolls  # whether each limb's foot has a heel and a toe
        self.now, self.gait, self.urgent, self.delay = now, gait, urgent, delay
        self.shortest_swing = gait.shortest_swing * (HASTE if urgent else 1.0)
        self.ends = {limb: math.inf if stands[limb] else c.end for limb, c in latest.items()}
        self.latest = latest

    def lift(self, limb: int) -> float:
        """The earliest time at which the limb's latest contact can end [s]."""
        c = self.latest[limb]
        if self.stands[limb]:
            return max(self.now, c.start) + self.delay
        if self.urgent and c.start < self.now < c.end:
            return min(c.end, max(self.now + CUT_SOONEST, c.start + self.gait.shortest_contact))
        return c.end

    def soonest(self, limb: int) -> float:
        """The earliest time at which the limb can land [s]: a foot in the air needs some of the
        time that it was to have."""
        left = self.landings.get(limb, self.now) - self.now
        share = HASTEN * (HASTE if self.urgent else 1.0)
        return self.now + max(SOONEST, share * left)

    def fit(self, drafts: list[Draft]) -> None:
        """Set start and end of every draft, and the ends of the contacts before them."""
        for d in drafts:
            d.start, d.end = d.middle - 0.5 * d.seconds, d.middle + 0.5 * d.seconds
        previous: dict[int, Draft] = {}
        for k, d in enumerate(drafts):
            if d.limb not in previous:
                landed = [b.start for b in drafts[:k] if b.middle < d.middle - 1e-9]
                self._leave(d, max(landed, default=-math.inf))
            else:
                self._after(d, previous[d.limb])
            previous[d.limb] = d
        for d in previous.values():
            if d.stays:
                d.end = math.inf
        if self.urgent:
            self._cut(drafts)
        if self.gait.limbs == 2:
            self._cover(drafts)

    def _swing(self, d: Draft, xy: np.ndarray) -> float:
        """Time that a foot needs from `xy` to where it lands [s]."""
        fastest = SWING_SPEED * self.gait.pace / (HASTE if self.urgent else 1.0) + 2.0 * d.speed
        return max(self.shortest_swing, math.hypot(*(d.xy - xy)) / fastest)

    def _after(self, d: Draft, before: Draft) -> None:
        """Room for a swing between two new contacts of a limb."""
        swing = self._swing(d, before.xy)
        most = max(d.start - swing, before.start + 0.6 * before.seconds)
        before.end = min(before.end, most)
        self._start_after(d, before.end + swing)

    def _leave(self, d: Draft, landed: float) -> None:
        """The end of a limb's latest contact, and room for a swing after it.

        A foot that stood until further notice leaves only when the one before it has `landed`:
        a body at rest has no speed to fly with.
        """
        end = self.ends[d.limb]
        swing = self._swing(d, self.latest[d.limb].position_w[:2])
        lift = self.lift(d.limb)
        if math.isinf(end):
            lift = max(lift, landed + OVERLAP)
        self._start_after(d, max(self.soonest(d.limb), lift + swing))
        if math.isinf(end) or end > d.start - swing:
            wished = d.start - max(swing, min(d.swing, FIRST_SWING * self.gait.time_scale))
            self.ends[d.limb] = min(max(wished, lift), d.start - swing)

    def _start_after(self, d: Draft, earliest: float) -> None:
        if d.start < earliest:
            d.start = earliest
            d.end = max(d.end, d.start + max(self.gait.shortest_contact, 0.55 * d.seconds))

    def _cut(self, drafts: list[Draft]) -> None:
        """After a push the foot on the ground leaves soon after the next one is there."""
        for limb, c in self.latest.items():
            nearest = min((d.start for d in drafts if d.limb != limb), default=math.inf)
            own = min((d.start for d in drafts if d.limb == limb), default=math.inf)
            if not (c.start <= self.now < c.end) or not math.isfinite(own):
                continue
            if self._left_behind(limb):
                self.ends[limb] = min(self.ends[limb], self.now + CUT_SOONEST)
                continue
            wished = max(nearest + CUT_OVERLAP, self.now + CUT_SOONEST)
            if nearest < own and wished < self.ends[limb]:
                self.ends[limb] = wished

    def _left_behind(self, limb: int) -> bool:
        """Whether this is the hind foot of a biped that has landed on the other one already."""
        if self.gait.limbs != 2 or self.turned_round:
            return False
        own, other = self.latest[limb], self.latest[1 - limb]
        lasts = self.ends[1 - limb] > self.now + CUT_SOONEST
        return not self.stands[limb] and own.start < other.start <= self.now and lasts

    def _walks(self, d: Draft) -> bool:
        """Whether a body at this speed keeps a foot on the ground."""
        usual = self.gait.stride(d.speed)
        duty = self.gait.contact_seconds(d.speed, usual) / usual
        return self.gait.running(max(duty, d.duty)) < 0.4

    def _cover(self, drafts: list[Draft]) -> None:
        """A walk has a foot on the ground at every moment."""
        swing = self.shortest_swing
        for k, d in enumerate(drafts):
            other = 1 - d.limb
            earlier = [b for b in drafts[:k] if b.limb == other]
            if not self._walks(d):
                continue
            need = d.start + OVERLAP
            if earlier:
                before = earlier[-1]
                before.end = max(before.end, need)
            else:
                c = self.latest[other]
                if self.ends[other] >= need:
                    continue
                if c.end > self.now + LINGER and c.start < d.start:
                    self.ends[other] = need
                else:  # too late to keep the other foot down: land sooner
                    floor = max(self.soonest(d.limb), self.ends[d.limb] + swing)
                    if d.limb in {b.limb for b in drafts[:k]}:
                        floor = d.start
                    d.start = max(min(d.start, self.ends[other] - OVERLAP), floor)
            following = next((b for b in drafts[k + 1 :] if b.limb == other), None)
            if following is not None:
                last = earlier[-1].end if earlier else self.ends[other]
                self._start_after(following, last + swing)

    def kept(self, limb: int, stays: bool) -> Contact:
        """The limb's latest contact with its end as it is now."""
        c = self.latest[limb]
        end = math.inf if stays else self.ends[limb]
        if end == c.end:
            return c
        if math.isinf(end):
            return replace(c, end=end, heel_off=end, push_off=0.0)
        return self._ending(c, end)

    def _ending(self, c: Contact, end: float) -> Contact:
        """The same contact with another lift-off; a heel that has lifted stays so."""
        if not self.rolls[c.limb]:
            return replace(c, end=end, heel_off=end)
        if c.heel_off <= self.now:
            angle = self.gait.rolled_within(end - c.heel_off, c.push_off)
            return replace(c, end=end, push_off=angle)
        _, toe = self.gait.phases(0.0)
        stance = c.seconds if math.isfinite(c.end) else self.gait.duty_slow * self.gait.stride(0.0)
        roll = c.end - c.heel_off if math.isfinite(c.heel_off) else toe * stance
        soonest = self.now + min(CHANGE, 0.5 * (end - self.now))
        heel_off = max(end - roll, min(soonest, end), c.flat)
        angle = c.push_off
        if math.isinf(c.end):
            angle = self.gait.push_off_angle(0.4 * self.gait.roll_speed, 0.0)
        heel_off = min(heel_off, end)
        angle = self.gait.rolled_within(end - heel_off, angle)
        return replace(c, end=end, heel_off=heel_off, push_off=angle)
