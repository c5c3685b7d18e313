"""Recording: frames of a planned motion become a clip with forces, contacts and torques."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.motion.clip import Clip, Event
from amble.motion.inverse_dynamics import inverse_dynamics
from amble.planner.planner import PlannedFrame
from amble.pose.touching import point_forces, touching
from amble.terrain.terrain import Terrain

SUBSTEPS = 2  # samples of the plan's forces between two frames, for their average


class Recording:
    """Collects frames, `fps` a second."""

    def __init__(
        self, character: Character, body: CentroidalBody, terrain: Terrain, fps: float
    ) -> None:
        self._character, self._body, self._terrain, self._fps = character, body, terrain, fps
        self._frames: list[PlannedFrame] = []
        self._ground: list[np.ndarray] = []

    def __len__(self) -> int:
        """Frames so far."""
        return len(self._frames)

    def add(self, frame: PlannedFrame) -> None:
        """Take one more frame."""
        self._ground.append(self._mean_ground_force(frame))
        self._frames.append(frame)

    def clip(self, events: Iterable[Event], scenario: str) -> Clip:
        """All frames, with the torques that move the body through them."""
        frames, character = self._frames, self._character
        time = np.array([frame.time for frame in frames])
        qpos = np.array([frame.qpos for frame in frames])
        on, forces = [], []
        for frame in frames:
            on.append(touching(character, self._body, frame.contacts, frame.time))
            effectors = frame.plan.force(frame.time)
            forces.append(
                point_forces(character, self._body, frame.contacts, frame.time, effectors)
            )
        contact_force = np.array(forces)
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
            touching=np.array(on),
            contact_force_w=contact_force,
            other_force_w=np.zeros((len(frames), 3)),
            ground_force_w=np.array(self._ground),
            external_force_w=external,
            events=tuple(
                sorted([*events, *self._steps(time, np.array(on))], key=lambda event: event.time)
            ),
            scenario=scenario,
        )

    def _mean_ground_force(self, frame: PlannedFrame) -> np.ndarray:
        """Of the plans that held since the frame before (3,) [N]."""
        if not self._frames:
            return np.zeros(3)
        before = self._frames[-1]
        total = np.zeros(3)
        step = (frame.time - before.time) / SUBSTEPS
        for k in range(SUBSTEPS):
            time = before.time + (k + 0.5) * step
            plan = frame.plan if time >= frame.plan.start else before.plan
            total += plan.total_force(time)
        return total / SUBSTEPS

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
