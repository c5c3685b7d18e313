"""What planned scenarios share: a planner, a script of commands, pushes, a clip, a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from amble.characters.character import Character
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.measures import measure
from amble.parameters import Value, parameter, parameter_infos
from amble.planner.planner import Planner
from amble.planner.recording import Recording
from amble.pose.style import check_style
from amble.pose.style import style as find_style
from amble.scenarios.scenario import Change, Outcome, Progress, Request, Scenario
from amble.sketch.command import Command
from amble.world.world import Push

FPS = 60  # frames a second of every planned clip
CHANGE_SHARE, SPEED_SPREAD, HEADING_SPREAD = 0.3, 1.0, 0.5  # [m/s], [rad]: centroidal 7.3


@dataclass(frozen=True)
class PlannedParameters(Command):
    """A command, and what only the beginning decides."""

    gait: str = parameter("", "", "of a quadruped: walk or trot; empty: by speed")
    wander: bool = parameter(False, "", "change speed and heading at random, by the seed")
    top_speed: float = parameter(2.0, "m/s", "of commands at random", low=0, high=50)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_style(self.style)


@dataclass(frozen=True)
class Play:
    """What a planned scenario adds to its parameters: a script and pushes."""

    script: tuple[tuple[float, str, Value], ...] = ()  # time [s], key, value
    pushes: Callable[[Character, Any], Iterable[Push]] = lambda character, parameters: ()
    unmet: Callable[[Clip, Mapping[str, Any]], str] = lambda clip, measures: ""
    measures: Callable[[Clip], Mapping[str, Any]] = field(default=lambda clip: {})

    def __call__(self, scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
        """Plan the request to its end or a fall."""
        _check(request)
        begin = time.perf_counter()
        parameters: PlannedParameters = scenario.parameters_of(request)
        planner = Planner(
            request.character, request.terrain, command_of(parameters), gait=parameters.gait
        )
        for change in request.changes:
            if change.key == "style":  # a clip of another body is refused before the motion begins
                find_style(str(change.value), request.character, planner.body)
        for push in request.pushes or self.pushes(request.character, parameters):
            planner.push(push)
        clip = self._record(scenario, request, parameters, planner, progress)
        seconds = time.perf_counter() - begin
        found = measure(clip) | dict(self.measures(clip))
        fall = f"fell at {planner.time:.2f} s: {planner.fallen}" if planner.fallen else ""
        reason = fall or self.unmet(clip, found)
        report = {
            "scenario": scenario.name,
            "character": request.character.name,
            "seed": request.seed,
            "seconds": clip.seconds,
            "compute_seconds": seconds,
            "compute_per_second": seconds / max(clip.seconds, 1 / FPS),
            "reached_goal": not reason,
            "reason": reason or "done",
            "notes": [event.what for event in clip.events_of("limit")],
            "measures": found,
        }
        return Outcome(clip, report, not reason, reason or "done")

    def _record(
        self,
        scenario: Scenario,
        request: Request,
        parameters: PlannedParameters,
        planner: Planner,
        progress: Progress | None,
    ) -> Clip:
        own = [Change(*change) for change in self.script] if not request.changes else []
        changes = sorted([*own, *request.changes], key=lambda change: change.time)
        wander = Wander(parameters, request.seed) if parameters.wander else None
        recording = Recording(planner.character, planner.body, planner.terrain, FPS)
        frames = planner.frames(request.seconds, FPS)
        for frame in frames:
            recording.add(frame)
            while changes and changes[0].time <= frame.time + 1e-9:
                change = changes.pop(0)
                planner.command(**{change.key: change.value})
            if wander is not None and wander.due(planner.stage.time):
                planner.command(**wander.wish())
            if progress is not None:
                progress(frame.time)
        return recording.clip(planner.events, scenario.name)


class Wander:
    """Commands at random: at every plan, with a probability, the speed and the heading change by
    normally distributed steps (centroidal section 7.3)."""

    def __init__(self, parameters: PlannedParameters, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._top = parameters.top_speed
        self._speed, self._heading = parameters.speed, np.deg2rad(parameters.heading)
        self._seen = -np.inf

    def due(self, planned: float) -> bool:
        """Whether a new plan was made since the last call, and chance wants a change."""
        if planned <= self._seen:
            return False
        self._seen = planned
        return bool(self._rng.random() < CHANGE_SHARE)

    def wish(self) -> dict[str, Value]:
        """The next command."""
        speed = self._speed + SPEED_SPREAD * self._rng.standard_normal()
        self._speed = float(np.clip(abs(speed), 0.0, self._top))
        self._heading += HEADING_SPREAD * float(self._rng.standard_normal())
        return {"speed": self._speed, "heading": float(np.rad2deg(self._heading))}


def _check(request: Request) -> None:
    """Raise `InputError` for wishes that only a simulation can follow."""
    if request.noise > 0:
        raise InputError("noise: planned motion begins at rest; leave it out")
    if request.growths:
        raise InputError(f"{request.growths[0].part}: a planned body keeps its size; leave it out")
    for change in request.changes:
        if change.key not in parameter_infos(Command):
            allowed = ", ".join(parameter_infos(Command))
            raise InputError(f"{change.key}: is set at the beginning only; later: {allowed}")


def command_of(parameters: PlannedParameters) -> Command:
    """The command among the parameters of a scenario."""
    return Command(**{f.name: getattr(parameters, f.name) for f in fields(Command)})
