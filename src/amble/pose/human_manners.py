"""Manners: the numbers that tell one way of carrying oneself from another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Manner:
    """How a person moves. Angles are in degrees and come on top of a natural gait's."""

    trunk_lean: float = 0.0  # forwards, shared by pelvis and spine
    head_bow: float = 0.0  # forwards, against the level gaze
    arm_swing: float = 1.0  # relative to natural
    arm_forward: float = 0.0  # of both upper arms
    arm_apart: float = 0.0  # from the body
    elbow_bend: float = 0.0
    pelvis: float = 1.0  # turn and list of the pelvis, relative to natural
    sway: float = 0.0  # of the trunk over the standing leg


MANNERS = {
    "natural": Manner(),
    "proud": Manner(trunk_lean=-5, head_bow=-8, arm_swing=1.15, arm_apart=6, pelvis=1.1),
    "sad": Manner(trunk_lean=10, head_bow=28, arm_swing=0.45, arm_forward=6, pelvis=0.7, sway=1.5),
    "sneaky": Manner(
        trunk_lean=22, head_bow=6, arm_swing=0.5, arm_forward=28, arm_apart=8, elbow_bend=65
    ),
    "march": Manner(trunk_lean=-2, arm_swing=1.7, elbow_bend=-6, pelvis=0.8),
    "wide_arms": Manner(arm_swing=0.15, arm_apart=68, elbow_bend=-8),
    "leaned_back": Manner(trunk_lean=-14, head_bow=2, arm_swing=0.9),
}
