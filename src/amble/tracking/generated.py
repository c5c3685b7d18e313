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
STOPPING = 4.0  # [s] from the command to stop
STANDING = 12  # rows of a standing motion: they are all the same


def planned_clip(
    character: Character, speed: float, seconds: float, standing_for: float = 0.0
) -> Clip:
    """A planned walk or run at a speed [m/s] from a standing start, and a stop after it."""
    planner = Planner(character)
    recording = Recording(character, planner.body, planner.terrain, fps=1 / STEP)
    for wish, duration in ((speed, seconds), (0.0, standing_for)):
        planner.command(speed=wish)
        for frame in planner.frames(seconds=duration, fps=1 / STEP) if duration else ():
            recording.add(frame)
    return recording.clip(planner.events, f"planned at {speed:g} m/s")


def planned_start_and_stop(body: FlatBody, speed: float) -> tuple[Motion, int]:
    """From standing into a walk at `speed` [m/s], and back; and the row where it is told to."""
    clip = planned_clip(body.character, speed, SETTLING, STOPPING)
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
