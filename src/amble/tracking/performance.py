"""Where a tracked motion is: which controller, which row of it, and where in the world.

Rows advance with time, or with contacts, too (section 5.4): a foot that lands early takes the
motion on to its landing, and the reference stands on the ground that the feet have found. A foot
that is late is not waited for: legs that are held still in the air land worse than legs that go on
with their step. With a `Footing` the reference stands on the ground that comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from amble.tracking.flat_body import CORNERS
from amble.tracking.footing import Footing
from amble.tracking.reference import Travel
from amble.tracking.regulator import Regulator

YAW, HEIGHT = 3, 2
EARLY = 0.10  # [s] before its landing in the reference from which on a foot may land
SOON = 0.03  # [s] that make no difference: the motion does not jump for so little
SETTLE = 0.08  # [s] in which the motion follows the ground to another height


@dataclass(frozen=True)
class Landing:
    """A foot that comes to the ground at a row of a reference."""

    row: int
    foot: int


class Performance:
    """The progress of a tracked motion in the world; the body's state in the motion's own frame."""

    def __init__(
        self,
        regulator: Regulator,
        choose: Callable[[Performance], Regulator] | None = None,
        by_contact: bool = False,
        footing: Footing | None = None,
    ) -> None:
        self.regulator = regulator
        self.row = 0
        self.frame = Travel(0.0, 0.0, 0.0)  # from the reference to the world
        self.ground = 0.0  # height [m] on which the reference stands
        self.finished = 0  # motions played to their ends
        self._choose = choose or (lambda performance: performance.regulator)
        self._by_contact = by_contact
        self._footing = footing
        self._target = 0.0  # height [m] that `ground` is on the way to
        self._landings = landings(regulator)

    def local(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A state of the world in the frame of the motion, its yaw next to the reference's."""
        back = self.frame.inverse()
        q, v = back.pose(q), back.vector(v)
        q[HEIGHT] -= self.ground
        if self._footing is not None:
            q, v = q - self._footing.offset, v - self._footing.rate
        q[YAW] += 2 * np.pi * round((self.regulator.q(self.row)[YAW] - q[YAW]) / (2 * np.pi))
        return q, v

    def reference(self) -> np.ndarray:
        """The reference's pose (n,) in the world."""
        q = self.frame.pose(self.regulator.q(self.row))
        q[HEIGHT] += self.ground
        return q

    def advance(self, standing: np.ndarray, heights: np.ndarray, q: np.ndarray) -> None:
        """One step on, to the pose q (n,) of the world; `standing` (2,) says which feet carry,
        `heights` [m] the ground below."""
        due = row = self.row + 1
        if self._by_contact:
            row = self._row_by_contact(due, standing)
            if self._footing is None:
                self._settle(standing, heights)
        if row != due:  # the root goes on from where it is
            at = self.regulator.q
            dx, dy = self.frame.matrix @ (at(due)[:2] - at(row)[:2])
            self.frame = Travel(self.frame.dx + dx, self.frame.dy + dy, self.frame.yaw)
        self.row = row
        if row >= self.regulator.steps:
            self._enter()
        if self._footing is not None:
            self._find_footing(self._footing, q)

    def _find_footing(self, footing: Footing, q: np.ndarray) -> None:
        """Bring the reference to the ground ahead, and its feet to the ground that they are on."""
        step = self.regulator.reference.step
        astray = q[:2] - self.reference()[:2]  # where the body is, beside the reference
        under = [footing.height_under(footing.corners(q, foot)) for foot in range(2)]
        coming = self._next_landing()
        if coming is None:
            self._target = min(under)
            left = SETTLE
        else:
            row, foot = coming
            pose = self.frame.pose(self.regulator.q(row))
            pose[:2] += astray
            self._target = footing.height_under(footing.corners(pose, foot))
            under[foot] = max(under[foot], self._target)
            left = max((row - self.row) * step, SETTLE)
        self.ground += (self._target - self.ground) * min(1.0, step / left)
        after = self.regulator.q(min(self.row + 1, self.regulator.steps))
        footing.follow(np.array(under) - self.ground, after, step)

    def _next_landing(self) -> tuple[int, int] | None:
        """Row and foot of the next landing of a foot that is in the air now."""
        contact = self.regulator.reference.contact_at(self.row).reshape(2, -1)
        on = np.asarray(contact.any(axis=1))
        ahead = [
            (each.row, each.foot)
            for each in self._landings
            if each.row > self.row and not on[each.foot]
        ]
        return min(ahead) if ahead else None

    def _row_by_contact(self, due: int, standing: np.ndarray) -> int:
        """The row that the contacts say it is, or `due` where they agree."""
        step = self.regulator.reference.step
        for landing in self._landings:
            if SOON < (landing.row - due) * step <= EARLY and standing[landing.foot]:
                return landing.row
        return due

    def _enter(self) -> None:
        """On to the next motion, or to the next round of this one."""
        self.finished += 1
        self.frame = self.frame.then(self.regulator.exit)
        self.row = 0
        chosen = self._choose(self)
        if chosen is not self.regulator:
            self.regulator = chosen
            self._landings = landings(chosen)

    def _settle(self, standing: np.ndarray, heights: np.ndarray) -> None:
        """Follow the ground under the feet that carry, down to the lower one."""
        if standing.any():
            self._target = float(heights[standing].min())
        self.ground += (self._target - self.ground) * min(
            1.0, self.regulator.reference.step / SETTLE
        )


def landings(regulator: Regulator) -> tuple[Landing, ...]:
    """The rows at which feet come to the ground."""
    reference = regulator.reference
    rows = range(regulator.steps + 1)
    on = np.array([reference.contact_at(k).reshape(2, CORNERS // 2).any(axis=1) for k in rows])
    return tuple(
        Landing(int(row) + 1, foot)
        for foot in range(2)
        for row in np.flatnonzero(~on[:-1, foot] & on[1:, foot])
    )
