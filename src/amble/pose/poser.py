"""Poser: the full-body pose of any character for a planned body and its contacts, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.errors import InputError
from amble.plan.plan import BodyState
from amble.pose.feet import Feet
from amble.pose.momentum_ik import MomentumIk, PushedPoint, Reference
from amble.pose.style import Moment, Posture
from amble.pose.style import style as find_style
from amble.pose.weights import IkWeights, leg_dofs
from amble.sketch.contact import Contact
from amble.terrain.terrain import Terrain

LEGS_RELAX = 0.3  # [s] in which joints of a leg that its foot leaves free return to rest
LONGEST_GUESS = 0.05  # [s] over which the last velocity is a good guess


@dataclass(frozen=True)
class _Memory:
    """The last frame."""

    time: float  # [s]
    qpos: np.ndarray  # (nq,)
    velocity: np.ndarray  # (nv,) of the step that led there
    reference: np.ndarray  # (nq,) x̄
    hips_b: np.ndarray  # (legs, 3) from the centre of mass, in the planned body's frame [m]


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
        self.style = find_style(style, character, body)
        self.feet = Feet(body, terrain)
        self.ik = MomentumIk(character, body, weights)
        self._legs = leg_dofs(character) - 6
        self._root_quat = character.model.qpos0[3:7].copy()
        self._root_offset = character.rest_qpos()[:3] - self.ik.place(character.rest_qpos())[0]
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
        hips_b = (
            np.array([leg.hip_b for leg in self.body.legs]) if memory is None else memory.hips_b
        )
        feet = self.feet.at(time, state, contacts, state.com_w + hips_b @ state.R_w.T)
        posture = self.style.posture(Moment(time, dt, state, contacts, feet))
        reference = self._reference(posture, state, dt)
        if memory is None:
            qpos = self.ik.solve(reference, None, 1.0, state, feet, Reference(reference, None))
            velocity = np.zeros(self.character.dof)
        else:
            start = memory.qpos.copy()
            mujoco.mj_integratePos(
                self.character.model, start, memory.velocity, min(dt, LONGEST_GUESS)
            )
            pair = Reference(reference, memory.reference)
            qpos = self.ik.solve(start, memory.qpos, dt, state, feet, pair, push)
            velocity = np.empty(self.character.dof)
            mujoco.mj_differentiatePos(self.character.model, velocity, dt, memory.qpos, qpos)
        com_w, hips_w = self.ik.place(qpos)
        hips_b = (hips_w - com_w) @ state.R_w
        self._memory = _Memory(time, qpos, velocity, reference, hips_b)
        return qpos.copy()

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
        qpos = np.empty(self.character.model.nq)
        angles = posture.angles.copy()
        if self._memory is not None:
            legs = self.ik.limits.angles(self._memory.qpos)[self._legs]
            angles[self._legs] = angles[self._legs] + np.exp(-dt / LEGS_RELAX) * (
                legs - angles[self._legs]
            )
        self.ik.limits.set_angles(qpos, angles)
        qpos[:3] = state.com_w + state.R_w @ self._root_offset
        quat = np.empty(4)
        mujoco.mju_mat2Quat(quat, (state.R_w @ posture.root_R_b).ravel())
        mujoco.mju_mulQuat(qpos[3:7], quat, self._root_quat)
        return qpos
