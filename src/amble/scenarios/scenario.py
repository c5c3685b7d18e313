"""Scenario: a named demonstration. A `Request` says what is wanted, an `Outcome` what came."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amble.characters import character as find_character
from amble.characters.character import Character
from amble.characters.reshape import Scale
from amble.errors import InputError, UnknownName
from amble.motion.clip import Clip
from amble.parameters import ParameterInfo, Value, check, parameter_infos, settled
from amble.terrain import Flat
from amble.terrain.terrain import Terrain
from amble.world.divergence import Evidence
from amble.world.world import Push

WORLDS = ("mujoco", "optimiser")  # physics; a controller's own accelerations at 100 Hz
SHORTEST = 0.01  # [s]; one frame
LONGEST = 3600.0  # [s]; the frames of a longer clip may not fit into memory

Progress = Callable[[float], None]  # called now and then with the time [s] made so far


@dataclass(frozen=True)
class Change:
    """A parameter that takes another value at a time [s]: `--at 3:depth=0.1`."""

    time: float
    key: str
    value: Value


@dataclass(frozen=True)
class Growth:
    """A body part that grows, within a second from a time [s] on: `--at 3:left_thigh.length=2`."""

    time: float
    part: str
    scale: Scale


@dataclass(frozen=True)
class Request:
    """What is wanted of a scenario; `Scenario.request` fills in the defaults and checks it."""

    character: Character
    seconds: float
    seed: int = 0
    settings: Mapping[str, Value] = field(default_factory=dict)
    pushes: tuple[Push, ...] = ()  # in place of the scenario's own, where given
    changes: tuple[Change, ...] = ()
    growths: tuple[Growth, ...] = ()
    noise: float = 0.0  # deviation of the first joint angles [rad] and velocities [rad/s]
    world: str = "mujoco"
    terrain: Terrain = field(default_factory=Flat)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a scenario made. `others` are further clips by label, for comparison with `clip`."""

    clip: Clip
    report: Mapping[str, Any]  # the command line's contract, ready for JSON
    reached_goal: bool
    reason: str  # why it ended, in words
    others: Mapping[str, Clip] = field(default_factory=dict)
    evidence: Evidence | None = None  # the last second of a simulation that diverged
    plot: Callable[[Path], None] | None = None  # draws what there is to see, in place of forces


@dataclass(frozen=True)
class Scenario:
    """A named demonstration that any character with the right limbs can try.

    `parameters` is a frozen dataclass of `amble.parameters.parameter` fields; `fit` says which of
    their defaults depend on the character's size.
    """

    name: str
    family: str
    summary: str  # one line
    seconds: float
    parameters: type
    play: Callable[[Scenario, Request, Progress | None], Outcome]
    character: str = "humanoid"
    fit: Callable[[Character], Mapping[str, Value]] = lambda character: {}
    terrain: Terrain = field(default_factory=Flat)  # where it happens, unless a request says
    worlds: tuple[str, ...] = WORLDS[:1]  # in which it can happen
    verb: str = "simulating"  # what the progress bar says it is doing; a plan is no simulation

    @property
    def settings(self) -> dict[str, ParameterInfo]:
        """What `settings` and `changes` of a request may name."""
        return parameter_infos(self.parameters)

    def parameters_of(self, request: Request) -> Any:
        """The parameters at time zero."""
        fitted = settled(self.parameters(), self.fit(request.character))
        return settled(fitted, request.settings, where=f"scenario '{self.name}'")

    def request(
        self,
        character: str | Character | None = None,
        seconds: float | None = None,
        terrain: Terrain | None = None,
        world: str | None = None,
        **wishes: Any,
    ) -> Request:
        """A checked request; what is not given is the scenario's default."""
        body = self.character if character is None else character
        request = Request(
            character=body if isinstance(body, Character) else find_character(body),
            seconds=self.seconds if seconds is None else seconds,
            terrain=self.terrain if terrain is None else terrain,
            world=self.worlds[0] if world is None else world,
            **wishes,
        )
        self.check(request)
        return request

    def check(self, request: Request) -> None:
        """Raise `InputError` for anything that cannot be done, before anything is done."""
        if not SHORTEST <= request.seconds <= LONGEST:
            allowed = f"a number from {SHORTEST:g} to {LONGEST:g}"
            raise InputError(f"seconds = {request.seconds:g} is not allowed; give {allowed}")
        if request.seed < 0:
            raise InputError(f"seed = {request.seed} is not allowed; give a whole number ≥ 0")
        if not 0 <= request.noise <= 1:
            raise InputError(f"noise = {request.noise:g} is not allowed; give 0 to 1 [rad, rad/s]")
        if request.world not in self.worlds:
            raise UnknownName("world", request.world, self.worlds, where=f"scenario '{self.name}'")
        parameters = self.parameters_of(request)
        check(parameters)
        for change in request.changes:
            _check_time("change", change.time, request.seconds)
            parameters = settled(
                parameters, {change.key: change.value}, where=f"scenario '{self.name}'"
            )
        for growth in request.growths:
            _check_time("change", growth.time, request.seconds)
            request.character.part(growth.part)
        for push in request.pushes:
            _check_time("push", push.start, request.seconds)
            request.character.part(push.part)
            if not all(map(math.isfinite, push.force_w)):
                raise InputError(f"push on {push.part}: the force {push.force_w} must be finite")
            if not (math.isfinite(push.seconds) and push.seconds > 0):
                raise InputError(f"push on {push.part}: lasts {push.seconds:g} s; give a time > 0")

    def make(self, request: Request | None = None, progress: Progress | None = None) -> Outcome:
        """Do it."""
        if request is None:
            request = self.request()
        self.check(request)
        return self.play(self, request, progress)


def _check_time(what: str, time: float, seconds: float) -> None:
    if not 0 <= time < seconds:
        raise InputError(f"{what} at {time:g} s is outside the clip; give 0 ≤ time < {seconds:g} s")
