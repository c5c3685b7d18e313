"""Walking by torques (features section 6, table 2): speeds, styles, parameters while walking."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mujoco

from amble.characters.character import Character
from amble.control.walking.parameters import AS_SPEED_ASKS, WalkParameters
from amble.control.walking.walk import Walk
from amble.parameters import Value, parameter
from amble.scenarios import reshape
from amble.scenarios.scenario import WORLDS, Change, Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import Run, Simulated
from amble.scenarios.walk_measures import measure_gait
from amble.scenarios.walk_plot import gait_plot
from amble.scenarios.walk_styles import STYLES, TUNING, TUNING_BEGIN, TUNING_PAUSE, SlowWalk
from amble.scenarios.weighted import Weighted
from amble.world import MuJoCoWorld
from amble.world.simulate import Action

# What of the defaults is a length, a time or a speed of a human, and goes with another body's size.
LENGTHS = ("swing_height", "hip_shift", "foot_spread", "lean", "crouch")
GROWTH_BEGIN, GROWTH_SECONDS = 3.0, 3.0  # [s]
TIMES = ("swing_duration", "swing_delay")


def controller(world: MuJoCoWorld, parameters: WalkParameters) -> Walk:
    """The walking controller for a world."""
    return Walk(world.character, world.model, world.data, world.terrain, parameters)


@dataclass(frozen=True)
class GrowingWalk(SlowWalk):
    """Unhurried, while limbs grow."""

    factor: float = parameter(2.0, "", "how many times longer each limb gets", low=0.5, high=3)


def fit(kind: type[WalkParameters], character: Character) -> Mapping[str, Value]:
    """The defaults of a human, for a body of another size: times and speeds go with its root."""
    size = character.com_height
    slow, human = math.sqrt(size), kind()
    fitted: dict[str, Value] = {name: size * getattr(human, name) for name in LENGTHS}
    fitted |= {name: slow * getattr(human, name) for name in TIMES}
    fitted["speed"] = slow * human.speed
    if human.step_length != AS_SPEED_ASKS:
        fitted["step_length"] = size * human.step_length
    # Feet no nearer to each other than at rest allows: wide hips, broad feet.
    half = 0.8 * _rest_width(character) / 2
    fitted["hip_shift"] = max(size * human.hip_shift, half - size * human.foot_spread)
    return {name: round(float(value), 4) for name, value in fitted.items()}


def _rest_width(character: Character) -> float:
    """Between the middles of the feet at rest [m]."""
    data = mujoco.MjData(character.model)
    mujoco.mj_kinematics(character.model, data)
    sides = [sum(data.site(s).xpos[1] for s in f.sites) / len(f.sites) for f in character.feet]
    return float(max(sides) - min(sides)) if sides else 0.0


def _measured(request: Request, parameters: WalkParameters, done: Run) -> Mapping[str, Any]:
    return measure_gait(done.clip)


def tuning(character: Character) -> Iterator[Change]:
    """Every parameter of table 2, changed while walking."""
    size, slow = character.com_height, math.sqrt(character.com_height)
    time = TUNING_BEGIN
    for key, values in TUNING:
        scale = size if key in (*LENGTHS, "step_length") else slow if key in TIMES else 1.0
        for value in values:
            yield Change(time, key, round(value * scale, 4))
            time += TUNING_PAUSE


def _growing(world: MuJoCoWorld, parameters: GrowingWalk) -> Iterable[Action]:
    """Limbs grow, one group after another, while walking (section 9)."""
    for k, parts in enumerate(reshape.groups(world.character)):
        start = GROWTH_BEGIN + k * (GROWTH_SECONDS + 1.0)
        yield from reshape.growth(world, parts, parameters.factor, start, GROWTH_SECONDS)


WALKING = Simulated(controller, measures=_measured, plot=gait_plot)


def _scenario(
    name: str,
    summary: str,
    kind: type[WalkParameters],
    seconds: float = 10.0,
    play: Callable[[Scenario, Request, Progress | None], Outcome] = WALKING,
) -> Scenario:
    return Scenario(
        name=name,
        family="walk",
        summary=summary,
        seconds=seconds,
        parameters=kind,
        play=play,
        worlds=WORLDS,
        fit=lambda character: fit(kind, character),
    )


SCENARIOS = (
    _scenario(
        "walk", "walk by torques; speed, heading and table 2 by --set and --at", WalkParameters
    ),
    *(_scenario(name, summary, kind) for name, summary, kind in STYLES),
    _scenario(
        "walk-tuning", "every parameter of table 2 changes while walking", SlowWalk,
        seconds=TUNING_BEGIN + TUNING_PAUSE * sum(len(v) for _, v in TUNING) + 1.0,
        play=replace(WALKING, changes=tuning),
    ),
    _scenario(
        "walk-reshape", "limbs grow to twice their length while walking", GrowingWalk,
        seconds=18.0, play=replace(WALKING, actions=_growing),
    ),
    _scenario(
        "walk-weighted", "the same walk with priorities and with a weighted sum, side by side",
        WalkParameters, play=Weighted(WALKING),
    ),
)  # fmt: skip
