"""Recording: frames of a planned motion become a clip with forces, contacts and torques."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.motion.clip import Clip, Event
from amble.motion.inverse_dynamics import inverse_dynamics
from amble.planner.planner import PlannedFrame
from amble.pose.touching import lifted, point_forces, touching
from amble.terrain.terrain import Terrain

SUBSTEPS = 2  # samples of the plan's forces between two frames, for their average


class Recording:
    """Collects frames, `fps` a second."""

    def __init__(
        self, character: Character, body: CentroidalBody, terrain: Terrain, fps: float
    ) -> None:
        self._character, self._body, self._terrain, self._fps = character, body, terrain, fps
        self._frames: list[PlannedFrame] = []

    def __len__(self) -> int:
        """Frames so far."""
        return len(self._frames)

    def add(self, frame: PlannedFrame) -> None:
        """Take one more frame."""
        self._frames.append(frame)

    def clip(self, events: Iterable[Event], scenario: str) -> Clip:
        """All frames, with the torques that move the body through them."""
        frames, character = self._frames, self._character
        time = np.array([frame.time for frame in frames])
        qpos = np.array([frame.qpos for frame in frames])
        on, contact_force = self._contacts(time)
        external = np.array([frame.external_w for frame in frames])
        moved = inverse_dynamics(character, time, qpos, contact_force, external_force_w=external)
        return Clip(
            character=character,
            terrain=self._terrain,
            fps=self._fps,
            time=time,
            qpos=qpos,
            qvel=moved.qvel,
            torque=moved.torque,
            touching=on,
            contact_force_w=contact_force,
            other_force_w=np.zeros((len(frames), 3)),
            ground_force_w=self._mean_ground_forces(time),
            external_force_w=external,
            events=tuple(sorted([*events, *self._steps(time, on)], key=lambda event: event.time)),
            scenario=scenario,
        )

    def _contacts(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which contact points touch (T, P), and the forces there (T, P, 3) [N]."""
        character, body = self._character, self._body
        on, forces = [], []
        soles_w = np.array([frame.soles_w for frame in self._frames])
        up = lifted(character, body, soles_w, self._terrain)
        first = 0
        for plan, frames in groupby(self._frames, key=lambda frame: frame.plan):
            last = first + len(list(frames))
            times, contacts = time[first:last], self._frames[first].contacts
            where = (character, body, contacts, times, up[first:last])
            on.append(touching(*where))
            forces.append(point_forces(*where, plan.forces(times)))
            first = last
        return np.concatenate(on), np.concatenate(forces)

    def _mean_ground_forces(self, time: np.ndarray) -> np.ndarray:
        """Of the plans that held since the frame before (T, 3) [N]."""
        between = (np.arange(SUBSTEPS) + 0.5) / SUBSTEPS
        times = time[:-1, None] + np.diff(time)[:, None] * between
        found = np.zeros((len(time), SUBSTEPS, 3))
        plans = [frame.plan for frame in self._frames]
        first = 1
        for plan, same in groupby(plans[1:]):
            last = first + len(list(same))
            now = times[first - 1 : last - 1]
            found[first:last] = plan.forces(now.ravel()).sum(axis=1).reshape(*now.shape, 3)
            # The plan before held until this one began.
            early = now[0] < plan.start
            found[first, early] = plans[first - 1].forces(now[0, early]).sum(axis=1)
            first = last
        return found.mean(axis=1)

    def _steps(self, time: np.ndarray, on: np.ndarray) -> Iterable[Event]:
        """Touchdown and lift-off of every foot."""
        first = 0
        for effector in self._character.end_effectors:
            last = first + len(effector.sites)
            standing: np.ndarray = np.any(on[:, first:last], axis=1)
            for k in np.flatnonzero(standing[1:] != standing[:-1]) + 1:
                kind = "touchdown" if standing[k] else "liftoff"
                yield Event(float(time[k]), kind, effector.name)
            first = last
