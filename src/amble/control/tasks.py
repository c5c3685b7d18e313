"""Objectives on features (features section 3.1) as rows of a table that the compiled core reads.

A row is one component of one feature with its gains and reference; consecutive rows form the
priority levels. The table is filled when tasks change; in between only its references move.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from amble import _core
from amble.errors import AmbleError
from amble.features.feature import Kind

XYZ = (0, 1, 2)
MOST_LEVELS = 16
_SETPOINT, _TARGET = 0, 1
# Columns, in the order of src/core/whole_body.hpp.
_INTS = ("kind", "index", "axis", "mode", "slot")
_REALS = ("weight", "kp", "kv", "reference", "velocity", "acceleration", "deadline", "limit")


def critical(kp: ArrayLike) -> np.ndarray:
    """Damping that goes with a stiffness: k_v = 2 √k_p (below features eq. 4)."""
    return 2 * np.sqrt(kp)


class TaskTable:
    """Rows of objectives, grouped into levels of falling priority."""

    def __init__(self, capacity: int = 256, rotations: int = 32) -> None:
        self.ints = np.zeros((capacity, len(_INTS)), np.int32)
        self.reals = np.zeros((capacity, len(_REALS)))
        self.rotations = np.zeros((rotations, 3, 3))
        self._core = _core.TaskRows(self.ints, self.reals)
        self._capacity = capacity
        self.clear()

    def clear(self) -> None:
        """Forget all rows and levels."""
        self._rows = 0
        self._slots = 0
        self._levels = [0]
        self._offsets: np.ndarray | None = None

    @property
    def levels(self) -> np.ndarray:
        """Row offsets of the levels (levels + 1,): at least one, which may be empty."""
        if self._offsets is None:
            ends = self._levels if len(self._levels) > 1 else [0, 0]
            self._offsets = np.array(ends, np.int32)
        return self._offsets

    def end_level(self) -> None:
        """What was added since the last call is one level."""
        if len(self._levels) > MOST_LEVELS:
            raise AmbleError(f"the task table is full: it has {MOST_LEVELS} levels")
        self._levels.append(self._rows)
        self._offsets = None

    def setpoint(
        self,
        kind: Kind,
        index: ArrayLike,
        axes: Sequence[int] | np.ndarray,
        *,
        kp: ArrayLike,
        kv: ArrayLike,
        reference: ArrayLike = 0.0,
        velocity: ArrayLike = 0.0,
        acceleration: ArrayLike = 0.0,
        weight: ArrayLike = 1.0,
        limit: float = math.inf,
    ) -> slice:
        """ÿ = k_p (y_r − y) + k_v (ẏ_r − ẏ) + ÿ_r (eq. 4, with feed-forward); the rows' place."""
        columns = (weight, kp, kv, reference, velocity, acceleration, 0.0, limit)
        return self._add(kind, index, axes, _SETPOINT, columns)

    def target(
        self,
        kind: Kind,
        index: ArrayLike,
        axes: Sequence[int] | np.ndarray,
        *,
        reference: ArrayLike,
        deadline: float,
        velocity: ArrayLike = 0.0,
        weight: ArrayLike = 1.0,
        limit: float = math.inf,
    ) -> slice:
        """Reach `reference` with `velocity` at the time `deadline` (eq. 6–7, corrected)."""
        columns = (weight, 0.0, 0.0, reference, velocity, 0.0, deadline, limit)
        return self._add(kind, index, axes, _TARGET, columns)

    def momentum(self, kp: float, *, reference: ArrayLike = 0.0, weight: ArrayLike = 1.0) -> slice:
        """L̇ = k_p (L_r − L) (eq. 8–9)."""
        return self.setpoint(
            Kind.MOMENTUM, 0, XYZ, kp=kp, kv=0.0, reference=reference, weight=weight
        )

    def orientation(
        self,
        body: int,
        rotation: np.ndarray,
        *,
        kp: ArrayLike,
        kv: ArrayLike,
        weight: ArrayLike = 1.0,
    ) -> slice:
        """Turn a body to a rotation matrix R_wb."""
        if self._slots == len(self.rotations):
            raise AmbleError(f"the task table is full: it has {self._slots} orientations")
        self.rotations[self._slots] = rotation
        rows = self.setpoint(Kind.ORIENTATION, body, XYZ, kp=kp, kv=kv, weight=weight)
        self._core.turn(rows.start, 3, self._slots)
        self._slots += 1
        return rows

    def minimum_torque(self, dofs: ArrayLike, *, weight: ArrayLike = 1.0) -> slice:
        """‖τ‖² of some actuated degrees of freedom (eq. 15)."""
        axes = (0,) * np.size(dofs)
        return self.setpoint(Kind.TORQUE, dofs, axes, kp=0.0, kv=0.0, weight=weight)

    def refer(self, rows: slice, reference: ArrayLike, velocity: ArrayLike = 0.0) -> None:
        """Move the reference of rows that are there."""
        self._set(rows, 3, reference)
        self._set(rows, 4, velocity)

    def turn(self, rows: slice, rotation: np.ndarray) -> None:
        """Another rotation matrix R_wb for an orientation that is there."""
        self.rotations[self.ints[rows.start, 4]] = rotation

    def feed_forward(self, rows: slice, acceleration: ArrayLike) -> None:
        """Acceleration of the reference of rows that are there."""
        self._set(rows, 5, acceleration)

    def _set(self, rows: slice, column: int, value: ArrayLike) -> None:
        self._core.set(rows.start, rows.stop - rows.start, column, value)

    def _add(
        self,
        kind: Kind,
        index: ArrayLike,
        axes: Sequence[int] | np.ndarray,
        mode: int,
        columns: tuple[ArrayLike, ...],
    ) -> slice:
        count = len(axes)
        rows = slice(self._rows, self._rows + count)
        if rows.stop > self._capacity:
            raise AmbleError(f"the task table is full: it has {self._capacity} rows")
        self._core.write(rows.start, count, int(kind), index, axes, mode, columns)
        self._rows = rows.stop
        return rows
