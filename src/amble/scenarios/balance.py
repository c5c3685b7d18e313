"""Standing (features section 4, table 1): quietly, squatting, pushed, growing, weighted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from amble.characters.character import Character
from amble.control.balance import Balance, BalanceParameters
from amble.control.stepping.rescue import SupervisedBalance
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.measures import com_height_rms_mm
from amble.parameters import Value, parameter, settled
from amble.scenarios import reshape
from amble.scenarios.scenario import WORLDS, Request, Scenario
from amble.scenarios.simulated import Run, Simulated
from amble.scenarios.weighted import Weighted
from amble.world import MuJoCoWorld, OptimiserWorld
from amble.world.simulate import Action
from amble.world.world import Push

HUMAN_MASS = 78.0  # [kg] of the body that the default pushes are meant for
HUMAN_LEG = 0.927  # [m] leg length of the body that the default squat is meant for
HUMAN_COM = 1.0  # [m] height of its centre of mass
RESHAPE_SECONDS = 15.0
SQUAT_ERROR = 0.015  # [m] rms error of the height that still counts as a squat, for that leg


@dataclass(frozen=True)
class SquatParameters(BalanceParameters):
    """A sinusoid of the centre of mass's height, down from where it is at rest."""

    depth: float = parameter(0.30, "m", "from the highest to the lowest point", low=0, high=5)
    frequency: float = parameter(0.5, "Hz", "squats a second", low=0.01, high=5)


@dataclass(frozen=True)
class PushParameters(BalanceParameters):
    """Pushes from all sides, one after another."""

    force: float = parameter(200.0, "N", "force of each push", low=0, high=1e5)
    push_seconds: float = parameter(0.1, "s", "duration of each push", low=0.001, high=10)
    pause: float = parameter(2.5, "s", "from one push to the next", low=0.1, high=60)
    directions: int = parameter(8, "", "pushes, evenly around the body", low=1, high=72)


@dataclass(frozen=True)
class ReshapeParameters(BalanceParameters):
    """Growth of the limbs."""

    factor: float = parameter(2.0, "", "how many times longer each limb gets", low=0.5, high=3)
    growth_seconds: float = parameter(3.0, "s", "time that a limb takes", low=0.1, high=60)


def controller(world: MuJoCoWorld, parameters: BalanceParameters) -> Balance:
    """The balance controller for a world."""
    if parameters.supervisor and isinstance(world, OptimiserWorld):
        raise InputError("supervisor = true needs --world mujoco: a preview follows one controller")
    return SupervisedBalance(world.character, world.model, world.data, world.terrain, parameters)


def pushes_around(character: Character, parameters: PushParameters) -> Iterable[Push]:
    """Pushes on the chest, or the root of a body without one, evenly from all directions."""
    part = "thorax" if "thorax" in character.parts else character.root
    for k in range(parameters.directions):
        angle = 2 * math.pi * k / parameters.directions
        force_w = (parameters.force * math.cos(angle), parameters.force * math.sin(angle), 0.0)
        start = 1.0 + k * parameters.pause
        yield Push(part, force_w, start=start, seconds=parameters.push_seconds)


def squat(time: float, parameters: SquatParameters) -> tuple[float, float, float]:
    """Height over rest [m], its rate [m/s] and its acceleration [m/s²]."""
    amplitude, omega = parameters.depth / 2, 2 * math.pi * parameters.frequency
    phase = omega * time
    return (
        amplitude * (math.cos(phase) - 1),
        -amplitude * omega * math.sin(phase),
        -amplitude * omega**2 * math.cos(phase),
    )


def _fit_squat(character: Character) -> Mapping[str, Value]:
    size = min(character.leg_length / HUMAN_LEG, character.com_height / HUMAN_COM)
    return {"depth": round(0.30 * size, 3)}


def _fit_growth(character: Character) -> Mapping[str, Value]:
    """All limbs, one after another with a second between, in the time of the scenario."""
    limbs = max(1, len(reshape.groups(character)))
    return {"growth_seconds": round(min(3.0, (RESHAPE_SECONDS - 2) / limbs - 1), 2)}


def _fit_pushes(character: Character) -> Mapping[str, Value]:
    return {"force": round(200.0 * character.mass / HUMAN_MASS, 1)}


def _squatting(world: MuJoCoWorld, parameters: SquatParameters) -> Balance:
    balance = controller(world, parameters)
    balance.height = lambda time: squat(time, cast(SquatParameters, balance.parameters))
    return balance


def _measure_squat(request: Request, parameters: SquatParameters, done: Run) -> Mapping[str, Any]:
    wanted = _wanted_heights(done.clip, request, parameters)
    return {"com_height_rms_mm": com_height_rms_mm(done.clip, wanted)}


def _missed_squat(request: Request, done: Run, measures: Mapping[str, Any]) -> str:
    error = measures["com_height_rms_mm"]
    allowed = 1000 * SQUAT_ERROR * request.character.leg_length / HUMAN_LEG
    missed = f"height missed by {error:.0f} mm rms, more than {allowed:.0f} mm"
    return missed if error > allowed else ""


def _wanted_heights(clip: Clip, request: Request, parameters: SquatParameters) -> np.ndarray:
    """Height of the centre of mass that was asked for at each frame (T,) [m]."""
    changes = sorted(request.changes, key=lambda change: change.time)
    offsets = np.empty(len(clip))
    for k, time in enumerate(clip.time):
        while changes and changes[0].time <= time + 1e-9:
            change = changes.pop(0)
            parameters = settled(parameters, {change.key: change.value})
        offsets[k] = squat(time, parameters)[0]
    first = next(clip.frames())
    rest = first.data.subtree_com[first.model.body(clip.character.root).id, 2]
    return rest + offsets


def _growing(world: MuJoCoWorld, parameters: ReshapeParameters) -> Iterable[Action]:
    for k, parts in enumerate(reshape.groups(world.character)):
        start = 1.0 + k * (parameters.growth_seconds + 1.0)
        yield from reshape.growth(world, parts, parameters.factor, start, parameters.growth_seconds)


SCENARIOS = (
    Scenario(
        name="balance",
        family="balance",
        summary="stand quietly",
        seconds=10.0,
        parameters=BalanceParameters,
        play=Simulated(controller),
        worlds=WORLDS,
    ),
    Scenario(
        name="balance-squat",
        family="balance",
        summary="squat by moving the centre of mass down and up",
        seconds=10.0,
        parameters=SquatParameters,
        play=Simulated(_squatting, measures=_measure_squat, unmet=_missed_squat),
        worlds=WORLDS,
        fit=_fit_squat,
    ),
    Scenario(
        name="balance-push",
        family="balance",
        summary="pushed from eight sides, one after another",
        seconds=21.0,
        parameters=PushParameters,
        play=Simulated(controller, pushes=pushes_around),
        worlds=WORLDS,
        fit=_fit_pushes,
    ),
    Scenario(
        name="balance-reshape",
        family="balance",
        summary="limbs grow to twice their length while standing",
        seconds=RESHAPE_SECONDS,
        parameters=ReshapeParameters,
        play=Simulated(controller, actions=_growing),
        worlds=WORLDS,
        fit=_fit_growth,
    ),
    Scenario(
        name="balance-weighted",
        family="balance",
        summary="the same pushes with priorities and with a weighted sum, side by side",
        seconds=21.0,
        parameters=PushParameters,
        play=Weighted(Simulated(controller, pushes=pushes_around)),
        worlds=WORLDS,
        fit=_fit_pushes,
    ),
)
