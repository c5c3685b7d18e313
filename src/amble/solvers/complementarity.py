"""Linear complementarity: w = M z + q ≥ 0, z ≥ 0, wᵀ z = 0, by Lemke's method.

The compiled core does the pivoting (`src/core/lemke.hpp`). Where M is singular, as it is for feet
that stand on more points than they need, pivots on what round-off has left of zero lead to answers
that are no solutions: a little is therefore added to M's diagonal, every answer is put into the
equations, and one that does not fit is asked for again with more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble import _core

STATUS = ("solved", "no solution on the path", "too many pivots", "not a solution")
REGULAR = (1e-6, 1e-5, 1e-4, 1e-3)  # times the mean of |diagonal of M|, one attempt after another
TOLERANCE = 1e-7  # largest |min(z, w)|, relative to the largest |q| and z


@dataclass(frozen=True, eq=False)
class Complementary:
    """What was found; z is zero when nothing was."""

    z: np.ndarray  # (n,)
    status: str
    pivots: int  # over all attempts
    attempts: int

    @property
    def solved(self) -> bool:
        return self.status == STATUS[0]


class ComplementaritySolver:
    """Keeps its memory from problem to problem."""

    def __init__(self, regular: tuple[float, ...] = REGULAR) -> None:
        self._core = _core.Lemke()
        self._regular = regular

    def solve(self, M: np.ndarray, q: np.ndarray) -> Complementary:
        """Find z (n,) for M (n, n), C-contiguous, and q (n,)."""
        z, pivots, status, attempts = np.zeros(len(q)), 0, 0, 0
        unit = float(np.abs(np.diagonal(M)).mean()) if len(q) else 1.0
        for share in self._regular:
            attempts += 1
            status = self._core.solve(M, q, share * unit, z)
            pivots += self._core.pivots
            if status == 0:
                if self._core.residual <= TOLERANCE * max(
                    np.abs(q).max(initial=0.0), z.max(initial=0.0)
                ):
                    break
                status = 3
        if status:
            z[:] = 0.0
        return Complementary(z, STATUS[status], pivots, attempts)
