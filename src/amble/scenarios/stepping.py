"""Steps on purpose and steps that save (stepping paper)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from amble.characters.character import Character
from amble.control.stepping.footprints import Footprint, read_footprints
from amble.control.stepping.parameters import SteppingParameters
from amble.control.stepping.stepping import Stepping
from amble.parameters import Value, parameter
from amble.scenarios.balance import HUMAN_MASS
from amble.scenarios.scenario import Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import Run, Simulated
from amble.scenarios.stepping_measures import measure_steps
from amble.scenarios.stepping_routes import ON_HANDS, TOUR, TURN, Stance
from amble.scenarios.walk import fit as fit_walk
from amble.terrain.flat import Flat
from amble.terrain.stairs import Steps
from amble.terrain.terrain import Terrain
from amble.world import MuJoCoWorld
from amble.world.world import Push

HEEL_ERROR, TOE_ERROR = 30.0, 5.0  # [mm], [deg] within which a footprint counts as reached
FIRST_PUSH = 1.0  # [s]
ANYWHERE = -1.0

Route = Callable[[Character], Iterable[Footprint]]


@dataclass(frozen=True)
class DirectedParameters(SteppingParameters):
    """Footprints in place of the scenario's own."""

    footprints: str = parameter(
        "", "m, deg", "FOOT:X:Y:YAW[:SECONDS[:HEIGHT]];… or a .yaml file; empty: the scenario's own"
    )


@dataclass(frozen=True)
class HandstandParameters(DirectedParameters):
    """Legs are held up; as arms they would hang free."""

    arm_swing: float = parameter(0.0, "", "0 = legs are held, 1 = they hang free", low=0, high=1)


@dataclass(frozen=True)
class PushedParameters(SteppingParameters):
    """Pushes from random directions, by the seed, one after another."""

    force: float = parameter(170.0, "N", "of each push", low=0, high=1e5)
    push_seconds: float = parameter(0.1, "s", "duration of each push", low=0.001, high=10)
    pause: float = parameter(2.5, "s", "from one push to the next", low=0.1, high=60)
    count: int = parameter(6, "", "pushes", low=0, high=1000)
    direction: float = parameter(
        ANYWHERE, "deg", "of all pushes, 0 = ahead, 90 = to the left; -1 = at random",
        low=-1, high=360,
    )  # fmt: skip


@dataclass(frozen=True)
class HarderParameters(PushedParameters):
    """The paper's 250 N."""

    force: float = parameter(250.0, "N", "of each push", low=0, high=1e5)


def controller(
    world: MuJoCoWorld, parameters: SteppingParameters, footprints: Iterable[Footprint] = ()
) -> Stepping:
    """The stepping controller for a world."""
    character, model, data, terrain = world.character, world.model, world.data, world.terrain
    return Stepping(character, model, data, terrain, parameters, footprints)


def directed(route: Route) -> Simulated:
    """Steps to footprints, by default those of a route."""

    def make(world: MuJoCoWorld, parameters: DirectedParameters) -> Stepping:
        own = parameters.footprints.strip()
        return controller(
            world, parameters, read_footprints(own) if own else route(world.character)
        )

    return Simulated(make, measures=_measured, unmet=_missed)


def pushes(
    character: Character, parameters: PushedParameters, rng: np.random.Generator
) -> Iterable[Push]:
    """On the chest, or the root of a body without one."""
    part = "thorax" if "thorax" in character.parts else character.root
    for k in range(parameters.count):
        angle = rng.uniform(0, 2 * math.pi)
        if parameters.direction != ANYWHERE:
            angle = math.radians(parameters.direction)
        force_w = (parameters.force * math.cos(angle), parameters.force * math.sin(angle), 0.0)
        yield Push(part, force_w, FIRST_PUSH + k * parameters.pause, parameters.push_seconds)


def fit(kind: type[SteppingParameters], character: Character) -> Mapping[str, Value]:
    """The defaults of a human, for a body of another size; pushes go with its weight."""
    fitted = dict(fit_walk(kind, character))
    fitted["react_seconds"] = round(kind().react_seconds * math.sqrt(character.com_height), 4)
    if issubclass(kind, PushedParameters):
        fitted["force"] = round(kind().force * character.mass / HUMAN_MASS, 1)
    return fitted


def _measured(request: Request, parameters: SteppingParameters, done: Run) -> Mapping[str, Any]:
    stepping = cast(Stepping, done.controller)
    work = stepping.footwork
    return measure_steps(done.clip, work.taken, work.refused, stepping.asked)


def _missed(request: Request, done: Run, measures: Mapping[str, Any]) -> str:
    """Why the footprints were not all reached."""
    for reason in measures["footprints_refused"]:
        return str(reason)
    asked, reached = measures["footprints_asked"], measures["footprints_reached"]
    if reached < asked:
        return f"{reached} of {asked} footprints were reached in {request.seconds:g} s"
    size = request.character.com_height
    if asked and measures["heel_error_mm"]["max"] > HEEL_ERROR * max(size, 0.3):
        return f"a heel was {measures['heel_error_mm']['max']:.0f} mm beside its footprint"
    if asked and measures["toe_direction_error_deg"]["max"] > TOE_ERROR:
        return f"toes pointed {measures['toe_direction_error_deg']['max']:.0f}° off the footprint"
    return ""


def _still_moving(request: Request, done: Run, measures: Mapping[str, Any]) -> str:
    return "" if measures["stands_at_end"] else "it does not stand at the end"


def tour(character: Character) -> Iterable[Footprint]:
    """In all directions, crossing over, and up and down a step laid out for a human."""
    stance = Stance(character)
    yield from stance.moves(TOUR[:4])
    yield from stance.crossing()
    yield from stance.moves(TOUR[4:])
    if abs(stance.size - 1.0) < 0.02:
        yield from stance.moves(((0.36, 0.0, 0.0),) * 3)


def on_the_spot(character: Character) -> Iterable[Footprint]:
    """A whole turn."""
    return Stance(character).moves([(0.0, 0.0, TURN)] * 12)


def on_hands(character: Character) -> Iterable[Footprint]:
    """Short steps in all directions."""
    return Stance(character).moves(ON_HANDS)


def _stage() -> Terrain:
    """Level ground with a step up and down again where the tour of a human ends."""
    return Steps(at=(0.0, 0.37), heights=(0.1, 0.0), width=3.0).moved(x=1.25)


def steps_scenario(
    name: str,
    summary: str,
    kind: type[SteppingParameters],
    seconds: float,
    play: Callable[[Scenario, Request, Progress | None], Outcome],
    terrain: Terrain | None = None,
    character: str = "humanoid",
) -> Scenario:
    """One of the family."""
    return Scenario(
        name=name,
        family="steps",
        summary=summary,
        seconds=seconds,
        parameters=kind,
        play=play,
        fit=lambda character: fit(kind, character),
        terrain=terrain or Flat(),
        character=character,
    )


PUSHED = Simulated(controller, random_pushes=pushes, measures=_measured, unmet=_still_moving)
SCENARIOS = (
    steps_scenario(
        "steps-directed", "footprints in all directions, crossing over, up and down a step",
        DirectedParameters, 36.0, directed(tour), terrain=_stage(),
    ),
    steps_scenario(
        "steps-turn-on-spot", "a whole turn by footprints on the spot",
        DirectedParameters, 26.0, directed(on_the_spot),
    ),
    steps_scenario(
        "steps-handstand", "the same controller on the hands of an acrobat, step by step",
        HandstandParameters, 20.0, directed(on_hands), character="acrobat",
    ),
    steps_scenario(
        "steps-reactive", "170 N from random directions: the supervisor steps where it must",
        PushedParameters, 18.0, PUSHED,
    ),
    steps_scenario(
        "steps-reactive-250", "the same with 250 N", HarderParameters, 18.0, PUSHED
    ),
)  # fmt: skip
