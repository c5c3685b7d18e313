"""A two-legged dinosaur: a half-grown Allosaurus with joints along its neck and heavy tail.

Mass and length: Henderson 2018 (PeerJ 6:e5409), Table 2: 963 kg at 7.35 m; a leg is 12.6 % and an
arm 0.7 % of the body; the centre of mass lies before the hip by 19 % of the distance from hip to
shoulder. Here at half the length, so an eighth of the mass. Bates et al. 2009, "How big was 'Big
Al'?", too find it just before and below the hip. The bones of the leg (1 : 0.87 : 0.45) and joint
ranges are estimates; so is the split of trunk and tail, which puts the centre of mass there: the
tail balances the neck.
"""

from __future__ import annotations

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
    ellipsoid,
    pair,
    sphere,
)
from amble.characters.builder import build
from amble.characters.character import Character, Limb

HEIGHT, MASS = 1.47, 120.0
FEMUR, TIBIA, METATARSUS = 0.42, 0.365, 0.19  # [m]
TOE_JOINT = 0.06  # its height above the ground [m]
HIP_SIDE = 0.13  # [m]
# Pitch of each part at rest, from hanging straight down [deg]; positive: the lower end is behind.
THIGH_PITCH, SHANK_PITCH, TARSUS_PITCH = -34.0, 42.0, -22.0
SHOULDER: Vec3 = (0.50, 0.13, -0.10)  # from the thorax's joint
# Tail: length, radius where it starts, mass of each part [m, m, kg].
TAIL = ((0.46, 0.150, 11.5), (0.46, 0.105, 6.0), (0.46, 0.068, 3.2), (0.48, 0.040, 1.3))
BACK: Vec3 = (0.27, 0.46, 0.33)
STRIPE: Vec3 = (0.17, 0.33, 0.25)
BELLY: Vec3 = (0.87, 0.82, 0.60)
CLAW: Vec3 = (0.22, 0.20, 0.17)
EYE: Vec3 = (0.98, 0.78, 0.22)


def dinosaur(height: float = HEIGHT, mass: float = MASS) -> Character:
    """A theropod; `height` [m] to the top of the head at rest, `mass` [kg]."""
    sides = ("left", "right")
    leg = ("thigh", "shank", "tarsus", "foot")
    arm = ("upper_arm", "forearm")
    limbs = (
        *(Limb(f"{s}_leg", "leg", tuple(f"{s}_{p}" for p in leg), f"{s}_foot") for s in sides),
        *(Limb(f"{s}_arm", "arm", tuple(f"{s}_{p}" for p in arm)) for s in sides),
        Limb("spine", "spine", ("thorax",)),
        Limb("neck", "neck", ("neck_1", "neck_2", "head")),
        Limb("tail", "tail", tuple(f"tail_{i + 1}" for i in range(len(TAIL)))),
    )
    segments = (
        *_trunk(),
        *pair(_thigh(), _shank(), _tarsus(), _foot()),
        *pair(*_arm()),
        *_neck(),
        *_tail(),
    )
    return build(Blueprint("dinosaur", HEIGHT, segments, limbs, __doc__ or ""), height, mass)


def _trunk() -> tuple[Segment, Segment]:
    pelvis = Segment(
        "pelvis",
        "",
        23.0,
        (
            ellipsoid((0.04, 0, 0.03), (0.33, 0.165, 0.205), BACK),
            ellipsoid((-0.12, 0, 0.04), (0.26, 0.150, 0.165), BACK),
            ellipsoid((0.10, 0, -0.07), (0.26, 0.140, 0.140), BELLY, density=0),
            _stripe(0.10, 0.10, 0.138, 0.138),
            _stripe(-0.06, 0.09, 0.142, 0.138),
        ),
    )
    thorax = Segment(
        "thorax",
        "pelvis",
        29.0,
        (
            ellipsoid((0.24, 0, 0.0), (0.40, 0.185, 0.220), BACK, (0, -6, 0)),
            ellipsoid((0.50, 0, 0.05), (0.20, 0.135, 0.165), BACK, (0, -25, 0)),
            ellipsoid((0.26, 0, -0.07), (0.35, 0.160, 0.170), BELLY, (0, -8, 0), density=0),
            _stripe(0.08, 0.06, 0.150, 0.160),
            _stripe(0.24, 0.07, 0.158, 0.162),
            _stripe(0.40, 0.09, 0.142, 0.148),
        ),
        at=(0.24, 0, 0.03),
        joint=Ball(x=(-15, 15), y=(-15, 20), z=(-20, 20), torque=450),
        joint_name="lumbar",
    )
    return pelvis, thorax


def _stripe(x: float, z: float, high: float, wide: float) -> Shape:
    """A dark band across the back, which just shows through the skin."""
    return ellipsoid((x, 0, z), (0.034, wide, high), STRIPE, density=0)


def _thigh() -> Segment:
    return Segment(
        "left_thigh",
        "pelvis",
        9.4,
        (
            capsule((0, 0, 0), (0, 0, -FEMUR), 0.072, BACK),
            ellipsoid((-0.015, 0.012, -0.14), (0.150, 0.092, 0.235), BACK),
            ellipsoid((-0.02, 0.060, -0.10), (0.095, 0.052, 0.026), STRIPE, (0, 10, 0), density=0),
            ellipsoid((-0.02, 0.055, -0.19), (0.090, 0.052, 0.024), STRIPE, (0, 10, 0), density=0),
        ),
        at=(0, HIP_SIDE, 0),
        joint=Ball(x=(-20, 35), y=(-95, 30), z=(-25, 25), torque=420, rest=(0, THIGH_PITCH, 0)),
        joint_name="left_hip",
    )


def _shank() -> Segment:
    return Segment(
        "left_shank",
        "left_thigh",
        3.9,
        (
            sphere((0, 0, 0), 0.074, BACK),
            ellipsoid((-0.025, 0, -0.11), (0.080, 0.064, 0.165), BACK),
            capsule((0, 0, -0.08), (0, 0, -TIBIA), 0.038, BACK),
        ),
        at=(0, 0, -FEMUR),
        joint=(Hinge(Y, (15, 140), torque=420, rest=SHANK_PITCH - THIGH_PITCH),),
        joint_name="left_knee",
    )


def _tarsus() -> Segment:
    return Segment(
        "left_tarsus",
        "left_shank",
        1.1,
        (
            sphere((0, 0, 0), 0.046, BACK),
            capsule((0, 0, 0), (0, 0, -METATARSUS), 0.036, BACK),
        ),
        at=(0, 0, -TIBIA),
        joint=(Hinge(Y, (-130, -5), torque=350, rest=TARSUS_PITCH - SHANK_PITCH),),
        joint_name="left_ankle",
    )


def _foot() -> Segment:
    """Three toes, spread, each with a claw."""
    low = -TOE_JOINT
    toes = [
        shape
        for bend, length in ((0.0, 0.185), (0.36, 0.155), (-0.36, 0.155))
        for shape in (
            capsule(
                (0.0, 0.06 * bend, low + 0.030),
                (0.60 * length, 0.60 * length * bend, low + 0.026),
                0.026,
                BACK,
            ),
            capsule(
                (0.55 * length, 0.55 * length * bend, low + 0.022),
                (length, length * bend, low + 0.020),
                0.020,
                BACK,
            ),
            ellipsoid(
                (length + 0.022, (length + 0.022) * bend, low + 0.020),
                (0.028, 0.012, 0.013),
                CLAW,
                (0, 14, 0),
            ),
        )
    ]
    return Segment(
        "left_foot",
        "left_tarsus",
        1.0,
        (
            sphere((0, 0, -0.004), 0.044, BACK),
            ellipsoid((-0.025, 0, low + 0.030), (0.040, 0.042, 0.029), BACK),
            *toes,
        ),
        at=(0, 0, -METATARSUS),
        joint=(
            Hinge(Y, (-50, 90), torque=220, rest=-TARSUS_PITCH, suffix="y"),
            Hinge(X, (-25, 25), torque=110, suffix="x"),
        ),
        joint_name="left_toe",
        contact=Sole(heel=-0.06, toe=0.20, width=0.145, depth=TOE_JOINT),
    )


def _arm() -> tuple[Segment, Segment]:
    upper, lower = 0.15, 0.12
    claws = [
        ellipsoid((0, y, -lower - 0.035), (0.012, 0.009, 0.030), CLAW, density=0)
        for y in (-0.02, 0.0, 0.02)
    ]
    upper_arm = Segment(
        "left_upper_arm",
        "thorax",
        0.5,
        (capsule((0, 0, 0), (0, 0, -upper), 0.034, BACK),),
        at=SHOULDER,
        joint=Ball(x=(-10, 60), y=(-60, 60), z=(-30, 30), torque=25, rest=(6, 30, 0)),
        joint_name="left_shoulder",
    )
    forearm = Segment(
        "left_forearm",
        "left_upper_arm",
        0.35,
        (
            capsule((0, 0, 0), (0, 0, -lower), 0.024, BACK),
            ellipsoid((0, 0, -lower - 0.01), (0.022, 0.032, 0.030), BACK),
            *claws,
        ),
        at=(0, 0, -upper),
        joint=(Hinge((0, -1, 0), (10, 135), torque=15, rest=95),),
        joint_name="left_elbow",
    )
    return upper_arm, forearm


def _neck() -> tuple[Segment, ...]:
    """Out of the chest and up, in an S, to a head that looks level."""
    bend: Vec3 = (0.15, 0, 0.17)
    top: Vec3 = (0.09, 0, 0.20)
    neck_1 = Segment(
        "neck_1",
        "thorax",
        4.2,
        (
            capsule((0, 0, 0), bend, 0.092, BACK),
            capsule((-0.02, 0, -0.02), (0.08, 0, 0.08), 0.105, BACK),
            capsule((0.045, 0, -0.02), (0.17, 0, 0.13), 0.072, BELLY, density=0),
        ),
        at=(0.58, 0, 0.10),
        joint=Ball(x=(-20, 20), y=(-30, 40), z=(-30, 30), torque=180),
        joint_name="neck_1",
    )
    neck_2 = Segment(
        "neck_2",
        "neck_1",
        2.6,
        (
            capsule((0, 0, 0), top, 0.078, BACK),
            capsule((0.030, 0, -0.03), (0.115, 0, 0.15), 0.060, BELLY, density=0),
        ),
        at=bend,
        joint=Ball(x=(-20, 20), y=(-40, 40), z=(-35, 35), torque=120),
        joint_name="neck_2",
    )
    return neck_1, neck_2, _head(top)


def _head(at: Vec3) -> Segment:
    eyes = [
        shape
        for side in (1, -1)
        for shape in (
            ellipsoid((0.085, side * 0.058, 0.075), (0.060, 0.026, 0.024), STRIPE, density=0),
            sphere((0.092, side * 0.066, 0.052), 0.028, EYE, density=0),
            sphere((0.102, side * 0.084, 0.052), 0.014, "black", density=0),
            sphere((0.375, side * 0.026, 0.028), 0.009, CLAW, density=0),
        )
    ]
    teeth = [
        ellipsoid((x, side * y, -0.034), (0.008, 0.006, 0.015), "white", density=0)
        for x, y in ((0.20, 0.054), (0.235, 0.051), (0.27, 0.048), (0.305, 0.043), (0.34, 0.035))
        for side in (1, -1)
    ]
    return Segment(
        "head",
        "neck_2",
        5.0,
        (
            ellipsoid((0.06, 0, 0.015), (0.130, 0.088, 0.100), BACK),
            ellipsoid((0.19, 0, 0.010), (0.150, 0.070, 0.070), BACK, (0, 6, 0)),
            capsule((0.18, 0, 0.004), (0.35, 0, -0.004), 0.045, BACK),
            ellipsoid((0.20, 0, -0.052), (0.185, 0.058, 0.032), BELLY, (0, 4, 0)),
            *eyes,
            *teeth,
        ),
        at=at,
        joint=Ball(x=(-30, 30), y=(-45, 45), z=(-50, 50), torque=70),
        joint_name="head",
    )


def _tail() -> tuple[Segment, ...]:
    """Tapered, held level, rising a little towards the tip."""
    parts = []
    at: Vec3 = (-0.26, 0, 0.05)
    for i, (length, radius, mass) in enumerate(TAIL):
        end: Vec3 = (-length, 0, 0.02 * i)
        thin = TAIL[i + 1][1] if i + 1 < len(TAIL) else 0.015
        steps = 6
        rings = [
            capsule(
                _between(end, j / steps),
                _between(end, (j + 1) / steps),
                radius + (thin - radius) * (j + 0.5) / steps,
                BACK,
            )
            for j in range(steps)
        ]
        stripe = ellipsoid(
            _between(end, 0.5),
            (0.028, 0.54 * (radius + thin), 0.52 * (radius + thin)),
            STRIPE,
            density=0,
        )
        parts.append(
            Segment(
                f"tail_{i + 1}",
                "pelvis" if i == 0 else f"tail_{i}",
                mass,
                (*rings, stripe),
                at=at,
                joint=Ball(x=(-15, 15), y=(-30, 30), z=(-35, 35), torque=(400, 170, 60, 20)[i]),
                joint_name=f"tail_{i + 1}",
            )
        )
        at = end
    return tuple(parts)


def _between(end: Vec3, share: float) -> Vec3:
    return (share * end[0], share * end[1], share * end[2])
