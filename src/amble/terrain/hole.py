"""A pit in level ground, or a cliff where the pit does not end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amble.parameters import parameter
from amble.terrain.boxes import Box, BoxTerrain

FAR = 5000.0  # [m] how far the level ground reaches from the pit's edges; then comes its floor


@dataclass(frozen=True)
class Hole(BoxTerrain):
    """Level ground at z = 0 with one pit with upright walls, from `x` to `x` + `length`.

    With `width` it reaches from −`width` / 2 to `width` / 2 along y; without, across everything, so
    that nobody walks around it. A `length` longer than the walk makes a cliff. In a union the
    higher ground counts, so that `hole+flat` is level.
    """

    kind: ClassVar[str] = "hole"

    x: float = parameter(2.0, "m", "where the pit begins", low=-1000, high=1000)
    length: float = parameter(2.0, "m", "along x", low=0.01, high=1000)
    depth: float = parameter(3.0, "m", "of the pit's floor", low=0.01, high=100)
    width: float = parameter(0.0, "m", "from side to side; 0: across everything", low=0, high=1000)

    def _floor(self) -> float:
        return -self.depth

    def _boxes(self) -> list[Box]:
        begin, end, half = self.x, self.x + self.length, self.width / 2
        boxes = [
            Box(begin - FAR, begin, -FAR, FAR, 0.0),
            Box(end, end + FAR, -FAR, FAR, 0.0),
        ]
        if half > 0:
            boxes += [Box(begin, end, -FAR, -half, 0.0), Box(begin, end, half, FAR, 0.0)]
        return boxes
