"""The nonlinear program of a plan (section 5.1, app. D): its unknowns, rows and parameters.

Unknowns x: the footholds (limbs, slots, 2), then z of each node (`plan.segment`). A limb has as
many slots as it may have contacts in a horizon; which one it stands on in a segment is a parameter.
Rows g: the equation of motion (N, 12), changes of the normal force (N, E), and squared distances
from hip to ankle (N, limbs) at all nodes but the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.plan.weights import WEIGHT_NAMES

EDGES = 4  # of a linearised friction cone
RESIDUALS = 12  # of the equation of motion, a segment


def cone_edges(friction: float) -> np.ndarray:
    """Directions (3, 4) whose non-negative sums are the forces inside a pyramid in the cone."""
    edge = friction / np.sqrt(2)
    return np.array([[edge, edge, -edge, -edge], [edge, -edge, edge, -edge], [1, 1, 1, 1]])


@dataclass(frozen=True)
class Problem:
    """What all horizons of a body with N segments and J slots a limb have in common."""

    body: CentroidalBody
    segments: int
    slots: int
    friction: float

    @property
    def limbs(self) -> int:
        """Those that may stand."""
        return len(self.body.legs)

    @cached_property
    def effector_limb(self) -> tuple[int, ...]:
        """The limb of each effector."""
        return tuple(i for i, leg in enumerate(self.body.legs) for _ in leg.effectors)

    @property
    def node_size(self) -> int:
        """Unknowns a node."""
        return 12 + EDGES * len(self.effector_limb)

    @property
    def foothold_size(self) -> int:
        """Unknowns before the first node."""
        return 2 * self.limbs * self.slots

    @property
    def row_counts(self) -> tuple[int, int, int]:
        """Of each of the three kinds."""
        return (
            RESIDUALS * self.segments,
            len(self.effector_limb) * self.segments,
            self.limbs * self.segments,
        )

    @cached_property
    def parameter_shapes(self) -> dict[str, tuple[int, int]]:
        """Of each parameter; most have a column a segment."""
        N, limbs, rows = self.segments, self.limbs, self.limbs * self.slots
        given = {name: (size, N) for name, size in segment_parameters(limbs).items()}
        return given | {
            "weights": (len(WEIGHT_NAMES), 1),
            "on": (rows, N),  # which slot a limb stands on during a segment
            "at": (rows, N),  # and at the node behind it
            "ground": (3 * limbs, N),  # plane under the foot at that node
            "hip": (3 * limbs, N),  # from the centre of mass, less the ankle; 0 in the air
            "p0": (2, rows),
        }


def segment_parameters(limbs: int) -> dict[str, int]:
    """Name and size of what is given in one segment."""
    return {
        "h": 1,  # length of the segment
        "frame": 9 * limbs,  # of each foot on the ground, by columns; 0 in the air
        "plane": 3 * limbs,  # under each foot: z = a + b x + c y
        "reference": 12,  # q and q̇ of the sketch at the second node
        "emphasis": 1,  # of that node
        "weights": len(WEIGHT_NAMES),
    }


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver found."""

    x: np.ndarray
    g: np.ndarray
    cost: float
    status: str
    usable: bool  # solved, or given up where every row may hold
    iterations: int
