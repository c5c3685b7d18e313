"""Laws of the numeric kernel: the optimum within the box."""

from __future__ import annotations

import numpy as np
import pytest
from box_twin import normal_equations, solve_in_box

from amble import _core


@pytest.mark.parametrize("seed", range(20))
def test_no_point_of_the_box_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = 12, 20
    J, r, w = rng.standard_normal((m, n)), rng.standard_normal(m), rng.uniform(0.1, 3, m)
    H, g = normal_equations(J, r, w, rng.uniform(0.01, 1, n), rng.standard_normal(n))
    low, high = -rng.uniform(0, 0.3, n), rng.uniform(0, 0.3, n)
    step = np.empty(n)
    _core.BoxSolver().solve(H, g, low, high, step)
    np.testing.assert_allclose(step, solve_in_box(H, g, low, high), atol=1e-10)
    assert (step >= low).all()
    assert (step <= high).all()
    slope = H @ step - g
    inside = (step > low + 1e-9) & (step < high - 1e-9)
    assert np.abs(slope[inside]).max(initial=0.0) < 1e-8
    assert (slope[step <= low + 1e-9] > -1e-8).all()
    assert (slope[step >= high - 1e-9] < 1e-8).all()


def test_normal_equations_are_those_of_the_sum_of_squares() -> None:
    rng = np.random.default_rng(1)
    J, r, w = rng.standard_normal((7, 4)), rng.standard_normal(7), rng.uniform(0.1, 2, 7)
    d, p = rng.uniform(0, 1, 4), rng.standard_normal(4)
    H, g = normal_equations(J, r, w, d, p)

    def cost(x: np.ndarray) -> float:
        return float(w @ (J @ x - r) ** 2 + d @ x**2 - 2 * p @ x)

    x, y = rng.standard_normal((2, 4))
    expected = x @ H @ x - 2 * g @ x - (y @ H @ y - 2 * g @ y)
    assert cost(x) - cost(y) == pytest.approx(expected)
