"""Grounds made of grounds: several at once, and one put elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from amble.parameters import parameter
from amble.terrain.terrain import Terrain


@dataclass(frozen=True)
class Union(Terrain):
    """Several solids at once: the highest at any point."""

    kind: ClassVar[str] = "union"

    parts: tuple[Terrain, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise self._error("it has no parts; at least one is needed")
        for part in self.parts:
            if not isinstance(part, Terrain):
                raise self._error(f"{part!r} is no ground; give a Terrain")

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return self._heights(x, y).max(axis=0)

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        highest = self._heights(x, y).argmax(axis=0)
        normals = np.stack([part.normal(x, y) for part in self.parts])
        return np.take_along_axis(normals, highest[None, ..., None], axis=0)[0]

    def add_to(self, spec: mujoco.MjSpec) -> None:
        for part in self.parts:
            part.add_to(spec)

    def describe(self) -> dict[str, Any]:
        return {"kind": self.kind, "parts": [part.describe() for part in self.parts]}

    def over(self, other: Terrain) -> Union:
        return Union((*self.parts, other))

    def _heights(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return np.stack([part.height(x, y) for part in self.parts])


@dataclass(frozen=True)
class Moved(Terrain):
    """A ground turned about z through its origin by `yaw_degrees`, then shifted by x, y, z [m]."""

    kind: ClassVar[str] = "moved"

    terrain: Terrain
    x: float = parameter(0.0, "m", low=-1000, high=1000)
    y: float = parameter(0.0, "m", low=-1000, high=1000)
    z: float = parameter(0.0, "m", low=-1000, high=1000)
    yaw_degrees: float = parameter(0.0, "deg", low=-360, high=360)

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return self.z + self.terrain.height(*self._inside(x, y))

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return self.terrain.normal(*self._inside(x, y)) @ self._rotation.T

    def add_to(self, spec: mujoco.MjSpec) -> None:
        before = len(spec.worldbody.geoms)
        self.terrain.add_to(spec)
        half = np.radians(self.yaw_degrees) / 2
        turn = np.array([np.cos(half), 0.0, 0.0, np.sin(half)])
        for geom in spec.worldbody.geoms[before:]:
            quat = np.empty(4)
            mujoco.mju_mulQuat(quat, turn, geom.quat)
            geom.pos = self._rotation @ geom.pos + (self.x, self.y, self.z)
            geom.quat = quat

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"terrain": self.terrain.describe()}

    @property
    def _rotation(self) -> np.ndarray:
        c, s = np.cos(np.radians(self.yaw_degrees)), np.sin(np.radians(self.yaw_degrees))
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def _inside(self, x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """World coordinates seen from the ground that was moved."""
        dx, dy = np.asarray(x, float) - self.x, np.asarray(y, float) - self.y
        c, s = self._rotation[:2, 0]
        return c * dx + s * dy, c * dy - s * dx
