"""Rules of stepping side by side, and how the dampings change the tendency to step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from amble.control.stepping.parameters import BALANCES
from amble.control.stepping.stepping import Stepping
from amble.control.stepping.supervisor import RULES
from amble.motion.comparison import comparison_plot
from amble.motion.grids import grid_plot
from amble.motion.measures import measure
from amble.parameters import parameter
from amble.scenarios.scenario import Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import Run, outcome, run, statistics
from amble.scenarios.stepping import PushedParameters, controller, pushes, steps_scenario
from amble.scenarios.stepping_measures import measure_steps
from amble.world.world import Push

OUTCOMES = ("no step", "one step", "two steps", "three or more", "fell")
MOST_STEPS = 3


@dataclass(frozen=True)
class VersusParameters(PushedParameters):
    """One push, the paper's own kind of balance, and two rules."""

    force: float = parameter(250.0, "N", "of the push", low=0, high=1e5)
    count: int = parameter(1, "", "pushes", low=0, high=1000)
    direction: float = parameter(
        90.0, "deg", "of the push, 0 = ahead, 90 = to the left; -1 = at random", low=-1, high=360
    )
    rule: str = parameter("paper", "", "what the pendulum's is compared with", choices=RULES)
    balance: str = parameter(
        "simple", "", "while standing: the paper's pull, or as strong as it goes", choices=BALANCES
    )


@dataclass(frozen=True)
class TendencyParameters(PushedParameters):
    """A push for each pair of dampings."""

    count: int = parameter(1, "", "pushes", low=0, high=1000)
    direction: float = parameter(0.0, "deg", "of the push", low=-1, high=360)
    highest_l: float = parameter(10.0, "1/s", "d_l goes from 0 to this", low=0.1, high=40)
    highest_h: float = parameter(20.0, "1/s", "d_h goes from 0 to this", low=0.1, high=60)
    cells: int = parameter(6, "", "values of each damping", low=2, high=30)


def play_versus(scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
    """The same push with the rule that was asked for, and with the pendulum's."""
    parameters = cast(VersusParameters, scenario.parameters_of(request))
    own = _pushes(request, parameters)
    first = _run(scenario, request, own, {}, _part(progress, 0.0, 0.5))
    second = _run(
        scenario, request, own, {"rule": "pendulum"}, _part(progress, request.seconds / 2, 0.5)
    )
    compared = measure(second.clip) | statistics(second.controller) | _steps(second)
    label = parameters.rule
    found: dict[str, Any] = {"pendulum": compared} | _steps(first)
    done = replace(first, clip=replace(first.clip, scenario=f"{scenario.name} · {label}"))
    other = replace(second.clip, scenario=f"{scenario.name} · pendulum")
    clips = {f"rule {label}": done.clip, "the pendulum's rule": other}
    title = f"{scenario.name} · {request.character.name}"
    plot = partial(comparison_plot, clips, title)
    return outcome(scenario, request, done, measures=found, others={"pendulum": other}, plot=plot)


def play_tendency(scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
    """The same push for each pair of d_l and d_h: how many steps the supervisor takes."""
    p = cast(TendencyParameters, scenario.parameters_of(request))
    own = _pushes(request, p)
    linear = np.linspace(0.0, p.highest_l, p.cells).round(3).tolist()
    angular = np.linspace(0.0, p.highest_h, p.cells).round(3).tolist()
    share = 1.0 / (1 + p.cells**2)
    shown = _run(scenario, request, own, {}, _part(progress, 0.0, share))
    rows: list[list[int]] = []
    for i, d_h in enumerate(angular):
        row = []
        for j, d_l in enumerate(linear):
            begin = request.seconds * share * (1 + i * p.cells + j)
            cell = _run(
                scenario, request, own, {"d_l": d_l, "d_h": d_h}, _part(progress, begin, share)
            )
            row.append(_kind(cell))
        rows.append(row)
    found = _steps(shown) | {
        "tendency": {
            "d_l": linear,
            "d_h": angular,
            "by_d_h_then_d_l": [[OUTCOMES[k] for k in row] for row in rows],
        }
    }
    title = f"{request.character.name}: {p.force:g} N × {p.push_seconds:g} s from {p.direction:g}°"
    made = outcome(scenario, request, shown, measures=found)
    return dataclasses.replace(
        made,
        plot=lambda path: grid_plot(
            path, title, ("d_l [1/s]", linear), ("d_h [1/s]", angular), rows, OUTCOMES,
            (p.d_l, p.d_h),
        ),
    )  # fmt: skip


def _pushes(request: Request, parameters: PushedParameters) -> list[Push]:
    rng = np.random.default_rng(request.seed)
    return list(pushes(request.character, parameters, rng))


def _run(
    scenario: Scenario,
    request: Request,
    own: Iterable[Push],
    overrides: Mapping[str, Any],
    progress: Progress | None,
) -> Run:
    return run(scenario, request, controller, pushes=own, overrides=overrides, progress=progress)


def _steps(done: Run) -> dict[str, Any]:
    stepping = cast(Stepping, done.controller)
    return measure_steps(done.clip, stepping.footwork.taken, stepping.footwork.refused, 0)


def _kind(done: Run) -> int:
    """A place in `OUTCOMES`."""
    if done.clip.events_of("fall"):
        return len(OUTCOMES) - 1
    taken = cast(Stepping, done.controller).footwork.taken
    return min(sum(step.kind == "reactive" for step in taken), MOST_STEPS)


def _part(progress: Progress | None, begin: float, share: float) -> Progress | None:
    return None if progress is None else lambda done: progress(begin + done * share)


SCENARIOS = (
    steps_scenario(
        "steps-versus-pendulum", "one push, with the momentum rule and with the pendulum's",
        VersusParameters, 5.0, play_versus,
    ),
    steps_scenario(
        "steps-tendency", "how d_l and d_h change the tendency to step; --plot draws the regions",
        TendencyParameters, 3.0, play_tendency,
    ),
)  # fmt: skip
