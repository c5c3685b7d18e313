"""An ostrich: ball hips, hinge knees and ankles, two-toed feet, a long neck, small wings.

Femur, tibiotarsus and tarsometatarsus (0.30, 0.52, 0.46 m): means of adults, Kassem et al. 2023,
"Morphometric studies on the appendicular bony skeleton of the ostriches". Adult males are
2.1–2.75 m tall and weigh 100–130 kg: del Hoyo et al., Handbook of the Birds of the World 1
(1992). The femur points forward and is hidden in the body, as Rubenson et al. 2007, "Running in
ostriches", and Hutchinson et al. 2015, "Musculoskeletal modelling of an ostrich pelvic limb",
describe. The neck bends most in its middle: Dzemski and Christian 2007. A bird's trunk is rigid:
one segment. Joint ranges and the split of the mass are estimates: a third in the legs, most of it
near the hips.
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

HEIGHT, MASS = 2.107, 115.0
FEMUR, TIBIOTARSUS, TARSOMETATARSUS = 0.30, 0.52, 0.46  # [m]
TOE_JOINT = 0.065  # its height above the ground [m]
HIP_SIDE = 0.115  # [m]
# Pitch of each part at rest, from hanging straight down [deg]; positive: the lower end is behind.
THIGH_PITCH, SHANK_PITCH, TARSUS_PITCH = -55.0, 36.0, -18.0
PLUME: Vec3 = (0.15, 0.14, 0.15)
PLUME_LIGHT: Vec3 = (0.22, 0.21, 0.22)
DOWN: Vec3 = (0.95, 0.93, 0.90)
SKIN: Vec3 = (0.90, 0.63, 0.57)
SHIN: Vec3 = (0.84, 0.52, 0.46)
BEAK: Vec3 = (0.88, 0.60, 0.38)
CLAW: Vec3 = (0.35, 0.28, 0.25)


def ostrich(height: float = HEIGHT, mass: float = MASS) -> Character:
    """An adult male; `height` [m] to the top of the head at rest, `mass` [kg]."""
    sides = ("left", "right")
    leg = ("thigh", "shank", "tarsus", "foot")
    limbs = (
        *(Limb(f"{s}_leg", "leg", tuple(f"{s}_{p}" for p in leg), f"{s}_foot") for s in sides),
        *(Limb(f"{s}_wing", "arm", (f"{s}_wing",)) for s in sides),
        Limb("neck", "neck", ("neck_1", "neck_2", "neck_3", "head")),
    )
    segments = (
        _trunk(),
        *pair(_thigh(), _shank(), _tarsus(), _foot()),
        *pair(_wing()),
        *_neck(),
    )
    return build(Blueprint("ostrich", HEIGHT, segments, limbs, __doc__ or ""), height, mass)


def _trunk() -> Segment:
    """The egg-shaped body, its layers of feathers and a bushy tail; origin between the hips."""
    return Segment(
        "pelvis",
        "",
        67.0,
        (
            ellipsoid((0.10, 0, 0.07), (0.46, 0.235, 0.255), PLUME, turn=(0, -6, 0)),
            ellipsoid((0.34, 0, 0.08), (0.24, 0.185, 0.205), PLUME),
            ellipsoid((-0.06, 0, 0.17), (0.36, 0.215, 0.175), PLUME_LIGHT, (0, -4, 0), density=0),
            ellipsoid((0.16, 0, 0.20), (0.30, 0.190, 0.150), PLUME, (0, -8, 0), density=0),
            ellipsoid((-0.24, 0, 0.06), (0.22, 0.190, 0.190), PLUME, density=0),
            ellipsoid((0.10, 0, -0.06), (0.30, 0.200, 0.150), PLUME_LIGHT, density=0),
            *_tail(),
        ),
    )


def _tail() -> tuple[Shape, ...]:
    fan = [(y, z) for z in (0.24, 0.17, 0.10, 0.03) for y in (-0.09, -0.03, 0.03, 0.09)]
    plumes = [
        ellipsoid(
            (-0.43 - 0.4 * (0.09 - abs(y)), y, z),
            (0.16, 0.040, 0.048),
            DOWN,
            (0, 170 * (z - 0.12), 0),
            density=0,
        )
        for y, z in fan
    ]
    return (ellipsoid((-0.34, 0, 0.13), (0.16, 0.130, 0.140), PLUME, density=0), *plumes)


def _thigh() -> Segment:
    return Segment(
        "left_thigh",
        "pelvis",
        11.0,
        (
            capsule((0, 0.005, 0), (0, 0.01, -FEMUR), 0.075, SKIN),
            ellipsoid((0, 0.015, -0.13), (0.125, 0.095, 0.190), SKIN),
            ellipsoid((0, 0.020, -0.02), (0.135, 0.105, 0.150), PLUME, density=0),
        ),
        at=(0, HIP_SIDE, 0),
        joint=Ball(x=(-20, 40), y=(-105, 5), z=(-25, 25), torque=420, rest=(0, THIGH_PITCH, 0)),
        joint_name="left_hip",
    )


def _shank() -> Segment:
    return Segment(
        "left_shank",
        "left_thigh",
        6.6,
        (
            sphere((0, 0, 0), 0.078, SKIN),
            ellipsoid((-0.015, 0, -0.15), (0.088, 0.074, 0.210), SKIN),
            capsule((0, 0, -0.05), (0, 0, -0.60 * TIBIOTARSUS), 0.050, SKIN),
            capsule((0, 0, -0.55 * TIBIOTARSUS), (0, 0, -TIBIOTARSUS), 0.034, SKIN),
        ),
        at=(0, 0, -FEMUR),
        joint=(Hinge(Y, (20, 150), torque=450, rest=SHANK_PITCH - THIGH_PITCH),),
        joint_name="left_knee",
    )


def _tarsus() -> Segment:
    return Segment(
        "left_tarsus",
        "left_shank",
        1.7,
        (
            ellipsoid((0, 0, 0), (0.052, 0.044, 0.055), SHIN),
            capsule((0, 0, 0), (0, 0, -TARSOMETATARSUS), 0.027, SHIN),
            capsule((0.014, 0, -0.06), (0.012, 0, -0.92 * TARSOMETATARSUS), 0.022, SHIN, density=0),
        ),
        at=(0, 0, -TIBIOTARSUS),
        joint=(Hinge(Y, (-150, -5), torque=400, rest=TARSUS_PITCH - SHANK_PITCH),),
        joint_name="left_ankle",
    )


def _foot() -> Segment:
    """Two toes: the third, with the great claw, and the smaller fourth outside it."""
    low = -TOE_JOINT
    return Segment(
        "left_foot",
        "left_tarsus",
        0.9,
        (
            ellipsoid((0, 0, -0.012), (0.044, 0.040, 0.046), SHIN),
            capsule((-0.02, 0, low + 0.030), (0.10, -0.014, low + 0.030), 0.030, SHIN),
            capsule((0.08, -0.014, low + 0.024), (0.165, -0.016, low + 0.024), 0.024, SHIN),
            ellipsoid((0.20, -0.017, low + 0.022), (0.040, 0.017, 0.018), CLAW, (0, 12, 0)),
            capsule((0, 0.012, low + 0.028), (0.06, 0.048, low + 0.024), 0.024, SHIN),
            capsule((0.06, 0.048, low + 0.021), (0.105, 0.062, low + 0.021), 0.021, SHIN),
            ellipsoid((-0.035, 0, low + 0.030), (0.030, 0.030, 0.028), SHIN),
        ),
        at=(0, 0, -TARSOMETATARSUS),
        joint=(
            Hinge(Y, (-60, 90), torque=200, rest=-TARSUS_PITCH, suffix="y"),
            Hinge(X, (-25, 25), torque=100, suffix="x"),
        ),
        joint_name="left_toe",
        contact=Sole(heel=-0.06, toe=0.21, width=0.115, depth=TOE_JOINT, side=0.018),
    )


def _wing() -> Segment:
    return Segment(
        "left_wing",
        "pelvis",
        1.0,
        (
            ellipsoid((-0.15, 0.01, -0.06), (0.24, 0.045, 0.125), PLUME_LIGHT, (0, -14, 0)),
            ellipsoid((-0.26, 0.018, -0.11), (0.20, 0.042, 0.090), DOWN, (0, -22, 0)),
            ellipsoid((-0.30, 0.022, -0.04), (0.17, 0.036, 0.070), DOWN, (0, -6, 0), density=0),
        ),
        at=(0.26, 0.195, 0.16),
        joint=(Hinge(X, (-10, 100), torque=25),),
        joint_name="left_shoulder",
    )


def _neck() -> tuple[Segment, ...]:
    """An S: forward and up out of the breast, then up, then slightly back under the head."""
    bases: tuple[Vec3, ...] = ((0.46, 0, 0.14), (0.12, 0, 0.24), (0.015, 0, 0.27))
    radii = ((0.070, 0.050), (0.050, 0.042), (0.042, 0.036))
    tips: tuple[Vec3, ...] = (*bases[1:], (-0.015, 0, 0.26))
    middle = Ball(x=(-30, 30), y=(-60, 60), z=(-30, 30), torque=60)
    joints = (
        Ball(x=(-30, 30), y=(-40, 70), z=(-40, 40), torque=90),
        middle,
        Ball(x=(-25, 25), y=(-40, 40), z=(-25, 25), torque=40),
    )
    parts = []
    for i, (mass, base, tip, joint) in enumerate(
        zip((2.0, 1.4, 1.0), bases, tips, joints, strict=True)
    ):
        thick, thin = radii[i]
        parts.append(
            Segment(
                f"neck_{i + 1}",
                "pelvis" if i == 0 else f"neck_{i}",
                mass,
                (
                    capsule((0, 0, 0), tip, thin, SKIN),
                    capsule((0, 0, 0), _scaled(tip, 0.55), 0.5 * (thick + thin), SKIN),
                    *((_ruff(),) if i == 0 else ()),
                ),
                at=base,
                joint=joint,
                joint_name=f"neck_{i + 1}",
            )
        )
    return (*parts, _head(tips[-1]))


def _ruff() -> Shape:
    """The collar of feathers where the neck leaves the breast."""
    return ellipsoid((-0.01, 0, -0.01), (0.105, 0.105, 0.10), PLUME, density=0)


def _head(at: Vec3) -> Segment:
    eyes = [
        shape
        for side in (1, -1)
        for shape in (
            sphere((0.040, side * 0.038, 0.058), 0.024, "white", density=0),
            sphere((0.047, side * 0.048, 0.059), 0.017, "black", density=0),
            ellipsoid((0.036, side * 0.036, 0.078), (0.030, 0.024, 0.012), DOWN, density=0),
        )
    ]
    return Segment(
        "head",
        "neck_3",
        0.9,
        (
            ellipsoid((0.025, 0, 0.045), (0.078, 0.052, 0.052), SKIN, (0, 8, 0)),
            ellipsoid((0.005, 0, 0.068), (0.062, 0.046, 0.034), PLUME_LIGHT, density=0),
            ellipsoid((0.115, 0, 0.034), (0.068, 0.036, 0.017), BEAK, (0, 8, 0)),
            ellipsoid((0.108, 0, 0.018), (0.060, 0.032, 0.011), BEAK, (0, 8, 0)),
            *eyes,
        ),
        at=at,
        joint=Ball(x=(-40, 40), y=(-60, 60), z=(-80, 80), torque=20),
        joint_name="head",
    )


def _scaled(v: Vec3, factor: float) -> Vec3:
    return (factor * v[0], factor * v[1], factor * v[2])
