"""Styles: how a body carries itself, a pose for every moment that feet and physics refine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.errors import InputError, UnknownName
from amble.plan.plan import BodyState
from amble.pose.feet import FootState
from amble.sketch.contact import Contact

CLIP = ".npz"  # ending of a clip's file


@dataclass(frozen=True)
class Moment:
    """What a style may look at."""

    time: float  # [s]
    dt: float  # [s] since the last frame, 0 in the first
    state: BodyState
    contacts: Sequence[Contact]  # by start
    feet: Sequence[FootState]  # one a leg


@dataclass(frozen=True)
class Posture:
    """A pose without its place: angles of the joints, and how the root is turned in the body."""

    angles: np.ndarray  # (nv − 6,) [rad]; a ball joint's are its rotation vector
    root_R_b: np.ndarray  # (3, 3) of the root against the planned orientation


class Style(Protocol):
    """Something that poses a body. It may keep a memory, which `mark` hands out."""

    def posture(self, moment: Moment) -> Posture:
        """The pose at a moment; legs are left to the feet."""

    def reset(self) -> None:
        """Forget the past."""

    def mark(self) -> Any:
        """The memory, to be given back to `restore`."""

    def restore(self, mark: Any) -> None:
        """Go back to a `mark`."""


class RestStyle:
    """The rest pose, always (centroidal section 6.1, for robots)."""

    def __init__(self, character: Character) -> None:
        self._posture = Posture(np.zeros(character.dof - 6), np.eye(3))

    def posture(self, moment: Moment) -> Posture:
        return self._posture

    def reset(self) -> None:
        pass

    def mark(self) -> None:
        return None

    def restore(self, mark: None) -> None:
        pass


def styles() -> tuple[str, ...]:
    """The names of all styles."""
    from amble.pose.human_manners import MANNERS

    return tuple(MANNERS)


def check_style(name: str) -> None:
    """Raise `InputError` unless it is the name of a style or an existing clip."""
    if name.endswith(CLIP):
        if not Path(name).expanduser().is_file():
            raise InputError(f"{name}: no such file; give a clip ({CLIP}) or a style's name")
    elif name not in styles():
        raise UnknownName("style", name, [*styles(), f"CLIP{CLIP}"])


def style(name: str, character: Character, body: CentroidalBody) -> Style:
    """The style of this name for a character, or of the clip in this file.

    A body that is not human has its rest pose for all names.
    """
    from amble.pose.clip_style import style_from_clip
    from amble.pose.human_manners import MANNERS
    from amble.pose.human_style import HumanStyle, is_human
    from amble.pose.nodding_style import NoddingStyle

    check_style(name)
    if name.endswith(CLIP):
        return style_from_clip(name, character, body)
    if is_human(character):
        return HumanStyle(character, body, MANNERS[name])
    if len(body.legs) == 1:
        return NoddingStyle(character, body)
    return RestStyle(character)
