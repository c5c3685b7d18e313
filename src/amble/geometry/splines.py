"""Polynomials in time: cubic Hermite segments, quintics with given ends, smooth steps."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

Value = TypeVar("Value", float, np.ndarray)


def hermite(u: float, h: float, a: Value, da: Value, b: Value, db: Value) -> Value:
    """Cubic from a to b with rates da, db over the time h, at the share u ∈ [0, 1]."""
    u2, u3 = u * u, u * u * u
    start, end = 2 * u3 - 3 * u2 + 1, 3 * u2 - 2 * u3
    return start * a + (u3 - 2 * u2 + u) * h * da + end * b + (u3 - u2) * h * db


def hermite_rate(u: float, h: float, a: Value, da: Value, b: Value, db: Value) -> Value:
    """First derivative in time of `hermite`."""
    u2 = u * u
    slope = 6 * (u2 - u) / h
    return slope * (a - b) + (3 * u2 - 4 * u + 1) * da + (3 * u2 - 2 * u) * db


def hermite_acceleration(u: float, h: float, a: Value, da: Value, b: Value, db: Value) -> Value:
    """Second derivative in time of `hermite`."""
    return ((12 * u - 6) * (a - b) / h + (6 * u - 4) * da + (6 * u - 2) * db) / h


def quintic_coefficients(
    h: float, a: Value, da: Value, dda: Value, b: Value, db: Value, ddb: Value
) -> tuple[Value, ...]:
    """Coefficients c₀ … c₅ of Σ cₖ uᵏ with these values, rates and accelerations at both ends.

    u = t / h is the share of the time h; rates and accelerations are in time.
    """
    v0, v1, a0, a1 = da * h, db * h, dda * h * h, ddb * h * h
    return (
        a,
        v0,
        0.5 * a0,
        10 * (b - a) - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1,
        -15 * (b - a) + 8 * v0 + 7 * v1 + 1.5 * a0 - a1,
        6 * (b - a) - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1,
    )


def polynomial(u: float, c: tuple[Value, ...]) -> Value:
    """Σ cₖ uᵏ."""
    total = c[-1]
    for coefficient in reversed(c[:-1]):
        total = total * u + coefficient
    return total


def smooth_step(u: float) -> float:
    """0 for u ≤ 0, 1 for u ≥ 1, and between them with no rate or acceleration at the ends."""
    if u <= 0.0:
        return 0.0
    if u >= 1.0:
        return 1.0
    return u * u * u * (10 + u * (6 * u - 15))
