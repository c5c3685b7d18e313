"""Flat and sloping ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from amble.parameters import parameter
from amble.terrain.ground import add_ground_geom
from amble.terrain.terrain import Terrain, facing_up


@dataclass(frozen=True)
class Flat(Terrain):
    """Level ground at z = 0, without end."""

    kind: ClassVar[str] = "flat"

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return np.zeros(np.add(x, y).shape)

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return facing_up(self.height(x, y).shape)

    def add_to(self, spec: mujoco.MjSpec) -> None:
        add_plane(spec)


@dataclass(frozen=True)
class Slope(Terrain):
    """A plane through the origin that rises by `degrees` towards `direction_degrees`.

    The direction is counter-clockwise from above, 0 = along x. `Slope(8) | Flat()` is level for
    x < 0 and rises from there.
    """

    kind: ClassVar[str] = "slope"

    degrees: float = parameter(8.0, "deg", "steepness", low=-60, high=60)
    direction_degrees: float = parameter(0.0, "deg", "which way is up", low=-360, high=360)

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        gx, gy = self._gradient
        return gx * np.asarray(x, float) + gy * np.asarray(y, float)

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        gx, gy = self._gradient
        normal = np.array([-gx, -gy, 1.0]) / np.sqrt(1 + gx**2 + gy**2)
        return np.broadcast_to(normal, (*self.height(x, y).shape, 3)).copy()

    def add_to(self, spec: mujoco.MjSpec) -> None:
        # The rotation about the horizontal axis across the slope that takes z to the normal.
        half, across = np.radians(self.degrees) / 2, np.radians(self.direction_degrees + 90)
        axis = np.array([np.cos(across), np.sin(across), 0.0])
        add_plane(spec, quat=np.array([np.cos(half), *(-np.sin(half) * axis)]))

    @property
    def _gradient(self) -> tuple[float, float]:
        """Rise per metre along x and y."""
        direction = np.radians(self.direction_degrees)
        steepness = np.tan(np.radians(self.degrees))
        return steepness * np.cos(direction), steepness * np.sin(direction)


def add_plane(
    spec: mujoco.MjSpec, z: float = 0.0, quat: np.ndarray | tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
) -> None:
    """Add an endless plane through (0, 0, z) to the simulator's model."""
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    add_ground_geom(spec, plane, pos=[0.0, 0.0, z], quat=np.array(quat), size=[0.0, 0.0, 1.0])
