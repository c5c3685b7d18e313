"""What a plan is paid for, and what it may not do. In units of the body (`plan.units`)."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields, replace

import numpy as np


@dataclass(frozen=True)
class Weights:
    """Weights of the objective, eq. 20 and the regularisers that make its optimum smooth."""

    position: float = 1.0  # centre of mass along the ground, against the sketch
    height: float = 1.0
    turn: float = 5.0  # yaw, pitch, roll
    rate: float = 1.0  # velocities, relative to the weights above (w_d)
    terminal: float = 20.0  # the last node, relative to the others
    force: float = 1e-3
    smoothness: float = 5e-3  # change of force from node to node
    foothold: float = 0.3  # against the sketch

    def as_vector(self) -> np.ndarray:
        """In the order of the fields, for the solver's parameters."""
        return np.array(astuple(self))

    def softer(self) -> Weights:
        """Less insistent on the sketch: what the second attempt at a failed plan uses."""
        return replace(
            self, position=0.2 * self.position, height=0.5 * self.height, terminal=5.0, foothold=0.1
        )


WEIGHT_NAMES = tuple(field.name for field in fields(Weights))


@dataclass(frozen=True)
class Limits:
    """What a plan may not exceed."""

    friction: float = 0.9  # of the ground's cone; less than the ground has
    force: float = 4.0  # [weights] at one contact point
    force_rate: float = 20.0  # [weights per unit of time], eq. 13
    sink: float = 0.25  # of the centre of mass below the sketch
    freedom: float = 1.0  # of footholds, relative to what the contacts allow
    stretch: float = 0.0  # [units of time] a leg may be too short for a foot the body is thrown off
