"""Following a reference in physics (tracking paper): walks, runs, turns, uneven ground.

References are amble's own (`tracking/library.py`): planned motion made consistent with physics.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from amble.errors import InputError
from amble.parameters import Value, parameter, settled
from amble.scenarios.scenario import Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import Run, command_events, outcome
from amble.terrain import Flat, Stairs
from amble.terrain.terrain import Terrain
from amble.tracking.controllers import Controllers
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.footing import Footing
from amble.tracking.lcp_world import LcpWorld
from amble.tracking.library import BODY, TURNS
from amble.tracking.motion import STEP
from amble.tracking.performance import HEIGHT, Performance
from amble.tracking.reference import Reference
from amble.tracking.regulator import LAWS, PAPER, LookAhead, Regulator
from amble.tracking.tracker import Tracker
from amble.world import MuJoCoWorld, SimulationDiverged
from amble.world.simulate import Action, simulate

FPS = 60  # frames a second of a tracked clip
SUBSTEPS = 8  # of MuJoCo in a step of a reference
WORLDS = ("lcp", "mujoco")
LOOKS = ("improved", "paper")
STRIDE = 1.16  # [m] about the length of a cycle of the walk: two steps


@dataclass(frozen=True)
class TrackParameters:
    """The controller's parameters; γ may change while it runs."""

    gamma: float = parameter(0.02, "", "contact adaptation; 0 for none", low=0, high=10)
    law: str = parameter("nqr", "", "look-ahead: nonlinear or linear", choices=LAWS)
    look: str = parameter(
        "improved", "", "look-ahead and contact: improved, or as in the paper", choices=LOOKS
    )
    by_contact: bool = parameter(False, "", "whether contacts advance the motion's phase")
    sees: bool = parameter(False, "", "whether the feet are raised to the ground that comes")

    @property
    def look_ahead(self) -> LookAhead:
        """The regulator's settings."""
        base = PAPER if self.look == "paper" else LookAhead()
        return dataclasses.replace(base, law=self.law)


@dataclass(frozen=True)
class Descent(TrackParameters):
    """The same on ground that the reference does not know: ledges, down or up."""

    sees: bool = parameter(True, "", "whether the feet are raised to the ground that comes")
    ledge: float = parameter(0.02, "m", "height of each ledge, down", low=-0.3, high=0.3)


@dataclass(frozen=True)
class Stairway(Descent):
    """High ledges."""

    ledge: float = parameter(0.06, "m", "height of each ledge, down", low=-0.3, high=0.3)


@dataclass(frozen=True)
class Tracked:
    """Motions of the library one after another; the last goes on, or with `repeat` all of them.

    `ground` makes the scenario's own ground of its parameters, where no other is asked for.
    """

    names: tuple[str, ...]
    repeat: bool = False
    ground: Callable[[Any], Terrain] | None = None

    def __call__(self, scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
        """Simulate it."""
        parameters: TrackParameters = scenario.parameters_of(request)
        if self.ground is not None and request.terrain == scenario.terrain:
            request = dataclasses.replace(request, terrain=self.ground(parameters))
        controllers = Controllers(request.character, parameters.look_ahead)
        first = controllers.first(self.names)
        choose = controllers.sequence(self.names, self.repeat)
        performance = performance_of(request, parameters, first, choose)
        done = perform(request, parameters, performance, progress=progress)
        done = dataclasses.replace(done, clip=named(done, scenario, request))
        return outcome(scenario, request, done, measures=measures_of(done))


@dataclass(frozen=True)
class Following:
    """One reference of a user's own: again and again if it is a cycle, else once."""

    reference: Reference

    def __call__(self, scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
        """Simulate it."""
        parameters: TrackParameters = scenario.parameters_of(request)
        regulator = Regulator(FlatBody(request.character), self.reference, parameters.look_ahead)
        if not self.reference.periodic:
            length = regulator.steps * self.reference.step
            request = dataclasses.replace(request, seconds=min(request.seconds, length))
        performance = performance_of(request, parameters, regulator)
        done = perform(request, parameters, performance, progress=progress)
        return outcome(scenario, request, done, measures=measures_of(done))


def following(reference: Reference, seconds: float) -> Scenario:
    """The scenario of following a reference."""
    return Scenario(
        name="track",
        family="track",
        summary=f"follow '{reference.name}'",
        seconds=seconds,
        parameters=TrackParameters,
        play=Following(reference),
        character=reference.character,
        worlds=WORLDS,
    )


def performance_of(
    request: Request,
    parameters: TrackParameters,
    first: Regulator,
    choose: Callable[[Performance], Regulator] | None = None,
) -> Performance:
    """A performance on the ground of a request."""
    footing = Footing(first.body, request.terrain) if parameters.sees else None
    return Performance(first, choose, parameters.by_contact, footing)


def perform(
    request: Request,
    parameters: TrackParameters,
    performance: Performance,
    *,
    actions: Iterable[Action] = (),
    heard: Callable[[Any], None] = lambda parameters: None,
    progress: Progress | None = None,
) -> Run:
    """Simulate a performance from its first row until the end of a request or a fall; `heard`
    is told of the parameters whenever they change."""
    if request.growths:
        raise InputError(
            "bodies of tracked motion cannot grow: give --character NAME:PART.length=…"
        )
    begin = time.perf_counter()
    world, tracker = begun(request, parameters, performance)

    def change(key: str, value: Value) -> None:
        tracker.parameters = settled(tracker.parameters, {key: value})
        tracker.gamma = tracker.parameters.gamma
        heard(tracker.parameters)

    commands = [
        (each.time, lambda each=each: change(each.key, each.value)) for each in request.changes
    ]
    failure = None
    try:
        clip = simulate(
            world,
            tracker,
            request.seconds,
            fps=FPS,
            actions=[*actions, *commands],
            progress=progress,
        )
    except SimulationDiverged as error:
        if error.clip is None:
            raise
        clip, failure = error.clip, error
    return Run(clip, tracker, time.perf_counter() - begin, failure)


def begun(
    request: Request, parameters: TrackParameters, performance: Performance
) -> tuple[MuJoCoWorld, Tracker]:
    """A world in the first state of a performance, with its pushes, and the controller there."""
    curvature = parameters.look != "paper"
    body, ground = request.character, request.terrain
    world = (
        LcpWorld(body, ground, curvature=curvature)
        if request.world == "lcp"
        else MuJoCoWorld(body, ground, timestep=STEP / SUBSTEPS)
    )
    q, v = _first_state(performance, request)
    regulator = performance.regulator
    if isinstance(world, LcpWorld):
        world.reset_flat(q, v)
    else:
        world.reset(regulator.body.qpos(q), regulator.body.qvel(q, v))
    for push in request.pushes:
        world.push(push)
    tracker = Tracker(world, performance, parameters.gamma, curvature)
    tracker.parameters = parameters
    return world, tracker


def _first_state(performance: Performance, request: Request) -> tuple[np.ndarray, np.ndarray]:
    """The reference's, on the ground, with the noise that was asked for: flat q and v (n,)."""
    regulator = performance.regulator
    body, rng = regulator.body, np.random.default_rng(request.seed)
    q, v = regulator.q(0).copy(), regulator.v(0).copy()
    low, high = body.limits.T
    if request.noise > 0:
        q[ROOT:] += request.noise * rng.standard_normal(body.n - ROOT)
        q = np.clip(q, low, high)
        v[ROOT:] += request.noise * rng.standard_normal(body.n - ROOT)
    stands = regulator.reference.contact_at(0)
    corners = body.corners_w(q)[stands if stands.any() else np.ones(CORNERS, bool)]
    ground = request.terrain.height(corners[:, 0], corners[:, 1])
    performance.ground = float(np.max(ground))
    above = corners[:, 2] - ground
    if request.noise > 0 or performance.ground:
        q[HEIGHT] -= float(above.min())
    return q, v


def named(run: Run, scenario: Scenario, request: Request) -> Any:
    """The clip with the scenario's name and the commands among its events."""
    events = [*run.clip.events, *command_events(request, run.clip.seconds)]
    ordered = tuple(sorted(events, key=lambda event: event.time))
    return dataclasses.replace(run.clip, scenario=scenario.name, events=ordered)


def measures_of(run: Run) -> dict[str, Any]:
    """What tracking adds: the mean of eq. 18 and how many motions were gone through."""
    tracker: Any = run.controller
    return {
        "tracking_cost": float(np.mean(tracker.costs) / 2) if tracker.costs else 0.0,
        "motions": tracker.performance.finished,
    }


def _stands(seconds: float) -> tuple[str, ...]:
    return ("stand",) * round(seconds / 0.1)  # a standing cycle lasts 0.1 s


def _scenario(
    name: str,
    summary: str,
    play: Callable[[Scenario, Request, Progress | None], Outcome],
    seconds: float = 30.0,
    parameters: type = TrackParameters,
    **others: Any,
) -> Scenario:
    return Scenario(
        name=f"track-{name}",
        family="track",
        summary=summary,
        seconds=seconds,
        parameters=parameters,
        play=play,
        character=BODY,
        worlds=WORLDS,
        **others,
    )


def descending(ledge: float, start: float = 1.0) -> Terrain:
    """Ledges down along x [m], one for every two steps of the walk."""
    return Stairs(rise=-ledge, run=STRIDE, count=80, start=start, width=40.0) if ledge else Flat()


def _stairway(parameters: Descent) -> Terrain:
    """Aslant, so that turns to either side meet the ledges alike."""
    return descending(parameters.ledge).moved(yaw_degrees=7.5)


SCENARIOS = (
    _scenario("walk", "walk on and on after one cycle of a reference", Tracked(("walk",))),
    _scenario("run", "run on and on", Tracked(("run",))),
    _scenario("stand", "stand on both feet", Tracked(("stand",))),
    *(
        _scenario(
            f"turn-{degrees}",
            f"turn by {degrees}° to the left again and again",
            Tracked((f"turn-{degrees}",)),
        )
        for degrees in TURNS
    ),
    _scenario(
        "start", "stand, then start to walk", Tracked((*_stands(1.0), "start", "walk")), 12.0
    ),
    _scenario("stop", "walk, then stop", Tracked(("walk",) * 3 + ("stop", "stand")), 12.0),
    _scenario(
        "descend",
        "walk down ledges of 2 cm, one for every two steps",
        Tracked(("walk",), ground=lambda parameters: descending(parameters.ledge)),
        parameters=Descent,
        terrain=descending(Descent().ledge),
    ),
    _scenario(
        "stairs",
        "down ledges of 6 cm, turning by 15° to the left and to the right",
        Tracked(("turn-15", "turn-15-right"), repeat=True, ground=_stairway),
        parameters=Stairway,
        terrain=_stairway(Stairway()),
    ),
)
