"""The human body: segments, joints and limbs of 35 degrees of freedom, for any `Anthropometry`.

Ball hips, shoulders, neck and two in the spine; hinge knees and elbows; ankles with two axes.
Centres of mass and radii of gyration of the limbs: Winter, table 4.1. For the trunk, where the
table gives none, they follow from the shapes, and so for feet and hands.

Joint ranges: American Academy of Orthopaedic Surgeons, Joint Motion (1965); the spine's are shared
between its two joints, and the ankle bends 40° as it does under load (Bennell et al. 1998).
"""

from __future__ import annotations

import math

from amble.characters.anthropometry import Anthropometry, leg_drop, leg_rest
from amble.characters.blueprint import Ball, Blueprint, Hinge, Inertia, Palm, Segment, Sole, X, Y
from amble.characters.character import Limb
from amble.characters.library import human_looks as looks

KNEE_REST = math.radians(18)
# Ankles behind the hips, by height: the centre of mass then stands over the middle of the feet.
ANKLE_FORWARD = -0.034
# Largest torques [N m] of a man of 78 kg and 1.77 m; others by mass × height.
TORQUE = {
    "hip": 250.0,
    "knee": 300.0,
    "ankle_y": 200.0,
    "ankle_x": 100.0,
    "lumbar": 250.0,
    "thoracic": 200.0,
    "neck": 50.0,
    "shoulder": 100.0,
    "elbow": 60.0,
}
_TORQUE_MASS_HEIGHT = 78.0 * 1.77


def human_blueprint(
    name: str, left: Anthropometry, right: Anthropometry | None = None, source: str = ""
) -> Blueprint:
    """A person with the trunk and left limbs of `left`, and the right limbs of `right` if given.

    Both legs reach the ground: a longer one is bent more.
    """
    right = right or left
    forward = ANKLE_FORWARD * left.height
    hips = min(
        leg_drop(side.thigh, side.shank, KNEE_REST, forward) + side.ankle for side in (left, right)
    )
    strength = left.mass * left.height / _TORQUE_MASS_HEIGHT
    segments = (
        Segment("pelvis", "", left.pelvis_mass, looks.pelvis(left)),
        *_leg(left, hips, forward, strength),
        *(segment.mirrored() for segment in _leg(right, hips, forward, strength)),
        *_spine(left, strength),
        *_arm(left, strength),
        *(segment.mirrored() for segment in _arm(right, strength)),
    )
    return Blueprint(name, left.height, segments, _limbs(), source)


def _limbs() -> tuple[Limb, ...]:
    def limb(side: str, kind: str, *parts: str) -> Limb:
        bodies = tuple(f"{side}_{part}" for part in parts)
        return Limb(f"{side}_{kind}", "leg" if kind == "leg" else "arm", bodies, bodies[-1])

    return (
        limb("left", "leg", "thigh", "shank", "foot"),
        limb("right", "leg", "thigh", "shank", "foot"),
        limb("left", "arm", "upper_arm", "forearm", "hand"),
        limb("right", "arm", "upper_arm", "forearm", "hand"),
        Limb("spine", "spine", ("abdomen", "thorax")),
        Limb("neck", "neck", ("head",)),
    )


def _spine(a: Anthropometry, strength: float) -> tuple[Segment, ...]:
    abdomen = Segment(
        "abdomen",
        "pelvis",
        a.abdomen_mass,
        looks.abdomen(a),
        at=(0, 0, a.lumbar),
        joint=Ball(x=(-20, 20), y=(-15, 45), z=(-20, 20), torque=TORQUE["lumbar"] * strength),
        joint_name="lumbar",
    )
    thorax = Segment(
        "thorax",
        "abdomen",
        a.thorax_mass,
        looks.thorax(a),
        at=(0, 0, a.thoracic - a.lumbar),
        joint=Ball(x=(-20, 20), y=(-15, 40), z=(-30, 30), torque=TORQUE["thoracic"] * strength),
        joint_name="thoracic",
    )
    head = Segment(
        "head",
        "thorax",
        a.head_mass,
        looks.head(a),
        at=(0, 0, a.neck - a.thoracic),
        joint=Ball(x=(-45, 45), y=(-45, 45), z=(-60, 60), torque=TORQUE["neck"] * strength),
        joint_name="neck",
    )
    return (abdomen, thorax, head)


def _leg(a: Anthropometry, hips: float, forward: float, strength: float) -> tuple[Segment, ...]:
    """The left leg of a body whose hip joints are `hips` above the ground [m]."""
    rest = leg_rest(a.thigh, a.shank, hips - a.ankle, forward)
    thigh = Segment(
        "left_thigh",
        "pelvis",
        a.thigh_mass,
        looks.thigh(a),
        at=(0, a.hip_side, 0),
        # x abducts, −y flexes, z turns outwards.
        joint=Ball(
            x=(-30, 45),
            y=(-120, 30),
            z=(-45, 45),
            torque=TORQUE["hip"] * strength,
            rest=(0, math.degrees(rest.hip), 0),
        ),
        joint_name="left_hip",
        inertia=_rod_inertia(a.thigh, com=0.433, gyration=0.323, radius=a.thigh_radius),
    )
    knee = Hinge(Y, (0, 140), TORQUE["knee"] * strength, rest=math.degrees(rest.knee))
    shank = Segment(
        "left_shank",
        "left_thigh",
        a.shank_mass,
        looks.shank(a),
        at=(0, 0, -a.thigh),
        joint=(knee,),
        joint_name="left_knee",
        inertia=_rod_inertia(a.shank, com=0.433, gyration=0.302, radius=a.shank_radius),
    )
    # −y lifts the toes, −x the inner edge (inversion).
    bend = Hinge(Y, (-40, 50), TORQUE["ankle_y"] * strength, math.degrees(rest.ankle), suffix="y")
    roll = Hinge(X, (-35, 20), TORQUE["ankle_x"] * strength, suffix="x")
    foot = Segment(
        "left_foot",
        "left_shank",
        a.foot_mass,
        looks.foot(a),
        at=(0, 0, -a.shank),
        joint=(bend, roll),
        joint_name="left_ankle",
        contact=Sole(heel=-0.25 * a.foot, toe=0.75 * a.foot, width=a.foot_width, depth=a.ankle),
    )
    return (thigh, shank, foot)


def _arm(a: Anthropometry, strength: float) -> tuple[Segment, ...]:
    """The left arm."""
    upper_arm = Segment(
        "left_upper_arm",
        "thorax",
        a.upper_arm_mass,
        looks.upper_arm(a),
        at=(0, a.shoulder_side, a.shoulder - a.thoracic),
        joint=Ball(
            x=(-30, 170),
            y=(-170, 60),
            z=(-70, 90),
            torque=TORQUE["shoulder"] * strength,
            rest=(9, 4, 0),
        ),
        joint_name="left_shoulder",
        inertia=_rod_inertia(a.upper_arm, com=0.436, gyration=0.322, radius=a.upper_arm_radius),
    )
    forearm = Segment(
        "left_forearm",
        "left_upper_arm",
        a.forearm_mass,
        looks.forearm(a),
        at=(0, 0, -a.upper_arm),
        joint=(Hinge((0, -1, 0), (0, 145), TORQUE["elbow"] * strength, rest=16),),
        joint_name="left_elbow",
        inertia=_rod_inertia(a.forearm, com=0.430, gyration=0.303, radius=a.forearm_radius),
    )
    hand = Segment(
        "left_hand",
        "left_forearm",
        a.hand_mass,
        looks.hand(a),
        at=(0, 0, -a.forearm),
        contact=human_palm(a.hand),
    )
    return (upper_arm, forearm, hand)


def human_palm(hand: float) -> Palm:
    """The palm of a left hand of this length [m], which looks at the thigh."""
    front, inner, wrist, tips = 0.18 * hand, -0.12 * hand, -0.10 * hand, -0.85 * hand
    return Palm(
        ((front, inner, wrist), (-front, inner, wrist), (front, inner, tips), (-front, inner, tips))
    )


def _rod_inertia(length: float, com: float, gyration: float, radius: float) -> Inertia:
    """Winter's figures of a segment that hangs down; about its own axis it is a solid cylinder."""
    across = gyration * length
    return Inertia((0, 0, -com * length), (across, across, radius / math.sqrt(2)))
