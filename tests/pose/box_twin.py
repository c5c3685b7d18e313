"""Weighted least squares within a box, in numpy: the twin of src/core/box.hpp."""

from __future__ import annotations

import mujoco
import numpy as np

PASSES = 10  # changes of the active set, at most
INSIDE = 1e-12


def normal_equations(
    rows: np.ndarray,
    residual: np.ndarray,
    weight: np.ndarray,
    diagonal: np.ndarray,
    pull: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """H (n, n) and g (n,) of Σ w (J δ − r)² + Σ d δ² − 2 pᵀδ = δᵀH δ − 2 gᵀδ + const.

    `rows` J (m, n), `residual` r and `weight` w (m,), `diagonal` d and `pull` p (n,).
    """
    weighted = rows.T * weight
    H = weighted @ rows
    H.flat[:: len(diagonal) + 1] += diagonal
    return H, weighted @ residual + pull


def solve_in_box(H: np.ndarray, g: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The δ (n,) that minimises δᵀH δ − 2 gᵀδ with low ≤ δ ≤ high, H positive definite.

    Active set: what exceeds a bound is fixed there and the rest solved again; what its gradient
    draws back inside is let go.
    """
    step = np.empty(len(g))
    factor = H.copy()
    mujoco.mju_cholFactor(factor, INSIDE)
    mujoco.mju_cholSolve(step, factor, g)
    if (step >= low).all() and (step <= high).all():
        return step
    at_low, at_high = np.zeros(len(g), dtype=bool), np.zeros(len(g), dtype=bool)
    for _ in range(PASSES):
        below = (step < low - INSIDE) & ~at_low
        above = (step > high + INSIDE) & ~at_high
        if not (below.any() or above.any()):
            slope = H @ step - g
            free_low, free_high = at_low & (slope < -INSIDE), at_high & (slope > INSIDE)
            if not (free_low.any() or free_high.any()):
                break
            at_low &= ~free_low
            at_high &= ~free_high
        at_low |= below
        at_high |= above
        fixed = at_low | at_high
        held = np.where(at_low, low, np.where(at_high, high, 0.0))
        right = g - H @ held
        right[fixed] = held[fixed]
        factor = H.copy()
        factor[fixed] = 0.0
        factor[:, fixed] = 0.0
        factor[fixed, fixed] = 1.0
        mujoco.mju_cholFactor(factor, INSIDE)
        mujoco.mju_cholSolve(step, factor, right)
    return np.minimum(np.maximum(step, low), high)
