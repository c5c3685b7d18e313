"""Cassie, the walking robot of Agility Robotics: 18 degrees of freedom, six motors a leg.

Joint positions, masses, torques and the ranges of hip and knee are those of the published
description (Agility Robotics, `cassie.xml`, MIT licence). Its springs and closed loops are left
out: the shin is one with the knee, and the tarsus has a motor of its own, as strong as the
knee's. The masses (33.3 kg) and torques are scaled to the 31 kg of the centroidal paper, appendix
A.
"""

from __future__ import annotations

from amble.characters.blueprint import (
    Blueprint,
    Edge,
    Hinge,
    Segment,
    Vec3,
    X,
    Y,
    Z,
    capsule,
    cylinder,
    ellipsoid,
    pair,
    sphere,
)
from amble.characters.builder import build
from amble.characters.character import Character, Limb

HEIGHT, MASS = 1.20, 31.0
THIGH, SHANK, TARSUS, ANKLE = 0.12, 0.50, 0.41, 0.065  # lengths, and the ankle's height [m]
# Pitch of each part at rest, from hanging straight down [deg]; positive: the lower end is behind.
THIGH_PITCH, SHANK_PITCH, TARSUS_PITCH = -35.0, 33.0, -32.0
HEEL, TOE, FOOT_WIDTH = -0.075, 0.105, 0.045  # [m]
SHELL: Vec3 = (0.93, 0.45, 0.12)
METAL: Vec3 = (0.62, 0.64, 0.67)
DARK: Vec3 = (0.20, 0.21, 0.24)


def cassie(height: float = HEIGHT, mass: float = MASS) -> Character:
    """The robot; `height` [m] to the top of the pelvis at rest, `mass` [kg]."""
    parts = ("hip", "thigh", "shank", "tarsus", "foot")
    legs = tuple(
        Limb(f"{side}_leg", "leg", tuple(f"{side}_{part}" for part in parts), f"{side}_foot")
        for side in ("left", "right")
    )
    segments = (_pelvis(), *pair(*_hip_and_thigh(), _shank(), _tarsus(), _foot()))
    return build(Blueprint("cassie", HEIGHT, segments, legs, __doc__ or ""), height, mass)


def _pelvis() -> Segment:
    motors = [
        shape
        for side in (0.135, -0.135)
        for shape in (
            capsule((-0.045, side, 0.01), (0.03, side, 0.01), 0.075, DARK),
            cylinder((0.03, side, 0.0), (0.115, side, 0.0), 0.052, METAL),
            cylinder((0.11, side, 0.0), (0.12, side, 0.0), 0.036, SHELL, density=0),
        )
    ]
    return Segment(
        "pelvis",
        "",
        10.33,
        (
            ellipsoid((0.04, 0, 0.055), (0.155, 0.115, 0.125), SHELL, density=2.0),
            ellipsoid((0.065, 0, 0.085), (0.145, 0.090, 0.090), "white", density=0.5),
            ellipsoid((0.155, 0, 0.095), (0.060, 0.070, 0.042), DARK, density=0),
            sphere((0.203, 0.030, 0.100), 0.016, "white", density=0),
            sphere((0.203, -0.030, 0.100), 0.016, "white", density=0),
            capsule((-0.05, 0, -0.02), (0.06, 0, -0.02), 0.080, DARK),
            *motors,
        ),
    )


def _hip_and_thigh() -> tuple[Segment, Segment]:
    hip = Segment(
        "left_hip",
        "pelvis",
        1.82 + 1.171,
        (
            capsule((-0.07, 0, 0.03), (-0.07, 0, -0.05), 0.052, METAL),
            cylinder((-0.07, 0, 0.075), (-0.07, 0, 0.09), 0.045, SHELL, density=0),
            capsule((-0.07, 0, -0.01), (-0.02, 0, 0), 0.045, DARK),
        ),
        at=(0.021, 0.135, 0),
        joint=(
            Hinge(X, (-15, 22.5), torque=112, suffix="roll"),
            Hinge(Z, (-22.5, 22.5), torque=112, suffix="yaw"),
        ),
        joint_name="left_hip",
    )
    thigh = Segment(
        "left_thigh",
        "left_hip",
        5.52 + 0.157,
        (
            cylinder((0, -0.060, 0), (0, 0.058, 0), 0.068, DARK),
            cylinder((0, 0.058, 0), (0, 0.070, 0), 0.052, SHELL),
            capsule((0, 0, 0), (0, 0, -THIGH), 0.056, METAL),
            cylinder((0, -0.052, -THIGH), (0, 0.050, -THIGH), 0.060, DARK),
            cylinder((0, 0.050, -THIGH), (0, 0.062, -THIGH), 0.044, SHELL),
        ),
        at=(-0.07, 0, -0.09),
        joint=(Hinge(Y, (-80, 50), torque=195, rest=THIGH_PITCH),),
        joint_name="left_hip_pitch",
    )
    return hip, thigh


def _shank() -> Segment:
    return Segment(
        "left_shank",
        "left_thigh",
        0.758 + 0.186 + 0.577,
        (
            capsule((0, 0, 0), (0.012, 0, -0.42 * SHANK), 0.036, SHELL),
            capsule((0.012, 0, -0.35 * SHANK), (0, 0, -SHANK), 0.025, METAL),
            capsule((-0.040, 0, -0.05), (-0.032, 0, -0.93 * SHANK), 0.010, DARK),
            cylinder((0, -0.034, -SHANK), (0, 0.034, -SHANK), 0.036, DARK),
        ),
        at=(0, 0, -THIGH),
        joint=(Hinge(Y, (37, 164), torque=195, rest=SHANK_PITCH - THIGH_PITCH),),
        joint_name="left_knee",
    )


def _tarsus() -> Segment:
    return Segment(
        "left_tarsus",
        "left_shank",
        0.782 + 0.126 + 0.126 + 0.119,
        (
            capsule((0, 0, 0), (0, 0, -0.45 * TARSUS), 0.031, SHELL),
            capsule((0, 0, -0.40 * TARSUS), (0, 0, -TARSUS), 0.020, METAL),
            capsule((-0.030, 0, -0.12), (-0.026, 0, -0.96 * TARSUS), 0.008, DARK),
            capsule((0, 0, 0), (-0.055, 0, 0.055), 0.014, DARK),
        ),
        at=(0, 0, -SHANK),
        joint=(Hinge(Y, (-130, -20), torque=195, rest=TARSUS_PITCH - SHANK_PITCH),),
        joint_name="left_ankle",
    )


def _foot() -> Segment:
    sole = -ANKLE + 0.014
    return Segment(
        "left_foot",
        "left_tarsus",
        0.15,
        (
            cylinder((0, -0.028, 0), (0, 0.028, 0), 0.026, DARK),
            capsule((0, 0, 0), (-0.045, 0, sole + 0.010), 0.015, SHELL),
            capsule((0, 0, 0), (0.070, 0, sole + 0.010), 0.015, SHELL),
            capsule((HEEL + 0.014, 0, sole), (TOE - 0.014, 0, sole), 0.014, "rubber"),
            capsule((HEEL + 0.020, 0.012, sole), (TOE - 0.020, 0.012, sole), 0.013, "rubber"),
            capsule((HEEL + 0.020, -0.012, sole), (TOE - 0.020, -0.012, sole), 0.013, "rubber"),
        ),
        at=(0, 0, -TARSUS),
        joint=(Hinge(Y, (-30, 110), torque=45, rest=-TARSUS_PITCH),),
        joint_name="left_toe",
        contact=Edge(heel=HEEL, toe=TOE, radius=FOOT_WIDTH / 2, depth=ANKLE),
    )
