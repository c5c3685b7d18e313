"""Swing: the way of a foot through the air, from where it lifts off to where it lands next."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.centroidal import Leg
from amble.geometry.splines import smooth_step
from amble.geometry.turns import about_y
from amble.sketch.contact import Contact, Sole, roll_angle
from amble.terrain.terrain import Terrain

FADE = 0.5  # [s] in which lift-off and landing lose their grip on the path
FLANK = 0.35  # share of the swing in which a lift over obstacles grows, and fades
SAMPLES = np.linspace(0.04, 0.96, 14).tolist()  # shares of the swing at which to see the ground
ALLOWED_DEPTH = 0.002  # [m] a corner may dip in before the foot is held up
LATE = 0.22  # [s] after lift-off in which a foot hurries, before landing in which it waits
LEAD, LAG = 0.045, 0.05  # [s] of travel by which it does, lest the leg be too long
SAME_WAY = 1e-6  # [rad] a foot that turns less points the same way all the time
ROLLS = 0.1  # [rad] of push-off from which a foot counts as one that rolls
GROUND_BOUND = 0.025  # [s] after lift-off and before landing that belong to the ground
REACH_SOFTNESS = 0.005  # of the leg's longest reach
STRAIGHT = 0.03  # of the leg's length, short of which a knee's bend is told by its length
PLANTARFLEXION = 0.2  # [rad] of the foot against the shank, in the swing of a run
DIFFERENCE = 1e-3  # [s]


@dataclass(frozen=True)
class SwingShape:
    """How a body lifts its feet. Lengths are in metres."""

    walk: float  # height of the bump that a walking foot makes
    fold: float  # hip to ankle in the middle of a run's swing, at a standstill
    fold_rate: float  # by how much this shortens with speed [m per m/s]
    margin: float  # between sole and ground in the middle of the swing
    beside: float  # least distance from the planted foot, sideways
    run: float  # 0 walk … 1 run: how much the leg folds

    @classmethod
    def between(cls, lift: Contact, land: Contact, length: float, walk: float) -> SwingShape:
        """Of a leg of this `length` [m]; feet that roll fold their legs in a run."""
        rolls = lift.push_off > ROLLS
        run = min(max((0.56 - min(lift.duty, land.duty)) / 0.14, 0.0), 1.0) if rolls else 0.0
        return cls(
            walk=walk * length,
            fold=0.71 * length,
            fold_rate=0.026 * math.sqrt(length),
            margin=0.016 * length,
            beside=0.12 * length,
            run=run,
        )


class Stance:
    """`standing_sole` of one contact, which computes once what does not change."""

    def __init__(self, contact: Contact, leg: Leg) -> None:
        self.contact, self.leg = contact, leg
        self._flat = Sole(contact.position_w, contact.R_flat_w)

    def sole(self, time: float) -> Sole:
        """The foot at a time: on its heel, flat, or on its toe."""
        pitch = roll_angle(self.contact, time)
        if pitch == 0.0 or not math.isfinite(pitch):
            return self._flat
        R = self._flat.R_w
        pivot = self.leg.effectors[0] if pitch < 0 else self.leg.effectors[-1]
        moved = np.array([pivot * (1 - math.cos(pitch)), 0.0, pivot * math.sin(pitch)])
        return Sole(self._flat.position_w + R @ moved, R @ about_y(pitch))


class Swing:
    """A path with continuous velocity and acceleration between two contacts of one foot.

    Position and pitch are quintics that match the rolling foot at both ends: A + (B − A) s(u), and
    the ends' rates in quintic bases that have faded after `FADE`, which keeps long swings from
    overshooting. On top come bumps that vanish to second order at both ends.
    """

    def __init__(
        self,
        leg: Leg,
        lift: Contact,
        land: Contact,
        shape: SwingShape,
        terrain: Terrain,
        aside_w: np.ndarray | None = None,
    ) -> None:
        """`aside_w` (3,) [m] is how far to keep to the side at mid-swing."""
        self.leg, self.lift, self.land, self.shape, self.terrain = leg, lift, land, shape, terrain
        self.seconds = max(land.start - lift.end, 1e-3)
        start, end = _end(lift, leg, lift.end, -1), _end(land, leg, land.start, 1)
        self._fade = min(self.seconds, FADE)
        self._flat_R = lift.R_flat_w
        turn = turn_between(self._flat_R, land.R_flat_w)
        self._turn = math.sqrt(turn @ turn)
        self._axis = turn / max(self._turn, 1e-12)
        self._rise = float(land.position_w[2] - lift.position_w[2])
        travel = land.position_w - lift.position_w
        travel = travel / max(math.sqrt(travel @ travel), 1e-9)
        hurry = max(shape.run, 0.5) if lift.push_off > ROLLS else 0.0
        # What `_shares` multiply: rows of place [m] and pitch [rad].
        self._parts = np.zeros((10, 4))
        self._parts[0], self._parts[1] = start[0], end[0] - start[0]
        self._parts[2:4], self._parts[4:6] = start[1:], end[1:]
        if aside_w is not None:
            self._parts[6, :3] = aside_w
        self._parts[7, :3] = -shape.run * LAG * lift.speed * travel
        self._parts[8, :3] = hurry * LEAD * min(lift.speed, land.speed) * travel
        self._parts[9, 2] = 1.0
        self._skew = 0.35 * shape.run
        self._bump = shape.walk
        self._lift = 0.0
        self._corners = sole_corners(leg)
        self._ankle_lifts = Stance(lift, leg).sole(lift.end).ankle_w(leg)
        self._ankle_lands = Stance(land, leg).sole(land.start).ankle_w(leg)
        if shape.run > 0:
            base, _ = self._place(0.45)
            ground = max(lift.position_w[2], land.position_w[2])
            hips = leg.hip_b[2] - leg.reference_b[2]
            fold = max(shape.fold - shape.fold_rate * lift.speed, 1.1 * leg.shortest)
            folded = hips - fold - leg.ankle_height - (base[2] - ground - self._bump)
            self._bump += shape.run * max(folded - self._bump, 0.0)
        self._lift = self._needed_lift()

    def sole(self, time: float, hip_w: np.ndarray | None = None) -> Sole:
        """The foot at a time; with a hip, the foot of a folded leg hangs from its shank."""
        u = min(max((time - self.lift.end) / self.seconds, 0.0), 1.0)
        (position, pitch), flat = self._place(u), self._flat(u)
        if hip_w is not None and self.shape.run > 0:
            w = self.shape.run * _plateau(u)
            pitch += w * (self._shank_pitch(flat, position, pitch, hip_w) + PLANTARFLEXION - pitch)
        return Sole(position, flat @ about_y(pitch))

    def load(self, time: float) -> float:
        """How much the foot belongs to the ground: 1 at both ends, 0 between, smooth."""
        after, before = time - self.lift.end, self.land.start - time
        return 1 - smooth_step(after / GROUND_BOUND) * smooth_step(before / GROUND_BOUND)

    def nearest_end(self, time: float) -> tuple[np.ndarray, float]:
        """The ankle (3,) [m] at lift-off or landing, what is nearer, and the time until it [s]."""
        after, before = time - self.lift.end, self.land.start - time
        return (self._ankle_lands, before) if before < after else (self._ankle_lifts, -after)

    def _shares(self, u: float) -> tuple[float, ...]:
        """Of `_parts` in the foot's place and pitch, at the share u of the time."""
        T, h = self.seconds, self._fade
        first, last = min(u * T / h, 1.0), min((1 - u) * T / h, 1.0)
        s, bump = smooth_step(u), _bump(u)
        up = self._bump * bump * (1 + self._skew * (1 - 2 * u)) + self._lift * _plateau(u)
        # A step up rises early, a step down sinks late: the foot goes round the edge.
        if self._rise > 0:
            up += self._rise * (smooth_step(u / 0.6) - s)
        elif self._rise < 0:
            up += self._rise * (smooth_step((u - 0.4) / 0.6) - s)
        return (
            *(1.0, s, h * _rate_base(first), h * h * _acceleration_base(first)),
            *(-h * _rate_base(last), h * h * _acceleration_base(last), bump),
            *(_bump(min((1 - u) * T / LATE, 1.0)), _bump(min(u * T / LATE, 1.0)), up),
        )

    def _place(self, u: float) -> tuple[np.ndarray, float]:
        """Place (3,) [m] and pitch [rad] at the share u of the time."""
        found = np.array(self._shares(u)) @ self._parts
        return found[:3], float(found[3])

    def _flat(self, u: float) -> np.ndarray:
        """The ground's frame (3, 3) with x where the foot points; it turns the shortest way."""
        if self._turn < SAME_WAY:
            return self._flat_R
        return turned(self._flat_R, smooth_step(u) * self._turn * self._axis)

    def _shank_pitch(
        self, flat: np.ndarray, position: np.ndarray, pitch: float, hip_w: np.ndarray
    ) -> float:
        """Pitch of the shank of a leg with two equal segments [rad]."""
        height = self.leg.ankle_height
        away = position - hip_w
        x = float(away @ flat[:, 0]) + height * math.sin(pitch)
        z = float(away[2]) + height * math.cos(pitch)
        straight = self.leg.longest / 0.985
        # Of a straight leg the bend has no slope: its length stays a little away from that.
        short = soft_excess(1.0, math.hypot(x, z) / straight, STRAIGHT)
        half_knee = math.acos(1.0 - min(short, 1.0))
        return math.atan2(-x, -z) + half_knee

    def _needed_lift(self) -> float:
        """How much higher the path must be so that no corner of the sole meets the ground [m]."""
        places = np.array([self._shares(u) for u in SAMPLES]) @ self._parts
        pitch, x = places[:, 3:], self._corners[:, 0]
        turned_corners = np.empty((len(SAMPLES), len(x), 3))  # about y, by the pitch
        turned_corners[..., 0] = np.cos(pitch) * x
        turned_corners[..., 1] = self._corners[:, 1]
        turned_corners[..., 2] = -np.sin(pitch) * x
        if self._turn < SAME_WAY:
            p = turned_corners @ self._flat_R.T
        else:
            flats = np.array([self._flat(u) for u in SAMPLES])
            p = turned_corners @ flats.transpose(0, 2, 1)
        p += places[:, None, :3]  # (samples, corners, 3)
        lowest = (p[..., 2] - self.terrain.height(p[..., 0], p[..., 1])).min(axis=1)
        needed = (self.shape.margin * PARABOLA - lowest) / SAMPLED_LIFT
        return max(float(needed.max()), 0.0)


def within_reach(sole: Sole, leg: Leg, hip_w: np.ndarray, load: float) -> Sole:
    """The foot drawn towards its hip where the leg would be too long.

    By its `load` the foot belongs to the ground, and keeps what is too little to matter.
    """
    away = sole.ankle_w(leg) - hip_w
    distance = math.sqrt(away @ away)
    k = REACH_SOFTNESS * leg.longest
    if distance < leg.longest - 8 * k:
        return sole
    excess = soft_excess(distance, leg.longest, k)
    drawn = excess - load * min(excess, 2 * k)
    return Sole(sole.position_w - drawn / distance * away, sole.R_w)


def soft_excess(value: float, limit: float, softness: float) -> float:
    """max(0, value − limit), rounded off within a few `softness` of the limit."""
    beyond = (value - limit) / softness
    # Far beyond, the exponential would overflow and has long ceased to matter.
    return softness * (beyond if beyond > 40 else math.log1p(math.exp(beyond)))


def held_up(sole: Sole, corners: np.ndarray, terrain: Terrain) -> Sole:
    """The foot raised where one of its corners (n, 3) would be in the ground."""
    x, y, z = sole.R_w @ corners.T + sole.position_w[:, None]
    depth = float((terrain.height(x, y) - z).max())
    if depth <= ALLOWED_DEPTH:
        return sole
    return Sole(sole.position_w + np.array([0.0, 0.0, depth - ALLOWED_DEPTH]), sole.R_w)


def sole_corners(leg: Leg) -> np.ndarray:
    """Corners of the sole (n, 3) [m] from its reference point."""
    sides = (leg.half_width, -leg.half_width) if leg.half_width > 0 else (0.0,)
    return np.array([[x, y, 0.0] for x in leg.effectors for y in sides])


def turn_between(R: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The rotation vector (3,) [rad], in the frame R (3, 3), that takes it to the other."""
    quat, turn = np.empty(4), np.empty(3)
    mujoco.mju_mat2Quat(quat, (R.T @ other).ravel())
    mujoco.mju_quat2Vel(turn, quat, 1.0)
    return turn


def turned(R: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """R (3, 3) turned by a rotation vector (3,) [rad] in its own frame."""
    angle = math.sqrt(turn @ turn)
    if angle < 1e-12:
        return R
    quat, by = np.empty(4), np.empty(9)
    mujoco.mju_axisAngle2Quat(quat, turn / angle, angle)
    mujoco.mju_quat2Mat(by, quat)
    return np.asarray(R @ by.reshape(3, 3))


def _end(contact: Contact, leg: Leg, time: float, inwards: int) -> np.ndarray:
    """The rolling foot at touchdown or lift-off (3, 4): place under the ankle [m] and pitch [rad],
    their rates and accelerations, by differences from within the contact."""
    e = DIFFERENCE * inwards
    p = [roll_angle(contact, time + k * e) for k in range(4)]
    rate = (-11 * p[0] + 18 * p[1] - 9 * p[2] + 2 * p[3]) / (6 * e)
    acceleration = (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) / (e * e)
    pivot = leg.effectors[0] if p[0] < 0 else leg.effectors[-1]
    # Ry(θ)(r, 0, 0) = (r cos θ, 0, −r sin θ): the foot turns about its pivot.
    c, s = math.cos(p[0]), math.sin(p[0])
    along = np.array(
        [
            [pivot * (1 - c), 0.0, pivot * s],
            [pivot * s * rate, 0.0, pivot * c * rate],
            [
                pivot * (s * acceleration + c * rate * rate),
                0.0,
                pivot * (c * acceleration - s * rate * rate),
            ],
        ]
    )
    found = np.empty((3, 4))
    found[:, :3] = along @ contact.R_flat_w.T
    found[0, :3] += contact.position_w
    found[:, 3] = p[0], rate, acceleration
    return found


def _rate_base(u: float) -> float:
    """Quintic with rate 1 at 0, and nothing else at either end."""
    return u * (1 - u) ** 3 * (1 + 3 * u)


def _acceleration_base(u: float) -> float:
    """Quintic with acceleration 1 at 0, and nothing else at either end."""
    return 0.5 * u * u * (1 - u) ** 3


def _bump(u: float) -> float:
    """0 to second order at 0 and 1, and 1 between them."""
    return 64 * (u * (1 - u)) ** 3


def _plateau(u: float) -> float:
    """Smooth rise from 0 to 1 and back within the swing."""
    return smooth_step(u / FLANK) * smooth_step((1 - u) / FLANK)


# Of the samples: how much of a margin, and of a lift, each of them has.
PARABOLA = np.array([4 * u * (1 - u) for u in SAMPLES])
SAMPLED_LIFT = np.array([max(_plateau(u), 0.15) for u in SAMPLES])
