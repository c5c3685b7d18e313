"""Constraints of spacetime optimisation, linearised at the present poses (tracking section 3.2).

Unknowns of row k: q_k where it is not given; τ_k and the forces λ_k of the points that carry, in
all rows that have an equation of motion. Rows of A x = b and G x ≤ g on a step x away from them:

    M(q_k) (v_k − v_{k−1})/h + c(q_k, v_{k−1}) = Sᵀ τ_k + Σ J_i(q_k)ᵀ λ_i    every row but ends
    z(p_i(q_k)) = 0                        points on the ground; three of a flat foot's four suffice
    p_i(q_{k+1}) = p_i(q_k), horizontally  while they stay there: one point, and the other across
    |λ_x| + |λ_y| ≤ μ λ_z                  inside the cone of friction
    λ_z ≥ share (λ_z + λ'_z)               of both corners of a heel or toe: off the sole's edges
    z(p_i(q_k)) ≥ clearance                the other points
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from amble.tracking.dynamics import FlatDynamics, InverseDynamics
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.motion import Motion, clearances, foot_directions

_CONE = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Poses (N, n), torques (N, n − 6) [N m] and forces (N, 8, 3) [N] of an iterate."""

    q: np.ndarray
    torque: np.ndarray
    force_w: np.ndarray


@dataclass(frozen=True, eq=False)
class Rows:
    """Sparse rows: values at (row, column), and the right-hand side."""

    row: np.ndarray
    column: np.ndarray
    value: np.ndarray
    right: np.ndarray


class Layout:
    """Which column of the quadratic program each unknown has; −1 where it is given."""

    def __init__(self, motion: Motion) -> None:
        N, n = motion.q.shape
        self.moved = np.arange(N) if motion.periodic else np.arange(1, N - 1)
        acts = np.zeros(N, bool)
        acts[self.moved] = True
        counter = 0

        def number(used: np.ndarray) -> np.ndarray:
            nonlocal counter
            columns = np.full(used.shape, -1)
            columns[used] = counter + np.arange(int(used.sum()))
            counter += int(used.sum())
            return columns

        # Row by row, so that what belongs together in time stands together.
        self.q, self.torque = np.empty((N, n), int), np.empty((N, n - ROOT), int)
        self.force = np.empty((N, CORNERS, 3), int)
        free, carries = ~motion.kept, motion.carries
        for k in range(N):
            self.q[k] = number(np.full(n, free[k]))
            self.torque[k] = number(np.full(n - ROOT, acts[k]))
            self.force[k] = number(np.tile((carries[k] & acts[k])[:, None], (1, 3)))
        self.size = counter

    def after(self, given: Unknowns, x: np.ndarray) -> Unknowns:
        """The unknowns after a step x (size,)."""
        padded = np.append(x, 0.0)
        return Unknowns(
            given.q + padded[self.q],
            given.torque + padded[self.torque],
            given.force_w + padded[self.force],
        )


class ConstraintRows:
    """All constraints of one motion; `units` are of force [N], for rows of like size."""

    def __init__(
        self,
        body: FlatBody,
        motion: Motion,
        layout: Layout,
        friction: float,
        units: float,
        share: float = 0.0,
    ) -> None:
        self.motion, self.layout, self.friction, self.units = motion, layout, friction, units
        self.share = share
        self._dynamics = FlatDynamics(body)
        self._ahead = foot_directions(body, motion)
        self._least = clearances(motion)
        self._last: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        N = len(motion)
        self._next = np.arange(1, N + 1) % N
        self._turn = np.eye(motion.n)
        if motion.travel is not None:
            self._turn[:2, :2] = motion.travel.matrix

    def neighbours(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Poses (N, n) one row before and one after each; ends of a motion that has them repeat."""
        before, after = np.roll(q, 1, axis=0), np.roll(q, -1, axis=0)
        travel = self.motion.travel
        if travel is None:
            before[0], after[-1] = q[0], q[-1]
        else:
            before[0], after[-1] = travel.inverse().pose(q[-1]), travel.pose(q[0])
        return before, after

    def inverse_dynamics(self, x: Unknowns) -> InverseDynamics:
        """τ and derivatives of the rows that have an equation of motion."""
        rows, h = self.layout.moved, self.motion.step
        before, after = (each[rows] for each in self.neighbours(x.q))
        here = x.q[rows]
        v, a = (here - before) / h, (after - 2 * here + before) / h**2
        return self._dynamics.inverse(here, v, a, x.force_w[rows])

    def equalities(self, x: Unknowns) -> Rows:
        """A x = b."""
        into = _Collector()
        self._motion_rows(into, x)
        places, J = self._points(x.q)
        self._height_rows(into, places, J)
        self._rest_rows(into, places, J)
        return into.rows()

    def inequalities(self, x: Unknowns) -> Rows:
        """G x ≤ g."""
        into, layout = _Collector(), self.layout
        edges = np.column_stack([_CONE, np.full(4, -self.friction)])
        k, c = np.nonzero(layout.force[:, :, 0] >= 0)
        if len(k):
            blocks = np.tile(edges, (len(k), 1, 1))
            excess = -x.force_w[k, c] @ edges.T / self.units
            into.add(layout.force[k, c], blocks / self.units, excess)
        if self.share:
            self._share_rows(into, x)
        places, J = self._points(x.q)
        k, c = np.nonzero(~self.motion.contact & (layout.q[:, :1] >= 0))
        high = (places[k, c, 2] - self._least[k, c])[:, None]
        into.add(layout.q[k], -J[k, c, 2][:, None, :], high)
        return into.rows()

    def _share_rows(self, into: _Collector, x: Unknowns) -> None:
        """Each corner of a heel or toe carries its share of what both do."""
        layout, one = self.layout, np.arange(CORNERS)
        other = one ^ 1
        k, c = np.nonzero((layout.force[:, one, 2] >= 0) & (layout.force[:, other, 2] >= 0))
        if len(k):
            d = other[c]
            columns = np.stack([layout.force[k, c, 2], layout.force[k, d, 2]], axis=1)
            row = np.array([self.share - 1, self.share]) / self.units
            loads = np.stack([x.force_w[k, c, 2], x.force_w[k, d, 2]], axis=1)
            into.add(columns, np.tile(row, (len(k), 1, 1)), -(loads @ row)[:, None])

    def violation(self, x: Unknowns) -> float:
        """The largest residual of the equalities: of forces relative to `units`, else [m]."""
        return float(np.abs(self.equalities(x).right).max(initial=0.0))

    def _motion_rows(self, into: _Collector, x: Unknowns) -> None:
        layout, n, h, rows = self.layout, self.motion.n, self.motion.step, self.layout.moved
        found = self.inverse_dynamics(x)
        rate, M = found.by_v / h, found.by_a / h**2
        residual = found.torque.copy()
        residual[:, ROOT:] -= x.torque[rows]
        before, after = M - rate, M.copy()
        if self.motion.periodic:
            before[0] = before[0] @ self._turn.T
            after[-1] = after[-1] @ self._turn
        N, units = len(self.motion), self.units
        select = np.zeros((n, n - ROOT))
        select[ROOT:] = -np.eye(n - ROOT)
        J = self._points(x.q)[1][rows]  # (rows, 8, 3, n)
        forces = -J.reshape(len(rows), 3 * CORNERS, n).transpose(0, 2, 1)
        columns = np.concatenate(
            [
                layout.q[(rows - 1) % N],
                layout.q[rows],
                layout.q[(rows + 1) % N],
                layout.torque[rows],
                layout.force[rows].reshape(len(rows), -1),
            ],
            axis=1,
        )
        blocks = np.concatenate(
            [
                before,
                found.by_q + rate - 2 * M,
                after,
                np.tile(select, (len(rows), 1, 1)),
                forces,
            ],
            axis=2,
        )
        into.add(columns, blocks / units, -residual / units)

    def _height_rows(self, into: _Collector, places: np.ndarray, J: np.ndarray) -> None:
        free = self.layout.q[:, 0] >= 0
        for foot in range(2):
            heel, toe = self._stands(foot)
            for c, stands in ((0, heel), (1, heel), (2, toe), (3, toe & ~heel)):
                k, i = np.flatnonzero(stands & free), 4 * foot + c
                into.add(self.layout.q[k], J[k, i, 2][:, None, :], -places[k, i, 2][:, None])

    def _rest_rows(self, into: _Collector, places: np.ndarray, J: np.ndarray) -> None:
        """The point that stays: its x and y; of its neighbour across the foot the way along."""
        N = len(self.motion)
        free = self.layout.q[:, 0] >= 0
        last = N if self.motion.periodic else N - 1
        for foot in range(2):
            heel, toe = self._stands(foot)
            heel_stays, toe_stays = heel & heel[self._next], toe & toe[self._next]
            for first, stays in ((0, heel_stays), (2, toe_stays & ~heel_stays)):
                k = np.flatnonzero(stays)
                k = k[(k < last) & (free[k] | free[self._next[k]])]
                if not len(k):
                    continue
                to = self._next[k]
                i, other = 4 * foot + first, 4 * foot + first + 1
                moved, J_to = self._carried(k, places[to], J[to])
                along = self._ahead[k, foot]
                gap = np.empty((len(k), 3))
                gap[:, :2] = moved[:, i, :2] - places[k, i, :2]
                across = moved[:, other, :2] - places[k, other, :2]
                gap[:, 2] = np.sum(along * across, axis=1)
                blocks = np.zeros((len(k), 3, 2 * self.motion.n))
                for side, sign, D in ((0, -1.0, J[k]), (1, 1.0, J_to)):
                    part = blocks[:, :, side * self.motion.n : (side + 1) * self.motion.n]
                    part[:, :2] = sign * D[:, i, :2]
                    part[:, 2] = sign * np.einsum("ka,kan->kn", along, D[:, other, :2])
                columns = np.concatenate([self.layout.q[k], self.layout.q[to]], axis=1)
                into.add(columns, blocks, -gap)

    def _carried(
        self, k: np.ndarray, places: np.ndarray, J: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Places and Jacobians of the rows after k, moved on where a new cycle begins."""
        travel = self.motion.travel
        if travel is None:
            return places, J
        wraps = k == len(self.motion) - 1
        places, J = places.copy(), J.copy()
        places[wraps, :, :2] = places[wraps, :, :2] @ travel.matrix.T + [travel.dx, travel.dy]
        J[wraps, :, :2] = np.einsum("ab,kpbn->kpan", travel.matrix, J[wraps, :, :2])
        return places, J

    def _stands(self, foot: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows (N,) in which heel and toe of the foot stand on the ground."""
        contact = self.motion.contact[:, 4 * foot : 4 * foot + 4]
        return contact[:, 0], contact[:, 2]

    def _points(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (N, 8, 3) and Jacobians (N, 8, 3, n) of the corners."""
        if self._last is None or not np.array_equal(self._last[0], q):
            places = np.array([self._dynamics.points(each) for each in q])
            J = np.array([self._dynamics.jacobians(each) for each in q])
            self._last = (q.copy(), places, J)
        return self._last[1], self._last[2]


class _Collector:
    """Gathers dense blocks; zeros and given unknowns are left out."""

    def __init__(self) -> None:
        self._parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._right: list[np.ndarray] = []
        self._count = 0

    def add(self, columns: np.ndarray, blocks: np.ndarray, right: np.ndarray) -> None:
        """K blocks (K, m, c) at columns (K, c), right-hand sides (K, m)."""
        K, m, _ = blocks.shape
        rows = self._count + np.arange(K * m).reshape(K, m)
        k, i, j = np.nonzero((blocks != 0) & (columns[:, None, :] >= 0))
        self._parts.append((rows[k, i], columns[k, j], blocks[k, i, j]))
        self._right.append(np.asarray(right, dtype=float).ravel())
        self._count += K * m

    def rows(self) -> Rows:
        parts: list[Any] = [np.concatenate(part) for part in zip(*self._parts, strict=True)]
        return Rows(parts[0], parts[1], parts[2], np.concatenate(self._right))
