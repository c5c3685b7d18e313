"""simulate: a controller in a world, recorded as a clip."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from amble.errors import InputError
from amble.motion.clip import Clip
from amble.world.controller import Controller
from amble.world.divergence import SimulationDiverged
from amble.world.recorder import Recorder
from amble.world.world import World

Action = tuple[float, Callable[[], None]]
"""Something done once at its time [s]: a change of command, a reshape."""


def simulate(
    world: World,
    controller: Controller,
    seconds: float,
    *,
    fps: float = 100.0,
    actions: Iterable[Action] = (),
    stop_on_fall: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Clip:
    """Let the controller act in the world for some seconds, or until the character falls.

    Times of actions count from the world's present time. At one instant actions come first, then
    the controller, then the frame. `progress` is called every 0.1 s with the simulated time.
    When the simulation diverges, the error carries the clip until then.
    """
    for name, value in (("seconds", seconds), ("fps", fps)):
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{name} is {value}; it must be positive")
    control = _steps(controller.period, world.timestep, "the controller's period")
    frame = _steps(1 / fps, world.timestep, "the time of a frame, 1 / fps,")
    report = round(0.1 / world.timestep)
    end = round(seconds / world.timestep)
    actions = list(actions)
    for time, _ in actions:
        if not math.isfinite(time):
            raise InputError(f"an action is due at {time} s; it must be a number")
    due = [(math.ceil(time / world.timestep - 1e-6), action) for time, action in actions]
    due.sort(key=lambda item: item[0])

    recorder = Recorder(world, fps, frames=end // frame + 1)
    torque = np.zeros(world.model.nv - 6)
    step = reported = 0
    try:
        while True:
            while due and due[0][0] <= step:
                due.pop(0)[1]()
                control = _steps(controller.period, world.timestep, "the controller's period")
            if step % control == 0 and step < end:
                torque = controller.torque(world.time)
            if step % frame == 0:
                recorder.record(torque)
                if recorder.fallen and stop_on_fall:
                    break
            if progress and step >= reported + report:
                reported = step
                progress(world.time)
            if step >= end:
                break
            until = min(step - step % control + control, step - step % frame + frame, end)
            if due:
                until = min(until, due[0][0])
            world.step(torque, until - step)
            step = until
    except SimulationDiverged as error:
        error.clip = recorder.clip() if len(recorder) else None
        raise
    return recorder.clip()


def _steps(interval: float, timestep: float, what: str) -> int:
    """A time as a whole number of physics steps."""
    steps = round(interval / timestep)
    if steps < 1 or abs(steps * timestep - interval) > 1e-6 * interval:
        raise InputError(
            f"{what} is {interval:g} s; give a whole number of physics steps of {timestep:g} s"
        )
    return steps
