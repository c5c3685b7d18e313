"""Frames in real time: when they are due, and none left out for those who are late."""

from __future__ import annotations

import time

import numpy as np
import pytest

import amble
from amble.errors import InputError


def test_frames_come_when_they_are_due_and_none_is_left_out() -> None:
    planner = amble.Planner(amble.character("humanoid"))
    begin, times = time.perf_counter(), []
    for frame in amble.live(planner, fps=20, seconds=1.0):
        times.append(frame.time)
        if len(times) == 5:
            time.sleep(0.4)  # somebody is late
    np.testing.assert_allclose(times, np.arange(21) / 20)
    assert time.perf_counter() - begin > 1.2
    later = [frame.time for frame in amble.live(planner, fps=20, seconds=0.2)]
    np.testing.assert_allclose(later, [1.05, 1.1, 1.15, 1.2])
    with pytest.raises(InputError, match="fps is 0"):
        next(amble.live(planner, fps=0))
