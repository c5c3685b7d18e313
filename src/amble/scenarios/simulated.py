"""What simulated scenarios share: a world, a controller, disturbances, a clip, a report."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from amble.characters.character import Character
from amble.control.watched import noted_events
from amble.motion.clip import Clip, Event
from amble.motion.measures import measure
from amble.parameters import settled
from amble.scenarios import reshape
from amble.scenarios.scenario import Change, Outcome, Progress, Request, Scenario
from amble.world import MuJoCoWorld, OptimiserWorld, SimulationDiverged
from amble.world.simulate import Action, simulate
from amble.world.world import Push

FPS = 100  # frames a second of every recorded clip
PREVIEW_RATE = 100  # [Hz] of control where the controller's accelerations are the motion


class Steered(Protocol):
    """A controller whose parameters may be replaced at any moment."""

    parameters: Any
    body: Any  # what it knows of its body: a `WholeBody` or a `FlatBody`

    @property
    def period(self) -> float:
        """Time between calls [s]."""

    def torque(self, time: float) -> np.ndarray:
        """Joint torques (nv − 6,) [N m] for the world's present state."""


@dataclass(frozen=True, eq=False)
class Run:
    """One simulation: the clip, the controller that made it, and what it cost."""

    clip: Clip
    controller: Steered
    compute_seconds: float
    failure: SimulationDiverged | None = None  # why the simulation itself broke off, if it did


@dataclass(frozen=True)
class Simulated:
    """What a simulated scenario is made of: the controller, and what happens to the body meanwhile.

    Called, it simulates a request to its end or a fall. A program that shows the scenario live
    takes the parts. Pushes and changes come on top of, or give way to, those of a request as `run`
    says; `measures` and `unmet` look at the run that is over.
    """

    controller: Callable[[MuJoCoWorld, Any], Steered]
    pushes: Callable[[Character, Any], Iterable[Push]] = lambda character, parameters: ()
    #: by the request's seed
    random_pushes: Callable[[Character, Any, np.random.Generator], Iterable[Push]] = (
        lambda character, parameters, rng: ()
    )
    actions: Callable[[MuJoCoWorld, Any], Iterable[Action]] = lambda world, parameters: ()
    changes: Callable[[Character], Iterable[Change]] = lambda character: ()
    measures: Callable[[Request, Any, Run], Mapping[str, Any]] = lambda request, parameters, run: {}
    unmet: Callable[[Request, Run, Mapping[str, Any]], str] = lambda request, run, measures: ""
    plot: Callable[[Clip, Path], None] | None = None  # in place of the forces under the feet

    def all_pushes(self, character: Character, parameters: Any, seed: int) -> list[Push]:
        """Those that are always the same, and those that the seed decides."""
        rng = np.random.default_rng(seed)
        random = self.random_pushes(character, parameters, rng)
        return [*self.pushes(character, parameters), *random]

    def __call__(self, scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
        """Simulate it."""
        parameters = scenario.parameters_of(request)
        own = [
            change for change in self.changes(request.character) if change.time < request.seconds
        ]
        request = dataclasses.replace(request, changes=(*own, *request.changes))
        done = run(
            scenario,
            request,
            self.controller,
            pushes=self.all_pushes(request.character, parameters, request.seed),
            actions=lambda world: self.actions(world, parameters),
            progress=progress,
        )
        return outcome(
            scenario,
            request,
            done,
            measures=self.measures(request, parameters, done),
            unmet=lambda found: self.unmet(request, done, found),
            plot=None if self.plot is None else partial(self.plot, done.clip),
        )


def run(
    scenario: Scenario,
    request: Request,
    make_controller: Callable[[MuJoCoWorld, Any], Steered],
    *,
    pushes: Iterable[Push] = (),
    actions: Callable[[MuJoCoWorld], Iterable[Action]] = lambda world: (),
    overrides: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Simulate a request until its end or a fall.

    `pushes` are the scenario's own: those of the request take their place. `actions` are what the
    scenario does to the world at given times, and `overrides` parameters that it insists on.
    """
    start = time.perf_counter()
    preview = request.world == "optimiser"
    kind = OptimiserWorld if preview else MuJoCoWorld
    world = kind(request.character, request.terrain)
    if request.noise > 0:
        world.reset(*world.noisy_state(np.random.default_rng(request.seed), request.noise))
    parameters = settled(scenario.parameters_of(request), overrides or {})
    if preview:
        parameters = settled(parameters, {"control_rate": PREVIEW_RATE})
    controller = make_controller(world, parameters)
    if isinstance(world, OptimiserWorld):
        world.follow(controller.body)
    for push in request.pushes or pushes:
        world.push(push)

    def change(key: str, value: Any) -> None:
        controller.parameters = settled(controller.parameters, {key: value})

    commands: list[Action] = [(c.time, partial(change, c.key, c.value)) for c in request.changes]
    growths = (reshape.growth(world, [g.part], g.scale, g.time) for g in request.growths)
    plan = [*actions(world), *chain.from_iterable(growths), *commands]
    failure = None
    try:
        clip = simulate(
            world, controller, request.seconds, fps=FPS, actions=plan, progress=progress
        )
    except SimulationDiverged as error:
        if error.clip is None:
            raise
        clip, failure = error.clip, error
    events = [*clip.events, *noted_events(controller), *command_events(request, clip.seconds)]
    clip = dataclasses.replace(
        clip, scenario=scenario.name, events=tuple(sorted(events, key=lambda e: e.time))
    )
    return Run(clip, controller, time.perf_counter() - start, failure)


def outcome(
    scenario: Scenario,
    request: Request,
    run: Run,
    *,
    unmet: Callable[[Mapping[str, Any]], str] = lambda measures: "",
    measures: Mapping[str, Any] | None = None,
    others: Mapping[str, Clip] | None = None,
    plot: Callable[[Path], None] | None = None,
) -> Outcome:
    """The clip with its report. `unmet` names the goal that the measures miss, or nothing."""
    clip = run.clip
    found = measure(clip) | statistics(run.controller) | dict(measures or {})
    reason = str(run.failure or "") or _fall(clip) or unmet(found)
    report = {
        "scenario": scenario.name,
        "character": request.character.name,
        "seed": request.seed,
        "seconds": clip.seconds,
        "compute_seconds": run.compute_seconds,
        "compute_per_second": run.compute_seconds / max(clip.seconds, 1 / FPS),
        "reached_goal": not reason,
        "reason": reason or "done",
        "measures": found,
    }
    evidence = run.failure.evidence if run.failure else None
    return Outcome(clip, report, not reason, reason or "done", others or {}, evidence, plot)


def statistics(controller: Steered) -> dict[str, Any]:
    """How often the controller solved its problem, needed the fallback, or failed, and why."""
    counts = getattr(controller, "statistics", None)
    names = ("solves", "fallbacks", "failures")
    found = {f"solver_{n}" if n != "solves" else n: int(getattr(counts, n, 0)) for n in names}
    worst = getattr(counts, "worst", None)
    return found | {"solver_failure": worst.reason} if worst else found


def _fall(clip: Clip) -> str:
    return next((f"fell at {event.time:.2f} s" for event in clip.events_of("fall")), "")


def command_events(request: Request, until: float) -> Iterable[Event]:
    """The changes of a request that came before a time [s]."""
    for change in request.changes:
        if change.time > until:
            continue
        try:
            yield Event(change.time, "command", change.key, {"value": float(change.value)})
        except ValueError:  # a word or a truth value
            yield Event(change.time, "command", f"{change.key}={change.value}")
