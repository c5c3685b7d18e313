"""Which joints of a captured skeleton are hips, knees, shoulders: by their names, of any style."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from amble.errors import InputError, UnknownName
from amble.motion.skeleton import Skeleton

# What a joint may be called without its side, the best first. A joint has the name of the bone
# that hangs on it in most skeletons, and its own in some.
WORDS: dict[str, tuple[str, ...]] = {
    "hip": ("upleg", "upperleg", "thigh", "femur", "hip"),
    "knee": ("lowerleg", "loleg", "lowleg", "leg", "shin", "shank", "calf", "tibia", "knee"),
    "ankle": ("foot", "ankle"),
    "toe": ("toebase", "toes", "toe", "ball"),
    "shoulder": ("upperarm", "uparm", "arm", "humerus", "shldr", "shoulder"),
    "elbow": ("forearm", "lowerarm", "loarm", "lowarm", "radius", "ulna", "elbow"),
    "wrist": ("hand", "wrist"),
}
NEEDED = ("hip", "knee", "ankle")
SIDES = {"left": ("left", "l", "lft"), "right": ("right", "r", "rgt", "rt")}
ROLES = tuple(f"{side}_{part}" for side in SIDES for part in WORDS)


@dataclass(frozen=True)
class JointMap:
    """Joints (numbers of the skeleton) by role; arms and toes may be missing."""

    root: int
    chest: int  # carries the arms; the root where there are none
    roles: Mapping[str, int]


def match_joints(
    skeleton: Skeleton, given: Mapping[str, str] | None = None, where: str = "skeleton"
) -> JointMap:
    """Find the joints of a person; `given` names some of them: {"left_knee": "LeftLeg"}."""
    roles: dict[str, int] = {}
    for role, name in (given or {}).items():
        if role not in ROLES:
            raise UnknownName("part of a skeleton", role, ROLES, where=where)
        if name not in skeleton.names:
            raise UnknownName("joint", name, skeleton.names, where=where)
        roles[role] = skeleton.names.index(name)
    split = _sides_and_words(skeleton.names)
    for role in ROLES:
        side, part = role.split("_")
        if role not in roles:
            found = _find(skeleton, split, side, part, roles)
            if found is not None:
                roles[role] = found
    for side in SIDES:
        for part in NEEDED:
            if f"{side}_{part}" not in roles:
                words = ", ".join(WORDS[part])
                raise InputError(
                    f"{where}: no joint is called like a {side} {part} ({words}); name it, e.g. "
                    f"{side}_{part}=JOINT, out of: {', '.join(skeleton.names)}"
                )
    arms = [roles[f"{side}_shoulder"] for side in SIDES if f"{side}_shoulder" in roles]
    chest = _common(skeleton, arms) if len(arms) == 2 else 0
    return JointMap(0, chest, roles)


def _sides_and_words(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """("left", "upleg") of LeftUpLeg, mixamorig:LeftUpLeg, l_up_leg, Bip01 L UpLeg, lUpLeg …

    Words that most joints have in common, such as the name of the figure, say nothing.
    """
    split = [_words(name) for name in names]
    common = {word for words in split for word in words}
    common = {w for w in common if sum(w in words for words in split) > 0.6 * len(names)}
    return [_side_and_word([w for w in words if w not in common]) for words in split]


def _words(name: str) -> list[str]:
    name = name.rsplit(":", 1)[-1]
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[^a-z]+", spaced.lower()) if word]


def _side_and_word(words: list[str]) -> tuple[str, str]:
    for side, tokens in SIDES.items():
        if any(word in tokens for word in words):
            return side, "".join(word for word in words if word not in tokens)
    whole = "".join(words)
    for side, tokens in SIDES.items():
        for token in (tokens[0], tokens[1]):
            rest = whole.removeprefix(token)
            if rest != whole and any(rest == word for found in WORDS.values() for word in found):
                return side, rest
    return "", whole


def _find(
    skeleton: Skeleton, split: list[tuple[str, str]], side: str, part: str, roles: dict[str, int]
) -> int | None:
    """The joint with the best word; of several the one nearest to the root. It hangs on the part
    before it in its limb."""
    order = list(WORDS)
    above = roles.get(f"{side}_{order[order.index(part) - 1]}") if part not in _FIRST else None
    for word in WORDS[part]:
        for joint, (found, rest) in enumerate(split):
            fits = rest == word or (
                rest.endswith(word) and part in ("hip", "ankle", "toe", "wrist")
            )
            hangs = above is None or _carries(skeleton, above, joint)
            if found == side and fits and hangs and joint not in roles.values():
                return joint
    return None


_FIRST = ("hip", "shoulder")
_WITH_PREFIX = ("hip", "ankle", "toe", "wrist")  # bipthigh, but an upperleg is no leg


def _carries(skeleton: Skeleton, above: int, joint: int) -> bool:
    while joint > above:
        joint = skeleton.parents[joint]
    return joint == above


def _common(skeleton: Skeleton, joints: list[int]) -> int:
    """The joint that carries all of them, the last such."""
    ways = []
    for joint in joints:
        way = [skeleton.parents[joint]]
        while way[-1] > 0:
            way.append(skeleton.parents[way[-1]])
        ways.append(way)
    return next(joint for joint in ways[0] if all(joint in way for way in ways))
