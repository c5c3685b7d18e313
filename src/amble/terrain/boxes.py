"""Boxes with level tops on a level floor: what stairs, steps, blocks and holes share."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from amble.terrain.flat import add_plane
from amble.terrain.ground import add_ground_geom
from amble.terrain.terrain import Terrain, facing_up

DEPTH = 1.0  # [m] how far boxes reach below the floor: out of a thin one a foot is pushed downwards


class Box(NamedTuple):
    """A solid with a level top: x, y ranges and height of the top, all [m]."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    top: float


class BoxTerrain(Terrain):
    """Boxes that stand on a level floor."""

    @abstractmethod
    def _boxes(self) -> list[Box]:
        """The boxes."""

    @abstractmethod
    def _floor(self) -> float:
        """Height of the floor [m], below the top of every box."""

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        x_low, x_high, y_low, y_high, top = self._box_array.T
        x, y = np.asarray(x, float)[..., None], np.asarray(y, float)[..., None]
        inside = (x_low <= x) & (x < x_high) & (y_low <= y) & (y < y_high)
        floor = self._floor()
        highest: np.ndarray = np.where(inside, top, floor).max(axis=-1, initial=floor)
        return highest

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        return facing_up(np.broadcast_shapes(np.shape(x), np.shape(y)))

    def add_to(self, spec: mujoco.MjSpec) -> None:
        floor = self._floor()
        add_plane(spec, floor)
        for box in self._boxes():
            low = np.array([box.x_low, box.y_low, floor - DEPTH])
            high = np.array([box.x_high, box.y_high, box.top])
            size, pos = (high - low) / 2, (high + low) / 2
            add_ground_geom(spec, mujoco.mjtGeom.mjGEOM_BOX, pos=pos, size=size)

    @cached_property
    def _box_array(self) -> np.ndarray:
        return np.array(self._boxes(), dtype=float).reshape(-1, len(Box._fields))
