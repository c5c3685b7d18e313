"""How fast the compiled solver of the centroidal plan is, against IPOPT on the same horizons.

The horizons are those that scenarios with wandering commands meet. Both ways solve each of them in
several passes; the least processor time of a horizon counts, so that other work on the machine does
not.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time_ns
from typing import Any
from unittest import mock

import numpy as np

from amble.plan import solve as solving
from amble.plan.compiled import solve_compiled
from amble.plan.horizon import Horizon
from amble.plan.ipopt import solve_with_ipopt
from amble.plan.problem import Answer
from amble.scenarios import scenario

FIGURE_TO_REACH = 3.0  # [ms], median of a biped's plan
SCENARIOS = (
    *("humanoid-walk", "humanoid-run", "luxo-hop", "anymal-trot", "anymal-walk", "cassie-walk"),
)


def run(seconds: float = 10.0, passes: int = 3) -> dict[str, Any]:
    """Times [ms] over the horizons of each scenario, `seconds` of simulation each."""
    report: dict[str, Any] = {"figure to reach, compiled median ms of a biped": FIGURE_TO_REACH}
    for name in SCENARIOS:
        horizons = _log(name, seconds)
        own, compiled = _times(solve_compiled, horizons, passes)
        reference, ipopt = _times(solve_with_ipopt, horizons, passes)
        report |= {
            f"{name}: horizons": len(horizons),
            f"{name}: segments": sorted({each.problem.segments for each in horizons}),
            **_percentiles(f"{name}: compiled", compiled),
            **_percentiles(f"{name}: IPOPT", ipopt),
            f"{name}: times faster, median": float(np.median(ipopt / compiled)),
            f"{name}: compiled iterations, median": float(np.median([a.iterations for a in own])),
            f"{name}: IPOPT iterations, median": float(
                np.median([a.iterations for a in reference])
            ),
            f"{name}: greatest cost above IPOPT's, relative": _excess(own, reference),
        }
    return report


def _log(name: str, seconds: float) -> list[Horizon]:
    """Horizons of a scenario."""
    horizons: list[Horizon] = []
    make = solving.make_horizon

    def logged_horizon(*arguments: Any, **options: Any) -> Horizon:
        horizons.append(make(*arguments, **options))
        return horizons[-1]

    chosen = scenario(name)
    with mock.patch.object(solving, "make_horizon", logged_horizon):
        chosen.make(chosen.request(seconds=seconds, settings={"wander": "true"}))
    return horizons


def _times(
    solve: Callable[[Horizon], Answer], horizons: list[Horizon], passes: int
) -> tuple[list[Answer], np.ndarray]:
    """The answers, and the least time of each [ms]. The first pass builds what is built once."""
    answers = [solve(horizon) for horizon in horizons]
    times = np.full(len(horizons), np.inf)
    for _ in range(passes):
        for k, horizon in enumerate(horizons):
            start = process_time_ns()
            solve(horizon)
            times[k] = min(times[k], (process_time_ns() - start) / 1e6)
    return answers, times


def _excess(own: list[Answer], reference: list[Answer]) -> float:
    """How much worse the compiled solver's worst plan is than IPOPT's."""
    both = [(a, b) for a, b in zip(own, reference, strict=True) if a.usable and b.usable]
    return max(((a.cost - b.cost) / max(abs(b.cost), 1e-2) for a, b in both), default=0.0)


def _percentiles(name: str, times: np.ndarray) -> dict[str, float]:
    return {
        f"{name}, median ms": float(np.median(times)),
        f"{name}, 95 % ms": float(np.percentile(times, 95)),
    }
