"""Blueprint: a body described in words and figures, before it becomes an MJCF model.

Everything is said in the *anatomical posture*, in which all segment frames are parallel to the
world (x forward, y left, z up) and every joint angle is zero: so do anatomy books give positions
and ranges. The rest angles say how the body stands; the builder makes that the pose at zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from amble.characters.character import Limb

Vec3 = tuple[float, float, float]
Range = tuple[float, float]
ORIGIN: Vec3 = (0.0, 0.0, 0.0)
X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)

PALETTE: dict[str, Vec3] = {
    "skin": (0.87, 0.68, 0.56),
    "hair": (0.24, 0.16, 0.12),
    "shirt": (0.13, 0.47, 0.55),
    "trousers": (0.17, 0.21, 0.31),
    "shoe": (0.90, 0.89, 0.86),
    "rubber": (0.20, 0.20, 0.22),
    "white": (0.93, 0.93, 0.92),
    "grey": (0.55, 0.57, 0.60),
    "dark": (0.16, 0.17, 0.19),
    "black": (0.04, 0.04, 0.05),
    "red": (0.78, 0.16, 0.13),
    "orange": (0.93, 0.47, 0.13),
    "yellow": (0.98, 0.80, 0.30),
    "cream": (0.94, 0.88, 0.76),
    "pink": (0.90, 0.62, 0.58),
    "green": (0.36, 0.52, 0.27),
    "blue": (0.22, 0.42, 0.70),
    "brown": (0.42, 0.29, 0.20),
}


@dataclass(frozen=True)
class Shape:
    """A solid fixed to a segment; made by `capsule`, `cylinder`, `ellipsoid`, `sphere` or `box`.

    `size` follows MuJoCo: (radius, half length) of a capsule or cylinder, half axes or half edges
    otherwise [m]. `density` is relative to the segment's other shapes and 0 for decoration; `color`
    is a name of `PALETTE` or red, green, blue.
    """

    kind: Literal["capsule", "cylinder", "ellipsoid", "box"]
    center: Vec3  # [m]
    turn: Vec3  # rotation vector [deg]
    size: tuple[float, ...]
    color: str | Vec3 = "grey"
    density: float = 1.0
    collides: bool = True

    @property
    def volume(self) -> float:
        """[m³]"""
        if self.kind == "box":
            return 8 * math.prod(self.size)
        if self.kind == "ellipsoid":
            return 4 / 3 * math.pi * math.prod(self.size)
        radius, half = self.size
        caps = 4 / 3 * math.pi * radius**3 if self.kind == "capsule" else 0.0
        return 2 * math.pi * radius**2 * half + caps

    def mirrored(self) -> Shape:
        return replace(self, center=mirror_vector(self.center), turn=mirror_axis(self.turn))

    def moved(self, by: Vec3) -> Shape:
        x, y, z = self.center
        return replace(self, center=(x + by[0], y + by[1], z + by[2]))


def capsule(
    start: Vec3,
    end: Vec3,
    radius: float,
    color: str | Vec3 = "grey",
    density: float = 1.0,
    collides: bool = True,
) -> Shape:
    """A rod with round ends; `start` and `end` are the centres of the two half spheres."""
    return _rod("capsule", start, end, radius, color, density, collides)


def cylinder(
    start: Vec3,
    end: Vec3,
    radius: float,
    color: str | Vec3 = "grey",
    density: float = 1.0,
    collides: bool = True,
) -> Shape:
    """A rod with flat ends."""
    return _rod("cylinder", start, end, radius, color, density, collides)


def ellipsoid(
    center: Vec3,
    radii: Vec3,
    color: str | Vec3 = "grey",
    turn: Vec3 = ORIGIN,
    density: float = 1.0,
    collides: bool = True,
) -> Shape:
    """An ellipsoid with half axes `radii`, turned by the rotation vector `turn` [deg]."""
    return Shape("ellipsoid", center, turn, radii, color, density, collides)


def sphere(
    center: Vec3,
    radius: float,
    color: str | Vec3 = "grey",
    density: float = 1.0,
    collides: bool = True,
) -> Shape:
    return Shape("ellipsoid", center, ORIGIN, (radius, radius, radius), color, density, collides)


def box(
    center: Vec3,
    half: Vec3,
    color: str | Vec3 = "grey",
    turn: Vec3 = ORIGIN,
    density: float = 1.0,
    collides: bool = True,
) -> Shape:
    """A box with half edges `half`, turned by the rotation vector `turn` [deg]."""
    return Shape("box", center, turn, half, color, density, collides)


@dataclass(frozen=True)
class Hinge:
    """One axis. `range` and `rest` are anatomical angles [deg].

    `torque` is the largest [N m], 0 without a motor. `suffix` tells the hinges of one joint apart:
    the ankle's "y" and "x".
    """

    axis: Vec3
    range: Range
    torque: float
    rest: float = 0.0
    suffix: str = ""

    def mirrored(self) -> Hinge:
        return replace(self, axis=mirror_axis(self.axis))


@dataclass(frozen=True)
class Ball:
    """Three axes at once; `x`, `y`, `z` are ranges of the rotation vector's components [deg]."""

    x: Range
    y: Range
    z: Range
    torque: float
    rest: Vec3 = ORIGIN  # rotation vector [deg]

    def mirrored(self) -> Ball:
        flip_x, flip_z = (-self.x[1], -self.x[0]), (-self.z[1], -self.z[0])
        return replace(self, x=flip_x, z=flip_z, rest=mirror_axis(self.rest))


@dataclass(frozen=True)
class Inertia:
    """Explicit centre of mass [m] and radii of gyration about it, along x, y, z [m]."""

    com: Vec3
    gyration: Vec3

    def mirrored(self) -> Inertia:
        return replace(self, com=mirror_vector(self.com))


@dataclass(frozen=True)
class Sole:
    """A flat foot: a rectangle that lies on the ground at rest.

    Measured in the rest pose from the segment's joint along the world's axes: `heel` and `toe` are
    x, `side` is y of the middle line, `depth` is how far the ground lies below the joint [m].
    """

    heel: float
    toe: float
    width: float
    depth: float
    side: float = 0.0

    def mirrored(self) -> Sole:
        return replace(self, side=-self.side)


@dataclass(frozen=True)
class Edge:
    """A narrow foot that can roll sideways: a rod of `radius`, touching at its heel and its toe.

    Measured like a `Sole`; for legs without a joint that tilts the foot sideways.
    """

    heel: float
    toe: float
    radius: float
    depth: float
    side: float = 0.0

    def mirrored(self) -> Edge:
        return replace(self, side=-self.side)


@dataclass(frozen=True)
class Point:
    """A point foot: a sphere, `center` in the segment's frame [m], touching where it is lowest."""

    center: Vec3
    radius: float

    def mirrored(self) -> Point:
        return replace(self, center=mirror_vector(self.center))


@dataclass(frozen=True)
class Palm:
    """What grasps: four corners in the segment's frame [m]. Only the shapes collide."""

    corners: tuple[Vec3, Vec3, Vec3, Vec3]

    def mirrored(self) -> Palm:
        a, b, c, d = (mirror_vector(p) for p in self.corners)
        return Palm((b, a, d, c))


@dataclass(frozen=True)
class Segment:
    """A rigid part, hung on its parent by a joint at `at` (in the parent's frame [m]).

    `joint` is a `Ball`, a tuple of hinges (turned in order, the first nearest the parent), or
    empty: welded. Without `inertia`, shapes of uniform density give it (features section 9).
    """

    name: str
    parent: str  # "" for the root
    mass: float  # [kg]
    shapes: tuple[Shape, ...]
    at: Vec3 = ORIGIN
    joint: Ball | tuple[Hinge, ...] = ()
    joint_name: str = ""
    inertia: Inertia | None = None
    contact: Sole | Edge | Point | Palm | None = None

    def mirrored(self) -> Segment:
        """The same segment on the other side: left becomes right."""
        joint = self.joint
        return replace(
            self,
            name=_other_side(self.name),
            parent=_other_side(self.parent),
            joint_name=_other_side(self.joint_name),
            at=mirror_vector(self.at),
            shapes=tuple(shape.mirrored() for shape in self.shapes),
            joint=joint.mirrored()
            if isinstance(joint, Ball)
            else tuple(h.mirrored() for h in joint),
            inertia=self.inertia.mirrored() if self.inertia else None,
            contact=self.contact.mirrored() if self.contact else None,
        )


@dataclass(frozen=True)
class Blueprint:
    """A whole body at its usual size, which `height` [m] names; its mass is the segments' sum.

    Segments come parents first. End effectors follow the order of the limbs: legs first.
    """

    name: str
    height: float
    segments: tuple[Segment, ...]
    limbs: tuple[Limb, ...]
    source: str

    @property
    def mass(self) -> float:
        return sum(segment.mass for segment in self.segments)

    def recolored(self, colors: Mapping[str, str]) -> Blueprint:
        """The same body with some colours of `PALETTE` exchanged for others."""

        def paint(shape: Shape) -> Shape:
            return (
                replace(shape, color=colors.get(shape.color, shape.color))
                if isinstance(shape.color, str)
                else shape
            )

        segments = (replace(s, shapes=tuple(map(paint, s.shapes))) for s in self.segments)
        return replace(self, segments=tuple(segments))


def pair(*left: Segment) -> tuple[Segment, ...]:
    """The segments of a left limb, followed by their mirror images."""
    return left + tuple(segment.mirrored() for segment in left)


def mirror_vector(v: Vec3) -> Vec3:
    """A position or direction mirrored in the plane y = 0."""
    return (v[0], -v[1], v[2])


def mirror_axis(v: Vec3) -> Vec3:
    """A rotation axis or rotation vector mirrored in the plane y = 0 (a pseudovector)."""
    return (-v[0], v[1], -v[2])


def _other_side(name: str) -> str:
    return name.replace("left", "right")


def _rod(
    kind: Literal["capsule", "cylinder"],
    start: Vec3,
    end: Vec3,
    radius: float,
    color: str | Vec3,
    density: float,
    collides: bool,
) -> Shape:
    a, b = np.array(start), np.array(end)
    half = float(np.linalg.norm(b - a)) / 2
    # A rod has no direction: measured upwards it never has to be turned by more than 90°.
    along = (b - a) if b[2] >= a[2] else (a - b)
    axis = np.cross([0.0, 0.0, 1.0], along)
    sine, cosine = np.linalg.norm(axis), along[2]
    turn = axis / sine * math.degrees(math.atan2(sine, cosine)) if sine > 0 else np.zeros(3)
    return Shape(kind, _vec3((a + b) / 2), _vec3(turn), (radius, half), color, density, collides)


def _vec3(v: np.ndarray) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))
