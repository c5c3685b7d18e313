"""Pendulum on a massless cart under a linear quadratic regulator (centroidal 4.1, appendix B).

One horizontal axis, z = (θ, v, ω): lean, velocity of the cart, rate of the lean; F on the cart:

    m (v̇ + l ω̇) = F,    I ω̇ = m g l θ − l F

Both axes share the gains. The regulator brings v to a wished speed; the pendulum leans into it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.characters.character import GRAVITY

# Weights on lean, speed and lean rate, and on force: Q = (20, 10, 1) and R = 1e-4 of a pendulum of
# 69.8 kg and 0.95 m, written in units of its weight, length and √(l/g): the same for any body.
STATE_WEIGHTS = np.array([20.0, 10.0 * GRAVITY * 0.95, GRAVITY / 0.95])
FORCE_WEIGHT = 1e-4 * (69.8 * GRAVITY) ** 2


def riccati(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    """P of AᵀP + PA − P B R⁻¹ Bᵀ P + Q = 0 that stabilises A − B R⁻¹ Bᵀ P.

    The stable eigenvectors (U, V) of the Hamiltonian matrix give P = V U⁻¹.
    """
    n = len(A)
    H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
    values, vectors = np.linalg.eig(H)
    stable = vectors[:, np.argsort(values.real)[:n]]
    P = np.real(np.linalg.solve(stable[:n].T, stable[n:].T).T)
    return 0.5 * (P + P.T)


def _exponential(M: np.ndarray) -> np.ndarray:
    """e^M by scaling and squaring of its Taylor series; M is small and its norm is at most ~10."""
    squarings = max(0, int(np.ceil(np.log2(max(np.abs(M).sum(axis=1).max(), 1e-12)))) + 4)
    X = M / 2**squarings
    term = total = np.eye(len(M))
    for k in range(1, 13):
        term = term @ X / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return total


@dataclass(frozen=True, eq=False)
class PendulumMotion:
    """The pendulum over a horizon of N + 1 samples."""

    cart_w: np.ndarray  # (N + 1, 2) [m]
    lean: np.ndarray  # (N + 1, 2) [rad]
    cart_velocity_w: np.ndarray  # (N + 1, 2) [m/s]
    lean_rate: np.ndarray  # (N + 1, 2) [rad/s]
    force: np.ndarray  # (N + 1, 2) on the cart [N]
    com_w: np.ndarray  # (N + 1, 2) of the mass [m]
    com_velocity_w: np.ndarray  # (N + 1, 2) [m/s]


class Pendulum:
    """A regulated pendulum, discretised exactly; a horizon is one matrix product."""

    def __init__(
        self,
        length: float,
        mass: float,
        inertia: float,
        rate: float = 30.0,
        samples: int = 90,
    ) -> None:
        self.length, self.mass, self.inertia = length, mass, inertia
        self.rate, self.samples = rate, samples
        m, l, I, g = mass, length, inertia, GRAVITY  # noqa: E741
        self.A = np.array(
            [[0.0, 0.0, 1.0], [-m * g * l * l / I, 0.0, 0.0], [m * g * l / I, 0.0, 0.0]]
        )
        self.B = np.array([[0.0], [1.0 / m + l * l / I], [-l / I]])
        units = np.array([1.0, np.sqrt(g * l), np.sqrt(g / l)])
        self.Q = np.diag(STATE_WEIGHTS / units**2)
        self.R = np.array([[FORCE_WEIGHT / (m * g) ** 2]])
        self.P = riccati(self.A, self.B, self.Q, self.R)
        self.gain = np.linalg.solve(self.R, self.B.T @ self.P)[0]
        self._matrix = self._horizon()

    def _horizon(self) -> np.ndarray:
        """M with states (N + 1, 4) = M (z₀, wished speeds), z = (cart, lean, velocity, rate)."""
        closed = np.zeros((5, 5))
        closed[0, 2] = 1.0
        closed[1:4, 1:4] = self.A - self.B @ self.gain[None]
        closed[1:4, 4] = self.B[:, 0] * self.gain[1]
        step = _exponential(closed / self.rate)
        N, Ad, Bd = self.samples, step[:4, :4], step[:4, 4]
        powers = np.empty((N + 1, 4, 4))
        powers[0] = np.eye(4)
        for k in range(N):
            powers[k + 1] = Ad @ powers[k]
        responses = powers[:N] @ Bd  # (N, 4)
        inputs = np.zeros((N + 1, 4, N))
        for k in range(1, N + 1):
            inputs[k, :, :k] = responses[:k][::-1].T
        return np.concatenate([powers, inputs], axis=2).reshape(4 * (N + 1), 4 + N)

    def plan(
        self,
        cart_w: np.ndarray,
        lean: np.ndarray,
        velocity_w: np.ndarray,
        lean_rate: np.ndarray,
        wished_w: np.ndarray,
    ) -> PendulumMotion:
        """The motion from a state, towards wished velocities (N, 2), each held for a sample."""
        start = np.array([cart_w, lean, velocity_w, lean_rate])
        x = (self._matrix @ np.concatenate([start, wished_w])).reshape(self.samples + 1, 4, 2)
        cart, angle, velocity, rate = x[:, 0], x[:, 1], x[:, 2], x[:, 3]
        wished = np.concatenate([wished_w, wished_w[-1:]])
        k = self.gain
        force = -(k[0] * angle + k[1] * (velocity - wished) + k[2] * rate)
        l = self.length  # noqa: E741
        return PendulumMotion(
            cart, angle, velocity, rate, force, cart + l * angle, velocity + l * rate
        )
