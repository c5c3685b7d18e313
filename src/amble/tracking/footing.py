"""A reference on ground that it was not made for: its feet go to the ground that is there.

The reference stands at the height of the place where the next foot will land. Each foot is lifted
over that by the ground under it, so that the leg that stands higher bends, the body sinks before it
steps down, and a foot in the air clears what it passes: inverse kinematics of the legs about every
row of the reference.
"""

from __future__ import annotations

import numpy as np

from amble.terrain.terrain import Terrain
from amble.tracking.dynamics import FlatDynamics
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody

POINTS = CORNERS // 2  # of a foot
FASTEST = 0.8  # [m/s] at which a foot's lift changes
ITERATIONS, DAMPING = 3, 0.02  # of the inverse kinematics; [m/rad]
LEVEL = 1e-4  # [m] that need no care


class Footing:
    """The lifts of both feet, and what they do to a pose."""

    def __init__(self, body: FlatBody, terrain: Terrain) -> None:
        self.lift = np.zeros(2)  # [m] over the reference's own height
        self.offset = np.zeros(body.n)  # what is added to the reference's pose now,
        self.rate = np.zeros(body.n)  # and per second
        self._body, self._terrain = body, terrain
        self._dynamics = FlatDynamics(body)
        J = self._dynamics.jacobians(body.flat(body.character.rest_qpos()))
        self._legs = [
            ROOT + np.flatnonzero(np.abs(J[POINTS * foot, :, ROOT:]).any(axis=0))
            for foot in range(2)
        ]

    def height_under(self, corners_w: np.ndarray) -> float:
        """Mean height [m] of the ground under the corners (4, 3) of a foot."""
        return float(self._terrain.height(corners_w[:, 0], corners_w[:, 1]).mean())

    def corners(self, q: np.ndarray, foot: int) -> np.ndarray:
        """Corners (4, 3) of a foot at a pose of the world [m]."""
        return self._dynamics.points(q)[POINTS * foot : POINTS * (foot + 1)]

    def follow(self, wanted: np.ndarray, pose: np.ndarray, step: float) -> None:
        """Bring the lifts (2,) towards those wanted, and find the offset for the next pose."""
        most = FASTEST * step
        self.lift += np.clip(wanted - self.lift, -most, most)
        offset = self._offset(pose)
        self.rate = (offset - self.offset) / step
        self.offset = offset

    def _offset(self, pose: np.ndarray) -> np.ndarray:
        """Angles of the legs (n,) that lift the feet of a pose and keep them turned as they are."""
        offset = np.zeros(self._body.n)
        if np.abs(self.lift).max() < LEVEL:
            return offset
        wanted = self._dynamics.points(pose)
        wanted[:, 2] += np.repeat(self.lift, POINTS)
        for _ in range(ITERATIONS):
            here = pose + offset
            away = wanted - self._dynamics.points(here)
            J = self._dynamics.jacobians(here)
            for foot, legs in enumerate(self._legs):
                rows = slice(POINTS * foot, POINTS * (foot + 1))
                A = J[rows][:, :, legs].reshape(-1, len(legs))
                H = A.T @ A + DAMPING**2 * np.eye(len(legs))
                offset[legs] += np.linalg.solve(H, A.T @ away[rows].ravel())
        return offset
