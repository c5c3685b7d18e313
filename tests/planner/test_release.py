"""Feet that a body leaves behind lift in time, and roll the way feet do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import amble
from amble.planner.planner import Planner
from amble.planner.release import released
from amble.sketch.contact import roll_angle
from amble.sketch.gait import gait_of


@pytest.mark.parametrize("ahead", [0.2, 0.5, 0.9])
def test_a_foot_left_behind_comes_down_flat_before_its_heel_lifts(ahead: float) -> None:
    planner = Planner(amble.character("humanoid"), command=amble.Command(speed=1.2))
    gait, earlier = gait_of(planner.body), 0
    for frame in planner.frames(4.0, 30.0):
        stage = planner.stage
        start = stage.start(frame.time)
        sketch = stage.sketch
        soon = sketch.time >= frame.time
        if soon.sum() < 5:
            continue
        thrown = replace(
            sketch,
            time=sketch.time[soon],
            com_w=sketch.com_w[soon] + [ahead, 0.0, 0.0],
            ypr=sketch.ypr[soon],
            contacts=stage.contacts,
        )
        for before, contact in zip(
            thrown.contacts, released(planner.body, gait, thrown, start).contacts, strict=True
        ):
            earlier += contact.end < before.end
            assert contact.start <= min(contact.flat, contact.end) <= contact.heel_off
            assert contact.heel_off <= contact.end
            seconds = contact.end - contact.heel_off
            if contact.end < before.end:
                assert contact.push_off <= gait.rolled_within(seconds, np.inf) + 1e-9
            last = [roll_angle(contact, contact.end - 1e-3 * k) for k in range(4)]
            assert np.abs(np.diff(last)).max() < 0.05
    assert earlier > 10
