"""Random blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amble.parameters import parameter
from amble.terrain.boxes import Box, BoxTerrain


@dataclass(frozen=True)
class Blocks(BoxTerrain):
    """Square tiles of random heights within ±`amplitude`; level around the origin, lower beyond."""

    kind: ClassVar[str] = "blocks"

    size: float = parameter(0.4, "m", "side of a tile", low=0.05, high=10)
    amplitude: float = parameter(0.04, "m", "highest top", low=1e-3, high=2)
    seed: int = parameter(0, "", "of the random heights", low=0, high=2**32)
    start: float = parameter(0.4, "m", "half side of the level middle, z = 0", low=0, high=20)
    extent: float = parameter(5.0, "m", "half side of the whole", low=0.1, high=50)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._reach > 40:
            raise self._error(f"extent / size is {self.extent / self.size:.0f}; give at most 40")

    @property
    def _reach(self) -> int:
        """Tiles from the origin to the border."""
        return int(np.ceil(self.extent / self.size))

    def _floor(self) -> float:
        return -1.01 * self.amplitude

    def _boxes(self) -> list[Box]:
        inner, outer = int(np.ceil(self.start / self.size)), self._reach
        rng = np.random.default_rng(self.seed)
        tops = rng.uniform(-self.amplitude, self.amplitude, (2 * outer, 2 * outer))
        middle = inner * self.size
        # One slab in the middle: feet that stand on a seam between tiles would touch it twice.
        boxes = [Box(-middle, middle, -middle, middle, 0.0)] if inner else []
        for (i, j), top in np.ndenumerate(tops):
            x, y = i - outer, j - outer
            if not (-inner <= x < inner and -inner <= y < inner):
                low = np.array([x, y]) * self.size
                high = low + self.size
                boxes.append(Box(low[0], high[0], low[1], high[1], float(top)))
        return boxes
