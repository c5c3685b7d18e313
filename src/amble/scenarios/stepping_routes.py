"""Footprints that the scenarios of directed steps are made of, for a body of any size."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Iterator

import mujoco

from amble.characters.character import Character
from amble.control.stepping.footprints import FEET, Footprint

Move = tuple[float, float, float]  # ahead, to the left [m, for a human], turn [deg]
# In any direction, and on a turned heading.
TOUR: tuple[Move, ...] = (
    (0.30, 0.0, 0.0),
    (0.30, 0.0, 0.0),
    (0.0, 0.22, 0.0),
    (-0.25, 0.0, 0.0),
    (0.15, -0.20, 0.0),
    (0.0, 0.0, 30.0),
    (0.25, 0.0, 0.0),
    (0.0, 0.0, -30.0),
)
CROSSED = (0.32, 0.05)  # [m] of a foot that crosses, ahead of the other and past it
ASIDE = 0.25  # [m] that crossing over leads to the left
TURN = 30.0  # [deg] of each turn on the spot; twelve are a whole one
ON_HANDS: tuple[Move, ...] = (
    (0.10, 0.0, 0.0),
    (0.10, 0.0, 0.0),
    (0.0, 0.08, 0.0),
    (-0.10, 0.0, 0.0),
    (0.0, 0.0, 15.0),
)


class Stance:
    """Where the feet of a body that stands have been put so far, its heading at (place, yaw)."""

    def __init__(self, character: Character) -> None:
        model = character.model
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        places = []
        for foot in character.feet:
            sites = [data.site(site).xpos for site in foot.sites]
            places.append(complex(*(sum(p[k] for p in sites) / len(sites) for k in (0, 1))))
        self.size = character.com_height
        self.place = sum(places) / len(places)
        self.yaw = 0.0
        self.offsets = [place - self.place for place in places]  # in the frame of the heading

    def footprint(self, foot: int) -> Footprint:
        """One foot in its place beside the other."""
        at = self.place + self.offsets[foot] * cmath.rect(1.0, self.yaw)
        return Footprint(FEET[foot], round(at.real, 4), round(at.imag, 4), math.degrees(self.yaw))

    def moves(self, moves: Iterable[Move]) -> Iterator[Footprint]:
        """Two footprints for each move, first of the foot on the side that it goes to."""
        first = 0
        for ahead, left, turn in moves:
            self.place += self.size * complex(ahead, left) * cmath.rect(1.0, self.yaw)
            self.yaw += math.radians(turn)
            sideways = left if left else turn
            first = first if sideways == 0 else (0 if sideways > 0 else 1)
            yield self.footprint(first)
            yield self.footprint(1 - first)
            first = 1 - first

    def crossing(self) -> Iterator[Footprint]:
        """To the left: the right foot ahead, then in front of the left one and past it; that one
        follows behind it, and both stand beside each other again."""
        turn, degrees = cmath.rect(1.0, self.yaw), math.degrees(self.yaw)
        ahead, past = (self.size * far for far in CROSSED)
        begin = self.place + ahead * turn
        for aside in (self.offsets[1], self.offsets[0] + 1j * past):
            at = begin + aside * turn
            yield Footprint("right", round(at.real, 4), round(at.imag, 4), degrees)
        self.place += 1j * ASIDE * self.size * turn
        yield self.footprint(0)
        yield self.footprint(1)
