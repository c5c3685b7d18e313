"""What a person looks like: the shapes of each segment, in the segment's frame.

A shape of density 0 is decoration: it is seen, and has neither mass nor contact.
"""

from __future__ import annotations

from amble.characters.anthropometry import Anthropometry
from amble.characters.blueprint import Shape, Vec3, capsule, ellipsoid

Shapes = tuple[Shape, ...]


def pelvis(a: Anthropometry) -> Shapes:
    hip, deep, high = a.hip_width / 2, a.chest_depth / 2, a.lumbar
    flank, r = _flank(a)
    seat = 0.46 * hip
    half: Shapes = (
        capsule((0, 0.50 * hip, -0.10 * high), (0, flank, 0.95 * high), 1.02 * r, "trousers"),
        ellipsoid((0, 0.42 * hip, 0.05 * high), (0.84 * deep, 0.57 * hip, 1.2 * high), "trousers"),
        ellipsoid((-0.34 * deep, seat, -0.2 * high), (0.70 * deep, seat, 0.9 * high), "trousers"),
    )
    middle = capsule((0, 0, 0.1 * high), (0, 0, 0.95 * high), 0.84 * deep, "trousers")
    return (middle, *_both(half))


def abdomen(a: Anthropometry) -> Shapes:
    deep, high = a.chest_depth / 2, a.thoracic - a.lumbar
    flank, r = _flank(a)
    half: Shapes = (capsule((0, flank, 0.02 * high), (0, flank, high), r, "shirt"),)
    middle = capsule((0, 0, 0.02 * high), (0, 0, high), 0.83 * deep, "shirt")
    return (middle, *_both(half))


def thorax(a: Anthropometry) -> Shapes:
    chest, deep, high = a.chest_width / 2, a.chest_depth / 2, a.neck - a.thoracic
    shoulder, side = a.shoulder - a.thoracic, a.shoulder_side
    flank, r = _flank(a)
    wide = chest - 0.92 * r
    middle: Shapes = (
        capsule((0, 0, 0), (0, 0, 0.55 * high), 0.83 * deep, "shirt"),
        ellipsoid((0.02 * deep, 0, 0.48 * high), (0.94 * deep, 0.98 * chest, 0.56 * high), "shirt"),
        capsule((0, 0, 0.80 * high), (0, 0, 0.93 * high), 0.19 * a.chest_width, "shirt"),
    )
    half: Shapes = (
        capsule((0, flank, 0), (0, wide, 0.60 * high), r, "shirt"),
        # Collar bone and trapezius: the slope from the neck to the shoulder.
        capsule(
            (0, 0.15 * side, 0.86 * high), (0, side, shoulder), 0.9 * a.upper_arm_radius, "shirt"
        ),
        ellipsoid((0, 0.40 * side, 0.62 * high), (0.86 * deep, 0.68 * side, 0.36 * high), "shirt"),
    )
    return (*middle, *_both(half))


def head(a: Anthropometry) -> Shapes:
    wide, long, high = a.head_width / 2, a.head_length / 2, a.head_height / 2
    middle = a.vertex - a.neck - high
    front = 0.15 * long  # the head sits a little before the neck

    def part(center: Vec3, radii: Vec3, color: str | Vec3, density: float = 0.0) -> Shape:
        """An ellipsoid in units of the head's half sizes, from its middle."""
        x, y, z = center
        at = (front + x * long, y * wide, middle + z * high)
        size = (radii[0] * long, radii[1] * wide, radii[2] * high)
        return ellipsoid(at, size, color, density=density, collides=density > 0)

    face: Shapes = (
        part((-0.04, 0, 0.24), (0.94, 1.00, 0.76), "skin", density=1.0),
        part((0.12, 0, -0.14), (0.82, 0.86, 0.86), "skin", density=1.0),
        part((0.94, 0, -0.12), (0.14, 0.13, 0.16), "skin"),
        part((-0.16, 0, 0.30), (0.92, 1.06, 0.74), "hair"),
        part((0.10, 0, 0.66), (0.82, 0.88, 0.38), "hair"),
        part((0.78, 0, -0.50), (0.08, 0.24, 0.025), (0.66, 0.38, 0.34)),
    )
    half: Shapes = (
        part((0.86, 0.36, 0.04), (0.07, 0.12, 0.075), "black"),
        part((0.84, 0.38, 0.20), (0.08, 0.22, 0.030), "hair"),
        part((-0.02, 1.00, -0.08), (0.17, 0.12, 0.23), "skin"),
    )
    base, top = (-0.1 * long, 0.0, -0.25 * high), (0.5 * front, 0.0, middle - 0.35 * high)
    neck = capsule(base, top, 0.16 * a.chest_width, "skin")
    return (*face, *_both(half), neck)


def thigh(a: Anthropometry) -> Shapes:
    r, long = a.thigh_radius, a.thigh
    return (
        capsule((0, 0, -0.05 * long), (0, 0, -long), 0.78 * r, "trousers"),
        ellipsoid((0.05 * r, 0, -0.28 * long), (1.10 * r, 1.04 * r, 0.52 * long), "trousers"),
        ellipsoid((0.03 * r, 0, -0.60 * long), (0.92 * r, 0.90 * r, 0.45 * long), "trousers"),
    )


def shank(a: Anthropometry) -> Shapes:
    r, long = a.shank_radius, a.shank
    return (
        capsule((0.02 * r, 0, 0), (0, 0, -0.93 * long), 0.74 * r, "trousers"),
        ellipsoid((-0.16 * r, 0, -0.28 * long), (1.04 * r, 1.03 * r, 0.38 * long), "trousers"),
        ellipsoid((0.22 * r, 0, 0), (0.88 * r, 0.96 * r, 1.15 * r), "trousers"),
        capsule((0, 0, -0.88 * long), (0, 0, -0.95 * long), 0.86 * r, "trousers"),
    )


def foot(a: Anthropometry) -> Shapes:
    heel, toe, half, low = -0.25 * a.foot, 0.75 * a.foot, a.foot_width / 2, -a.ankle
    ball = toe - half
    return (
        ellipsoid(
            (heel + 0.95 * half, 0, low + 0.75 * half),
            (0.95 * half, 0.84 * half, 0.75 * half),
            "shoe",
        ),
        ellipsoid(
            (0.10 * a.foot, 0, low + 0.85 * half), (0.33 * a.foot, 0.86 * half, 0.85 * half), "shoe"
        ),
        ellipsoid(
            (0.44 * a.foot, 0, low + 0.58 * half), (0.31 * a.foot, half, 0.58 * half), "shoe"
        ),
        capsule((0.0, 0, low + 1.4 * half), (0, 0, low + 1.8 * half), 0.72 * half, "shoe"),
        # The outsole: two flat pads that show below the upper.
        ellipsoid(
            (heel + 0.16 * a.foot, 0, low + 0.18 * half),
            (0.16 * a.foot, 0.88 * half, 0.18 * half),
            "rubber",
        ),
        ellipsoid(
            (ball - 0.10 * a.foot, 0, low + 0.18 * half),
            (0.27 * a.foot, 1.02 * half, 0.18 * half),
            "rubber",
        ),
    )


def upper_arm(a: Anthropometry) -> Shapes:
    r, long = a.upper_arm_radius, a.upper_arm
    return (
        ellipsoid((0, 0.02 * r, -0.13 * long), (1.20 * r, 1.18 * r, 0.28 * long), "shirt"),
        capsule((0, 0, -0.12 * long), (0, 0, -0.46 * long), 1.08 * r, "shirt"),
        capsule((0, 0, -0.50 * long), (0, 0, -long), 0.80 * r, "skin"),
        ellipsoid((0.04 * r, 0, -0.55 * long), (0.96 * r, 0.94 * r, 0.38 * long), "skin"),
    )


def forearm(a: Anthropometry) -> Shapes:
    r, long = a.forearm_radius, a.forearm
    return (
        capsule((0, 0, 0), (0, 0, -long), 0.70 * r, "skin"),
        ellipsoid((0, 0, -0.22 * long), (1.04 * r, 1.04 * r, 0.42 * long), "skin"),
        ellipsoid((0, 0, -0.50 * long), (0.90 * r, 0.88 * r, 0.48 * long), "skin"),
    )


def hand(a: Anthropometry) -> Shapes:
    long = a.hand
    fingers = tuple(
        capsule(
            (x * long, -0.02 * long, -0.48 * long),
            (x * 1.05 * long, -0.07 * long, tip * long),
            0.052 * long,
            "skin",
        )
        for x, tip in ((0.13, -0.84), (0.045, -0.92), (-0.045, -0.88), (-0.13, -0.78))
    )
    thumb = capsule(
        (0.13 * long, -0.02 * long, -0.18 * long),
        (0.27 * long, -0.06 * long, -0.50 * long),
        0.06 * long,
        "skin",
    )
    palm = ellipsoid((0, 0, -0.28 * long), (0.22 * long, 0.12 * long, 0.34 * long), "skin")
    return (palm, thumb, *fingers)


def _flank(a: Anthropometry) -> tuple[float, float]:
    """The round sides of the waist, which trunk and pelvis share: place from the middle, radius."""
    radius = 0.80 * a.chest_depth / 2
    return a.waist_width / 2 - radius, radius


def _both(half: Shapes) -> Shapes:
    return half + tuple(shape.mirrored() for shape in half)
