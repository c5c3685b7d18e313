"""Pushes: forces on body parts, each for its time."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.errors import InputError
from amble.motion.clip import Event
from amble.world.world import Push

_BODY, _FORCE, _POINT, _START, _END = 0, slice(1, 4), slice(4, 7), 7, 8
_ROW = 9


class PushSchedule:
    """The pushes still to come or under way, kept as rows of numbers so that a save can hold them.

    A row is: body, force_w (3) [N], point_b (3) [m], start [s], end [s].
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, log: list[Event]) -> None:
        self._model = model
        self._data = data
        self._log = log  # gets an event when a push begins
        self.rows = np.empty((0, _ROW))
        self.impulse_w = np.zeros(3)  # [N s] delivered so far

    @property
    def rows(self) -> np.ndarray:
        """(pushes, 9)"""
        return self._rows

    @rows.setter
    def rows(self, rows: np.ndarray) -> None:
        self._rows = rows
        self._first_start = float(rows[:, _START].min(initial=np.inf))

    def begins_before(self, time: float) -> bool:
        """Whether `apply` has anything to do in a step that ends at this time [s]."""
        return self._first_start < time

    def clear(self) -> None:
        """Forget all pushes and what they have done."""
        self.rows = np.empty((0, _ROW))
        self.impulse_w[:] = 0.0
        self._data.xfrc_applied[:] = 0.0

    def add(self, push: Push, body: int) -> None:
        """Schedule a push on a body of the model."""
        point_b = self._model.body_ipos[body] if push.point_b is None else push.point_b
        start, end = max(push.start, self._data.time), push.start + push.seconds
        row = np.array([body, *push.force_w, *point_b, start, end])
        if row.shape != (_ROW,) or not np.isfinite(row).all() or push.seconds <= 0:
            raise InputError(
                f"push on '{push.part}': force {push.force_w} N, start {push.start} s, seconds "
                f"{push.seconds}; give three finite numbers for the force and a positive time"
            )
        if row[_END] <= self._data.time:
            raise InputError(
                f"push on '{push.part}': it ends at {row[_END]:g} s, in the past; choose a start "
                f"after {self._data.time:g} s"
            )
        self.rows = np.vstack([self.rows, row])

    def apply(self) -> None:
        """Set the external forces of the physics step that is about to start.

        In a step of which a push takes only a share, it acts with that share of its force: its
        impulse is exact, whenever it begins and however short it is.
        """
        data, step = self._data, self._model.opt.timestep
        now, hair = data.time, 1e-6 * step
        data.xfrc_applied[:] = 0.0
        for row in self.rows:
            overlap = min(row[_END], now + step) - max(row[_START], now)
            if overlap <= hair:
                continue
            if row[_START] > now - hair:
                self._log.append(self._event(row))
            body, force_w = int(row[_BODY]), row[_FORCE] * min(overlap / step, 1.0)
            point_w = data.xpos[body] + data.xmat[body].reshape(3, 3) @ row[_POINT]
            data.xfrc_applied[body, :3] += force_w
            data.xfrc_applied[body, 3:] += np.cross(point_w - data.xipos[body], force_w)
            self.impulse_w += force_w * step
        # One that ends in this step stays, so that the next step takes its force away.
        over = self.rows[:, _END] <= now + hair
        if over.any():
            self.rows = self.rows[~over]

    def _event(self, row: np.ndarray) -> Event:
        names = ("fx", "fy", "fz", "x", "y", "z")
        values = dict(zip(names, (*row[_FORCE], *row[_POINT]), strict=True))
        seconds = row[_END] - row[_START]
        part = self._model.body(int(row[_BODY])).name
        return Event(float(row[_START]), "push", part, {**values, "seconds": seconds})
