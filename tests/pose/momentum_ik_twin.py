"""Momentum-mapped inverse kinematics in numpy and MuJoCo: the twin of src/core/momentum_ik.hpp.

Centroidal eq. 23, as in `amble.pose.momentum_ik`:

    Σ_k i_k ‖y_k(x) − ȳ_k‖²                 the feet are where they should be
    + w_g ‖I_F⁻¹ J_M (x ⊖ x̄)‖²              the pose has the planned centroidal configuration
    + w_m ‖I_F⁻¹ J_M ẋ − Θ̇‖²                and the planned centroidal velocity
    + w_p max(0, v_p − N_pᵀ J_p ẋ)²          a pushed point yields
    + w_v ‖ẋ − x̄̇‖² + w_r ‖x ⊖ x̄‖²           and otherwise the pose is the reference x̄

with ẋ = (x ⊖ x_prev)/dt. All terms are linearised at the current iterate and solved together,
within the joint limits, by Gauss–Newton. The terms in ẋ are thus an implicit Euler step of a
relaxation towards x̄, which no weight makes unstable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np
from box_twin import normal_equations, solve_in_box
from foot_rows_twin import FootRowsTwin, FootTarget

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.characters.loops import ties
from amble.pose.feet import FootState
from amble.pose.foot_rows import foot_rows
from amble.pose.limits import JointLimits
from amble.pose.momentum_ik import (
    CONVERGED,
    LEG_DAMPING,
    USUAL_ITERATIONS,
    Goal,
    Last,
    PushedPoint,
)
from amble.pose.weights import IkWeights, leg_dofs

RATE = 60.0  # [1/s] frame rate at which the weights of velocities hold; they are scaled to others
LARGEST_STEP = 0.5  # [rad]
STRETCHED = 1.008  # of a leg's longest reach: beyond, hips are drawn to their feet
BLOWN = 4.0  # a cost grown to more than this was a step too bold
DAMPING, DAMPED, EASED = 1e-3, 10.0, 0.2  # of steps that made it worse; more; less when better


class MomentumIkTwin:
    """What `MomentumIk` is, from MuJoCo's Jacobians."""

    def __init__(
        self, character: Character, body: CentroidalBody, weights: IkWeights | None = None
    ) -> None:
        self.character, self.body = character, body
        self.limits = JointLimits(character)
        model = character.model
        self._model, self._data = model, mujoco.MjData(model)
        self._root = model.body(character.root).id
        self._legs: list[FootRowsTwin] = []
        for rows in foot_rows(character, body):
            start = self._legs[-1].span.stop if self._legs else 0
            self._legs.append(FootRowsTwin(rows, start))
        self._hips = np.array(
            [model.body(limb.bodies[0]).id for leg in body.legs for limb in character.limbs
             if limb.name == leg.name]
        )  # fmt: skip
        nv, feet = model.nv, self._legs[-1].span.stop
        n = len(body.legs)
        self._feet = feet
        self._com, self._ang = slice(feet, feet + 3), slice(feet + 3, feet + 6)
        self._push = feet + 6
        self._reach = slice(feet + 7, feet + 7 + n)
        self._ties = ties(model)
        count = feet + 7 + n + 3 * len(self._ties)
        self._rows = np.zeros((count, nv))
        self._residual = np.zeros(count)
        self._weight = np.zeros(count)
        self._hip_jacobian = np.zeros((3, nv))
        self._point_jacobian = np.zeros((3, nv))
        self._moved, self._off = np.zeros(nv), np.zeros(nv)
        self._low, self._high = np.full(nv, -LARGEST_STEP), np.full(nv, LARGEST_STEP)
        self._damping = np.zeros(nv)
        self._turn: np.ndarray | None = None  # I_F⁻¹
        self._targets: list[FootTarget] = []
        self._ankles: list[np.ndarray] = []
        self._leg_dofs = leg_dofs(character)
        self._carries = np.zeros(nv)  # what moves the centre of mass: the root's place and the legs
        self._carries[:3] = self._carries[self._leg_dofs] = 1.0
        self._damping[self._leg_dofs] = LEG_DAMPING
        self.weights = weights or IkWeights.of(character)

    def solve(
        self,
        goal: Goal,
        start: np.ndarray,
        last: Last | None = None,
        iterations: int = USUAL_ITERATIONS,
    ) -> np.ndarray:
        """The pose (nq,), searched from `start`; without `last`, velocities do not count."""
        w, model = self.weights, self._model
        qpos = start.copy()
        clamp(self.limits, model, qpos)
        w_m, w_v, dt = 0.0, np.zeros(model.nv), 1.0
        reference_step = np.zeros(model.nv)
        if last is not None:
            previous, previous_reference, dt = last
            # Velocities count by the time they last: a sum over frames is then an integral.
            w_m, w_v = w.momentum * RATE / dt, w.velocity * (RATE / dt)
            mujoco.mj_differentiatePos(
                model, reference_step, 1.0, previous_reference, goal.reference
            )
        self._set_feet(goal.feet)
        self._weight[self._ang] = w.configuration + w_m
        self._turn = None
        diagonal = w.pose + w_v + self._damping
        best, best_cost, damping = qpos.copy(), math.inf, 0.0
        tolerance = CONVERGED if iterations <= USUAL_ITERATIONS else 0.1 * CONVERGED
        for _ in range(iterations):
            mujoco.mj_differentiatePos(model, self._off, 1.0, qpos, goal.reference)  # x̄ ⊖ x
            pull = w.pose * self._off
            cost = float(pull @ self._off)
            if last is not None:
                mujoco.mj_differentiatePos(model, self._moved, 1.0, previous, qpos)  # x ⊖ x_prev
                slower = reference_step - self._moved
                pull += w_v * slower
                cost += float(w_v @ (slower * slower))
            self._linearise(qpos, goal.com_w, goal.feet)
            self._fill_momentum(goal.momentum_w * dt, w_m)
            if goal.push is not None and last is not None:
                self._fill_push(goal.push, dt)
            cost += float(self._weight @ (self._residual * self._residual))
            if cost < BLOWN * best_cost:
                best[:], best_cost = qpos, cost
                damping *= EASED
                H, g = normal_equations(self._rows, self._residual, self._weight, diagonal, pull)
                angles = self.limits.angles(qpos)
                self._low[6:] = np.maximum(self.limits.low - angles, -LARGEST_STEP)
                self._high[6:] = np.minimum(self.limits.high - angles, LARGEST_STEP)
            else:  # Levenberg–Marquardt: the step was too bold
                damping = max(DAMPED * damping, DAMPING)
            if damping > 0:
                damped = H.copy()
                damped.flat[:: model.nv + 1] *= 1 + damping
                step = solve_in_box(damped, g, self._low, self._high)
            else:
                step = solve_in_box(H, g, self._low, self._high)
            qpos[:] = best
            mujoco.mj_integratePos(model, qpos, step, 1.0)
            if damping < DAMPING and max(step.max(), -step.min()) < tolerance:
                break
        clamp(self.limits, model, qpos)
        return qpos

    def foot_error(self, feet: Sequence[FootState]) -> float:
        """Largest distance of a standing foot from its place [m], of the pose last `place`d, and
        of the feet last solved for."""
        errors = [
            rows.distance(self._data, target)
            for rows, target, foot in zip(self._legs, self._targets, feet, strict=True)
            if foot.standing
        ]
        return max(errors, default=0.0)

    def place(self, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centre of mass (3,) and hips (legs, 3) of a pose [m]."""
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        return self._data.subtree_com[self._root].copy(), self._data.xpos[self._hips]

    def angular_momentum(self, velocity: np.ndarray) -> np.ndarray:
        """About the centre of mass (3,) [N m s], of the pose last given to `place`."""
        A = self._rows[self._ang]
        mujoco.mj_angmomMat(self._model, self._data, A, self._root)
        return np.asarray(A @ velocity)

    def _set_feet(self, feet: Sequence[FootState]) -> None:
        w = self.weights
        for rows, foot in zip(self._legs, feet, strict=True):
            self._weight[rows.span] = rows.weights(foot, w)
        self._targets = [r.target(f) for r, f in zip(self._legs, feet, strict=True)]
        self._ankles = [f.sole.ankle_w(g) for g, f in zip(self.body.legs, feet, strict=True)]
        self._weight[self._com] = w.com
        self._weight[self._push] = 0.0

    def _linearise(
        self,
        qpos: np.ndarray,
        com_w: np.ndarray,
        feet: Sequence[FootState],
    ) -> None:
        """Rows J and residuals r of feet, centre of mass and reach: J δ should be r."""
        model, data, rows, residual = self._model, self._data, self._rows, self._residual
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        w = self.weights
        for leg, target, foot in zip(self._legs, self._targets, feet, strict=True):
            leg.fill(model, data, target, rows[leg.span], residual[leg.span])
            if leg.turns and foot.standing:
                lifts = foot.pivot > 0 and residual[leg.span.start + 4] < 0
                self._weight[leg.span.start + 4] = w.stance_pitch if lifts else w.stance_turn
        mujoco.mj_jacSubtreeCom(model, data, rows[self._com], self._root)
        # Root and legs carry the centre of mass: a spine that bends for it is no solution.
        rows[self._com] *= self._carries
        residual[self._com] = com_w - data.subtree_com[self._root]
        self._fill_reach(feet)
        self._fill_ties()

    def _fill_ties(self) -> None:
        """Closed loops: two points of the body are in one place."""
        model, data = self._model, self._data
        first, second = np.zeros((2, 3, model.nv))
        for k, tie in enumerate(self._ties):
            span = slice(self._reach.stop + 3 * k, self._reach.stop + 3 * k + 3)
            for jacobian, b, point in zip((first, second), tie.bodies, tie.points_b, strict=True):
                at = data.xpos[b] + data.xmat[b].reshape(3, 3) @ point
                mujoco.mj_jac(model, data, jacobian, None, at, b)
            self._rows[span] = first - second
            self._residual[span] = tie.gap(data)
            self._weight[span] = self.weights.loop

    def _fill_momentum(self, step_w: np.ndarray, w_m: float) -> None:
        """Rows I_F⁻¹ J_M, which w_g and w_m share: their residuals are averaged by weight."""
        w_g = self.weights.configuration
        if w_g + w_m == 0:
            return
        A = self._rows[self._ang]
        mujoco.mj_angmomMat(self._model, self._data, A, self._root)
        if self._turn is None:  # once a frame: it hardly changes from iterate to iterate
            inertia = self._data.cinert[1:, :6].sum(axis=0)  # about the common COM
            xx, yy, zz, xy, xz, yz = inertia.tolist()
            self._turn = _inverse(xx, yy, zz, xy, xz, yz)
        A[:] = self._turn @ A
        self._off[self._leg_dofs] = 0.0  # legs are where their feet want them
        r = w_g * (A @ self._off)
        if w_m:
            r += w_m * (self._turn @ step_w - A @ self._moved)
        self._residual[self._ang] = r / (w_g + w_m)

    def _fill_reach(self, feet: Sequence[FootState]) -> None:
        """Hips stay within reach of standing feet: the centre of mass yields, no knee snaps."""
        data = self._data
        self._weight[self._reach] = 0.0
        for i, (leg, foot) in enumerate(zip(self.body.legs, feet, strict=True)):
            away = data.xpos[self._hips[i]] - self._ankles[i]
            distance = math.sqrt(away @ away)
            excess = distance - STRETCHED * leg.longest
            if excess <= 0:
                continue
            row = self._reach.start + i
            mujoco.mj_jac(
                self._model, data, self._hip_jacobian, None, data.xpos[self._hips[i]], self._hips[i]
            )
            self._rows[row] = (away / distance) @ self._hip_jacobian
            self._residual[row] = -excess
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


def _inverse(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> np.ndarray:
    """Inverse (3, 3) of a symmetric matrix by cofactors: small enough to beat a library call."""
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return np.array([[a, b, c], [b, d, e], [c, e, f]]) / (xx * a + xy * b + xz * c)


def clamp(limits: JointLimits, model: mujoco.MjModel, qpos: np.ndarray) -> None:
    """Bring every joint of a pose (nq,) within its limits, in place."""
    angles = limits.angles(qpos)
    if (angles >= limits.low).all() and (angles <= limits.high).all():
        return
    within = limits.pose(np.minimum(np.maximum(angles, limits.low), limits.high))
    for q in model.jnt_qposadr[model.jnt_type == mujoco.mjtJoint.mjJNT_BALL]:
        # A quaternion and its negative mean the same; keep the sign that the pose had.
        if within[q : q + 4] @ qpos[q : q + 4] < 0:
            within[q : q + 4] *= -1
    qpos[7:] = within[7:]
