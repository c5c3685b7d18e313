"""A desk lamp that hops: 12 degrees of freedom, 3 neck, 1 knee, 2 ankle.

The root is the head, which has two thirds of the 40.6 kg (centroidal appendix A and figure 13a).
The paper gives no lengths: this lamp stands about waist-high, its head over the middle of the base.
"""

from __future__ import annotations

import math

from amble.characters.blueprint import (
    Ball,
    Blueprint,
    Hinge,
    Segment,
    Shape,
    Sole,
    Vec3,
    X,
    Y,
    capsule,
    cylinder,
    sphere,
)
from amble.characters.builder import build
from amble.characters.character import Character, Limb

HEIGHT, MASS = 0.87, 40.6
HEAD_SHARE = 2 / 3
ARM, BASE_RADIUS, BASE_DEPTH = 0.46, 0.21, 0.10  # [m]
# Pitch of each part at rest, from hanging straight down [deg]; positive: the lower end is behind.
UPPER_ARM, LOWER_ARM = 42.0, -46.0
SHADE_TILT = 32.0  # how far the lamp looks down [deg]
PAINT: Vec3 = (0.86, 0.30, 0.20)
INSIDE: Vec3 = (0.99, 0.95, 0.84)
LIGHT: Vec3 = (1.00, 0.87, 0.45)
STEEL: Vec3 = (0.72, 0.74, 0.77)


def luxo(height: float = HEIGHT, mass: float = MASS) -> Character:
    """A desk lamp; `height` [m] to the top of the shade at rest, `mass` [kg]."""
    leg = Limb("leg", "leg", ("upper_arm", "forearm", "foot"), "foot")
    segments = (_head(), *_arms(), _base())
    return build(Blueprint("luxo", HEIGHT, segments, (leg,), __doc__ or ""), height, mass)


def _head() -> Segment:
    return Segment("head", "", HEAD_SHARE * MASS, (*_shade(), *_knuckle(0.034, 0.075)))


def _shade() -> tuple[Shape, ...]:
    """A bell of thin discs, wider towards the light; its bright mouth holds the bulb."""
    profile = [(x, 0.062 + 0.118 * math.sqrt(x / 0.20)) for x in _steps(0.004, 0.20, 32)]
    thin = profile[1][0] - profile[0][0]
    bell = [cylinder(_along(x - thin), _along(x), radius, PAINT) for x, radius in profile]
    return (
        cylinder(_along(-0.115), _along(-0.03), 0.047, STEEL),
        sphere(_along(-0.115), 0.047, STEEL),
        sphere(_along(0.0), 0.064, PAINT),
        *bell,
        cylinder(_along(0.19), _along(0.206), 0.184, STEEL, collides=False),
        cylinder(_along(0.20), _along(0.2065), 0.172, INSIDE, density=0, collides=False),
        cylinder(_along(0.15), _along(0.215), 0.036, STEEL, density=0, collides=False),
        sphere(_along(0.232), 0.066, LIGHT, density=0, collides=False),
    )


def _arms() -> tuple[Segment, Segment]:
    rods = tuple(capsule((0, y, 0), (0, y, -ARM), 0.013, STEEL) for y in (0.036, -0.036))
    springs = tuple(
        capsule((0.03, y, -0.05), (0.012, y, -0.55 * ARM), 0.017, "dark") for y in (0.036, -0.036)
    )
    bridge = capsule((0, -0.036, -0.55 * ARM), (0, 0.036, -0.55 * ARM), 0.016, PAINT)
    upper = Segment(
        "upper_arm",
        "head",
        2.6,
        (*rods, *springs, bridge),
        joint=Ball(x=(-40, 40), y=(-40, 110), z=(-60, 60), torque=160, rest=(0, UPPER_ARM, 0)),
        joint_name="neck",
    )
    lower = Segment(
        "forearm",
        "upper_arm",
        2.9,
        (*rods, *springs, bridge, *_knuckle(0.034, 0.062)),
        at=(0, 0, -ARM),
        joint=(Hinge(Y, (-150, -5), torque=400, rest=LOWER_ARM - UPPER_ARM),),
        joint_name="knee",
    )
    return upper, lower


def _base() -> Segment:
    # The corners of the contact square lie under the rim of the disc.
    half = BASE_RADIUS / math.sqrt(2)
    rim = 0.016
    shapes = (
        cylinder((0, 0, -BASE_DEPTH), (0, 0, -BASE_DEPTH + 0.030), BASE_RADIUS, PAINT),
        cylinder(
            (0, 0, -BASE_DEPTH + 0.030), (0, 0, -BASE_DEPTH + 0.042), 0.92 * BASE_RADIUS, PAINT
        ),
        cylinder(
            (0, 0, -BASE_DEPTH + 0.042), (0, 0, -BASE_DEPTH + 0.050), 0.80 * BASE_RADIUS, PAINT
        ),
        cylinder((0, 0, -BASE_DEPTH + 0.002), (0, 0, -BASE_DEPTH + rim), 1.01 * BASE_RADIUS, STEEL),
        cylinder((0, 0, -BASE_DEPTH + 0.04), (0, 0, -0.02), 0.045, STEEL),
        *_knuckle(0.036, 0.062),
    )
    return Segment(
        "foot",
        "forearm",
        MASS * (1 - HEAD_SHARE) - 2.6 - 2.9,
        shapes,
        at=(0, 0, -ARM),
        joint=(
            Hinge(Y, (-50, 100), torque=300, rest=-LOWER_ARM, suffix="y"),
            Hinge(X, (-40, 40), torque=200, suffix="x"),
        ),
        joint_name="ankle",
        contact=Sole(heel=-half, toe=half, width=2 * half, depth=BASE_DEPTH),
    )


def _knuckle(radius: float, half: float) -> tuple[Shape, ...]:
    """A turned knob across the joint."""
    return (
        cylinder((0, -half, 0), (0, half, 0), radius, PAINT),
        cylinder((0, -half - 0.012, 0), (0, half + 0.012, 0), 0.55 * radius, STEEL),
    )


def _along(x: float) -> Vec3:
    """A point on the axis of the shade, which passes through the neck [m]."""
    tilt = math.radians(SHADE_TILT)
    return (x * math.cos(tilt), 0.0, -x * math.sin(tilt))


def _steps(first: float, last: float, count: int) -> list[float]:
    return [first + (last - first) * i / (count - 1) for i in range(count)]
