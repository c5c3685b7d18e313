"""Poser: full-body poses of any character for a planned body and its contacts, frame by frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.errors import InputError
from amble.plan.plan import BodyState
from amble.pose.feet import Feet
from amble.pose.momentum_ik import MANY_ITERATIONS, Goal, Last, MomentumIk, PushedPoint
from amble.pose.reach import reachable_com
from amble.pose.style import Moment, Posture
from amble.pose.style import style as find_style
from amble.pose.style_switch import StyleSwitch
from amble.pose.swing import ALLOWED_DEPTH
from amble.pose.weights import IkWeights, leg_dofs, leg_positions
from amble.sketch.contact import Contact
from amble.terrain.terrain import Terrain

LEGS_RELAX = 0.3  # [s] in which joints of a leg that its foot leaves free return to rest
BIAS_FADES = 1.0  # [s] over which angular momentum beyond the plan's counts as steady
LONGEST_GUESS = 0.05  # [s] over which the last velocity is a good guess
FASTEST_GUESS = 15.0  # [rad/s]
LOOKS = 2  # at feet in the ground, at most
SEEN_DEPTH = 2e-4  # [m] too deep, from which a foot is raised
MOST_RAISED = 0.05  # of the leg's length, at a look
LOST = 0.002  # [m] a standing foot this far off calls for a fresh search


@dataclass(frozen=True)
class _Memory:
    """The last frame."""

    time: float  # [s]
    age: float  # [s] since the first frame
    qpos: np.ndarray  # (nq,)
    velocity: np.ndarray  # (nv,) of the step that led there
    reference: np.ndarray  # (nq,) x̄
    hips_b: np.ndarray  # (legs, 3) from the centre of mass, in the planned body's frame [m]
    bias_b: np.ndarray  # (3,) mean angular momentum beyond the plan's, in that frame [N m s]


class Poser:
    """Poses a character: feet by their contacts, the rest by a style, all by momentum-mapped IK.

    Frames come in order of time, at any rate; nothing ahead of a frame but `contacts` is needed.
    """

    def __init__(
        self,
        character: Character,
        body: CentroidalBody,
        terrain: Terrain,
        style: str = "natural",
        weights: IkWeights | None = None,
    ) -> None:
        self.character, self.body, self.terrain = character, body, terrain
        self.style = StyleSwitch(find_style(style, character, body))
        self.feet = Feet(body, terrain)
        self.ik = MomentumIk(character, body, weights)
        self._model = character.model
        self._legs = leg_dofs(character)
        self._leg_qpos = leg_positions(character)
        self._leg_angles = self._legs - 6
        self._root_quat = character.model.qpos0[3:7].copy()
        self._root_offset = character.rest_qpos()[:3] - self.ik.place(character.rest_qpos())[0]
        self._hips_b = np.array([leg.hip_b for leg in body.legs])
        points = [len(leg.foot.sites) for leg in body.legs]
        self._first_points = np.cumsum([0, *points[:-1]])
        # Contact points of all legs' feet in the last frame, one foot after another (n, 3) [m].
        self.soles_w = np.zeros((sum(points), 3))
        self._memory: _Memory | None = None

    def frame(
        self,
        time: float,
        state: BodyState,
        contacts: Sequence[Contact],
        *,
        push: PushedPoint | None = None,
    ) -> np.ndarray:
        """The pose (nq,) at `time` [s]. `contacts`, by start, are all that matter from now on, and
        the last of each limb; they may differ from those of the frame before."""
        memory = self._memory
        dt = 0.0 if memory is None else time - memory.time
        if memory is not None and dt <= 0:
            raise InputError(f"pose: time {time} s is not after the last frame's {memory.time} s")
        hips_b = self._hips_b if memory is None else memory.hips_b
        hips_w = state.com_w + hips_b @ state.R_w.T
        feet = self.feet.at(time, state, contacts, hips_w)
        posture = self.style.posture(Moment(time, dt, state, contacts, feet))
        reference = self._reference(posture, state, dt)
        if memory is None:
            com_w, hips_w = self.ik.place(reference)
            hips_w = hips_w + state.com_w - com_w
        # From hips as they were last, the centre of mass and the feet that the legs can join.
        com_w = reachable_com(state, hips_w, self.body, feet)
        feet = self.feet.drawn_in(feet, hips_w + com_w - state.com_w)
        planned_w = state.R_w @ (self.body.inertia_b @ (state.R_w.T @ state.omega_w))
        bias_b = np.zeros(3) if memory is None else memory.bias_b
        goal = Goal(feet, com_w, planned_w + state.R_w @ bias_b, reference, push)
        qpos, com_w, hips_w = self._solve(goal, memory, dt)
        velocity = np.zeros(self.character.dof)
        if memory is not None:
            mujoco.mj_differentiatePos(self._model, velocity, dt, memory.qpos, qpos)
            bias_b = self._bias(memory, reference, velocity, dt, state, planned_w)
        self.soles_w = self.ik.sole_points()
        self._memory = _Memory(
            time=time,
            age=0.0 if memory is None else memory.age + dt,
            qpos=qpos,
            velocity=velocity,
            reference=reference,
            hips_b=(hips_w - com_w) @ state.R_w,
            bias_b=bias_b,
        )
        return qpos.copy()

    def set_style(self, name: str) -> None:
        """Change to another style, a name or a clip's file, within half a second of frames."""
        self.style.switch(find_style(name, self.character, self.body))

    def reset(self) -> None:
        """Forget the past: the next frame is the first."""
        self._memory = None
        self.feet.reset()
        self.style.reset()

    def mark(self) -> Any:
        """All memory, to be given back to `restore`; cheap."""
        return self._memory, self.feet.mark(), self.style.mark()

    def restore(self, mark: Any) -> None:
        """Go back to a `mark`."""
        self._memory, feet, style = mark
        self.feet.restore(feet)
        self.style.restore(style)

    def _reference(self, posture: Posture, state: BodyState, dt: float) -> np.ndarray:
        """x̄ (nq,): the style's pose on the planned body, its legs near where they are."""
        angles = posture.angles.copy()
        if self._memory is not None:
            legs = self._leg_angles
            now, rest = self.ik.limits.angles(self._memory.qpos)[legs], angles[legs]
            angles[legs] = rest + math.exp(-dt / LEGS_RELAX) * (now - rest)
        qpos = self.ik.limits.pose(angles)
        qpos[:3] = state.com_w + state.R_w @ self._root_offset
        quat = np.empty(4)
        mujoco.mju_mat2Quat(quat, (state.R_w @ posture.root_R_b).ravel())
        mujoco.mju_mulQuat(qpos[3:7], quat, self._root_quat)
        return qpos

    def _solve(
        self, goal: Goal, memory: _Memory | None, dt: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The pose (nq,), its centre of mass (3,) and its hips (legs, 3)."""
        if memory is None:
            first = self.ik.solve(goal, goal.reference, iterations=MANY_ITERATIONS)
            return first, *self.ik.place(first)
        start = memory.qpos.copy()
        guess = np.minimum(np.maximum(memory.velocity, -FASTEST_GUESS), FASTEST_GUESS)
        mujoco.mj_integratePos(self._model, start, guess, min(dt, LONGEST_GUESS))
        last = (memory.qpos, self._coasting(goal, memory, dt), dt)
        found = self.ik.solve(goal, start, last)
        placed = self.ik.place(found)
        error = self.ik.foot_error()
        if error < LOST:
            return self._out_of_ground(goal, found, placed, last)
        # A leg that was overtaxed may be stuck in a bad bend: begin again from legs at rest.
        fresh = goal.reference.copy()
        resting = self.ik.limits.angles(fresh).copy()
        resting[self._leg_angles] = 0.0
        fresh[7:] = self.ik.limits.pose(resting)[7:]
        other = self.ik.solve(goal, fresh, last, iterations=MANY_ITERATIONS)
        other_placed = self.ik.place(other)
        if self.ik.foot_error() < 0.5 * error:
            return self._out_of_ground(goal, other, other_placed, last)
        return self._out_of_ground(goal, found, self.ik.place(found), last)

    def _out_of_ground(
        self, goal: Goal, qpos: np.ndarray, placed: tuple[np.ndarray, np.ndarray], last: Last
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same with feet raised by what joint limits made them sink into the ground: an ankle
        that cannot bend further lets the toe hang, or a sole stand on its edge."""
        for _ in range(LOOKS):
            x, y, z = self.ik.sole_points().T
            depth = np.maximum.reduceat(self.terrain.height(x, y) - z, self._first_points)
            sunk = (depth - ALLOWED_DEPTH).tolist()
            if max(sunk) < SEEN_DEPTH:
                break
            most = MOST_RAISED * self.body.leg_length
            raised = tuple(
                foot.raised(min(by, most)) if by > 0 else foot
                for foot, by in zip(goal.feet, sunk, strict=True)
            )
            goal = replace(goal, feet=raised)
            qpos = self.ik.solve(goal, qpos, last)
            placed = self.ik.place(qpos)
        return qpos, *placed

    def _coasting(self, goal: Goal, memory: _Memory, dt: float) -> np.ndarray:
        """The last reference (nq,), but that legs wish to move on as fast as they did.

        Their weight in w_v then counts accelerations: a leg that comes to the end of its reach
        slows down over a few frames instead of one.
        """
        legs = self._legs
        step = np.zeros(self.character.dof)
        step[legs] = memory.velocity[legs]
        before = goal.reference.copy()
        mujoco.mj_integratePos(self._model, before, step, -dt)
        coasting = memory.reference.copy()
        coasting[self._leg_qpos] = before[self._leg_qpos]
        return coasting

    def _bias(
        self,
        memory: _Memory,
        reference: np.ndarray,
        velocity: np.ndarray,
        dt: float,
        state: BodyState,
        planned_w: np.ndarray,
    ) -> np.ndarray:
        """Mean angular momentum (3,) of these legs with the style's own trunk and arms [N m s].

        A cycle of legs and arms has a mean that a rigid body has not. No force makes it, so the
        plan is to be matched in its changes, not in its level.
        """
        natural = np.empty(self.character.dof)
        mujoco.mj_differentiatePos(self._model, natural, dt, memory.reference, reference)
        natural[self._legs] = velocity[self._legs]
        beyond_b = state.R_w.T @ (self.ik.angular_momentum(natural) - planned_w)
        fade = math.exp(-dt / min(BIAS_FADES, memory.age + dt))
        return beyond_b + fade * (memory.bias_b - beyond_b)
