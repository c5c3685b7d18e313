"""What was done to a body's shape during a simulation, so that it can be undone and done again."""

from __future__ import annotations

import copy

import mujoco
import numpy as np

from amble.characters.reshape import Scale, copy_shape, scale_segment
from amble.motion.clip import Event

_ROW = 5


class ShapeHistory:
    """The reshapes since the reset, kept as rows of numbers so that a save can hold them.

    A row is: body, time [s], factors of length, girth and mass.
    """

    def __init__(self, model: mujoco.MjModel, log: list[Event]) -> None:
        self._model = model
        self._log = log  # gets an event with every reshape
        self._original: mujoco.MjModel | None = None  # copied when the first reshape comes
        self.rows = np.empty((0, _ROW))

    def scale(self, body: int, time: float, scale: Scale) -> None:
        """Scale a segment of the model now, relative to its present size."""
        row = np.array([body, time, scale.length, scale.girth, scale.mass_factor])
        self._apply(row)
        self.rows = np.vstack([self.rows, row])
        self._log.append(self._event(row))

    def clear(self) -> None:
        """Back to the shape that the model had at first."""
        if len(self.rows) and self._original is not None:
            copy_shape(self._original, self._model)
        self.rows = np.empty((0, _ROW))

    def restore(self, rows: np.ndarray) -> None:
        """The shape that a history of the same model had: the same reshapes in the same order."""
        if np.array_equal(rows, self.rows):
            return
        self.clear()
        for row in rows:
            self._apply(row)
        self.rows = rows.copy()

    def events(self) -> list[Event]:
        """The reshapes as a clip's events."""
        return [self._event(row) for row in self.rows]

    def _apply(self, row: np.ndarray) -> None:
        if self._original is None:
            self._original = copy.copy(self._model)
        name = self._model.body(int(row[0])).name
        scale_segment(self._model, name, *row[2:].tolist())

    def _event(self, row: np.ndarray) -> Event:
        body, time, length, girth, mass = row.tolist()
        values = {"length": length, "girth": girth, "mass": mass}
        return Event(time, "reshape", self._model.body(int(body)).name, values)
