"""Pushes on a planned body: a force on a part, as the rigid body feels it (section 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amble.plan.forward import External
from amble.plan.plan import BodyState


@dataclass(frozen=True, eq=False)
class Shove:
    """A push under way: where it acts is fixed in the rigid body from the moment it begins."""

    force_w: np.ndarray  # (3,) [N]
    arm_b: np.ndarray  # (3,) from the centre of mass, in the rigid body's frame [m]
    start: float  # [s]
    end: float  # [s]
    body: int  # MJCF body that is pushed
    point_b: np.ndarray  # (3,) where, in that body's frame [m]

    def acts(self, begin: float, end: float) -> bool:
        """Whether it acts at any moment between the two."""
        return self.start < end and self.end > begin


def external(shoves: Sequence[Shove]) -> External:
    """Force and moment of all pushes at a time."""

    def total(time: float, state: BodyState) -> tuple[np.ndarray, np.ndarray]:
        force, moment = np.zeros(3), np.zeros(3)
        for shove in shoves:
            if shove.start <= time < shove.end:
                force = force + shove.force_w
                moment = moment + np.cross(state.R_w @ shove.arm_b, shove.force_w)
        return force, moment

    return total


def mean_force(shoves: Sequence[Shove], begin: float, end: float) -> np.ndarray:
    """Average force of the pushes between two times (3,) [N]."""
    total = np.zeros(3)
    for shove in shoves:
        overlap = min(shove.end, end) - max(shove.start, begin)
        if overlap > 0:
            total += shove.force_w * overlap / (end - begin)
    return total
