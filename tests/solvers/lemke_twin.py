"""Lemke's method in numpy, written for reading: the whole table, one row operation at a time."""

from __future__ import annotations

import numpy as np


def lemke(M: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """z of w = M z + q ≥ 0, z ≥ 0, wᵀ z = 0, or None where the path ends on a ray.

    Columns of the table are w (n), z (n), the artificial variable and the right-hand side.
    """
    n = len(q)
    if q.min() >= 0:
        return np.zeros(n)
    table = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])
    basis = list(range(n))
    row, entering = int(np.argmin(q)), 2 * n
    for _ in range(50 * n):
        table[row] /= table[row, entering]
        for other in range(n):
            if other != row:
                table[other] -= table[other, entering] * table[row]
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * n:
            z = np.zeros(2 * n)
            z[basis] = table[:, -1]
            return z[n:]
        entering = leaving + n if leaving < n else leaving - n
        column = table[:, entering]
        rising = np.flatnonzero(column > 1e-11)
        if not len(rising):
            return None
        row = int(rising[np.argmin(table[rising, -1] / column[rising])])
    return None
