"""Algorithm 1 of the features paper in plain numpy: the reference of the compiled core.

One quadratic program a level, in the null space of the levels above, found by singular values. The
program's solver is an argument; two are here, both imported only when called (extra `dev`).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from amble.solvers.problem import FREE, Infeasible, Problem

_ZERO = 1e-9  # singular values and rows below this, relative to the largest or to 1, count as zero


class QuadraticProgram(Protocol):
    """min ‖A x − b‖² subject to lo ≤ D x ≤ hi: x (n,), or None when it finds no optimum."""

    def __call__(
        self, A: np.ndarray, b: np.ndarray, D: np.ndarray, lo: np.ndarray, hi: np.ndarray
    ) -> np.ndarray | None: ...


def solve_algorithm1(problem: Problem, program: QuadraticProgram) -> np.ndarray:
    """The lexicographic optimum (n,): x = C w + d, C a basis of what the levels so far leave free.

    Raises `Infeasible` at the level whose program has no solution.
    """
    levels, D, lo, hi = problem.plain()
    C, d = np.eye(problem.n), np.zeros(problem.n)
    for k, level in enumerate(levels):
        A = level.A @ C
        still = np.linalg.norm(D @ C, axis=1) > _ZERO  # rows that what is left can still move
        low, high = lo - D @ d, hi - D @ d
        if k:  # d meets every inequality, up to rounding
            low, high = np.minimum(low, 0), np.maximum(high, 0)
        w = program(A, level.b - level.A @ d, D[still] @ C, low[still], high[still])
        if w is None:
            raise Infeasible(k, -1, "no optimum found")
        d = d + C @ w
        C = C @ null_space(A)
        if C.shape[1] == 0:
            break
    return d


def null_space(A: np.ndarray) -> np.ndarray:
    """Orthonormal basis (n, n − rank) of the vectors that A maps to zero."""
    _, singular, Vt = np.linalg.svd(A)
    rank = int((singular > _ZERO * max(singular.max(initial=0.0), 1.0)).sum())
    return Vt[rank:].T


def piqp_program(
    A: np.ndarray, b: np.ndarray, D: np.ndarray, lo: np.ndarray, hi: np.ndarray
) -> np.ndarray | None:
    """By PIQP, a proximal interior-point method: good also when A has not full rank. Its last
    digits then come from least squares on the constraints that it found active."""
    import piqp

    solver = piqp.DenseSolver()
    for name in ("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"):
        setattr(solver.settings, name, 1e-11)
    solver.settings.max_iter = 500
    inequalities = (D, lo, hi) if len(D) else (None, None, None)
    solver.setup(A.T @ A, -A.T @ b, None, None, *inequalities)
    status = solver.solve()
    # At 1e-11 the last digits may be out of reach: the iterate is then as good as doubles allow.
    stalled = status in (piqp.PIQP_MAX_ITER_REACHED, piqp.PIQP_NUMERICS)
    if status != piqp.PIQP_SOLVED and not stalled:
        return None
    x = solver.result.x.copy()
    if not len(D):
        return x
    at_lo = solver.result.z_l > abs(D @ x - lo)
    at_hi = solver.result.z_u > abs(D @ x - hi)
    return _polished(x, A, b, D, lo, hi, at_lo, at_hi)


def _polished(
    x: np.ndarray,
    A: np.ndarray,
    b: np.ndarray,
    D: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    at_lo: np.ndarray,
    at_hi: np.ndarray,
) -> np.ndarray:
    """The optimum on the active bounds nearest to x, or x where that is not feasible."""
    active = np.vstack([D[at_lo], D[at_hi]])
    bounds = np.concatenate([lo[at_lo], hi[at_hi]])
    better = x + np.linalg.lstsq(active, bounds - active @ x, rcond=_ZERO)[0]
    Z = null_space(active)
    better = better + Z @ np.linalg.lstsq(A @ Z, b - A @ better, rcond=_ZERO)[0]

    def violation(y: np.ndarray) -> float:
        return float(np.maximum(lo - D @ y, D @ y - hi).max())

    allowed = max(violation(x), _ZERO * float(abs(D @ x).max()))
    return better if violation(better) <= allowed else x


def daqp_program(
    A: np.ndarray, b: np.ndarray, D: np.ndarray, lo: np.ndarray, hi: np.ndarray
) -> np.ndarray | None:
    """By DAQP, a dual active-set method: fast. What A leaves free is held by a small weight."""
    import daqp

    n = A.shape[1]
    H = A.T @ A + 1e-9 * np.eye(n)
    x, _, flag, _ = daqp.solve(
        H,
        -A.T @ b,
        np.ascontiguousarray(D),
        np.clip(hi, -FREE, FREE),
        np.clip(lo, -FREE, FREE),
        np.zeros(len(D), np.intc),
        primal_tol=1e-8,
    )
    return np.array(x) if flag > 0 else None
