"""Smooth random ground."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from amble.parameters import parameter
from amble.terrain.flat import add_plane
from amble.terrain.ground import add_ground_geom
from amble.terrain.terrain import Terrain

_WAVES = 40
_CELLS_A_WAVE = 10
_BASE = 0.2  # [m] thickness of the solid below its lowest point


@dataclass(frozen=True)
class Noise(Terrain):
    """Hills and hollows within ±`amplitude`, level at z = 0 around the origin.

    A sum of plane waves of about one `wavelength` in random directions, sampled on a raster of
    triangles, which *is* the ground: `height` is linear on each triangle, as in the simulator. At
    its border it runs down to a plain at −`amplitude`.
    """

    kind: ClassVar[str] = "noise"

    amplitude: float = parameter(0.05, "m", "highest hill, deepest hollow", low=1e-3, high=5)
    wavelength: float = parameter(1.5, "m", "from hill to hill", low=0.2, high=50)
    seed: int = parameter(0, "", "of the random hills", low=0, high=2**32)
    start: float = parameter(0.5, "m", "radius of the level middle", low=0, high=20)
    extent: float = parameter(10.0, "m", "half side of the whole", low=1, high=100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.extent > 40 * self.wavelength:
            raise self._error(
                f"extent / wavelength is {self.extent / self.wavelength:.0f}; give at most 40"
            )

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        h, du, dv, u, v = self._triangle(x, y)
        return h + du * u + dv * v

    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        _, du, dv, _, _ = self._triangle(x, y)
        normal = np.stack([-du / self._cell, -dv / self._cell, np.ones_like(du)], axis=-1)
        return normal / np.linalg.norm(normal, axis=-1, keepdims=True)

    def add_to(self, spec: mujoco.MjSpec) -> None:
        raster = self._raster
        side, low, high = len(raster), raster.min(), raster.max()
        name = f"noise_{len(spec.hfields)}"
        spec.add_hfield(
            name=name,
            nrow=side,
            ncol=side,
            size=[self.extent, self.extent, high - low, _BASE],
            userdata=raster.ravel(),  # MuJoCo scales it to 0 … 1
        )
        hfield = mujoco.mjtGeom.mjGEOM_HFIELD
        add_ground_geom(spec, hfield, hfieldname=name, pos=[0.0, 0.0, low])
        add_plane(spec, low)

    @property
    def _cell(self) -> float:
        """Side of a raster cell [m]."""
        return 2 * self.extent / (len(self._raster) - 1)

    @cached_property
    def _raster(self) -> np.ndarray:
        """Heights (side, side) [m], rows along y and columns along x."""
        side = int(np.ceil(2 * self.extent / self.wavelength * _CELLS_A_WAVE)) + 1
        axis = np.linspace(-self.extent, self.extent, side)
        x, y = np.meshgrid(axis, axis)

        rng = np.random.default_rng(self.seed)
        direction, phase = rng.uniform(0, 2 * np.pi, (2, _WAVES))
        number = 2 * np.pi / self.wavelength * rng.uniform(0.6, 1.2, _WAVES)  # [rad/m]
        waves = np.zeros_like(x)
        for k, d, p in zip(number, direction, phase, strict=True):
            waves += np.cos(k * (np.cos(d) * x + np.sin(d) * y) + p)
        waves *= self.amplitude / abs(waves).max()

        from_start = _smooth((np.hypot(x, y) - self.start) / (0.5 * self.wavelength))
        border = self.extent - np.maximum(abs(x), abs(y))
        from_border = _smooth(border / min(0.5 * self.wavelength, 0.2 * self.extent))
        return from_border * (from_start * waves + self.amplitude) - self.amplitude

    def _triangle(self, x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, ...]:
        """The triangle under a point: height at its cell's corner, rise across the cell along x and
        y [m], and the point's place in the cell, both coordinates from 0 to 1.

        MuJoCo cuts each cell along the diagonal from its lowest x, y corner to the opposite one.
        Outside the raster the ground is level.
        """
        raster, last = self._raster, len(self._raster) - 1
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        u, v = (x + self.extent) / self._cell, (y + self.extent) / self._cell
        inside = (u >= 0) & (u < last) & (v >= 0) & (v < last)
        u, v = np.where(inside, u, 0.0), np.where(inside, v, 0.0)
        i, j = u.astype(int), v.astype(int)
        u, v = u - i, v - j
        h00, h10 = raster[j, i], raster[j, i + 1]
        h01, h11 = raster[j + 1, i], raster[j + 1, i + 1]
        below = u > v
        du = np.where(inside, np.where(below, h10 - h00, h11 - h01), 0.0)
        dv = np.where(inside, np.where(below, h11 - h10, h01 - h00), 0.0)
        return np.where(inside, h00, -self.amplitude), du, dv, u, v


def _smooth(t: np.ndarray) -> np.ndarray:
    """From 0 for t ≤ 0 to 1 for t ≥ 1 with continuous slope."""
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3 - 2 * t)
