"""Prioritised least squares with inequalities (features eq. 17), as a record.

    minimise  ‖A₁x − b₁‖², then ‖A₂x − b₂‖² among its minimisers, …, then
              ‖A_N x − b_N‖² + Σ wᵢ² (xᵢ − tᵢ)²      subject to  lo ≤ D x ≤ hi,  lower ≤ x ≤ upper

What any solver of it shares: checks, residuals, violations, and the weighted sum for comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import cast

import numpy as np

from amble.errors import AmbleError, InputError

Array = np.ndarray
Arrays = tuple[Array, Array, Array, Array, Array, Array, Array]
FREE = 1e30  # a bound of this size is none


class Infeasible(AmbleError):
    """The inequalities cannot all be met, or no optimum was found."""

    def __init__(self, level: int, constraint: int, reason: str, where: str = "") -> None:
        place = where or (f"constraint {constraint}" if constraint >= 0 else "a constraint")
        super().__init__(f"level {level + 1}: {place} cannot be met ({reason})")
        self.level = level  # from 0, the most important
        self.constraint = constraint  # row of D, or rows of D + i for the bound of xᵢ; −1 unknown


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """‖A x − b‖²."""

    A: np.ndarray  # (rows, n)
    b: np.ndarray  # (rows,)

    def residual(self, x: np.ndarray) -> float:
        """‖A x − b‖ at a point."""
        return float(np.linalg.norm(self.A @ x - self.b))


@dataclass(frozen=True, eq=False)
class Problem:
    """Levels of falling priority, and the inequalities that hold for all of them.

    What is left out is not there: no rows in D, no bounds, no weight. Bounds may be infinite.
    """

    levels: tuple[LeastSquares, ...]
    D: np.ndarray | None = None  # (m, n)
    lo: np.ndarray | None = None  # (m,)
    hi: np.ndarray | None = None  # (m,)
    weight: np.ndarray | None = None  # (n,) w, of the last level
    target: np.ndarray | None = None  # (n,) t
    lower: np.ndarray | None = None  # (n,)
    upper: np.ndarray | None = None  # (n,)

    @classmethod
    def from_rows(
        cls, A: np.ndarray, b: np.ndarray, offsets: Sequence[int] | np.ndarray, *rest: np.ndarray
    ) -> Problem:
        """From stacked rows and the levels' offsets, the form in which the compiled core has it."""
        rows = [slice(first, end) for first, end in pairwise(offsets)]
        return cls(tuple(LeastSquares(A[k], b[k]) for k in rows), *rest)

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return int(self.levels[0].A.shape[1])

    def filled(self) -> Problem:
        """The same with every array there, contiguous and checked, free bounds as ±1e30."""
        if not self.levels:
            raise InputError("a prioritised problem needs at least one level")
        n = self.n
        m = 0 if self.D is None else len(self.D)
        levels = tuple(
            LeastSquares(
                _array(f"A of level {k + 1}", level.A, (len(level.b), n)),
                _array(f"b of level {k + 1}", level.b, (len(level.b),)),
            )
            for k, level in enumerate(self.levels)
        )
        return Problem(
            levels,
            D=_array("D", self.D, (m, n)),
            lo=_bound("lo", self.lo, m, -FREE),
            hi=_bound("hi", self.hi, m, FREE),
            weight=_array("weight", self.weight, (n,)),
            target=_array("target", self.target, (n,)),
            lower=_bound("lower", self.lower, n, -FREE),
            upper=_bound("upper", self.upper, n, FREE),
        )

    def arrays(self) -> Arrays:
        """D, lo, hi, weight, target, lower and upper of a problem that is `filled`."""
        rest = (self.weight, self.target, self.lower, self.upper)
        return cast(Arrays, (self.D, self.lo, self.hi, *rest))

    def plain(self) -> tuple[tuple[LeastSquares, ...], np.ndarray, np.ndarray, np.ndarray]:
        """Levels, D, lo, hi with the weighted identity as rows of the last level and the bounds
        of x as rows of D."""
        full = self.filled()
        D, lo, hi, weight, target, lower, upper = full.arrays()
        *above, last = full.levels
        used, bounded = weight != 0, (lower > -FREE) | (upper < FREE)
        identity = np.eye(full.n)
        last = LeastSquares(
            np.vstack([last.A, weight[used, None] * identity[used]]),
            np.concatenate([last.b, weight[used] * target[used]]),
        )
        return (
            (*above, last),
            np.vstack([D, identity[bounded]]),
            np.concatenate([lo, lower[bounded]]),
            np.concatenate([hi, upper[bounded]]),
        )

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """‖A x − b‖ of each level (levels,), the weighted identity counted with the last."""
        return np.array([level.residual(x) for level in self.plain()[0]])

    def violation(self, x: np.ndarray) -> float:
        """How far the worst inequality is from being met, 0 when all are."""
        _, D, lo, hi = self.plain()
        beyond = np.maximum(lo - D @ x, D @ x - hi)
        return float(max(beyond.max(initial=0.0), 0.0))

    def collapsed(self, weights: Sequence[float] | np.ndarray) -> Problem:
        """All levels as one weighted sum (eq. 16, 37); a weight multiplies the level's rows."""
        if len(weights) != len(self.levels) or not np.all(np.asarray(weights) > 0):
            raise InputError(
                f"weights are {list(weights)}; one positive weight for each of the"
                f" {len(self.levels)} levels is needed"
            )
        pairs = list(zip(weights, self.levels, strict=True))
        rows = LeastSquares(
            np.vstack([w * level.A for w, level in pairs]),
            np.concatenate([w * level.b for w, level in pairs]),
        )
        weight = None if self.weight is None else weights[-1] * np.asarray(self.weight)
        return replace(self, levels=(rows,), weight=weight)


def _array(name: str, value: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    array = np.zeros(shape) if value is None else np.ascontiguousarray(value, float)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(f"{name} has shape {array.shape}; finite numbers {shape} are needed")
    return array


def _bound(name: str, value: np.ndarray | None, size: int, free: float) -> np.ndarray:
    array = np.full(size, free) if value is None else np.array(value, float)
    if array.shape != (size,) or np.isnan(array).any():
        raise InputError(f"{name} has shape {array.shape}; {size} numbers or infinities are needed")
    return np.clip(array, -FREE, FREE)
