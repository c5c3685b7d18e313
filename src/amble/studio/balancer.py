"""Balancer: a body that stands in full physics, with the face of a `Planner`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from amble.characters.centroidal import centroidal_body
from amble.characters.character import GRAVITY, Character
from amble.characters.reshape import Scale
from amble.control.balance import Balance, BalanceParameters
from amble.motion.clip import Clip, Event
from amble.motion.fall import has_fallen, rest_com_height
from amble.parameters import Value
from amble.plan.plan import BodyState
from amble.terrain.terrain import Terrain
from amble.world import MuJoCoWorld, Push
from amble.world.recorder import Recorder

TIMESTEP, CONTROL = 1 / 960, 2  # [s] of physics, and steps of it between two torques: 480 Hz
LOWEST, HIGHEST = -0.3, 0.05  # [m] of the centre of mass, against its own height


@dataclass(frozen=True, eq=False)
class BalancedFrame:
    """One moment, as a `PlannedFrame` has it; nothing is planned."""

    time: float  # [s]
    qpos: np.ndarray  # (nq,)
    state: BodyState
    plan: None = None


class Balancer:
    """Stands, squats and takes pushes. Only the wish of a height means something to it."""

    stage = None

    def __init__(
        self, character: Character, terrain: Terrain, gravity: float = GRAVITY, height: float = 0.0
    ) -> None:
        self.character, self.terrain = character, terrain
        self.body = centroidal_body(character)
        self.world = MuJoCoWorld(character, terrain, timestep=TIMESTEP)
        self.world.model.opt.gravity[2] = -gravity
        self.fallen = ""
        parameters = BalanceParameters(control_rate=1 / (CONTROL * TIMESTEP))
        self._control = Balance(character, self.world.model, self.world.data, terrain, parameters)
        self._torque = np.zeros(self.world.model.nv - 6)
        self._steps = 0
        self._root = self.world.model.body(character.root).id
        self._recorder: Recorder | None = None
        self._rest_height = rest_com_height(character)
        self.command(height=height)

    @property
    def model(self) -> mujoco.MjModel:
        """The scene, in the body's present shape."""
        return self.world.model

    @property
    def time(self) -> float:
        """Of the last frame [s]."""
        return self.world.time

    @property
    def events(self) -> list[Event]:
        """Pushes and reshapes so far."""
        return self.world.log

    def command(self, **wish: Value) -> None:
        """Wish another height of the centre of mass [m], against its own."""
        height = wish.get("height")
        if isinstance(height, (int, float)):
            low = min(max(float(height), LOWEST), HIGHEST)
            self._control.parameters = replace(self._control.parameters, com_height=low)

    def push(self, push: Push) -> None:
        """Let a force act on a part for some time."""
        self.world.push(push)

    def reshape(self, part: str, scale: Scale) -> None:
        """Scale a part now, relative to its present size."""
        self.world.reshape(part, scale.length, scale.girth, scale.mass)
        self._rest_height = rest_com_height(self.character, self.world.model)

    def frame(self, time: float) -> BalancedFrame:
        """The state at a time after the last one, to the nearest step of the physics."""
        steps = round((time - self.time) / TIMESTEP)
        for _ in range(steps):
            if self._steps % CONTROL == 0:
                self._torque = self._control.torque(self.world.time)
            self.world.step(self._torque)
            self._steps += 1
        self._check_fall()
        return BalancedFrame(self.time, self.world.data.qpos.copy(), self._state())

    def begin_recording(self, fps: float, seconds: float) -> None:
        """Set memory aside."""
        self._recorder = Recorder(self.world, fps, frames=round(seconds * fps) + 2)

    def record(self) -> None:
        """The present frame."""
        if self._recorder is not None:
            self._recorder.record(self._torque)

    def recorded(self) -> Clip | None:
        """What was recorded; its body has the shape that it had at the time."""
        recorder, self._recorder = self._recorder, None
        if recorder is None or not len(recorder):
            return None
        clip = recorder.clip()
        before = [e for e in self.world.log if e.kind == "reshape" and e.time < clip.time[0] - 1e-9]
        return replace(clip, events=(*before, *clip.events), scenario="studio")

    def close(self) -> None:
        """There is nothing to end."""

    def _state(self) -> BodyState:
        data, root = self.world.data, self._root
        velocity: Any = np.empty(6)
        mujoco.mj_subtreeVel(self.world.model, data)
        kind = mujoco.mjtObj.mjOBJ_XBODY.value
        mujoco.mj_objectVelocity(self.world.model, data, kind, root, velocity, 0)
        return BodyState(
            data.subtree_com[root].copy(),
            data.subtree_linvel[root].copy(),
            data.xmat[root].reshape(3, 3).copy(),
            velocity[:3].copy(),
        )

    def _check_fall(self) -> None:
        x, y, z = self.world.data.subtree_com[self._root].tolist()
        weight = float(self.world.model.body_subtreemass[self._root]) * GRAVITY
        load = float(self.world.contacts().other_force_w[2])
        height = z - float(self.terrain.height(x, y))
        if has_fallen(height, self._rest_height, load, weight):
            self.fallen = "it could not keep its balance"
