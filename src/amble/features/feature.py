"""A feature: a quantity of the body, its Jacobian and its drift, and nothing else.

    dʳy/dtʳ = J q̈ + drift                      features section 3.1

A task asks for the derivative that is linear in the accelerations. Its order r is

    2  for what the pose determines (a position, an angle):  ẏ = J q̇,  drift = J̇ q̇
    1  for momenta:                                          y = J q̇,  drift = J̇ q̇
    0  for torques:                                          y = J q̈ + drift

`value` may lie on a curved space (an orientation, a pose with ball joints): `difference` subtracts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum
from typing import ClassVar

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

    #: which time derivative of the value is linear in the accelerations
    order: ClassVar[int] = 2

    @abstractmethod
    def value(self, state: BodyState) -> np.ndarray:
        """y, in the unit that the feature names."""

    @abstractmethod
    def jacobian(self, state: BodyState) -> np.ndarray:
        """J (dim, nv): what q̈ adds to the derivative of y that the order names."""

    @abstractmethod
    def drift(self, state: BodyState) -> np.ndarray:
        """That derivative of y with q̈ = 0 (dim,): J̇ q̇, for torques what the forces leave."""

    def difference(self, after: np.ndarray, before: np.ndarray) -> np.ndarray:
        """after − before (dim,), as a tangent vector."""
        return after - before
