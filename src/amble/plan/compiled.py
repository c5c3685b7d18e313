"""A plan by the compiled interior-point method (`src/core/plan_solver.hpp`)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from amble._core import PlanSolver
from amble.characters.centroidal import CentroidalBody
from amble.plan.horizon import Horizon
from amble.plan.problem import Answer, cone_edges
from amble.plan.units import units_of

STATUSES = (
    *("solved", "acceptable", "too many iterations", "no step found"),
    *("multipliers diverge", "no finite numbers"),
)


def solve_compiled(horizon: Horizon) -> Answer:
    """Solve a horizon."""
    problem = horizon.problem
    x, g = np.empty_like(horizon.x0), np.empty_like(horizon.lbg)
    status, iterations, cost, *_ = plan_solver(problem.body, problem.friction).solve(
        horizon.parameters,
        problem.segments,
        problem.slots,
        horizon.lbx,
        horizon.ubx,
        horizon.lbg,
        horizon.ubg,
        horizon.x0,
        x,
        g,
    )
    return Answer(x, g, cost, STATUSES[status], usable=status <= 1, iterations=iterations)


@lru_cache(maxsize=16)
def plan_solver(body: CentroidalBody, friction: float) -> PlanSolver:
    """The solver of a body, for horizons of any length."""
    units = units_of(body)
    inertia = body.inertia_b / (body.mass * units.length**2)
    return PlanSolver(
        len(body.legs),
        np.array([i for i, leg in enumerate(body.legs) for _ in leg.effectors], dtype=np.int32),
        np.array([dx / units.length for leg in body.legs for dx in leg.effectors]),
        np.ascontiguousarray(inertia),
        float(np.max(np.diag(inertia))),
        cone_edges(friction),
    )
