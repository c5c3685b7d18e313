"""ANYmal, the quadruped robot: three motors a leg and point feet, 18 degrees of freedom.

Joint positions and the split of the mass are those of the published description of ANYmal C
(ANYbotics, `anymal_c.xml`, BSD licence), scaled to the 60 kg of the centroidal paper, appendix A.
It stands with the knees turned inwards: fore knees backwards, hind knees forwards. The large one
has 300 kg and a horse's distance from hips to shoulders, 1.19 m. Torque limits: 80 N m sideways
(the description's), more where the weight hangs, all scaled with mass and size.
"""

from __future__ import annotations

from amble.characters.blueprint import (
    Blueprint,
    Hinge,
    Point,
    Segment,
    Shape,
    Vec3,
    X,
    Y,
    box,
    capsule,
    cylinder,
    ellipsoid,
    pair,
    sphere,
)
from amble.characters.builder import build
from amble.characters.character import Character, Limb

HEIGHT, MASS = 0.703, 60.0
HIP: Vec3 = (0.300, 0.104, 0.0)  # the axis that swings the leg sideways
THIGH_OUT: Vec3 = (
    0.060,
    0.084,
    0.0,
)  # from there to the axis that swings it forwards; x away from the middle
THIGH, SHANK, FOOT_RADIUS = 0.285, 0.316, 0.031  # [m]
KNEE_OUT, SHANK_FORE = 0.100, 0.088  # the shank hangs beside the thigh and before its axis [m]
THIGH_PITCH, KNEE_PITCH = 38.0, -62.0  # fore leg at rest [deg]; the hind leg is its mirror image
LARGE_BODY_LENGTH = 1.19  # fore to hind thigh axis [m]
LARGE_MASS = 300.0
RED: Vec3 = (0.75, 0.10, 0.11)
DARK: Vec3 = (0.17, 0.18, 0.20)
METAL: Vec3 = (0.55, 0.57, 0.60)
_BODY_LENGTH = 2 * (HIP[0] + THIGH_OUT[0])
LARGE_HEIGHT = HEIGHT * LARGE_BODY_LENGTH / _BODY_LENGTH


def anymal(height: float = HEIGHT, mass: float = MASS) -> Character:
    """The robot; `height` [m] to its highest point at rest, `mass` [kg]."""
    return build(_blueprint("anymal"), height, mass)


def anymal_large(height: float = LARGE_HEIGHT, mass: float = LARGE_MASS) -> Character:
    """The robot as large as a horse; `height` [m] to its highest point, `mass` [kg]."""
    return build(_blueprint("anymal-large"), height, mass)


def _blueprint(name: str) -> Blueprint:
    corners = [f"{side}_{end}" for end in ("front", "hind") for side in ("left", "right")]
    parts = ("hip", "thigh", "shank", "foot")
    limbs = tuple(
        Limb(f"{c}_leg", "leg", tuple(f"{c}_{part}" for part in parts), f"{c}_foot")
        for c in corners
    )
    segments = (_trunk(), *pair(*_leg("front", 1)), *pair(*_leg("hind", -1)))
    return Blueprint(name, HEIGHT, segments, limbs, __doc__ or "")


def _trunk() -> Segment:
    ends = [shape for end in (1, -1) for shape in _face(end)]
    drives = [
        cylinder((x * 0.24, y * 0.104, 0), (x * 0.31, y * 0.104, 0), 0.062, METAL)
        for x in (1, -1)
        for y in (1, -1)
    ]
    return Segment(
        "pelvis",
        "",
        19.2,
        (
            # A rounded hull: capsules along the edges, filled by boxes.
            *(capsule((-0.34, y, z), (0.34, y, z), 0.045, RED) for y, z in _hull()),
            box((0, 0, 0.02), (0.34, 0.120, 0.075), RED),
            box((0, 0, 0.02), (0.355, 0.075, 0.118), RED, density=0),
            *drives,
            *ends,
            ellipsoid((0.03, 0, 0.13), (0.26, 0.075, 0.030), DARK, density=0),
            capsule((-0.10, 0.055, 0.155), (0.17, 0.055, 0.155), 0.010, DARK, density=0),
            capsule((-0.10, -0.055, 0.155), (0.17, -0.055, 0.155), 0.010, DARK, density=0),
            cylinder((-0.27, 0, 0.12), (-0.27, 0, 0.195), 0.052, DARK, density=0),
            cylinder((-0.27, 0, 0.158), (-0.27, 0, 0.182), 0.054, METAL, density=0),
        ),
    )


def _hull() -> list[tuple[float, float]]:
    return [(0.078, 0.095), (-0.078, 0.095), (0.078, -0.055), (-0.078, -0.055)]


def _face(end: int) -> tuple[Shape, ...]:
    """The dark bumper with the cameras, at the front and the rear."""
    return (
        capsule((end * 0.40, -0.075, 0.055), (end * 0.40, 0.075, 0.055), 0.070, DARK),
        capsule((end * 0.40, -0.075, -0.03), (end * 0.40, 0.075, -0.03), 0.070, DARK),
        ellipsoid((end * 0.455, 0, 0.015), (0.030, 0.10, 0.062), "black", density=0),
        cylinder((end * 0.46, 0, 0.03), (end * 0.492, 0, 0.03), 0.022, METAL, density=0),
        sphere((end * 0.488, 0, 0.03), 0.014, (0.25, 0.55, 0.85), density=0),
        sphere((end * 0.474, 0.060, 0.005), 0.013, "white", density=0),
        sphere((end * 0.474, -0.060, 0.005), 0.013, "white", density=0),
    )


def _leg(end: str, fore: int) -> tuple[Segment, ...]:
    """The left leg of one end; `fore`, 1 in front and −1 behind, mirrors what points along x."""
    name = f"left_{end}"
    hip = Segment(
        f"{name}_hip",
        "pelvis",
        2.781,
        (
            capsule((-fore * 0.005, 0.0, 0), (fore * 0.06, 0.01, 0), 0.058, DARK),
            cylinder((fore * 0.06, -0.015, 0), (fore * 0.06, 0.075, 0), 0.064, METAL),
        ),
        at=(fore * HIP[0], HIP[1], HIP[2]),
        joint=(Hinge(X, (-28, 41), torque=80),),
        joint_name=f"{name}_hip_roll",
    )
    thigh = Segment(
        f"{name}_thigh",
        f"{name}_hip",
        3.071,
        (
            cylinder((0, -0.008, 0), (0, 0.058, 0), 0.066, RED),
            capsule((0, 0.032, 0), (0, 0.032, -THIGH), 0.042, DARK),
            capsule((fore * 0.018, 0.040, -0.05), (fore * 0.010, 0.040, -0.80 * THIGH), 0.036, RED),
            cylinder((0, -0.004, -THIGH), (0, 0.080, -THIGH), 0.055, METAL),
        ),
        at=(fore * THIGH_OUT[0], THIGH_OUT[1], THIGH_OUT[2]),
        joint=(Hinge(Y, _either(-100, 140, fore), torque=110, rest=fore * THIGH_PITCH),),
        joint_name=f"{name}_hip_pitch",
    )
    ankle: Vec3 = (fore * SHANK_FORE, 0.013, -SHANK)
    shank = Segment(
        f"{name}_shank",
        f"{name}_thigh",
        0.44,
        (
            cylinder((0, -0.012, 0), (0, 0.024, 0), 0.050, DARK),
            capsule((0, 0.008, 0), (0.85 * ankle[0], 0.012, -0.045), 0.027, DARK),
            capsule((0.85 * ankle[0], 0.012, -0.045), ankle, 0.0175, METAL),
        ),
        at=(0, KNEE_OUT, -THIGH),
        joint=(Hinge(Y, _either(-155, -5, fore), torque=140, rest=fore * KNEE_PITCH),),
        joint_name=f"{name}_knee",
    )
    foot = Segment(
        f"{name}_foot",
        f"{name}_shank",
        0.148,
        (
            sphere((0, 0, 0), FOOT_RADIUS, "rubber"),
            capsule((0, 0, 0), (0, 0, 0.05), 0.021, "rubber"),
        ),
        at=ankle,
        contact=Point((0, 0, 0), FOOT_RADIUS),
    )
    return (hip, thigh, shank, foot)


def _either(low: float, high: float, fore: int) -> tuple[float, float]:
    """A range of pitch [deg], mirrored for the hind leg."""
    return (low, high) if fore > 0 else (-high, -low)
