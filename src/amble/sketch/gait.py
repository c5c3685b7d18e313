"""Gait: how a body of a given size steps at a given speed (centroidal section 4.2, appendix C).

Every length, time and speed scales with the leg length L: times with √(L/g), speeds with √(g L).
The figures are those of a human with L = 0.925 m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY
from amble.errors import UnknownName

FASTEST_ROLL = 12.0  # [rad/s · √(0.925 m / L)] of a heel that lifts
HUMAN_LEG = 0.925  # [m]
WALK_TO_TROT = 0.33  # of √(g L): a Froude number v²/(g L) of 0.11
WALK_RISE = 0.5  # how far a walk lifts the centre of mass, relative to how far a run lowers it

Groups = tuple[tuple[int, ...], ...]
"""Limbs that land together, in the order in which they land."""


@dataclass(frozen=True)
class Gait:
    """What a body wishes of its steps. Seconds and metres are this body's own."""

    name: str
    leg_length: float  # [m]
    patterns: tuple[tuple[float, Groups], ...]  # up to which speed [m/s], in which order
    opposite: tuple[tuple[int, int], ...]  # limbs and their opposites (eq. 5)
    sides: tuple[int, ...]  # 1 left, −1 right, 0 middle
    rest_b: tuple[tuple[float, float], ...]  # of each foot's reference point, from the cart [m]
    stride_table: tuple[tuple[float, ...], tuple[float, ...]]  # speeds [m/s], strides [s]
    travel: float  # [m] that the body moves during a contact (appendix C.5)
    duty_slow: float  # greatest share of the stride on the ground
    duty_fast: float  # the same above `duty_speed`
    duty_speed: float  # [m/s]
    shortest_contact: float  # [s]
    shortest_swing: float  # [s]
    lift_delay: float  # [s] from a wish to the first lift of a standing foot
    strike: tuple[float, float]  # [rad] toe up at touchdown, walking and running
    push_off: tuple[float, float, float]  # [rad] heel up at lift-off: standing, walking, running
    roll_speed: float  # [m/s] at which a walk has its full strike and push-off
    toe_out: float  # [rad]
    nearest: float  # [m] of a foot beside another from the middle between them
    narrow: tuple[
        float, float
    ]  # sideways distance of the feet walking and running, of that at rest
    sway: float  # [m] sideways swing of the centre of mass
    sink: float  # [m] how far a run lowers the centre of mass
    fastest: float  # [m/s]
    fastest_sideways: float  # [m/s]
    fastest_backwards: float  # [m/s]
    acceleration: float  # [m/s²] greatest
    yaw_rate: float  # [rad/s] greatest mean rate of a turn
    yaw_step: float  # [rad] greatest angle between successive contacts of neighbours

    @property
    def limbs(self) -> int:
        """How many legs step."""
        return len(self.rest_b)

    @property
    def scale(self) -> float:
        """Lengths relative to a human's."""
        return self.leg_length / HUMAN_LEG

    @property
    def time_scale(self) -> float:
        """Times relative to a human's."""
        return math.sqrt(self.scale)

    @property
    def pace(self) -> float:
        """√(g L), the speed by which speeds scale [m/s]."""
        return math.sqrt(GRAVITY * self.leg_length)

    @property
    def sways(self) -> bool:
        """Only a body on two legs swings from one to the other."""
        return self.limbs == 2

    def groups(self, speed: float) -> Groups:
        """Which limbs land together, and in which order, at a speed [m/s]."""
        for limit, groups in self.patterns:
            if speed <= limit:
                return groups
        return self.patterns[-1][1]

    def stride(self, speed: float) -> float:
        """Wished time from one contact of a limb to its next, δ_stride [s] (eq. 1)."""
        return float(np.interp(speed, *self.stride_table))

    def contact_seconds(self, speed: float, stride: float) -> float:
        """Time on the ground [s]: the body moves a constant distance over a foot (C.5)."""
        most = (self.duty_slow if speed < self.duty_speed else self.duty_fast) * stride
        wished = self.travel / max(speed, 0.05)
        return max(min(wished, most), min(self.shortest_contact, most))

    def running(self, duty: float) -> float:
        """How much of a run it is: 0 a walk, 1 a run."""
        return min(max((0.56 - duty) / 0.14, 0.0), 1.0) if self.limbs == 2 else 0.0

    def strike_angle(self, speed: float, run: float) -> float:
        """How far the toe is up at touchdown [rad]."""
        walk, running = self.strike
        return walk * (1 - run) * min(1.0, max(speed, 0.0) / self.roll_speed) + running * run

    def push_off_angle(self, speed: float, run: float) -> float:
        """How far the heel is up at lift-off [rad]."""
        stand, walk, running = self.push_off
        share = min(1.0, max(speed, 0.0) / self.roll_speed)
        return (stand + (walk - stand) * share) * (1 - run) + running * run

    def rolled_within(self, seconds: float, angle: float) -> float:
        """As much of an angle [rad] as a heel lifts within some time [s]."""
        return min(angle, FASTEST_ROLL / self.time_scale * max(seconds, 0.0))

    def phases(self, run: float) -> tuple[float, float]:
        """Shares of a contact spent on the heel and with the heel lifted."""
        return 0.17 * (1 - run) + 0.10 * run, 0.52 * (1 - run) + 0.60 * run

    def offset(self, limb: int, run: float, width: float = 1.0) -> np.ndarray:
        """Foot offset transformation (C.1): the reference point from the cart, facing frame [m]."""
        x, y = self.rest_b[limb]
        walk, running = self.narrow
        return np.array([x, y * width * (walk * (1 - run) + running * run)])

    def resting(self, limb: int, width: float = 1.0) -> np.ndarray:
        """Where the foot stands when the body does, from the cart, facing frame (2,) [m]."""
        x, y = self.rest_b[limb]
        return np.array([x, self.sides[limb] * max(abs(y) * width, self.nearest)])

    def sway_amplitude(self, speed: float) -> float:
        """Sideways swing of the centre of mass [m]: less the faster the body moves."""
        calm = 1.5 * self.time_scale
        return self.sway * min(1.0, calm / max(speed, 1e-6)) if self.sways else 0.0

    def lift(self, speeds: np.ndarray) -> np.ndarray:
        """Height of the pendulum over the body's height at rest [m].

        A walk vaults over straight legs, and only their length brings the body down between steps,
        which gives its force two peaks; the longer steps of a run need bent legs.
        """
        paces = speeds / self.roll_speed
        return np.asarray(self.sink * np.interp(paces, (0.0, 1.0, 2.2), (0.0, WALK_RISE, -1.0)))


def gait_of(body: CentroidalBody, name: str = "") -> Gait:
    """The gait of any body, from its size and its legs.

    `name` chooses among the gaits of four legs: `walk`, `trot`, or by speed when it is empty.
    """
    allowed = {4: ("walk", "trot")}.get(
        len(body.legs), {1: ("hop",)}.get(len(body.legs), ("step",))
    )
    if name and name not in allowed:
        raise UnknownName("gait", name, allowed, where=f"character '{body.name}'")
    L = body.leg_length
    pace, second = math.sqrt(GRAVITY * L), math.sqrt(L / GRAVITY)
    human_pace, human_second = math.sqrt(GRAVITY * HUMAN_LEG), math.sqrt(HUMAN_LEG / GRAVITY)

    def speed(human: float) -> float:
        return human * pace / human_pace

    def seconds(human: float) -> float:
        return human * second / human_second

    scale = L / HUMAN_LEG
    patterns = _patterns(body, name, pace)
    strike, push_off = _roll(body)
    stepping = _stepping(len(body.legs), name, pace, second)
    fast = {1: 1.0, 2: 3.32, 4: 0.75 if name == "walk" else 1.6}.get(len(body.legs), 1.2) * pace
    return Gait(
        name=name or ("hop" if len(body.legs) == 1 else "by speed"),
        leg_length=L,
        patterns=patterns,
        opposite=_opposite(body),
        sides=tuple(leg.side for leg in body.legs),
        rest_b=_rest(body),
        stride_table=(
            tuple(speed(v) for v in (0, 0.5, 1.15, 2, 3, 5, 7, 10)),
            tuple(seconds(t) for t in (1.35, 1.3, 1.10, 0.84, 0.74, 0.66, 0.56, 0.48)),
        )
        if stepping is None
        else stepping[0],
        travel=0.81 * L if stepping is None else stepping[1],
        duty_slow=0.66 if stepping is None else stepping[2],
        duty_fast=0.63 if stepping is None else stepping[3],
        duty_speed=speed(1.2) if stepping is None else WALK_TO_TROT * pace,
        shortest_contact=seconds(0.10),
        shortest_swing=seconds(0.25),
        lift_delay=seconds(0.7 if len(body.legs) == 2 else 0.15),
        strike=strike,
        push_off=push_off,
        roll_speed=speed(1.1),
        toe_out=0.08 if len(body.legs) == 2 and all(leg.turns for leg in body.legs) else 0.0,
        nearest=(body.legs[0].half_width + 0.01 * scale) if len(body.legs) == 2 else 0.0,
        narrow=(0.74, 0.455) if len(body.legs) == 2 else (1.0, 1.0),
        sway=0.025 * scale,
        sink=0.018 * L * _straightness(body),
        fastest=fast,
        fastest_sideways=0.22 * pace,
        fastest_backwards=0.4 * pace,
        acceleration=(0.36 if len(body.legs) <= 2 else 0.2) * GRAVITY,
        yaw_rate=3.2 / (second / human_second) * (1.0 if len(body.legs) <= 2 else 0.18),
        yaw_step=math.radians(75.0 if len(body.legs) <= 2 else 40.0),
    )


def _stepping(
    legs: int, name: str, pace: float, second: float
) -> tuple[tuple[tuple[float, ...], tuple[float, ...]], float, float, float] | None:
    """Strides over speeds, travel, slow and fast duty of bodies that are not on two legs."""
    L = pace * second
    if legs == 2:
        return None
    if legs == 1:
        return ((0.0, 1.0 * pace), (1.97 * second, 1.97 * second)), 1.0 * L, 0.58, 0.58
    walk = ((0.0, 0.2, 0.75), (4.2, 4.0, 3.5))
    trot = ((0.0, 0.9, 1.6), (3.1, 2.5, 2.0))
    speeds: tuple[float, ...]
    strides: tuple[float, ...]
    speeds, strides = trot if name != "walk" else walk
    if legs != 4:
        return (tuple(v * pace for v in walk[0]), tuple(t * second for t in walk[1])), L, 0.7, 0.7
    if name == "":
        speeds, strides = (0.0, 0.3, 0.36, 0.9, 1.6), (4.2, 3.9, 2.9, 2.5, 2.0)
    slow, fast = 0.55 if name == "trot" else 0.70, 0.70 if name == "walk" else 0.55
    table = tuple(v * pace for v in speeds), tuple(t * second for t in strides)
    return table, 1.2 * L, slow, fast


def _patterns(body: CentroidalBody, name: str, pace: float) -> tuple[tuple[float, Groups], ...]:
    """The order of footfalls; a body on four legs walks slowly and trots fast."""
    legs = range(len(body.legs))
    if len(body.legs) != 4:
        order = sorted(legs, key=lambda i: (body.legs[i].side < 0, -body.legs[i].reference_b[0]))
        left = [i for i in order if body.legs[i].side >= 0]
        right = [i for i in order if body.legs[i].side < 0]
        mixed: list[int] = []
        while left or right:
            mixed += [left.pop(0)] if left else []
            mixed += [right.pop()] if right else []
        return ((math.inf, tuple((i,) for i in mixed)),)
    hind, fore = _girdles(body)
    walk: Groups = ((hind[0],), (fore[0],), (hind[1],), (fore[1],))
    trot: Groups = ((fore[0], hind[1]), (fore[1], hind[0]))
    if name == "walk":
        return ((math.inf, walk),)
    if name == "trot":
        return ((math.inf, trot),)
    return ((WALK_TO_TROT * pace, walk), (math.inf, trot))


def _girdles(body: CentroidalBody) -> tuple[tuple[int, int], tuple[int, int]]:
    """(left, right) of the hind legs and of the forelegs of a body on four."""
    order = sorted(range(4), key=lambda i: body.legs[i].reference_b[0])
    pairs = []
    for pair in (order[:2], order[2:]):
        left, right = sorted(pair, key=lambda i: -body.legs[i].reference_b[1])
        pairs.append((left, right))
    return pairs[0], pairs[1]


def _opposite(body: CentroidalBody) -> tuple[tuple[int, int], ...]:
    if len(body.legs) == 4:
        pairs = list(_girdles(body))
    elif len(body.legs) == 2:
        pairs = [(0, 1)]
    else:
        pairs = []
    return tuple(p for a, b in pairs for p in ((a, b), (b, a)))


def _rest(body: CentroidalBody) -> tuple[tuple[float, float], ...]:
    """The cart is over the middle of the soles of one or two feet, and under the mass of more."""
    places = []
    for leg in body.legs:
        x = float(leg.reference_b[0])
        if len(body.legs) <= 2:
            x = -0.5 * (leg.effectors[0] + leg.effectors[-1])
        places.append((x, float(leg.reference_b[1])))
    return tuple(places)


def _roll(body: CentroidalBody) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Angles of heel strike and push-off: a human's, or less for other feet [rad]."""
    leg = body.legs[0]
    if len(leg.effectors) < 2:
        strike, push = (0.0, 0.0), (0.0, 0.0, 0.0)
    elif len(body.legs) == 1:
        strike, push = (0.0, 0.0), (5.0, 5.0, 5.0)
    elif leg.half_width == 0.0 and len(body.legs) == 2:  # an edge under a robot's foot
        strike, push = (5.0, 2.0), (5.0, 15.0, 15.0)
    elif len(body.legs) > 2:  # soles that lie flat
        strike, push = (0.0, 0.0), (3.0, 3.0, 3.0)
    else:
        strike, push = (18.0, 4.0), (7.0, 46.0, 32.0)
    a, b, c = (math.radians(angle) for angle in push)
    return (math.radians(strike[0]), math.radians(strike[1])), (a, b, c)


def _straightness(body: CentroidalBody) -> float:
    """1 for legs that are straight at rest, 0 for bent ones."""
    slack = min(
        leg.longest / float(leg.hip_b[2] - leg.reference_b[2] - leg.ankle_height)
        for leg in body.legs
    )
    return min(max((1.06 - slack) / 0.06, 0.0), 1.0)
