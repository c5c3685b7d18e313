"""Units of a body: in them all bodies weigh and measure 1, so that one set of weights suits all."""

from __future__ import annotations

import math
from dataclasses import dataclass

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY


@dataclass(frozen=True)
class Units:
    """Length: height of the centre of mass. Time: √(length / g). Force: the weight."""

    length: float  # [m]
    time: float  # [s]
    force: float  # [N]

    @property
    def speed(self) -> float:
        """[m/s]"""
        return self.length / self.time


def units_of(body: CentroidalBody, gravity: float = GRAVITY) -> Units:
    """The units of a body."""
    return Units(body.height, math.sqrt(body.height / gravity), body.mass * gravity)
