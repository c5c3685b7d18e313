"""Momentum-mapped inverse kinematics: the pose that carries a planned body (centroidal eq. 23).

    Σ_k i_k ‖y_k(x) − ȳ_k‖²                 the feet are where they should be
    + w_g ‖I_F⁻¹ J_M (x ⊖ x̄)‖²              the pose has the planned centroidal configuration
    + w_m ‖I_F⁻¹ J_M ẋ − Θ̇‖²                and the planned centroidal velocity
    + w_p max(0, v_p − N_pᵀ J_p ẋ)²          a pushed point yields
    + w_v ‖ẋ − x̄̇‖² + w_r ‖x ⊖ x̄‖²           and otherwise the pose is the reference x̄

with ẋ = (x ⊖ x_prev)/dt. All terms are linearised at the current iterate and solved together, within
the joint limits, by Gauss–Newton. The terms in ẋ are thus an implicit Euler step of a relaxation
towards x̄, which no weight makes unstable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.plan.plan import BodyState
from amble.pose.feet import FootState
from amble.pose.foot_rows import FootRows, foot_rows
from amble.pose.limits import JointLimits
from amble.pose.weights import IkWeights, leg_dofs

RATE = 60.0  # [1/s] frame rate at which the weights of velocities hold; they are scaled to others
MOST_ITERATIONS = 8
FIRST_ITERATIONS = 40
CONVERGED = 0.012  # [rad] a step this small leaves an error of its square
LARGEST_STEP = 0.5  # [rad]
LEG_DAMPING = 0.3  # of a step, where a straight leg leaves its direction undetermined


@dataclass(frozen=True)
class PushedPoint:
    """A point that something pushes: it yields with at least `speed` along `direction_w`."""

    body: int | str  # MuJoCo body
    point_b: np.ndarray  # (3,) in the body's frame [m]
    direction_w: np.ndarray  # (3,) unit vector
    speed: float  # v_p [m/s], proportional to the force


@dataclass(frozen=True)
class Reference:
    """The pose to stay close to, x̄, and the one of the frame before."""

    qpos: np.ndarray  # (nq,)
    previous_qpos: np.ndarray | None


class MomentumIk:
    """Solves eq. 23 for one body, frame by frame; holds no state but its workspace."""

    def __init__(
        self, character: Character, body: CentroidalBody, weights: IkWeights | None = None
    ) -> None:
        self.character, self.body = character, body
        self.limits = JointLimits(character)
        model = character.model
        self._model, self._data = model, mujoco.MjData(model)
        self._root = model.body(character.root).id
        self._legs: tuple[FootRows, ...] = foot_rows(character, body)
        self._hips = np.array(
            [model.body(limb.bodies[0]).id for leg in body.legs for limb in character.limbs
             if limb.name == leg.name]
        )  # fmt: skip
        nv, feet = model.nv, sum(rows.count for rows in self._legs)
        n = len(body.legs)
        self._feet = feet
        self._com, self._ang = slice(feet, feet + 3), slice(feet + 3, feet + 6)
        self._push = feet + 6
        self._reach = slice(feet + 7, feet + 7 + n)
        self._rows = np.zeros((feet + 7 + n, nv))
        self._residual = np.zeros(feet + 7 + n)
        self._weight = np.zeros(feet + 7 + n)
        self._hip_jacobian = np.zeros((3, nv))
        self._point_jacobian = np.zeros((3, nv))
        self._moved, self._off = np.zeros(nv), np.zeros(nv)
        self._low, self._high = np.full(nv, -LARGEST_STEP), np.full(nv, LARGEST_STEP)
        self._damping = np.zeros(nv)
        self._damping[leg_dofs(character)] = LEG_DAMPING
        self.weights = weights or IkWeights.of(character)

    def solve(
        self,
        start: np.ndarray,
        previous: np.ndarray | None,
        dt: float,
        state: BodyState,
        feet: Sequence[FootState],
        reference: Reference,
        push: PushedPoint | None = None,
    ) -> np.ndarray:
        """The pose (nq,), from the guess `start`; `previous` is the pose `dt` seconds ago."""
        w, model = self.weights, self._model
        qpos = start.copy()
        self.limits.clamp(qpos)
        scale = dt * RATE  # velocities count by the time they last
        w_m = w.momentum * scale / dt**2 if previous is not None else 0.0
        w_v = w.velocity * scale / dt**2 if previous is not None else np.zeros(model.nv)
        reference_step = np.zeros(model.nv)
        if previous is not None and reference.previous_qpos is not None:
            mujoco.mj_differentiatePos(
                model, reference_step, 1.0, reference.previous_qpos, reference.qpos
            )
        self._set_weights(feet, w_m)
        diagonal = w.pose + w_v
        for _ in range(MOST_ITERATIONS if previous is not None else FIRST_ITERATIONS):
            mujoco.mj_differentiatePos(model, self._off, 1.0, qpos, reference.qpos)  # x̄ ⊖ x
            pull = w.pose * self._off
            if previous is not None:
                mujoco.mj_differentiatePos(model, self._moved, 1.0, previous, qpos)  # x ⊖ x_prev
                pull = pull + w_v * (reference_step - self._moved)
            self._linearise(qpos, dt, state, feet, w_m, push if previous is not None else None)
            angles = self.limits.angles(qpos)
            self._low[6:] = np.maximum(self.limits.low - angles, -LARGEST_STEP)
            self._high[6:] = np.minimum(self.limits.high - angles, LARGEST_STEP)
            step = bounded_step(
                self._rows,
                self._residual,
                self._weight,
                diagonal + self._damping,
                pull,
                self._low,
                self._high,
            )
            mujoco.mj_integratePos(model, qpos, step, 1.0)
            if max(step.max(), -step.min()) < CONVERGED:
                break
        self.limits.clamp(qpos)
        return qpos

    def place(self, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centre of mass (3,) and hips (legs, 3) of a pose [m]."""
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        return self._data.subtree_com[self._root].copy(), self._data.xpos[self._hips]

    def _set_weights(self, feet: Sequence[FootState], w_m: float) -> None:
        w = self.weights
        for rows, foot in zip(self._legs, feet, strict=True):
            self._weight[rows.span] = (w.stance if foot.standing else w.swing) * rows.scale
        self._weight[self._com] = w.com
        self._weight[self._ang] = w.configuration + w_m

    def _linearise(
        self,
        qpos: np.ndarray,
        dt: float,
        state: BodyState,
        feet: Sequence[FootState],
        w_m: float,
        push: PushedPoint | None,
    ) -> None:
        """Rows J and residuals r of all terms but the diagonal ones: J δ should be r."""
        model, data, rows, residual = self._model, self._data, self._rows, self._residual
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for leg, foot in zip(self._legs, feet, strict=True):
            leg.fill(model, data, foot.sole, rows[leg.span], residual[leg.span])
        com = data.subtree_com[self._root]
        mujoco.mj_jacSubtreeCom(model, data, rows[self._com], self._root)
        residual[self._com] = state.com_w - com
        self._fill_momentum(dt, state, w_m)
        self._fill_reach(feet)
        self._weight[self._push] = 0.0
        if push is not None:
            self._fill_push(push, dt)

    def _fill_momentum(self, dt: float, state: BodyState, w_m: float) -> None:
        """Rows I_F⁻¹ J_M, which w_g and w_m share: their residuals are averaged by weight."""
        w_g = self.weights.configuration
        if w_g + w_m == 0:
            return
        A = self._rows[self._ang]
        mujoco.mj_angmomMat(self._model, self._data, A, self._root)
        xx, yy, zz, xy, xz, yz = self._data.cinert[1:, :6].sum(axis=0)  # about the common COM
        A[:] = np.linalg.solve(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), A)
        r = w_g * (A @ self._off)
        if w_m:
            r += w_m * (state.omega_w * dt - A @ self._moved)
        self._residual[self._ang] = r / (w_g + w_m)

    def _fill_reach(self, feet: Sequence[FootState]) -> None:
        """Hips stay within reach of standing feet: the centre of mass yields, no knee snaps."""
        data = self._data
        self._weight[self._reach] = 0.0
        for i, (leg, foot) in enumerate(zip(self.body.legs, feet, strict=True)):
            away = data.xpos[self._hips[i]] - foot.sole.ankle_w(leg)
            distance = float(np.sqrt(away @ away))
            if distance <= leg.longest:
                continue
            row = self._reach.start + i
            mujoco.mj_jac(
                self._model, data, self._hip_jacobian, None, data.xpos[self._hips[i]], self._hips[i]
            )
            self._rows[row] = (away / distance) @ self._hip_jacobian
            self._residual[row] = leg.longest - distance
            self._weight[row] = self.weights.reach if foot.standing else 0.1 * self.weights.reach

    def _fill_push(self, push: PushedPoint, dt: float) -> None:
        """One row, only where the point does not yield fast enough yet."""
        data = self._data
        body = push.body if isinstance(push.body, int) else self._model.body(push.body).id
        point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ push.point_b
        mujoco.mj_jac(self._model, data, self._point_jacobian, None, point, body)
        row = push.direction_w @ self._point_jacobian
        missing = push.speed * dt - row @ self._moved
        if missing > 0:
            self._rows[self._push] = row
            self._residual[self._push] = missing
            self._weight[self._push] = self.weights.push * RATE / dt


def bounded_step(
    rows: np.ndarray,
    residual: np.ndarray,
    weight: np.ndarray,
    diagonal: np.ndarray,
    pull: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """The δ (n,) that minimises Σ w (J δ − r)² + Σ d δ² − 2 pᵀδ with low ≤ δ ≤ high.

    `rows` J (m, n), `residual` r and `weight` w (m,), `diagonal` d and `pull` p (n,). Active set: what
    exceeds a bound is fixed there and the rest solved again.
    """
    n = len(diagonal)
    weighted = rows.T * weight
    H = weighted @ rows
    H.flat[:: n + 1] += diagonal
    g = weighted @ residual + pull
    step = np.zeros(n)
    factor = H.copy()
    mujoco.mju_cholFactor(factor, 1e-12)
    mujoco.mju_cholSolve(step, factor, g)
    fixed = np.zeros(n, dtype=bool)
    for _ in range(5):
        beyond = ((step < low - 1e-12) | (step > high + 1e-12)) & ~fixed
        if not beyond.any():
            break
        fixed |= beyond
        at = np.where(fixed, np.minimum(np.maximum(step, low), high), 0.0)
        reduced, right = H.copy(), g - H @ at
        reduced[fixed] = 0.0
        reduced[:, fixed] = 0.0
        reduced[fixed, fixed] = 1.0
        right[fixed] = at[fixed]
        mujoco.mju_cholFactor(reduced, 1e-12)
        mujoco.mju_cholSolve(step, reduced, right)
    return np.minimum(np.maximum(step, low), high)
