"""The body of the tracking paper: 29 degrees of freedom, masses and inertias of its Table 1.

Every joint is a chain of hinges (figure 2's ball joints in the order y, x, z, the trunk in the
order z, x, y), so that a pose is a flat list of angles. The table's axes read y up and z forward.
The paper prints no lengths: they are those of a public motion-capture humanoid of like mass (the
DeepMimic character, Peng et al. 2018), hip to knee 0.42 m, knee to ankle 0.41 m, 1.64 m tall. Nor
does it print torque limits and joint ranges: they are a person's (see `human_body`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypedDict

from amble.characters.anthropometry import leg_drop, leg_rest, winter
from amble.characters.blueprint import (
    Blueprint,
    Hinge,
    Inertia,
    Segment,
    Sole,
    Vec3,
    X,
    Y,
    Z,
    ellipsoid,
    pair,
)
from amble.characters.builder import build
from amble.characters.character import Character, Limb
from amble.characters.library import human_looks as looks
from amble.characters.library.human_body import KNEE_REST, TORQUE, human_palm

HEIGHT = 1.64


class _Row(TypedDict):
    mass: float
    inertia: Inertia


# Table 1: mass [kg] and moments of inertia Ix, Iy, Iz [kg m²] about the centre of mass.
TABLE_1: dict[str, tuple[float, float, float, float]] = {
    "pelvis": (12.8, 0.120, 0.148, 0.174),
    "thigh": (9.01, 0.208, 0.0356, 0.204),
    "shank": (3.91, 0.0600, 8.70e-3, 0.0585),
    "foot": (0.757, 1.99e-3, 1.99e-3, 1.16e-4),
    "torso": (17.0, 0.281, 0.167, 0.335),
    "clavicle": (2.51, 6.91e-3, 0.0111, 0.0111),
    "arm": (1.42, 0.0133, 1.40e-3, 0.0132),
    "forearm": (0.570, 3.00e-3, 3.00e-4, 3.00e-3),
    "hand": (0.451, 2.18e-4, 1.30e-5, 2.18e-4),
    "neck": (0.230, 2.00e-4, 2.00e-4, 2.00e-4),
    "head": (4.07, 0.0248, 0.0176, 0.0200),
}
HIP_SIDE, THIGH, SHANK, ANKLE = 0.084887, 0.421546, 0.40987, 0.05
HEEL, TOE, FOOT_WIDTH = -0.055, 0.150, 0.08
TRUNK = 0.236151  # above the hips
SHOULDER: Vec3 = (-0.02405, 0.18311, 0.24350)  # from the trunk's joint
NECK, VERTEX = 0.26, 0.52  # above the trunk's joint
UPPER_ARM, FOREARM, HAND = 0.274788, 0.235, 0.17


# The sizes by which it is drawn.
LOOKS = replace(
    winter(HEIGHT, 71.356),
    thigh=THIGH,
    shank=SHANK,
    ankle=ANKLE,
    foot=TOE - HEEL,
    foot_width=FOOT_WIDTH,
    hip_side=HIP_SIDE,
    lumbar=0.11,
    thoracic=TRUNK,
    neck=TRUNK + NECK,
    vertex=TRUNK + VERTEX,
    shoulder=TRUNK + SHOULDER[2],
    shoulder_side=SHOULDER[1],
    upper_arm=UPPER_ARM,
    forearm=FOREARM,
    hand=HAND,
)


def humanoid_tracking(height: float = HEIGHT, mass: float | None = None) -> Character:
    """The tracking paper's character; `mass` [kg] is Table 1's 71.4 kg unless given."""
    colors = {"shirt": "white", "trousers": "grey", "skin": "cream", "shoe": "dark"}
    waist = tuple(shape.moved((0, 0, LOOKS.lumbar)) for shape in looks.abdomen(LOOKS))
    segments = (
        Segment("pelvis", "", **_row("pelvis", (0, 0, 0.07)), shapes=looks.pelvis(LOOKS) + waist),
        *pair(*_leg()),
        *_trunk(),
        *pair(*_arm()),
    )
    limbs = (
        Limb("left_leg", "leg", ("left_thigh", "left_shank", "left_foot"), "left_foot"),
        Limb("right_leg", "leg", ("right_thigh", "right_shank", "right_foot"), "right_foot"),
        Limb("left_arm", "arm", ("left_upper_arm", "left_forearm", "left_hand"), "left_hand"),
        Limb("right_arm", "arm", ("right_upper_arm", "right_forearm", "right_hand"), "right_hand"),
        Limb("spine", "spine", ("thorax",)),
    )
    blueprint = Blueprint("humanoid-tracking", HEIGHT, segments, limbs, source=__doc__ or "")
    return build(blueprint.recolored(colors), height, mass)


def _leg() -> tuple[Segment, ...]:
    forward = -0.03
    rest = leg_rest(THIGH, SHANK, leg_drop(THIGH, SHANK, KNEE_REST, forward), forward)
    hip = TORQUE["hip"]
    thigh = Segment(
        "left_thigh",
        "pelvis",
        **_row("thigh", (0, 0, -0.43 * THIGH)),
        shapes=looks.thigh(LOOKS),
        at=(0, HIP_SIDE, 0),
        joint=(
            Hinge(Y, (-120, 30), hip, rest=math.degrees(rest.hip), suffix="y"),
            Hinge(X, (-30, 45), hip, suffix="x"),
            Hinge(Z, (-45, 45), hip, suffix="z"),
        ),
        joint_name="left_hip",
    )
    shank = Segment(
        "left_shank",
        "left_thigh",
        **_row("shank", (0, 0, -0.43 * SHANK)),
        shapes=looks.shank(LOOKS),
        at=(0, 0, -THIGH),
        joint=(Hinge(Y, (0, 140), TORQUE["knee"], rest=math.degrees(rest.knee)),),
        joint_name="left_knee",
    )
    foot = Segment(
        "left_foot",
        "left_shank",
        **_row("foot", (0.045, 0, -0.03)),
        shapes=looks.foot(LOOKS),
        at=(0, 0, -SHANK),
        joint=(
            Hinge(Y, (-40, 50), TORQUE["ankle_y"], rest=math.degrees(rest.ankle), suffix="y"),
            Hinge(X, (-35, 20), TORQUE["ankle_x"], suffix="x"),
        ),
        joint_name="left_ankle",
        contact=Sole(HEEL, TOE, FOOT_WIDTH, ANKLE),
    )
    return (thigh, shank, foot)


def _trunk() -> tuple[Segment, ...]:
    torque = TORQUE["lumbar"]
    torso = Segment(
        "thorax",
        "pelvis",
        **_row("torso", (0, 0, 0.12)),
        shapes=looks.thorax(LOOKS),
        at=(0, 0, TRUNK),
        joint=(
            Hinge(Z, (-50, 50), torque, suffix="z"),
            Hinge(X, (-40, 40), torque, suffix="x"),
            Hinge(Y, (-30, 85), torque, suffix="y"),
        ),
        joint_name="trunk",
    )
    # Clavicles, neck and head are bodies of the table, but the figure gives them no joint.
    bone = (ellipsoid((-0.012, 0.1, 0.24), (0.03, 0.08, 0.03), "white", collides=False),)
    clavicles = pair(
        Segment("left_clavicle", "thorax", **_row("clavicle", (-0.012, 0.1, 0.24)), shapes=bone)
    )
    throat = (ellipsoid((0, 0, 0.03), (0.05, 0.05, 0.05), "skin", collides=False),)
    neck = Segment("neck", "thorax", **_row("neck", (0, 0, 0)), shapes=throat, at=(0, 0, NECK))
    head = Segment("head", "neck", **_row("head", (0, 0, 0.40 - NECK)), shapes=looks.head(LOOKS))
    return (torso, *clavicles, neck, head)


def _arm() -> tuple[Segment, ...]:
    shoulder = TORQUE["shoulder"]
    upper_arm = Segment(
        "left_upper_arm",
        "thorax",
        **_row("arm", (0, 0, -0.13)),
        shapes=looks.upper_arm(LOOKS),
        at=SHOULDER,
        joint=(
            Hinge(Y, (-170, 60), shoulder, rest=4, suffix="y"),
            Hinge(X, (-30, 170), shoulder, rest=9, suffix="x"),
            Hinge(Z, (-70, 90), shoulder, suffix="z"),
        ),
        joint_name="left_shoulder",
    )
    forearm = Segment(
        "left_forearm",
        "left_upper_arm",
        **_row("forearm", (0, 0, -0.11)),
        shapes=looks.forearm(LOOKS),
        at=(0, 0, -UPPER_ARM),
        joint=(Hinge((0, -1, 0), (0, 145), TORQUE["elbow"], rest=16),),
        joint_name="left_elbow",
    )
    hand = Segment(
        "left_hand",
        "left_forearm",
        **_row("hand", (0, 0, -0.065)),
        shapes=looks.hand(LOOKS),
        at=(0, 0, -FOREARM),
        contact=human_palm(HAND),
    )
    return (upper_arm, forearm, hand)


def _row(part: str, com: Vec3) -> _Row:
    """A row of Table 1: its axes x (lateral), y (up), z (forward) are our y, z, x."""
    mass, lateral, up, forward = TABLE_1[part]
    gyration = (math.sqrt(forward / mass), math.sqrt(lateral / mass), math.sqrt(up / mass))
    return {"mass": mass, "inertia": Inertia(com, gyration)}
