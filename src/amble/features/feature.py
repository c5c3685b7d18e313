"""A feature: a quantity of the body's state, its Jacobian and its drift, and nothing else.

    ÿ = J q̈ + J̇ q̇                            features section 3.1

`value` may lie on a curved space (an orientation, a pose with ball joints): `difference` subtracts.
`kind`, `index` and `axes` are what the compiled core needs to compute the same rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum

import numpy as np

from amble.features.state import BodyState


class Kind(IntEnum):
    """How the compiled core computes a row; in the order of `Kind` in src/core/whole_body.hpp."""

    POINT = 0
    COM = 1
    MOMENTUM = 2
    ORIENTATION = 3
    POINT_FROM_COM = 4
    TORQUE = 5


class Feature(ABC):
    """What a task controls."""

    @abstractmethod
    def value(self, state: BodyState) -> np.ndarray:
        """y, in the unit that the feature names."""

    @abstractmethod
    def jacobian(self, state: BodyState) -> np.ndarray:
        """J (dim, nv) with ẏ = J q̇ (for momenta, y = J q̇)."""

    @abstractmethod
    def drift(self, state: BodyState) -> np.ndarray:
        """J̇ q̇ (dim,)."""

    def difference(self, after: np.ndarray, before: np.ndarray) -> np.ndarray:
        """after − before (dim,), as a tangent vector."""
        return after - before
