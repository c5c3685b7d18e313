"""Steps: which foot goes when and where, along a travel (centroidal section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY
from amble.geometry.turns import wrapped
from amble.sketch.footsteps import Objective, Past, Trace, Wish, solve
from amble.sketch.gait import Gait, Groups
from amble.sketch.obstacles import Obstacles
from amble.sketch.schedule import CHANGE, FIRST_SWING, Draft, Latest, Schedule
from amble.sketch.soles import sole_distance, sole_middle
from amble.sketch.travel import Travel
from amble.terrain.terrain import Terrain

CYCLES = 3  # contacts of each limb that are planned
NEAR = 0.04  # [m · L / 0.925 m] a foot this near its standing place is there
LOATH = 1.5  # a foot that stands already is moved only when it is this much farther off
NEAR_YAW = math.radians(10)
OWN_TURN = 1.6  # how far one limb may turn from contact to contact, of the angle between neighbours
ALIKE = math.radians(45)  # feet that point the same way within this can cross
CLEARANCE = 0.015  # [m · L / 0.925 m] between two feet
HURRY = 2.2  # of the speed of a usual walk: the strides of a body in an emergency
QUICKER = 0.7  # strides in an emergency, of the usual


@dataclass(frozen=True, eq=False)
class Standing:
    """Where feet stand when the body has come to rest."""

    xy: np.ndarray  # (n, 2) [m]
    yaw: np.ndarray  # (n,) [rad]

    def reached(
        self, gait: Gait, limb: int, xy: np.ndarray, yaw: float, slack: float = 1.0
    ) -> bool:
        """Whether a foot is there."""
        near = math.hypot(*(xy - self.xy[limb])) <= slack * NEAR * gait.scale
        return near and abs(wrapped(yaw - float(self.yaw[limb]))) <= NEAR_YAW


def standing_places(gait: Gait, cart_w: np.ndarray, yaw: float, width: float) -> Standing:
    """The feet of a body that stands with its cart at `cart_w`, facing `yaw`."""
    c, s = math.cos(yaw), math.sin(yaw)
    rest = np.array([gait.resting(limb, width) for limb in range(gait.limbs)])
    xy = cart_w + rest @ np.array([[c, s], [-s, c]])
    return Standing(xy, yaw + gait.toe_out * np.array(gait.sides, dtype=float))


class Stepper:
    """Plans the steps of one sketch."""

    def __init__(
        self,
        body: CentroidalBody,
        gait: Gait,
        terrain: Terrain,
        now: float,
        travel: Travel,
        latest: Latest,
        *,
        stride: float,
        width: float,
        urgent: bool,
        landings: Mapping[int, float],
        turned_round: bool = False,
    ) -> None:
        self.body, self.gait, self.terrain = body, gait, terrain
        self.now, self.travel, self.latest = now, travel, latest
        self.width, self.urgent, self.turned_round = width, urgent, turned_round
        m = travel.motion
        self.speeds = np.hypot(m.com_velocity_w[:, 0], m.com_velocity_w[:, 1])
        soon = slice(0, max(2, int(1.2 * gait.time_scale / (travel.time[1] - travel.time[0]))))
        self.speed = float(self.speeds[soon].mean())
        self.forward = m.com_velocity_w[:, 0] * np.cos(travel.yaw)
        self.forward = self.forward + m.com_velocity_w[:, 1] * np.sin(travel.yaw)
        turn = abs(float(travel.yaw[soon.stop - 1] - travel.yaw[0]))
        quick = QUICKER if urgent else 1.0 - 0.3 * min(1.0, turn / (0.8 * math.pi))
        aside = 1.0 - max(0.0, float(self.forward[soon].mean())) / max(self.speed, 0.05)
        quick *= 1.0 - 0.25 * min(1.0, self.speed / (0.2 * gait.roll_speed)) * max(0.0, aside)
        # Who hurries to catch a fall steps no slower than one who walks fast.
        pace = max(self.speed, HURRY * gait.roll_speed) if urgent else self.speed
        self.stride = gait.stride(pace) * stride * quick
        self.groups = gait.groups(self.speed)
        # No contact of a body that walks lasts a whole stride: such a foot stands.
        stands = tuple(
            math.isinf(latest[i].end) or latest[i].end > max(now, latest[i].start) + self.stride
            for i in range(gait.limbs)
        )
        self.stands = stands
        self.all_stand = all(stands) and all(c.start <= now for c in latest.values())
        delay = gait.lift_delay * (0.35 if urgent else 1.0)
        if not self.all_stand:
            delay = min(delay, CHANGE)
        rolls = tuple(len(leg.effectors) > 1 for leg in body.legs)
        self.schedule = Schedule(
            now, gait, latest, urgent, delay, rolls, stands, landings, turned_round
        )
        force = np.hypot(m.force[:, 0], m.force[:, 1]) / (body.mass * GRAVITY)
        rate = 1 / float(travel.time[1] - travel.time[0])
        impulse = np.concatenate([[0.0], np.cumsum(force[:-1])]) / rate
        self.trace = Trace(now, rate, m.cart_w, travel.yaw, travel.heading, impulse)
        self.samples = np.column_stack([m.cart_w, travel.yaw, self.speeds, self.forward])
        self.failed = 0

    def drafts(self) -> tuple[list[Draft], bool]:
        """Contacts to come, and whether the body then stands."""
        places = None
        if self.travel.stops:
            end = self.travel.motion.cart_w[-1]
            places = standing_places(self.gait, end, float(self.travel.yaw[-1]), self.width)
            if all(self._there(places, limb) for limb in range(self.gait.limbs)):
                return [], True
        order = self._order()
        times = self._times(order)
        made: list[Draft] = []
        placed = {limb: (c.position_w[:2], c.yaw) for limb, c in self.latest.items()}
        middles = dict(enumerate(self._middles()))
        there = [places is not None and self._there(places, i) for i in range(self.gait.limbs)]
        moved: set[int] = set()
        before: float | None = None
        skipped = 0.0
        for e, group in enumerate(order):
            if places is not None and all(there[i] for i in group):
                gap = float(times[e]) - (before if before is not None else self.now)
                skipped += max(0.0, gap) if made or not self.all_stand else 0.0
                continue
            middle = float(times[e]) - (skipped if self.gait.limbs > 2 else 0.0)
            before = middle
            for limb in group:
                d = self._draft(limb, middle, placed, middles, places)
                made.append(d)
                moved.add(limb)
                placed[limb], middles[limb] = (d.xy, d.yaw), middle
            if places is not None:
                for limb in group:
                    there[limb] = places.reached(self.gait, limb, *placed[limb])
                if all(there):
                    for limb in moved:
                        last = [d for d in made if d.limb == limb][-1]
                        last.stays = True
                    self.schedule.fit(made)
                    return made, True
        self.schedule.fit(made)
        return made, False

    def _there(self, places: Standing, limb: int) -> bool:
        """Whether the latest contact of a limb can be the one it stands on."""
        c = self.latest[limb]
        slack = LOATH if self.stands[limb] else 1.0
        return c.end > self.now + CHANGE and places.reached(
            self.gait, limb, c.position_w[:2], c.yaw, slack
        )

    def _order(self) -> Groups:
        """The groups to come, in order, for `CYCLES` cycles."""
        groups = self.groups
        n = len(groups)
        if self.all_stand:
            first = self._first()
        else:
            middles = self._middles()
            ages = [max(middles[limb] for limb in group) for group in groups]
            first = min(range(n), key=lambda g: (round(ages[g], 6), g))
        first += self.turned_round
        return tuple(groups[(first + k) % n] for k in range(n * CYCLES))

    def _middles(self) -> list[float]:
        """Middles of the latest contacts; of one that stood for long, as if it had not."""
        middles = []
        half = 0.5 * self.gait.contact_seconds(self.speed, self.stride)
        for limb in range(self.gait.limbs):
            c = self.latest[limb]
            end = self.schedule.lift(limb) if self.stands[limb] else c.end
            middles.append(max(c.middle, end - half) if c.seconds > self.stride else c.middle)
        return middles

    def _first(self) -> int:
        """The group that leaves a standing body first: on the side to which it goes or turns."""
        travel, gait = self.travel, self.gait
        k = min(len(travel.time) - 1, int(1.0 * gait.time_scale * self.trace.rate))
        gone = travel.motion.cart_w[k] - self._centre()
        yaw = float(travel.yaw[0])
        aside = float(-math.sin(yaw) * gone[0] + math.cos(yaw) * gone[1])
        turn = float(travel.yaw[-1] - travel.yaw[0])
        side = 1
        if abs(aside) > 0.06 * gait.leg_length:
            side = 1 if aside > 0 else -1
        elif abs(turn) > 1e-4:
            side = 1 if turn > 0 else -1
        leads = [gait.sides[max(group, key=lambda i: gait.rest_b[i][0])] for group in self.groups]
        return leads.index(side) if side in leads else 0

    def _centre(self) -> np.ndarray:
        """Where the cart of a body on these feet would be."""
        yaw = float(self.travel.yaw[0])
        c, s = math.cos(yaw), math.sin(yaw)
        rest = np.mean([self.gait.resting(i, self.width) for i in self.latest], axis=0)
        feet = np.mean([contact.position_w[:2] for contact in self.latest.values()], axis=0)
        return np.asarray(feet - np.array([c * rest[0] - s * rest[1], s * rest[0] + c * rest[1]]))

    def _times(self, order: Groups) -> np.ndarray:
        """Middles of the events [s]."""
        gait, n = self.gait, len(self.groups)
        contact = gait.contact_seconds(self.speed, self.stride)
        swing = max(self.stride - contact, self.schedule.shortest_swing)
        swing = min(swing, FIRST_SWING * gait.time_scale)
        step = self.stride / n
        earliest = np.full(len(order), -np.inf)
        for e in range(n):
            for limb in order[e]:
                lift = self.schedule.lift(limb)
                standing = self.stands[limb]
                start = lift + (swing if standing else self.schedule.shortest_swing)
                start = max(start, self.schedule.soonest(limb))
                # A foot that is late lands late in its contact: were its middle moved along with
                # `now`, a body that plans often would never land.
                share = 0.5 if standing else 0.2
                earliest[e] = max(earliest[e], start + share * contact)
        if self.all_stand:
            earliest[1:] = -np.inf
        middles = np.array(self._middles())
        if self.all_stand:
            base = earliest[0] - 0.9 * step
            for k in range(n):
                for limb in order[k]:
                    middles[limb] = base - (n - 1 - k) * step
        xy = np.array([self.latest[limb].position_w[:2] for limb in range(gait.limbs)])
        run = gait.running(contact / self.stride)
        offsets = np.array([gait.offset(i, run, self.width) for i in range(gait.limbs)])
        along = float(np.mean(self.speeds[: int(1.0 * gait.time_scale * self.trace.rate)]))
        wish = Wish(self.stride, along * self.stride / 2, earliest, offsets)
        objective = Objective(gait, order, n, self.trace, Past(middles, xy), wish)
        times = objective.times(solve(objective)[None])[0]
        if self.travel.ground.rough or not self.travel.ground.open.all():
            obstacles = Obstacles(
                *(self.body, gait, self.terrain, self.trace, self.travel.ground.level), offsets
            )
            times, self.failed = obstacles.clear(order, times, step)
        return times

    def _draft(
        self,
        limb: int,
        middle: float,
        placed: dict[int, tuple[np.ndarray, float]],
        middles: dict[int, float],
        places: Standing | None,
    ) -> Draft:
        """One contact: where the cart is in its middle, moved by the foot's offset (C.1)."""
        gait = self.gait
        x, y, body_yaw, speed, forward = self.trace.at(self.samples, middle).tolist()
        late = max(0.0, middle - float(self.travel.time[-1]))
        cart = np.array([x, y]) + late * self.travel.motion.cart_velocity_w[-1]
        own = middle - middles[limb]
        stride = min(max(own, 0.7 * self.stride), 1.3 * self.stride)
        # Legs reach less far to the side: over such a foot the body moves a shorter way.
        aside = math.sqrt(max(speed**2 - forward**2, 0.0))
        pace = max(math.hypot(forward, 1.6 * aside), 0.6 * speed)
        seconds = gait.contact_seconds(pace, stride)
        run = gait.running(seconds / stride)
        if places is not None:
            near = math.hypot(*(cart - self.travel.motion.cart_w[-1])) <= 0.3 * gait.leg_length
            target = float(places.yaw[limb])
            xy = places.xy[limb]
            free = np.array_equal(self._apart(limb, xy, body_yaw, target, placed), xy)
            if near and free and self._turned(limb, target, placed) == target:
                return Draft(limb, middle, seconds, stride, xy, target, speed, forward)
        c, s = math.cos(body_yaw), math.sin(body_yaw)
        x, y = gait.offset(limb, run, self.width)
        xy = cart + np.array([c * x - s * y, s * x + c * y])
        yaw = body_yaw + gait.sides[limb] * gait.toe_out * (1 - run)
        yaw = self._turned(limb, yaw, placed)
        xy = self._apart(limb, xy, body_yaw, yaw, placed)
        return Draft(limb, middle, seconds, stride, xy, yaw, speed, forward)

    def _turned(self, limb: int, yaw: float, placed: dict[int, tuple[np.ndarray, float]]) -> float:
        """The wished yaw of a foot, as far as hips can turn it from where the feet are."""
        most = self.gait.yaw_step
        own = placed[limb][1]
        own += 2 * math.pi * round((yaw - own) / (2 * math.pi)) if abs(yaw - own) > math.pi else 0.0
        low, high = own - OWN_TURN * most, own + OWN_TURN * most
        for other, opposite in self.gait.opposite:
            if other == limb:
                beside = placed[opposite][1]
                if abs(yaw - beside) > math.pi:
                    beside += 2 * math.pi * round((yaw - beside) / (2 * math.pi))
                low, high = max(low, beside - most), min(high, beside + most)
        if low > high:
            return own
        return min(max(yaw, low), high)

    def _apart(
        self,
        limb: int,
        xy: np.ndarray,
        body_yaw: float,
        yaw: float,
        placed: dict[int, tuple[np.ndarray, float]],
    ) -> np.ndarray:
        """Feet do not cross and do not tread on each other: a foot in the way moves outwards."""
        side = self.gait.sides[limb]
        outwards = side * np.array([-math.sin(body_yaw), math.cos(body_yaw)])
        ahead = np.array([math.cos(body_yaw), math.sin(body_yaw)])
        for other, opposite in self.gait.opposite:
            if other != limb:
                continue
            leg, beside = self.body.legs[limb], self.body.legs[opposite]
            least = leg.half_width + beside.half_width + CLEARANCE * self.gait.scale
            there, there_yaw = placed[opposite]
            d = xy - there
            # Far in front or behind the other foot there is nothing to run into.
            alike = abs(wrapped(yaw - there_yaw)) < ALIKE
            if alike and abs(float(d @ ahead)) < 0.3 * self.gait.leg_length:
                xy = xy + max(0.0, -float(d @ outwards)) * outwards
            for _ in range(3):
                lack = least - sole_distance(leg, xy, yaw, beside, there, there_yaw)
                if lack <= 0:
                    break
                away = sole_middle(leg, xy, yaw) - sole_middle(beside, there, there_yaw)
                direction = outwards + away / max(math.hypot(*away), 1e-6)
                size = math.hypot(*direction)
                xy = xy + lack * (direction / size if size > 0.3 else outwards)
        return xy
