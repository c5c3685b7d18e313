"""Recorder: turns a running world into a clip."""

from __future__ import annotations

from typing import Any

import numpy as np

from amble.characters.character import GRAVITY
from amble.motion.clip import Clip, Event
from amble.motion.fall import has_fallen, rest_com_height
from amble.world.world import ContactReport, World


class Recorder:
    """Writes a frame whenever `record` is called, `fps` times a second of simulated time.

    Memory is set aside once, for `frames` frames.
    """

    def __init__(self, world: World, fps: float, frames: int) -> None:
        model, character = world.model, world.character
        points = sum(len(e.sites) for e in character.end_effectors)
        self.fallen = False
        self._world = world
        self._fps = fps
        self._start = world.time
        self._count = 0
        self._arrays: dict[str, Any] = {
            "time": np.empty(frames),
            "qpos": np.empty((frames, model.nq)),
            "qvel": np.empty((frames, model.nv)),
            "torque": np.empty((frames, model.nv - 6)),
            "touching": np.empty((frames, points), dtype=bool),
            "contact_force_w": np.empty((frames, points, 3)),
            "other_force_w": np.empty((frames, 3)),
            "ground_force_w": np.empty((frames, 3)),
            "external_force_w": np.empty((frames, 3)),
        }
        self._events: list[Event] = []
        self._first_points = np.cumsum([0, *(len(e.sites) for e in character.end_effectors)][:-1])
        self._standing = np.zeros(len(character.end_effectors), dtype=bool)
        self._impulses_w = self._world_impulses_w()
        self._root = model.body(character.root).id
        self._shape_seen = -1  # length of the log when the two figures below were found
        self._rest_height = self._weight = 0.0

    def __len__(self) -> int:
        """Frames so far."""
        return self._count

    def record(self, torque: np.ndarray) -> None:
        """Add the present state as the next frame, with the torque [N m] chosen for it.

        A torque that is not finite makes no frame: the world is about to refuse it.
        """
        if not np.isfinite(torque).all():
            return
        world, k, row = self._world, self._count, self._arrays
        report = world.contacts()
        impulses_w = self._world_impulses_w()
        average_w = (impulses_w - self._impulses_w) * self._fps
        row["time"][k] = self._start + k / self._fps
        row["qpos"][k] = world.data.qpos
        row["qvel"][k] = world.data.qvel
        row["torque"][k] = torque
        row["touching"][k] = report.touching
        row["contact_force_w"][k] = report.force_w
        row["other_force_w"][k] = report.other_force_w
        row["ground_force_w"][k], row["external_force_w"][k] = average_w
        self._impulses_w = impulses_w
        self._count += 1
        self._note_steps(report)
        self._note_fall(report)

    def clip(self) -> Clip:
        """The frames recorded so far, with what was done to the character and what it did."""
        last = self._start + (self._count - 1) / self._fps
        done = [e for e in self._world.log if self._start - 1e-9 <= e.time <= last + 1e-9]
        return Clip(
            character=self._world.character,
            terrain=self._world.terrain,
            fps=self._fps,
            friction=self._world.friction,
            events=tuple(sorted([*done, *self._events], key=lambda event: event.time)),
            **{name: array[: self._count].copy() for name, array in self._arrays.items()},
        )

    def _world_impulses_w(self) -> np.ndarray:
        return np.stack([self._world.ground_impulse_w, self._world.push_impulse_w])

    def _note_steps(self, report: ContactReport) -> None:
        """An end effector touches down with its first contact point and lifts off with its last."""
        if not len(self._standing):
            return
        standing = np.logical_or.reduceat(report.touching, self._first_points)
        if self._count > 1:
            for k in np.flatnonzero(standing != self._standing):
                kind = "touchdown" if standing[k] else "liftoff"
                what = self._world.character.end_effectors[k].name
                self._events.append(Event(self._now, kind, what))
        self._standing = standing

    def _note_fall(self, report: ContactReport) -> None:
        if self.fallen:
            return
        world = self._world
        if self._shape_seen != len(world.log):
            self._shape_seen = len(world.log)
            self._rest_height = rest_com_height(world.character, world.model)
            self._weight = float(world.model.body_subtreemass[self._root]) * GRAVITY
        x, y, z = world.data.subtree_com[self._root].tolist()
        height, load = z - float(world.terrain.height(x, y)), float(report.other_force_w[2])
        if has_fallen(height, self._rest_height, load, self._weight):
            self.fallen = True
            sunk = has_fallen(height, self._rest_height, 0.0, self._weight)
            reason = "centre of mass too low" if sunk else "another part than a foot or hand landed"
            self._events.append(Event(self._now, "fall", reason))

    @property
    def _now(self) -> float:
        return float(self._arrays["time"][self._count - 1])
