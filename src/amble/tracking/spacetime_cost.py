"""The objective of spacetime optimisation: near the capture, with little and smooth effort.

    Σ_k  h ( ‖q_k − q̂_k‖²_Q + ‖q̈_k − q̂̈_k‖²_A + ‖τ_k‖² + ‖τ̇_k‖² + ‖λ_k‖² )

with its weights in units of the body, so that one set suits all: torques in m g l, forces in m g,
with the length l of its legs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from amble.characters.character import GRAVITY
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.motion import Motion
from amble.tracking.spacetime_rows import Layout, Unknowns


@dataclass(frozen=True)
class Weights:
    """Weights, each per second; lengths in metres, angles in radians."""

    joints: float = 4800.0  # of q away from the capture
    turn: float = 4800.0  # of the root's angles
    place: float = 2400.0  # of the root's x and y
    height: float = 7200.0  # of the root's z
    acceleration: float = 0.024  # of q̈ away from the capture's
    torque: float = 900.0  # in m g l
    torque_rate: float = 0.95  # in m g l per second
    force: float = 120.0  # of each point, in m g


class Objective:
    """½ xᵀ H x + gᵀ x of a step x away from an iterate; H does not change."""

    def __init__(self, body: FlatBody, motion: Motion, layout: Layout, weights: Weights) -> None:
        from scipy import sparse

        self.motion, self.layout = motion, layout
        h, N, n = motion.step, len(motion), motion.n
        weight = body.character.mass * GRAVITY
        lever = weight * body.character.leg_length
        pose = np.full(n, weights.joints)
        pose[:ROOT] = [weights.place] * 2 + [weights.height] + [weights.turn] * 3
        size = (n, n - ROOT, 3 * CORNERS)
        every = [
            np.concatenate(
                [
                    pose,
                    np.full(size[1], weights.torque / lever**2),
                    np.full(size[2], weights.force / weight**2),
                ]
            )
        ] * N
        whole = sparse.diags(h * np.concatenate(every))
        acceleration = _differences(motion, size, second=True)
        rate = _differences(motion, size, second=False)
        whole = whole + h * weights.acceleration / h**4 * (acceleration.T @ acceleration)
        whole = whole + h * weights.torque_rate / (h * lever) ** 2 * (rate.T @ rate)
        self._whole = whole.tocsr()
        columns = np.concatenate(
            [layout.q, layout.torque, layout.force.reshape(N, -1)], axis=1
        ).ravel()
        used = columns >= 0
        picks = sparse.csr_matrix(
            (np.ones(used.sum()), (np.flatnonzero(used), columns[used])),
            shape=(columns.size, layout.size),
        )
        self._picks = picks
        self.hessian = (picks.T @ self._whole @ picks).tocsc()

    def gradient(self, x: Unknowns) -> np.ndarray:
        gradient: np.ndarray = self._picks.T @ (self._whole @ self._vector(x))
        return gradient

    def value(self, x: Unknowns) -> float:
        vector = self._vector(x)
        return float(0.5 * vector @ (self._whole @ vector))

    def _vector(self, x: Unknowns) -> np.ndarray:
        N = len(self.motion)
        away = x.q - self.motion.q
        return np.concatenate([away, x.torque, x.force_w.reshape(N, -1)], axis=1).ravel()


def _differences(motion: Motion, size: tuple[int, int, int], second: bool) -> Any:
    """Second differences of poses or first ones of torques, over the end of a cycle, too."""
    from scipy import sparse

    N, width = len(motion), sum(size)
    first, count = (0, size[0]) if second else (size[0], size[1])
    turn = sparse.identity(width, format="lil")
    if motion.travel is not None:
        turn[:2, :2] = motion.travel.matrix
    only = np.zeros(width)
    only[first : first + count] = 1.0
    keep = sparse.diags(only)
    place = sparse.identity(N, format="csr")
    onward = sparse.diags([1.0], [1], shape=(N, N), format="lil")
    wrap = sparse.lil_matrix((N, N))
    if motion.periodic:
        wrap[N - 1, 0] = 1.0
    # Row k: the unknowns of row k + 1 as they are in the world of row k.
    after = sparse.kron(onward, keep) + sparse.kron(wrap, keep @ turn)
    if not second:
        difference = after - sparse.kron(place, keep)
    else:
        back = sparse.lil_matrix((N, N))
        if motion.periodic:
            back[0, N - 1] = 1.0
        before = sparse.kron(onward.T, keep) + sparse.kron(back, keep @ turn.T)
        difference = after - 2 * sparse.kron(place, keep) + before
    difference = difference.tocsr()
    if motion.periodic:
        return difference
    rows = np.ones(N)
    rows[-1] = 0.0
    if second:
        rows[0] = 0.0
    return sparse.kron(sparse.diags(rows), sparse.identity(width)).tocsr() @ difference
