"""Which footprints a body can take from where it stands, and why not the others."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from typing import NamedTuple

from amble.control.stepping.curves import Swing, bell_lift
from amble.control.stepping.footprints import (
    AS_DISTANCE_ASKS,
    FEET,
    Footprint,
    default_height,
    default_seconds,
    least_seconds,
)
from amble.control.walking.pendulum import Place
from amble.errors import InputError
from amble.geometry.polygons import ConvexPolygon
from amble.geometry.turns import wrapped
from amble.terrain.terrain import Terrain

# Lengths of a human; others go with size.
FARTHEST = 0.72  # of a leg's length, from one foot to the other: as far as the COM can sink
SPREAD = 1.3  # times as far as at rest is no farther than any leg reaches; hands stand wide
BRUSH = 0.006  # [m] by which feet that pass may seem to meet: they are round, their outlines not
MOST_CROSSED = 0.12  # [m] past the standing foot to its other side
OUTWARD, INWARD = 85.0, 60.0  # [deg] of one foot against the other; hips turn by 45° each
HIGHEST = 0.30  # [m] up or down a step
STEEPEST = 25.0  # [deg] of the ground
UNEVEN = 0.02  # [m] of the ground under a sole
HIGHEST_LIFT = 0.35  # [m] over what is in the way
CLEARANCE = 0.015  # [m] of a foot over what is in the way
SAMPLES = 24  # places along the way that are looked at


class Foot(NamedTuple):
    """Where a foot stands."""

    place: Place  # [m] of its middle
    yaw: float  # [rad]
    ground: float  # [m]


class Shape(NamedTuple):
    """What of a body decides about its steps [m]."""

    size: float  # height of its COM; 1 for a human
    half_length: float  # of a sole
    half_width: float
    leg: float  # from hip to ankle when straight
    apart: float  # between the feet at rest


class Step(NamedTuple):
    """A footprint with everything decided."""

    footprint: Footprint
    foot: int  # 0 left, 1 right
    place: Place
    yaw: float  # [rad]
    ground: float  # [m] where it lands
    seconds: float  # of the whole step
    lift: float  # [m]


def planned_step(
    footprint: Footprint,
    feet: tuple[Foot, Foot],
    shape: Shape,
    terrain: Terrain,
    slack: float = 0.0,
) -> Step:
    """The step to a footprint; raises `InputError` with the reason where it cannot be taken.

    `slack` [m, for a human] is added to what legs can do, for feet that stand a little off.
    """
    index, size = footprint.index, shape.size
    moving, pivot = feet[index], feet[1 - index]
    _check_reach(footprint, pivot, shape, slack)
    sole = Foot(footprint.place, footprint.radians, 0.0)
    _check_ground(footprint, pivot, shape, terrain)
    less = 0.2 * slack * size
    sure = shape._replace(half_length=shape.half_length - less, half_width=shape.half_width - less)
    if _overlap(outline(sole, sure), outline(pivot, sure)):
        raise _refused(footprint, f"it is on the {FEET[1 - index]} foot, which stands there")
    if _through(footprint, moving, pivot, sure):
        raise _refused(footprint, "the way there leads through the standing leg")
    distance = abs(footprint.place - moving.place)
    seconds = footprint.seconds
    if seconds == AS_DISTANCE_ASKS:
        seconds = default_seconds(distance, abs(moving.place - pivot.place) / 2, size)
    least = least_seconds(distance, size)
    if seconds < least:
        way = f"{distance:.2f} m in {seconds:g} s is too fast"
        raise _refused(footprint, f"{way}; give {least:.2f} s or more")
    ground = float(terrain.height(footprint.x, footprint.y))
    step = Step(
        footprint, index, footprint.place, footprint.radians, ground, seconds,
        footprint.height or default_height(distance, size),
    )  # fmt: skip
    return _over_obstacles(step, moving, shape, terrain)


def check_sequence(
    footprints: Iterable[Footprint], feet: tuple[Foot, Foot], shape: Shape, terrain: Terrain
) -> None:
    """Raise `InputError` for the first footprint that cannot be taken after those before it."""
    standing = list(feet)
    for footprint in footprints:
        step = planned_step(footprint, (standing[0], standing[1]), shape, terrain)
        standing[step.foot] = Foot(step.place, step.yaw, step.ground)


def _check_reach(footprint: Footprint, pivot: Foot, shape: Shape, slack: float) -> None:
    size = shape.size
    farthest = max(FARTHEST * shape.leg, SPREAD * shape.apart)
    side = 1.0 if footprint.index == 0 else -1.0
    away = footprint.place - pivot.place
    if abs(away) > farthest + slack * size:
        far = f"{abs(away):.2f} m from the standing foot"
        raise _refused(footprint, f"out of reach, {far}; a step reaches {farthest:.2f} m")
    turn = math.degrees(side * wrapped(footprint.radians - pivot.yaw))
    more = 100 * slack
    if not -INWARD - more <= turn <= OUTWARD + more:
        how = "outward" if turn > 0 else "inward"
        most = OUTWARD if turn > 0 else INWARD
        raise _refused(footprint, f"turned {abs(turn):.0f}° {how}; hips turn by {most:.0f}°")
    # Past the standing foot as that sees it, and as the foot will see it that steps.
    crossed = max(
        -side * (away * cmath.rect(1.0, -yaw)).imag for yaw in (pivot.yaw, footprint.radians)
    )
    if crossed > (MOST_CROSSED + slack) * size:
        raise _refused(footprint, f"crosses over by {crossed:.2f} m, more than legs can")


def _check_ground(footprint: Footprint, pivot: Foot, shape: Shape, terrain: Terrain) -> None:
    size, here = shape.size, float(terrain.height(footprint.x, footprint.y))
    rise = here - pivot.ground
    if rise > HIGHEST * size:
        raise _refused(footprint, f"inside a wall: the ground there is {rise:.2f} m higher")
    if rise < -HIGHEST * size:
        raise _refused(footprint, f"no ground to step on: it is {-rise:.2f} m lower there")
    nx, ny, nz = (float(n) for n in terrain.normal(footprint.x, footprint.y).reshape(3))
    steep = math.degrees(math.acos(min(nz, 1.0)))
    if steep > STEEPEST:
        raise _refused(footprint, f"the ground is too steep there: {steep:.0f}°")
    for x, y in outline(Foot(footprint.place, footprint.radians, 0.0), shape):
        dx, dy = x - footprint.x, y - footprint.y
        plane = here - (nx * dx + ny * dy) / nz
        gap = float(terrain.height(x, y)) - plane
        if abs(gap) > UNEVEN * size:
            what = "inside a wall or an edge" if gap > 0 else "partly over an edge"
            raise _refused(footprint, f"{what}: the ground is {abs(gap):.2f} m off under the sole")


def _over_obstacles(step: Step, moving: Foot, shape: Shape, terrain: Terrain) -> Step:
    """The same step lifted over what is in the way, unless a height was asked for."""
    size, lift = shape.size, step.lift
    most = HIGHEST_LIFT * size if step.footprint.height == AS_DISTANCE_ASKS else lift
    while True:
        hit = _highest_hit(step._replace(lift=lift), moving, shape, terrain)
        if hit <= 0.0:
            return step._replace(lift=lift)
        if lift + hit > most:
            raise _refused(
                step.footprint, f"a wall is in the way: a foot would have to go {hit:.2f} m higher"
            )
        lift += max(hit, 0.01 * size)


def _highest_hit(step: Step, moving: Foot, shape: Shape, terrain: Terrain) -> float:
    """How far the path of the foot lies below what it should clear [m]."""
    swing = Swing(moving.place, step.place, moving.ground, step.ground, step.lift, 0.0, 1.0)
    worst, turn = 0.0, wrapped(step.yaw - moving.yaw)
    for k in range(1, SAMPLES):
        share = k / SAMPLES
        place, z = swing.place(share).place, swing.height(share)[0]
        ahead = cmath.rect(shape.half_length, moving.yaw + share * turn)
        clear = CLEARANCE * shape.size * bell_lift(share).value
        for spot in (place - ahead, place, place + ahead):
            worst = max(worst, float(terrain.height(spot.real, spot.imag)) + clear - z)
    return worst


def outline(foot: Foot, shape: Shape) -> list[tuple[float, float]]:
    """Corners of a sole [m]."""
    turn = cmath.rect(1.0, foot.yaw)
    corners = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    spots = [
        foot.place + turn * complex(a * shape.half_length, b * shape.half_width) for a, b in corners
    ]
    return [(spot.real, spot.imag) for spot in spots]


def _overlap(first: list[tuple[float, float]], second: list[tuple[float, float]]) -> bool:
    """Whether two convex outlines share a place: no edge of either separates them."""
    for one, other in ((first, second), (second, first)):
        polygon = ConvexPolygon(one)
        for (ax, ay), (bx, by) in zip(
            polygon.corners, [*polygon.corners[1:], polygon.corners[0]], strict=True
        ):
            nx, ny = by - ay, ax - bx
            if min(nx * (x - ax) + ny * (y - ay) for x, y in other) >= 0:
                return False
    return True


def _through(footprint: Footprint, moving: Foot, pivot: Foot, shape: Shape) -> bool:
    """Whether the foot would meet the standing one on its straight way, turning evenly."""
    less = BRUSH * shape.size
    slim = shape._replace(half_length=shape.half_length - less, half_width=shape.half_width - less)
    standing = outline(pivot, slim)
    turn = wrapped(footprint.radians - moving.yaw)
    for k in range(1, SAMPLES):
        share = k / SAMPLES
        place = moving.place + share * (footprint.place - moving.place)
        if _overlap(outline(Foot(place, moving.yaw + share * turn, 0.0), slim), standing):
            return True
    return False


def _refused(footprint: Footprint, reason: str) -> InputError:
    return InputError(f"footprint {footprint}: {reason}")
