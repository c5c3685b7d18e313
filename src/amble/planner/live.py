"""Frames of a planned motion in real time, for programs that show it while it is made."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from amble.errors import InputError
from amble.planner.planner import PlannedFrame, Planner

BEHIND = 0.1  # [s] that a frame may be late before time is let go


def live(planner: Planner, fps: float = 60.0, seconds: float = math.inf) -> Iterator[PlannedFrame]:
    """Frames as they are due, `fps` a second, until `seconds` of motion are over or the body falls.

    No frame is left out: whoever takes them too late sees the motion go slower. Best with a planner
    that plans ahead (`Planner(…, ahead=True)`).
    """
    if not (math.isfinite(fps) and 0 < fps <= 1000):
        raise InputError(f"live: fps is {fps:g}; it must be above 0 and at most 1000")
    due = time.perf_counter()
    begin, first = planner.time, 0 if planner.time == 0 else 1
    count = math.inf if math.isinf(seconds) else round(seconds * fps)
    k = first
    while k <= count and not planner.fallen:
        frame = planner.frame(begin + k / fps)
        now = time.perf_counter()
        if now < due:
            time.sleep(due - now)
        elif now - due > BEHIND:
            due = now
        yield frame
        due += 1 / fps
        k += 1
