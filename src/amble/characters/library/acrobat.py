"""A person on their hands: the humanoid upside down, with wrists, so that arms are what carries.

The rest pose is a handstand: trunk and legs straight up, elbows a little bent, palms flat with the
fingers ahead. The wrist is one ball joint that stands for the wrist and for the forearm's rotation.
Limits and torques of shoulders, elbows and wrists are estimates of a gymnast's: shoulders that open
past 180°, and twice the humanoid's strength.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from amble.characters.anthropometry import Anthropometry, winter
from amble.characters.blueprint import Ball, Blueprint, Hinge, Palm, Segment, Sole, Y
from amble.characters.builder import build
from amble.characters.character import Character, Limb
from amble.characters.library.human_body import TORQUE, human_blueprint

UPSIDE_DOWN = 180.0  # [deg] about y
ELBOW_REST = 16.0  # [deg]
STRENGTH = 2.0  # times the humanoid's, of shoulders and elbows
WRIST_TORQUE = 60.0  # [N m]
#: rotation vector [deg] that turns a hand that hangs, palm inward, flat, fingers ahead, palm down
FLAT = (120.0 / math.sqrt(3), -120.0 / math.sqrt(3), -120.0 / math.sqrt(3))
BEND, TILT, TURN = 40.0, 30.0, 70.0  # [deg] of the wrist either way; with the forearm it turns
HEEL, TIPS, WIDTH, DEPTH = 0.15, 0.85, 0.55, 0.16  # of the hand's length
POINTED = 35.0  # [deg] of the feet


def acrobat(height: float = 1.77, mass: float = 78.0) -> Character:
    """A person on their hands, whose stature is `height` [m] when standing upright."""
    size = winter(1.77, 78.0)
    upright = human_blueprint("acrobat", size)
    segments = tuple(_segments(upright.segments, size))
    blueprint = Blueprint("acrobat", upright.height, segments, _limbs(), __doc__ or "")
    dressed = blueprint.recolored({"shirt": "red", "trousers": "grey"})
    return build(dressed, height, mass)


def _limbs() -> tuple[Limb, ...]:
    """A limb's kind says what it does: here arms carry, and legs swing."""

    def limb(side: str, name: str, kind: str, *parts: str) -> Limb:
        bodies = tuple(f"{side}_{part}" for part in parts)
        carries = kind == "leg"
        return Limb(
            f"{side}_{name}", "leg" if carries else "arm", bodies, bodies[-1] if carries else None
        )

    return (
        limb("left", "arm", "leg", "upper_arm", "forearm", "hand"),
        limb("right", "arm", "leg", "upper_arm", "forearm", "hand"),
        limb("left", "leg", "arm", "thigh", "shank", "foot"),
        limb("right", "leg", "arm", "thigh", "shank", "foot"),
        Limb("spine", "spine", ("abdomen", "thorax")),
        Limb("neck", "neck", ("head",)),
    )


def _segments(upright: Iterable[Segment], size: Anthropometry) -> Iterator[Segment]:
    """Trunk and left limbs inverted; right ones are their mirror images."""
    made: dict[str, Segment] = {}
    for segment in upright:
        if segment.name.startswith("right_"):
            yield made[segment.name.replace("right_", "left_")].mirrored()
        else:
            made[segment.name] = _inverted(segment, size)
            yield made[segment.name]


def _inverted(segment: Segment, size: Anthropometry) -> Segment:
    """The same segment with the joint and contact that it has in a handstand."""
    joint, contact = segment.joint, segment.contact
    half = ELBOW_REST / 2
    if segment.name == "pelvis":
        joint = Ball(x=(0, 0), y=(0, 0), z=(0, 0), torque=0.0, rest=(0.0, UPSIDE_DOWN, 0.0))
    elif segment.name == "left_thigh" and isinstance(joint, Ball):
        joint = replace(joint, rest=(0.0, 0.0, 0.0))
    elif segment.name == "left_shank":
        joint = (Hinge(Y, (0, 140), TORQUE["knee"], rest=2.0),)
    elif segment.name == "left_foot" and isinstance(joint, tuple):
        joint, contact = (replace(joint[0], rest=POINTED), *joint[1:]), None
    elif segment.name == "left_upper_arm":
        joint = Ball(
            x=(-45, 60), y=(-225, 60), z=(-60, 60), torque=STRENGTH * TORQUE["shoulder"],
            rest=(0.0, half - UPSIDE_DOWN, 0.0),
        )  # fmt: skip
    elif segment.name == "left_forearm":
        joint = (Hinge((0, -1, 0), (0, 145), STRENGTH * TORQUE["elbow"], rest=ELBOW_REST),)
    elif segment.name == "left_hand" and isinstance(contact, Palm):
        x, y, z = FLAT
        joint = Ball(
            x=(x - BEND, x + BEND), y=(y - TURN, y + TURN), z=(z - TILT, z + TILT),
            torque=WRIST_TORQUE, rest=FLAT,
        )  # fmt: skip
        long = size.hand
        contact = Sole(-HEEL * long, TIPS * long, WIDTH * long, DEPTH * long)
        return replace(segment, joint=joint, joint_name="left_wrist", contact=contact)
    return replace(segment, joint=joint, contact=contact)
