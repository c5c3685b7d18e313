"""Priorities or weights: a simulated scenario made twice, for comparison (features eq. 16, 37)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from amble.motion.comparison import comparison_plot
from amble.motion.measures import measure
from amble.scenarios.scenario import Outcome, Progress, Request, Scenario
from amble.scenarios.simulated import Run, Simulated, outcome, run, statistics

WAYS = ("prioritised", "weighted")


@dataclass(frozen=True)
class Weighted:
    """Makes what `simulated` does first with strict priorities, then with all objectives in one
    weighted sum. The report's measures are of the first, those of the second under `weighted`."""

    simulated: Simulated

    def __call__(self, scenario: Scenario, request: Request, progress: Progress | None) -> Outcome:
        """Simulate both."""
        parameters = scenario.parameters_of(request)
        pushes = self.simulated.all_pushes(request.character, parameters, request.seed)

        def made(way: str, begin: float) -> Run:
            share: Callable[[float], None] | None = None
            if progress is not None:
                share = lambda done: progress(begin + done / 2)  # noqa: E731
            overrides = {"combination": way}
            done = run(
                *(scenario, request, self.simulated.controller),
                pushes=pushes, overrides=overrides, progress=share,
            )  # fmt: skip
            return replace(done, clip=replace(done.clip, scenario=f"{scenario.name} · {way}"))

        first, second = (made(w, 0.5 * k * request.seconds) for k, w in enumerate(WAYS))
        own, other = (self.simulated.measures(request, parameters, d) for d in (first, second))
        compared = measure(second.clip) | statistics(second.controller) | dict(other)
        clips = dict(zip(WAYS, (first.clip, second.clip), strict=True))
        title = f"{scenario.name} · {request.character.name}"
        return outcome(
            scenario,
            request,
            first,
            measures=dict(own) | {"weighted": compared},
            others={"weighted": second.clip},
            plot=partial(comparison_plot, clips, title),
        )
