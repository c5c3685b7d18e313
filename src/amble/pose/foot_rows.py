"""Rows of the pose problem that hold a foot in its place: a sole, an edge or a point."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody, Leg
from amble.characters.character import Character


@dataclass(frozen=True, eq=False)
class FootRows:
    """The rows of one leg: a sole's place and turn, an edge's heel and toe, or a point.

    A sole is held at its pivot, and by its ankle in the air: where the ankle's joints cannot
    follow, the heel lifts, or the foot hangs, and the rest of the body is not bent for it.
    """

    body: int
    ankle_height: float  # [m]
    points_b: np.ndarray  # (n, 3) in the frame of the MJCF body [m]
    along: tuple[float, ...]  # where they lie along the foot [m]
    turns: bool  # whether the orientation counts too
    rest_R: np.ndarray  # (3, 3) of the MJCF body at rest, when the sole is level

    @property
    def count(self) -> int:
        """Number of rows."""
        return 6 if self.turns else 3 * len(self.along)


def foot_rows(character: Character, body: CentroidalBody) -> tuple[FootRows, ...]:
    """The rows of all legs, one after the other."""
    model = character.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    com = data.subtree_com[model.body(character.root).id]
    return tuple(_rows(model, data, com, leg) for leg in body.legs)


def _rows(model: mujoco.MjModel, data: mujoco.MjData, com: np.ndarray, leg: Leg) -> FootRows:
    b = model.body(leg.foot.body).id
    sole = leg.half_width > 0
    along = (0.0,) if sole else leg.effectors
    R = data.xmat[b].reshape(3, 3)
    reference = com + leg.reference_b - data.xpos[b]
    points = np.array([R.T @ (reference + np.array([x, 0.0, 0.0])) for x in along])
    return FootRows(b, leg.ankle_height, points, along, sole, R.copy())
