"""The Controller protocol: what decides the torques."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Controller(Protocol):
    """Asked for torques every `period` seconds; they are held until it is asked again."""

    @property
    def period(self) -> float:
        """Time between calls [s], a whole number of physics steps."""

    def torque(self, time: float) -> np.ndarray:
        """Joint torques (nv − 6,) [N m] for the world's present state."""
