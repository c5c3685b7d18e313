"""One step through contact: control and contact solved as one complementarity problem (4.2, A).

With the policy τ = τ₀ + K f, f = Jᵀ λ, the step is v⁺ = v_f + G f h, G = M⁻¹ + M⁻¹ Sᵀ K. Normal
impulses λ_n, among them those of the stops of joints, and impulses λ_t along four directions of the
ground are found with

    0 ≤ λ_n  ⟂  N v⁺ + b ≥ 0
    0 ≤ λ_t  ⟂  T v⁺ + E σ ≥ 0
    0 ≤ σ    ⟂  μ λ_n − Eᵀ λ_t ≥ 0                       (Stewart and Trinkle 1996; appendix A)

where b lets a point come as near as the ground is (g / h), and pushes one that is inside back out.
A velocity says where a point of a turning foot is at the end of the step to first order only. With
`curvature` the rest, (p(q⁺ + h v) − p(q⁺)) / h − J v, is added: without it a foot that rolls lifts
off by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.solvers.complementarity import ComplementaritySolver
from amble.terrain.terrain import Terrain
from amble.tracking.adaptation import Policy
from amble.tracking.flat_body import CORNERS, ROOT
from amble.tracking.step_terms import StepMaker, StepTerms

NEAR = 0.003  # [m] above the ground from which on a point may come to carry
NEAR_STOP = 0.0  # [rad] before the end of a joint's range
SLOP = 0.001  # [m] of penetration that is left alone
RECOVERY = 0.1  # share of the rest that a step takes away


@dataclass(frozen=True)
class ContactSettings:
    """The ground's friction and what is made of nearness."""

    friction: float = 1.0
    curvature: bool = True


@dataclass(frozen=True, eq=False)
class Stepped:
    """The end of a step."""

    q: np.ndarray  # (n,)
    v: np.ndarray  # (n,)
    torque: np.ndarray  # (n − 6,) [N m]
    force_w: np.ndarray  # (8, 3) [N] on the corners
    contacts: int  # points that were near the ground
    solved: bool  # whether Lemke's method found a solution


class ContactStepper:
    """Steps a body on a ground; keeps its memory from step to step."""

    def __init__(
        self, maker: StepMaker, terrain: Terrain, settings: ContactSettings | None = None
    ) -> None:
        self.maker, self.terrain = maker, terrain
        self.settings = settings or ContactSettings()
        self._solver = ComplementaritySolver()
        limits = maker.body.limits
        self._low, self._high = limits[:, 0], limits[:, 1]

    def step(self, terms: StepTerms, policy: Policy, external: np.ndarray | None = None) -> Stepped:
        """The step of `terms` under a policy and external generalised forces (n,) [N, N m]."""
        n, h, Mi = len(terms.q), terms.step, terms.inverse_mass
        G = Mi if policy.answer is None else Mi + Mi[:, ROOT:] @ policy.answer
        free = terms.free_velocity + h * (Mi[:, ROOT:] @ policy.torque)
        if external is not None:
            free = free + h * (Mi @ external)
        p = terms.corners_w
        gap = p[:, 2] - self.terrain.height(p[:, 0], p[:, 1])
        near = np.flatnonzero(gap <= NEAR)
        stops, signs, room = self._stops(terms.q)
        count, rows = len(near), len(near) + len(stops)
        if not rows:
            return Stepped(terms.q, free, policy.torque, np.zeros((CORNERS, 3)), 0, True)
        axes = self._axes(p[near])  # (count, 3, 3): normal and two directions
        J = terms.J.reshape(CORNERS, 3, n)[near]
        A = np.zeros((rows + 4 * count, n))
        A[:count] = np.einsum("ci,cij->cj", axes[:, 0], J)
        A[count + np.arange(len(stops)), stops] = signs
        along = axes[:, 1:] @ J  # (count, 2, n)
        A[rows:] = np.stack([along[:, 0], -along[:, 0], along[:, 1], -along[:, 1]], 1).reshape(
            -1, n
        )
        b = np.zeros(len(A))
        inside = RECOVERY * np.minimum(gap[near] + SLOP, 0)
        b[:count] = np.where(gap[near] > 0, gap[near], inside) / h
        b[count:rows] = np.where(room > 0, room, RECOVERY * room) / h
        if self.settings.curvature and count:
            rest = (self.maker.moved_corners(terms)[near] - p[near]) / h - J @ terms.v
            turned = np.einsum("cai,ci->ca", axes, rest)
            b[:count] += turned[:, 0]
            b[rows:] += np.stack(
                [turned[:, 1], -turned[:, 1], turned[:, 2], -turned[:, 2]], 1
            ).ravel()
        impulse, solved = self._solve(A @ (G @ A.T), A @ free + b, count, rows)
        pull = A.T @ impulse / h  # f (n,)
        torque = policy.torque if policy.answer is None else policy.torque + policy.answer @ pull
        force = np.zeros((CORNERS, 3))
        flat = impulse[rows:].reshape(count, 4)
        sides = np.stack([impulse[:count], flat[:, 0] - flat[:, 1], flat[:, 2] - flat[:, 3]], 1)
        force[near] = np.einsum("ca,cai->ci", sides, axes) / h
        return Stepped(terms.q, free + h * (G @ pull), torque, force, count, solved)

    def _solve(
        self, D: np.ndarray, right: np.ndarray, count: int, rows: int
    ) -> tuple[np.ndarray, bool]:
        m = len(right)
        M, q = np.zeros((m + count, m + count)), np.zeros(m + count)
        M[:m, :m], q[:m] = D, right
        each = np.arange(count)
        M[m + each, each] = self.settings.friction
        sides = rows + np.arange(4 * count)
        of = m + np.repeat(each, 4)
        M[sides, of], M[of, sides] = 1.0, -1.0
        found = self._solver.solve(M, q)
        return found.z[:m], found.solved

    def _stops(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates at the ends of their ranges, the way back (±1), and the room left [rad]."""
        below, above = q - self._low, self._high - q
        low, high = np.flatnonzero(below <= NEAR_STOP), np.flatnonzero(above <= NEAR_STOP)
        signs = np.concatenate([np.ones(len(low)), -np.ones(len(high))])
        return np.concatenate([low, high]), signs, np.concatenate([below[low], above[high]])

    def _axes(self, places: np.ndarray) -> np.ndarray:
        """Normal and two directions of the ground (points, 3, 3), one axis a row."""
        normal = self.terrain.normal(places[:, 0], places[:, 1])
        ahead = np.zeros_like(normal)
        ahead[:, 0] = 1.0
        side = np.cross(normal, ahead)
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        return np.stack([normal, np.cross(side, normal), side], axis=1)
