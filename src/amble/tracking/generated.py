"""Motions without any capture: planned walks and runs of the body itself, and its rest pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from amble.characters.character import Character
from amble.motion.clip import Clip
from amble.planner.planner import Planner
from amble.planner.recording import Recording
from amble.tracking.cycles import find_cycle
from amble.tracking.flat_body import CORNERS, FlatBody
from amble.tracking.from_clip import motion_from_clip
from amble.tracking.motion import STEP, Motion
from amble.tracking.reference import Travel

SETTLING, RECORDED = 5.0, 3.0  # [s] until a planned gait is steady, and from then on
CHANGING = 4.0  # [s] from the command to go at another speed, or to stop
STANDING = 12  # rows of a standing motion: they are all the same


def planned_clip(
    character: Character, speed: float, seconds: float, *later: tuple[float, float]
) -> Clip:
    """A planned walk or run at a speed [m/s] from a standing start; `later` speeds and seconds."""
    planner = Planner(character)
    recording = Recording(character, planner.body, planner.terrain, fps=1 / STEP)
    for wish, duration in ((speed, seconds), *later):
        planner.command(speed=wish)
        for frame in planner.frames(seconds=duration, fps=1 / STEP):
            recording.add(frame)
    return recording.clip(planner.events, f"planned at {speed:g} m/s")


def planned_change(body: FlatBody, speed: float, later: float) -> tuple[Motion, int]:
    """From standing into a walk or run at `speed` [m/s], and then at another, 0 for a stop; and the
    row where that is told."""
    clip = planned_clip(body.character, speed, SETTLING, (later, CHANGING))
    return motion_from_clip(body, clip), round(SETTLING / STEP)


def planned_cycle(body: FlatBody, speed: float, name: str) -> Motion:
    """One cycle of a planned walk or run at a speed [m/s]."""
    clip = planned_clip(body.character, speed, SETTLING + RECORDED)
    whole = motion_from_clip(body, clip, name)
    steady = round(SETTLING / STEP)
    return find_cycle(
        replace(whole, q=whole.q[steady:], contact=whole.contact[steady:]), straight=True
    )


def standing(body: FlatBody, name: str = "stand") -> Motion:
    """The rest pose on both feet."""
    q = body.flat(body.character.rest_qpos())
    return Motion(
        name,
        STEP,
        np.tile(q, (STANDING, 1)),
        np.ones((STANDING, CORNERS), bool),
        Travel(0.0, 0.0, 0.0),
    )
