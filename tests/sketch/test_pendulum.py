"""The pendulum on its cart: optimal, stable, exact, the same for bodies of any size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are

from amble.sketch.pendulum import Pendulum

BODIES = [(1.0, 78.0, 12.6), (0.54, 40.6, 3.6), (0.47, 60.0, 4.0), (0.42, 9.6, 0.32)]


@pytest.mark.parametrize("length, mass, inertia", BODIES)
def test_gains_are_optimal_and_stable(length: float, mass: float, inertia: float) -> None:
    p = Pendulum(length, mass, inertia)
    known = solve_continuous_are(p.A, p.B, p.Q, p.R)
    assert np.allclose(p.P, known, rtol=1e-6, atol=1e-9 * np.abs(known).max())
    assert np.linalg.eigvals(p.A - p.B @ p.gain[None]).real.max() < 0


def test_horizon_is_the_solution_of_the_equations_of_motion() -> None:
    p = Pendulum(1.0, 78.0, 12.6)
    rng = np.random.default_rng(1)
    cart, lean, velocity, rate = rng.normal(0, 0.1, (4, 2))
    wished = np.tile([1.2, -0.3], (p.samples, 1))
    motion = p.plan(cart, lean, velocity, rate, wished)

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        z = y.reshape(4, 2)[1:]
        force = -p.gain @ (z - np.array([[0, 0], wished[0], [0, 0]]))
        return np.concatenate([z[1:2], p.A @ z + p.B * force]).ravel()

    start = np.array([cart, lean, velocity, rate]).ravel()
    end = solve_ivp(slope, (0, 3), start, rtol=1e-10, atol=1e-10).y[:, -1].reshape(4, 2)
    got = [motion.cart_w, motion.lean, motion.cart_velocity_w, motion.lean_rate]
    assert np.allclose([x[-1] for x in got], end, atol=1e-6)


def test_it_reaches_the_wished_velocity_upright() -> None:
    p = Pendulum(1.0, 78.0, 12.6)
    motion = p.plan(*np.zeros((4, 2)), np.tile([1.0, 0.5], (p.samples, 1)))
    assert np.allclose(motion.com_velocity_w[-1], [1.0, 0.5], atol=0.01)
    assert np.abs(motion.lean[-1]).max() < 0.01
    assert motion.lean[:, 0].max() > 0.02  # it leans into the start


def test_a_body_twice_as_large_moves_alike_in_its_own_time() -> None:
    small, large = Pendulum(0.5, 10.0, 0.4, samples=60), Pendulum(2.0, 640.0, 409.6, samples=120)
    a = small.plan(*np.zeros((4, 2)), np.tile([1.0, 0.0], (60, 1)))
    b = large.plan(*np.zeros((4, 2)), np.tile([2.0, 0.0], (120, 1)))
    assert np.allclose(4 * a.cart_w[:31], b.cart_w[:61:2], atol=1e-9)
    assert np.allclose(a.lean[:31], b.lean[:61:2], atol=1e-9)
