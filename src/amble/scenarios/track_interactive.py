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
)
from amble.tracking.controllers import Controllers
from amble.tracking.library import BODY
from amble.tracking.motion_graph import motion_graph
from amble.tracking.performance import Performance
from amble.tracking.repertoire import MOTIONS, Steering, ValueFunction, wrapped

SHORTEST_WISH, LONGEST_WISH = 3.0, 7.0  # [s] between wishes at random


@dataclass(frozen=True)
class InteractiveParameters(TrackParameters):
    """What is wished; it may change at any moment."""

    heading: float = parameter(0.0, "deg", "where to walk, from the first direction to the left")
    walking: bool = parameter(True, "", "whether to walk, or else to stop and stand")
    wander: bool = parameter(True, "", "wish for another heading now and then, by the seed")


class _Watched(Steering):
    """Steering that keeps what was wished and what was done."""

    def __init__(self, controllers: Controllers, gamma: float, walking: bool) -> None:
        def values() -> ValueFunction:
            return ValueFunction(motion_graph(controllers, MOTIONS, gamma))

        super().__init__(controllers, values, walking)
        self.errors: list[float] = []  # [rad]

    def hear(self, parameters: InteractiveParameters) -> None:
        """Take over a wish."""
        self.heading, self.walking = math.radians(parameters.heading), parameters.walking

    def look(self, yaw: float) -> None:
        """Note how far the body is from the wished heading."""
        self.errors.append(abs(float(wrapped(np.array(self.heading - yaw)))))


def play(scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
    """Simulate it under its wishes."""
    parameters: InteractiveParameters = scenario.parameters_of(request)
    if parameters.wander:
        request = dataclasses.replace(request, changes=(*_wishes(request), *request.changes))
    controllers = Controllers(request.character, parameters.look_ahead)
    steering = _Watched(controllers, parameters.gamma, parameters.walking)
    steering.hear(parameters)
    performance = Performance(steering.first, steering.choose, parameters.by_contact)
    looks = [
        (time, lambda: steering.look(_yaw(performance)))
        for time in np.arange(0.0, request.seconds, 0.1)
    ]
    done = perform(
        request, parameters, performance, actions=looks, heard=steering.hear, progress=progress
    )
    done = dataclasses.replace(done, clip=named(done, scenario, request))
    found = measures_of(done) | {
        "mean_heading_error_deg": float(np.degrees(np.mean(steering.errors))),
        "wishes": sum(change.key == "heading" for change in request.changes),
        "chosen": {name: steering.chosen.count(name) for name in sorted(set(steering.chosen))},
    }
    return outcome(scenario, request, done, measures=found)


def _yaw(performance: Performance) -> float:
    return float(performance.frame.yaw + performance.regulator.q(performance.row)[3])


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
