"""The linear against the nonlinear regulator over γ (tracking figure 3)."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from amble.errors import AmbleError
from amble.motion.figures import COLOURS, INK, check_plot_ending, dress, new_figure, save_figure
from amble.parameters import parameter
from amble.scenarios.scenario import Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import Run, outcome
from amble.scenarios.track import (
    WORLDS,
    TrackParameters,
    descending,
    measures_of,
    named,
    perform,
    performance_of,
)
from amble.terrain import Flat
from amble.terrain.terrain import Terrain
from amble.tracking.controllers import Controllers
from amble.tracking.library import BODY
from amble.tracking.regulator import LAWS
from amble.world import SimulationDiverged

WEAVE = 22.5  # [degrees] the mean direction of turns of 45° to the left and right by turns
FALLEN = 1e3  # cost that is drawn, and reported, of a run that has fallen at the most


@dataclass(frozen=True)
class Panel:
    """One part of the figure: a motion on a ground."""

    names: tuple[str, ...]
    ledge: float = 0.0  # [m] down for every cycle

    @property
    def terrain(self) -> Terrain:
        if not self.ledge:
            return Flat()
        weaves = len(self.names) > 1
        return descending(self.ledge).moved(yaw_degrees=WEAVE if weaves else 0.0)


_WEAVING = ("turn-45", "turn-45-right")
PANELS = {
    "walk": Panel(("walk",)),
    "run": Panel(("run",)),
    "turn-180": Panel(("turn-180",)),
    "turn-45": Panel(("turn-45",)),
    "walk-2cm": Panel(("walk",), 0.02),
    "walk-4cm": Panel(("walk",), 0.04),
    "weave-2cm": Panel(_WEAVING, 0.02),
    "weave-4cm": Panel(_WEAVING, 0.04),
}
ALL = "all"


@dataclass(frozen=True)
class VersusParameters(TrackParameters):
    """A sweep; `gamma` and `law` are what it goes through."""

    motion: str = parameter(
        "walk", "", "what is swept: a part of the figure, or all", choices=(*PANELS, ALL)
    )
    low: float = parameter(1e-3, "", "least gamma of the sweep", low=1e-6, high=10)
    high: float = parameter(1e-1, "", "largest gamma of the sweep", low=1e-6, high=10)
    count: int = parameter(9, "", "values of gamma, evenly by their logarithm", low=1, high=99)


@dataclass(frozen=True)
class Trial:
    """One run of a sweep."""

    panel: str
    law: str
    gamma: float
    seconds: float  # until the fall, or the end
    held: bool
    cost: float  # mean of eq. 18

    @property
    def told(self) -> dict[str, Any]:
        """For the report."""
        return dataclasses.asdict(self)


def play(scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
    """Every panel with both laws at every γ; the clip is the nonlinear law's nearest to γ."""
    begin = time.perf_counter()
    parameters: VersusParameters = scenario.parameters_of(request)
    panels = list(PANELS) if parameters.motion == ALL else [parameters.motion]
    gammas = np.geomspace(parameters.low, parameters.high, parameters.count)
    shown = min(gammas, key=lambda gamma: abs(np.log(gamma / max(parameters.gamma, 1e-9))))
    trials: list[Trial] = []
    best: Run | None = None
    total = len(panels) * len(gammas) * len(LAWS)
    for panel in panels:
        for law in LAWS:
            settings = dataclasses.replace(parameters.look_ahead, law=law)
            controllers = Controllers(request.character, settings)
            for gamma in gammas:
                own = dataclasses.replace(parameters, law=law, gamma=float(gamma))
                run, trial = _trial(panel, own, controllers, request)
                trials.append(trial)
                if run is not None and best is None and law == "nqr" and gamma == shown:
                    best = run
                if progress:
                    progress(request.seconds * len(trials) / total)
    if best is None:
        raise AmbleError(f"no run of '{panels[0]}' with gamma = {shown:g} lasted a frame")
    best = dataclasses.replace(
        best, clip=named(best, scenario, request), compute_seconds=time.perf_counter() - begin
    )
    found = measures_of(best) | {"trials": [trial.told for trial in trials]}
    found["gamma_range"] = {
        f"{panel} {law}": longest_range(trials, panel, law) for panel in panels for law in LAWS
    }
    made = outcome(scenario, request, best, measures=found)
    return dataclasses.replace(made, plot=partial(draw, trials))


def _trial(
    panel: str, parameters: VersusParameters, controllers: Controllers, request: Request
) -> tuple[Run | None, Trial]:
    part = PANELS[panel]
    here = dataclasses.replace(request, terrain=part.terrain) if part.ledge else request
    first = controllers.first([*part.names, part.names[0]])
    choose = controllers.sequence(part.names, repeat=True)
    seeing = dataclasses.replace(parameters, sees=parameters.sees or bool(part.ledge))
    performance = performance_of(here, seeing, first, choose)
    try:
        run = perform(here, parameters, performance)
    except SimulationDiverged:
        return None, Trial(panel, parameters.law, parameters.gamma, 0.0, False, FALLEN)
    tracker: Any = run.controller
    fell = run.failure is not None or bool(run.clip.events_of("fall"))
    cost = min(float(np.mean(tracker.costs) / 2), FALLEN)
    seconds = run.clip.seconds
    return run, Trial(panel, parameters.law, parameters.gamma, seconds, not fell, cost)


def longest_range(trials: list[Trial], panel: str, law: str) -> list[float]:
    """Least and largest γ of the longest row of neighbours that all held, or nothing."""
    best: list[float] = []
    row: list[float] = []
    for trial in trials:
        if (trial.panel, trial.law) != (panel, law):
            continue
        row = [*row, trial.gamma] if trial.held else []
        if len(row) > 1 and (not best or row[-1] / row[0] > best[1] / best[0]):
            best = [row[0], row[-1]]
    return best


def draw(trials: list[Trial], path: str | Path) -> None:
    """Figure 3: average cost over γ, dashed where the body falls; LQR red, NQR blue."""
    check_plot_ending(path)
    panels = list(dict.fromkeys(trial.panel for trial in trials))
    rows = -(-len(panels) // 2)
    figure = new_figure("Average cost against contact adaptation", (9.0, 1.2 + 2.4 * rows))
    grid = figure.subplots(rows, min(2, len(panels)), squeeze=False).ravel()
    for axes, panel in zip(grid, panels, strict=False):
        for law, colour in zip(LAWS, COLOURS[:2], strict=True):
            own = [each for each in trials if (each.panel, each.law) == (panel, law)]
            gammas, costs = [each.gamma for each in own], [each.cost for each in own]
            axes.plot(gammas, costs, color=colour, linewidth=0.9, linestyle="--")
            held = [each.cost if each.held else np.nan for each in own]
            axes.plot(gammas, held, color=colour, linewidth=2, marker="o", ms=4, label=law.upper())
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(panel, fontsize=10, color=INK)
        dress(axes, "", "")
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    grid[0].legend(frameon=False)
    figure.supxlabel("γ (dashed: falls within the time)", fontsize=10)
    save_figure(figure, path)


SCENARIOS = (
    Scenario(
        name="track-versus-lqr",
        family="track",
        summary="the linear against the nonlinear law over gamma; --plot draws figure 3",
        seconds=30.0,
        parameters=VersusParameters,
        play=play,
        character=BODY,
        worlds=WORLDS,
    ),
)
