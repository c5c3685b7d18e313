"""Walking by torques (features section 6, table 2): speeds, styles, parameters while walking."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco

from amble.characters.character import Character
from amble.control.walking.parameters import AS_SPEED_ASKS, WalkParameters
from amble.control.walking.walk import Walk
from amble.parameters import Value, parameter
from amble.scenarios.scenario import Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import outcome, run
from amble.scenarios.walk_measures import measure_gait
from amble.world import MuJoCoWorld

# What of the defaults is a length, a time or a speed of a human, and goes with another body's size.
LENGTHS = ("swing_height", "hip_shift", "foot_spread", "lean", "crouch")
TIMES = ("swing_duration", "swing_delay")


def controller(world: MuJoCoWorld, parameters: WalkParameters) -> Walk:
    """The walking controller for a world."""
    return Walk(world.character, world.model, world.data, world.terrain, parameters)


@dataclass(frozen=True)
class SlowWalk(WalkParameters):
    """Unhurried."""

    speed: float = parameter(0.5, "m/s", "ahead; 0 = stand", low=-1, high=2)
    swing_duration: float = parameter(0.5, "s", "T: a foot in the air", low=0.15, high=1.2)


@dataclass(frozen=True)
class FastWalk(WalkParameters):
    """In a hurry."""

    speed: float = parameter(1.4, "m/s", "ahead; 0 = stand", low=-1, high=2)


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


def _play(scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
    done = run(scenario, request, controller, progress=progress)
    return outcome(scenario, request, done, measures=measure_gait(done.clip))


def _scenario(
    name: str, summary: str, kind: type[WalkParameters], seconds: float = 10.0
) -> Scenario:
    return Scenario(
        name=name,
        family="walk",
        summary=summary,
        seconds=seconds,
        parameters=kind,
        play=_play,
        fit=lambda character: fit(kind, character),
    )


SCENARIOS = (
    _scenario(
        "walk", "walk by torques; speed, heading and table 2 by --set and --at", WalkParameters
    ),
    _scenario("walk-slow", "walk at half the speed", SlowWalk),
    _scenario("walk-fast", "walk fast", FastWalk),
)
