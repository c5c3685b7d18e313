"""Steering a repertoire of controllers by a value function, for ever (tracking section 5.5)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from amble.parameters import parameter
from amble.scenarios.scenario import Change, Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import outcome
from amble.scenarios.track import (
    WORLDS,
    TrackParameters,
    measures_of,
    named,
    perform,
    performance_of,
)
from amble.tracking.controllers import Controllers
from amble.tracking.library import BODY
from amble.tracking.motion_graph import motion_graph
from amble.tracking.repertoire import MOTIONS, Steering, ValueFunction

SHORTEST_WISH, LONGEST_WISH = 3.0, 7.0  # [s] between wishes at random


@dataclass(frozen=True)
class InteractiveParameters(TrackParameters):
    """What is wished; it may change at any moment."""

    heading: float = parameter(0.0, "deg", "where to walk, from the first direction to the left")
    walking: bool = parameter(True, "", "whether to walk, or else to stop and stand")
    running: bool = parameter(False, "", "whether to run where the way is straight")
    wander: bool = parameter(True, "", "wish for another heading now and then, by the seed")


def play(scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
    """Simulate it under its wishes."""
    parameters: InteractiveParameters = scenario.parameters_of(request)
    if parameters.wander:
        request = dataclasses.replace(request, changes=(*_wishes(request), *request.changes))
    controllers = Controllers(request.character, parameters.look_ahead)

    def values() -> ValueFunction:
        return ValueFunction(motion_graph(controllers, MOTIONS, parameters.gamma))

    steering = Steering(controllers, values, parameters.walking)

    def hear(told: InteractiveParameters) -> None:
        steering.heading = math.radians(told.heading)
        steering.walking, steering.running = told.walking, told.running

    hear(parameters)
    performance = performance_of(request, parameters, steering.first, steering.choose)
    done = perform(request, parameters, performance, heard=hear, progress=progress)
    done = dataclasses.replace(done, clip=named(done, scenario, request))
    found = measures_of(done) | {
        "chosen": {name: steering.chosen.count(name) for name in sorted(set(steering.chosen))},
    }
    return outcome(scenario, request, done, measures=found)


def _wishes(request: Request) -> list[Change]:
    """Headings at random, each kept for some seconds."""
    wishes: list[Change] = []
    rng, time = np.random.default_rng(request.seed), 0.0
    while True:
        time += float(rng.uniform(SHORTEST_WISH, LONGEST_WISH))
        if time >= request.seconds:
            return wishes
        wishes.append(Change(time, "heading", round(float(rng.uniform(-180, 180)), 1)))


SCENARIOS = (
    Scenario(
        name="track-interactive",
        family="track",
        summary="walk wherever is wished, by turns that a value function chooses",
        seconds=60.0,
        parameters=InteractiveParameters,
        play=play,
        character=BODY,
        worlds=WORLDS,
    ),
)
