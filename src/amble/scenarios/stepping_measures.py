"""What steps are judged by: how near to the footprint, how many, how soon after a push."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np

from amble.control.stepping.footwork import Taken
from amble.geometry.turns import wrapped
from amble.motion.clip import Clip

SETTLES = 0.15  # [s] after the touchdown the foot has come to rest
STANDING_SPEED = 0.15  # [m/s] of the root: who is slower at the end stands, for a human


def reached_footprints(clip: Clip, taken: Sequence[Taken]) -> Iterator[tuple[float, float]]:
    """Of each directed step that was not given up: how far the heel is off [m], and the toes'
    direction [deg]."""
    model, data = clip.character.model, mujoco.MjData(clip.character.model)
    feet = dict(zip(("left", "right"), clip.character.feet, strict=True))
    for step in taken:
        if step.kind != "directed" or not step.reached:
            continue
        frame = min(int(np.searchsorted(clip.time, step.landed + SETTLES)), len(clip) - 1)
        data.qpos[:] = clip.qpos[frame]
        mujoco.mj_kinematics(model, data)
        points = np.array([data.site(site).xpos for site in feet[step.foot].sites])
        half = len(points) // 2
        heel, toe = (complex(*spot[:2]) for spot in (points[:half].mean(0), points[half:].mean(0)))
        wanted = complex(*step.place) - cmath.rect(abs(toe - heel) / 2, step.yaw)
        turned = math.degrees(wrapped(cmath.phase(toe - heel) - step.yaw))
        yield abs(heel - wanted), abs(turned)


def measure_steps(
    clip: Clip, taken: Sequence[Taken], refused: Sequence[tuple[float, str]], asked: int
) -> dict[str, Any]:
    """Measures of steps, ready for JSON.

    `footprints_asked`, `footprints_reached`; `heel_error_mm` and `toe_direction_error_deg` of those
    (`mean`, `max`); `footprints_refused` with the reasons; `reactive_steps` that the supervisor
    began; `touchdowns` of feet; `push_to_lift_off_s` of each push that was answered by a step;
    `stands_at_end`.
    """
    errors = list(reached_footprints(clip, taken))
    found: dict[str, Any] = {
        "footprints_asked": asked,
        "footprints_reached": len(errors),
        "footprints_refused": [reason for _, reason in refused],
        "reactive_steps": sum(step.kind == "reactive" for step in taken),
        "touchdowns": sum(e.what in _feet(clip) for e in clip.events_of("touchdown")),
        "push_to_lift_off_s": [round(delay, 3) for delay in lift_off_delays(clip, taken)],
        "stands_at_end": stands(clip),
    }
    if errors:
        heels, turns = np.array(errors).T
        found["heel_error_mm"] = {
            "mean": 1e3 * float(heels.mean()),
            "max": 1e3 * float(heels.max()),
        }
        found["toe_direction_error_deg"] = {"mean": float(turns.mean()), "max": float(turns.max())}
    return found


def lift_off_delays(clip: Clip, taken: Sequence[Taken]) -> Iterator[float]:
    """From the beginning of each push to the decision that a foot leaves the ground [s]."""
    pushes = [event.time for event in clip.events_of("push")]
    for begin, end in pairwise([*pushes, math.inf]):
        steps = [s.decided for s in taken if s.kind == "reactive" and begin <= s.decided < end]
        if steps:
            yield steps[0] - begin


def stands(clip: Clip) -> bool:
    """Whether the body stands at the end: not fallen, slow, and on both feet."""
    slow = float(np.linalg.norm(clip.qvel[-1, :3])) < STANDING_SPEED
    first, on_both = 0, True
    for effector in clip.character.end_effectors:
        points = slice(first, first + len(effector.sites))
        first = points.stop
        if effector.name in _feet(clip):
            on_both &= bool(clip.touching[-1, points].any())
    return slow and on_both and not clip.events_of("fall")


def _feet(clip: Clip) -> tuple[str, ...]:
    return tuple(foot.name for foot in clip.character.feet)
