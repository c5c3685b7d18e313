"""Drag: pull at a part of the body as if by a rubber band."""

from __future__ import annotations

import numpy as np

from amble.characters.character import GRAVITY
from amble.errors import InputError
from amble.geometry.rotations import matrix_from_quat
from amble.studio.motion import Motion
from amble.world.world import Push

PULSE = 0.1  # [s] for which one part of a pull lasts
STRETCH = 0.9  # [body weights per COM height] of force by which a drag pulls
STRONGEST = 1.2  # [body weights]


class Drag:
    """A point of a part, and where it is pulled to; a row of short pushes."""

    def __init__(self, motion: Motion, part: str, point_w: np.ndarray, pull_w: np.ndarray) -> None:
        """From a point (3,) on the part to another [m]."""
        body = motion.model.body(part).id
        point_w, pull_w = np.asarray(point_w, dtype=float), np.asarray(pull_w, dtype=float)
        if not (point_w.shape == pull_w.shape == (3,) and np.isfinite([point_w, pull_w]).all()):
            raise InputError("a drag must lead from a place to a place")
        R_wb = matrix_from_quat(motion.moment.quats_w[body])
        self.part, self._body, self.pull_w = part, body, pull_w
        self._point_b = R_wb.T @ (point_w - motion.moment.places_w[body])
        self._pulsed = -np.inf

    def point_w(self, motion: Motion) -> np.ndarray:
        """Where the point is now (3,) [m]."""
        moment = motion.moment
        R_wb = matrix_from_quat(moment.quats_w[self._body])
        point: np.ndarray = moment.places_w[self._body] + R_wb @ self._point_b
        return point

    def pull(self, motion: Motion) -> None:
        """Push for a moment, when the last push is over."""
        now = motion.moment.time
        if now < self._pulsed + PULSE:
            return
        self._pulsed = now
        weight = motion.character.mass * GRAVITY
        away = self.pull_w - self.point_w(motion)
        force = STRETCH * weight * away / motion.character.com_height
        size = float(np.linalg.norm(force))
        force *= min(1.0, STRONGEST * weight / max(size, 1e-9))
        if size > 0.01 * weight:
            x, y, z = self._point_b.tolist()
            motion.push(Push(self.part, tuple(force.tolist()), 0.0, PULSE, (x, y, z)))
