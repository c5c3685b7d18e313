"""Stairs, and single steps and ledges."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amble.parameters import parameter
from amble.terrain.boxes import Box, BoxTerrain

FAR = 100.0  # [m] how far the first and the last level reach


class _Flight(BoxTerrain):
    """Levels one after another along x, `width` wide; beside them is the lowest level."""

    width: float

    @abstractmethod
    def _levels(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the level changes, (n,) [m], and the levels before, between and after, (n + 1,)."""

    def _floor(self) -> float:
        return float(self._levels()[1].min())

    def _boxes(self) -> list[Box]:
        edges, levels = self._levels()
        ends = np.concatenate([[edges[0] - FAR], edges, [edges[-1] + FAR]])
        half = self.width / 2
        return [
            Box(low, high, -half, half, level)
            for low, high, level in zip(ends[:-1], ends[1:], levels, strict=True)
            if level > self._floor()
        ]


@dataclass(frozen=True)
class Stairs(_Flight):
    """A flight of equal steps along x; a negative `rise` goes down.

    With `back`, a second flight returns to z = 0 after a platform of length `landing` [m].
    """

    kind: ClassVar[str] = "stairs"

    rise: float = parameter(0.15, "m", "height of a step, not 0", low=-1, high=1)
    run: float = parameter(0.30, "m", "depth of a step", low=0.05, high=10)
    count: int = parameter(6, "", "steps in a flight", low=1, high=200)
    start: float = parameter(1.0, "m", "x of the first edge", low=-50, high=50)
    back: bool = parameter(False, "", "whether a second flight returns")
    landing: float = parameter(1.5, "m", "platform between the flights", low=0.05, high=50)
    width: float = parameter(4.0, "m", "from side to side", low=0.1, high=1000)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rise == 0:
            raise self._error("rise is 0; give the height of a step in m")

    def _levels(self) -> tuple[np.ndarray, np.ndarray]:
        edges = self.start + self.run * np.arange(self.count)
        levels = self.rise * np.arange(self.count + 1)
        if self.back:
            edges = np.concatenate([edges, (edges[-1] + self.landing) + edges - edges[0]])
            levels = np.concatenate([levels, levels[-2::-1]])
        return edges, levels


@dataclass(frozen=True)
class Steps(_Flight):
    """Single steps and ledges: from x = `at[i]` on, the ground is `heights[i]` high; before, 0."""

    kind: ClassVar[str] = "steps"

    at: tuple[float, ...] = (1.0,)  # [m], increasing
    heights: tuple[float, ...] = (0.1,)  # [m]
    width: float = parameter(4.0, "m", "from side to side", low=0.1, high=1000)

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = np.array([*self.at, *self.heights])
        if not (len(self.at) == len(self.heights) > 0 and np.all(np.diff(self.at) > 0)):
            raise self._error("`at` must increase and have as many numbers as `heights`")
        if not (np.isfinite(numbers).all() and abs(numbers).max() <= 50):
            raise self._error("`at` and `heights` must lie between −50 and 50 m")

    def _levels(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.at, float), np.array([0.0, *self.heights])
