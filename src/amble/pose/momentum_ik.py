"""Momentum-mapped inverse kinematics: the pose that carries a planned body (centroidal eq. 23).

    Σ_k i_k ‖y_k(x) − ȳ_k‖²                 the feet are where they should be
    + w_g ‖I_F⁻¹ J_M (x ⊖ x̄)‖²              the pose has the planned centroidal configuration
    + w_m ‖I_F⁻¹ J_M ẋ − Θ̇‖²                and the planned centroidal velocity
    + w_p max(0, v_p − N_pᵀ J_p ẋ)²          a pushed point yields
    + w_v ‖ẋ − x̄̇‖² + w_r ‖x ⊖ x̄‖²           and otherwise the pose is the reference x̄

and closed loops of the model as rows like those of the feet,
with ẋ = (x ⊖ x_prev)/dt. All terms are linearised at the current iterate and solved together,
within the joint limits, by Gauss–Newton. The terms in ẋ are thus an implicit Euler step of a
relaxation towards x̄, which no weight makes unstable. The numbers are made in the compiled core
(src/core/momentum_ik.hpp); `tests/pose/momentum_ik_twin.py` is the same in numpy and MuJoCo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import mujoco
import numpy as np

from amble import _core
from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.characters.loops import ties
from amble.pose.feet import FootState
from amble.pose.foot_rows import foot_rows
from amble.pose.limits import JointLimits
from amble.pose.weights import IkWeights, leg_dofs

USUAL_ITERATIONS, MANY_ITERATIONS = 8, 40  # at most
CONVERGED = 0.02  # [rad] a step this small leaves an error of its square
LEG_DAMPING = 1e-3  # of a step, where a straight leg leaves its direction undetermined
NO_PUSH = np.zeros(7)


@dataclass(frozen=True)
class PushedPoint:
    """A point that something pushes: it yields with at least `speed` along `direction_w`."""

    body: int | str  # MuJoCo body
    point_b: np.ndarray  # (3,) in the body's frame [m]
    direction_w: np.ndarray  # (3,) unit vector
    speed: float  # v_p [m/s], proportional to the force


@dataclass(frozen=True, eq=False)
class Goal:
    """What a pose should achieve at one frame."""

    feet: Sequence[FootState]  # one a leg
    com_w: np.ndarray  # (3,) where the centre of mass goes [m]
    momentum_w: np.ndarray  # (3,) angular momentum about it [N m s]
    reference: np.ndarray  # (nq,) x̄, the pose to stay close to
    push: PushedPoint | None = None


Last = tuple[np.ndarray, np.ndarray, float]  # pose and reference of the frame before, dt [s]


class MomentumIk:
    """Solves eq. 23 for one body, frame by frame; holds no state but its workspace."""

    def __init__(
        self, character: Character, body: CentroidalBody, weights: IkWeights | None = None
    ) -> None:
        self.character, self.body = character, body
        self.limits = JointLimits(character)
        self.weights = weights or IkWeights.of(character)
        self._model = character.model
        self._core = _core.MomentumIk(body_tree(self._model), self._problem())
        # Per leg: the sole's place [m] and R, load, pivot [m], whether it stands.
        self._feet = np.zeros((len(body.legs), 15))
        sites = [self._model.site(name).id for leg in body.legs for name in leg.foot.sites]
        self._sole_bodies = np.ascontiguousarray(self._model.site_bodyid[sites], dtype=np.int32)
        self._sole_points_b = np.ascontiguousarray(self._model.site_pos[sites], dtype=float)

    def solve(
        self,
        goal: Goal,
        start: np.ndarray,
        last: Last | None = None,
        iterations: int = USUAL_ITERATIONS,
    ) -> np.ndarray:
        """The pose (nq,), searched from `start`; without `last`, velocities do not count."""
        for row, foot in zip(self._feet, goal.feet, strict=True):
            row[:3] = foot.sole.position_w
            row[3:12] = foot.sole.R_w.ravel()
            row[12:] = foot.load, foot.pivot, foot.standing
        previous, previous_reference, dt = last or (start, start, 0.0)
        push_body, push = self._push(goal.push)
        tolerance = CONVERGED if iterations <= USUAL_ITERATIONS else 0.1 * CONVERGED
        qpos = start.copy()
        self._core.solve(
            self._feet, goal.com_w, goal.momentum_w, goal.reference, previous, previous_reference,
            dt, push_body, push, iterations, tolerance, qpos,
        )  # fmt: skip
        return qpos

    def place(self, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centre of mass (3,) and hips (legs, 3) of a pose [m]."""
        com_w, hips_w = np.empty(3), np.empty((len(self.body.legs), 3))
        self._core.place(qpos, com_w, hips_w)
        return com_w, hips_w

    def sole_points(self) -> np.ndarray:
        """Contact points of all legs' feet (n, 3) [m], one foot after another, of the pose last
        `place`d."""
        points_w = np.empty_like(self._sole_points_b)
        self._core.points(self._sole_bodies, self._sole_points_b, points_w)
        return points_w

    def foot_error(self) -> float:
        """Largest distance of a standing foot from its place [m], of the pose last `place`d, and
        of the feet last solved for."""
        return self._core.foot_error()

    def angular_momentum(self, velocity: np.ndarray) -> np.ndarray:
        """About the centre of mass (3,) [N m s], of the pose last given to `place`."""
        momentum_w = np.empty(3)
        self._core.angular_momentum(velocity, momentum_w)
        return momentum_w

    def _push(self, push: PushedPoint | None) -> tuple[int, np.ndarray]:
        """Body, and point in its frame [m], direction, speed [m/s] (7,)."""
        if push is None:
            return -1, NO_PUSH
        body = push.body if isinstance(push.body, int) else self._model.body(push.body).id
        return body, np.array([*push.point_b, *push.direction_w, push.speed], dtype=float)

    def _problem(self) -> _core.PoseProblem:
        """What does not change from frame to frame."""
        model, legs = self._model, self.body.legs
        rows = foot_rows(self.character, self.body)
        limbs = {limb.name: limb for limb in self.character.limbs}
        hips = [model.body(limbs[leg.name].bodies[0]).id for leg in legs]
        problem = _core.PoseProblem()
        problem.hip = np.array(hips, dtype=np.int32)
        problem.foot = np.array([r.body for r in rows], dtype=np.int32)
        problem.turns = np.array([r.turns for r in rows], dtype=np.int32)
        problem.points = np.array([len(r.along) for r in rows], dtype=np.int32)
        problem.points_b = np.concatenate([r.points_b for r in rows])
        problem.along = np.array([x for r in rows for x in r.along], dtype=float)
        problem.rest_R = np.array([r.rest_R.ravel() for r in rows])
        problem.ankle_height = np.array([r.ankle_height for r in rows], dtype=float)
        problem.longest = np.array([leg.longest for leg in legs], dtype=float)
        problem.leg_dofs = leg_dofs(self.character).astype(np.int32)
        problem.low, problem.high = self.limits.low, self.limits.high
        problem.damping = np.zeros(model.nv)
        problem.damping[problem.leg_dofs] = LEG_DAMPING
        held = ties(model)
        problem.tied = np.array([b for tie in held for b in tie.bodies], dtype=np.int32)
        problem.tied_b = np.array([tie.points_b for tie in held]).reshape(-1, 3)
        for weight in fields(IkWeights):
            setattr(problem, weight.name, getattr(self.weights, weight.name))
        return problem


def body_tree(model: mujoco.MjModel) -> _core.BodyTree:
    """A model's arrays under MuJoCo's names; the core copies what it needs of them."""
    tree = _core.BodyTree()
    for name in ("body_parentid", "jnt_type", "jnt_bodyid", "jnt_qposadr", "jnt_dofadr", "qpos0"):
        setattr(tree, name, getattr(model, name))
    for name in ("body_mass", "body_pos", "body_quat", "body_ipos", "body_iquat", "body_inertia"):
        setattr(tree, name, getattr(model, name))
    for name in ("jnt_pos", "jnt_axis"):
        setattr(tree, name, getattr(model, name))
    return tree
