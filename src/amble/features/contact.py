"""Contact: the points of an end effector that should stay where they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.features.feature import Feature
from amble.features.frame import Position
from amble.features.state import BodyState


@dataclass(frozen=True)
class Contact(Feature):
    """Stacked world positions of several points (3 · points,) [m]."""

    points: tuple[Position, ...]

    def value(self, state: BodyState) -> np.ndarray:
        return np.concatenate([point.value(state) for point in self.points])

    def jacobian(self, state: BodyState) -> np.ndarray:
        return np.vstack([point.jacobian(state) for point in self.points])

    def drift(self, state: BodyState) -> np.ndarray:
        return np.concatenate([point.drift(state) for point in self.points])


def friction_cone(normal: np.ndarray, friction: float) -> np.ndarray:
    """Generators (3, 4) of the pyramid inside the friction cone around a unit normal (eq. 23).

    Each has length 1, so that its weight λ is a force [N]. Two lie in the plane of the normal and
    the x axis; on a wall that faces along x, where there is no such plane, of the z axis.
    """
    axis = np.array([1.0, 0.0, 0.0] if abs(normal[0]) < 0.9 else [0.0, 0.0, 1.0])
    x = axis - normal * (normal @ axis)
    x /= np.linalg.norm(x)
    y = np.cross(normal, x)
    edges = np.column_stack(
        [normal + friction * x, normal - friction * x, normal + friction * y, normal - friction * y]
    )
    return edges / np.sqrt(1 + friction**2)
