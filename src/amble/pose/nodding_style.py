"""The style of bodies that hop on one leg: the head nods with the hop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.geometry.turns import about_y
from amble.pose.phases import LowPass
from amble.pose.style import Moment, Posture

RESPONSE = 12.0  # [rad/s]
NOD = 0.12  # [rad] per m/s of rising or falling
MOST = 0.22  # [rad]


class NoddingStyle:
    """The rest pose with a head (the root) that looks up when rising and down when falling."""

    def __init__(self, character: Character, body: CentroidalBody) -> None:
        self._angles = np.zeros(character.dof - 6)
        self._nod = LowPass(RESPONSE)

    def posture(self, moment: Moment) -> Posture:
        """The rest pose and the nod."""
        rising = float(moment.state.velocity_w[2])
        (nod,) = self._nod.step([-MOST * math.tanh(NOD * rising / MOST)], moment.dt)
        return Posture(self._angles, about_y(nod))

    def reset(self) -> None:
        """Forget the past."""
        self._nod.reset()

    def mark(self) -> Any:
        """The memory, to be given back to `restore`."""
        return self._nod.mark()

    def restore(self, mark: Any) -> None:
        """Go back to a `mark`."""
        self._nod.restore(mark)
