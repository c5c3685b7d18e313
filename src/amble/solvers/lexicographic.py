"""Prioritised least squares in the compiled core: optimistic, with Algorithm 1 as the fallback.

The upper levels take their unconstrained optimum and one quadratic program at the last level meets
all inequalities; when it cannot, one program a level (features section 3.3, Algorithm 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amble import _core
from amble.solvers.problem import Infeasible, Problem

STATUS = ("solved", "infeasible", "too many iterations")


@dataclass(frozen=True, eq=False)
class LexicographicResult:
    """A solution, and how it was found."""

    x: np.ndarray  # (n,)
    residual: np.ndarray  # (levels,) ‖A x − b‖, the weighted identity counted with the last
    iterations: int  # of the active-set method, over all programs
    active: int  # inequalities active in the last program
    fallback: bool  # Algorithm 1 was used


class LexicographicSolver:
    """Keeps its memory between problems of a similar size."""

    def __init__(self) -> None:
        self._core = _core.Lexicographic()

    def solve(self, problem: Problem, *, algorithm1_only: bool = False) -> LexicographicResult:
        """The lexicographic optimum; raises `Infeasible`, which names level and constraint."""
        full = problem.filled()
        x = np.zeros(full.n)
        status, level, constraint, iterations, active, fallback = self._core.solve(
            np.vstack([level.A for level in full.levels]),
            np.concatenate([level.b for level in full.levels]),
            np.cumsum([0, *(len(level.b) for level in full.levels)], dtype=np.int32),
            *full.arrays(),
            algorithm1_only,
            x,
        )
        if status:
            raise Infeasible(level, constraint, STATUS[status], _place(full, constraint))
        return LexicographicResult(x, full.residuals(x), iterations, active, bool(fallback))


def solve_lexicographic(problem: Problem, *, algorithm1_only: bool = False) -> LexicographicResult:
    """The lexicographic optimum; raises `Infeasible`, which names level and constraint."""
    return LexicographicSolver().solve(problem, algorithm1_only=algorithm1_only)


def solve_weighted(problem: Problem, weights: Sequence[float]) -> LexicographicResult:
    """All levels in one weighted sum (features eq. 16, 37), for comparison with priorities.

    `residual` still holds the unweighted residual of each level.
    """
    result = solve_lexicographic(problem.collapsed(weights))
    return LexicographicResult(
        result.x,
        problem.residuals(result.x),
        result.iterations,
        result.active,
        result.fallback,
    )


def _place(problem: Problem, constraint: int) -> str:
    rows = 0 if problem.D is None else len(problem.D)
    if constraint < rows:
        return f"row {constraint} of D" if constraint >= 0 else ""
    return f"the bounds of x[{constraint - rows}]"
