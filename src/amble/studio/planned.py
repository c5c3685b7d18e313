"""Planned motion in the studio: plans are made in a process of their own, frames as they are due.

Another gravity g' is a matter of time alone. Newton and Euler hold as they are when lengths stay
and all times grow by s = √(g/g'): velocities are then divided by s, forces and torques by s², and
so is gravity. On the moon a body moves as one on Earth that is asked to go s times faster, slowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY, Character
from amble.motion.clip import Clip
from amble.parameters import Value, settled
from amble.planner.planner import PlannedFrame, Planner
from amble.planner.recording import Recording
from amble.sketch.command import Command
from amble.sketch.contact import Contact, standing_sole
from amble.studio.motion import FPS, Moment
from amble.studio.sight import CAPTURE, LIFT, Sight, capture_point, support
from amble.terrain.terrain import Terrain
from amble.world.world import Push

EVENTS = 400  # that are kept when nothing is recorded
SLOWING = 0.5  # change of s in a second, at most
AHEAD = 24  # points of the path ahead


class PlannedMotion:
    """A `Planner` with the face of a `Motion`."""

    follows = frozenset(f.name for f in fields(Command))

    def __init__(
        self,
        character: Character,
        terrain: Terrain,
        wish: Command,
        *,
        gait: str = "",
        gravity: float = GRAVITY,
        at: tuple[float, float] = (0.0, 0.0),
        script: Iterable[tuple[float, str, Value]] = (),
        pushes: Iterable[Push] = (),
    ) -> None:
        self.character, self.terrain = character, terrain
        self._slow = self._slow_wished = math.sqrt(GRAVITY / gravity)  # s
        self._wish = wish
        fast = replace(wish, speed=self._slow * wish.speed)
        self.planner = Planner(character, terrain, fast, gait=gait, at=at, ahead=True)
        self._script = sorted(script, key=lambda change: change[0])
        self._data = mujoco.MjData(character.model)
        self._recording: Recording | None = None
        self._recorded_from = 0.0  # [s] of the planner's time
        for push in pushes:
            self.push(push)
        self._show(0.0, self.planner.frame(0.0))

    @property
    def model(self) -> mujoco.MjModel:
        return self.character.model

    @property
    def body(self) -> CentroidalBody:
        """What the planner plans for."""
        return self.planner.body

    @property
    def fallen(self) -> str:
        return self.planner.fallen

    @property
    def ground_force(self) -> float:
        plan = self.planner.stage.plan
        return float(plan.total_force(self.planner.time)[2]) / self._slow**2

    @property
    def residuals(self) -> tuple[float, ...]:
        return ()

    @property
    def gravity(self) -> float:
        """[m/s²] that is wished; it is approached gently."""
        return GRAVITY / self._slow_wished**2

    @gravity.setter
    def gravity(self, gravity: float) -> None:
        self._slow_wished = math.sqrt(GRAVITY / gravity)

    def change(
        self,
        character: Character | None = None,
        terrain: Terrain | None = None,
        gait: str | None = None,
    ) -> None:
        """Go on in other sizes, on a ground that is the same beneath the feet, in another gait."""
        self.planner.change(character=character, terrain=terrain, gait=gait)
        self.character, self.terrain = self.planner.character, self.planner.terrain
        if character is not None:
            self._data = mujoco.MjData(character.model)

    def advance(self, seconds: float) -> None:
        step = self._slow_wished - self._slow
        if step:
            self._slow += math.copysign(min(abs(step), SLOWING * seconds), step)
            self.planner.command(speed=self._slow * self._wish.speed)
        while self._script and self._script[0][0] <= self.moment.time:
            _, key, value = self._script.pop(0)
            self._tell({key: value})
        time = self.moment.time + seconds
        self._show(time, self.planner.frame(self.planner.time + seconds / self._slow))
        if self._recording is None:
            del self.planner.events[:-EVENTS]

    def command(self, **wish: Value) -> None:
        self._script = []  # who steers has taken over
        self._tell(wish)

    def push(self, push: Push) -> None:
        planner, slow = self.planner, self._slow
        x, y, z = (slow**2 * force for force in push.force_w)
        start = planner.time + max(push.start / slow, 1e-3)
        planner.push(Push(push.part, (x, y, z), start, push.seconds / slow, push.point_b))

    def sight(self) -> Sight:
        planner, moment = self.planner, self.moment
        stage, time, legs = planner.stage, planner.time, planner.body.legs
        ground = float(self.terrain.height(*moment.com_w[:2]))
        soles = [(_sole(contact, planner.body), contact) for contact in stage.contacts]
        moments = np.linspace(time, max(stage.plan.end, time + 1e-3), AHEAD)
        forces, first = [], 0
        for limb, leg in enumerate(legs):
            standing = [c for c in stage.contacts if c.limb == limb and c.holds(time)]
            each = stage.plan.force(time)[first : first + len(leg.effectors)] / self._slow**2
            first += len(leg.effectors)
            if standing:
                sole = standing_sole(standing[-1], leg, time)
                points = [sole.position_w + sole.R_w @ (x, 0.0, 0.0) for x in leg.effectors]
                forces += list(zip(points, each, strict=True))
        corners = [outline for outline, contact in soles if contact.holds(time)]
        return Sight(
            com_w=moment.com_w,
            ground=ground,
            com_path_w=np.array([stage.plan.state(t).com_w for t in moments]),
            taken_w=[outline for outline, contact in soles if contact.start <= time],
            planned_w=[outline for outline, contact in soles if contact.start > time],
            forces=forces,
            support_w=support(np.concatenate([*corners, np.zeros((0, 3))])),
            pendulum_w=self._pendulum(),
            points_w={
                CAPTURE: capture_point(
                    moment.com_w, moment.velocity_w, ground, GRAVITY / self._slow**2
                )
            },
        )

    def begin_recording(self) -> None:
        planner, self._recorded_from = self.planner, self.planner.time
        self._recording = Recording(self.character, planner.body, self.terrain, FPS * self._slow)

    def record(self) -> None:
        if self._recording is not None:
            self._recording.add(self._frame)

    def recorded(self) -> Clip | None:
        recording, self._recording = self._recording, None
        if recording is None or len(recording) < 3:
            return None
        events = [e for e in self.planner.events if e.time >= self._recorded_from]
        return _slowed(recording.clip(events, "studio"), self._slow)

    def close(self) -> None:
        self.planner.close()

    def _tell(self, wish: Mapping[str, Value]) -> None:
        self._wish = settled(self._wish, wish)
        if self.fallen:
            return
        speed = {"speed": self._slow * self._wish.speed} if "speed" in wish else {}
        self.planner.command(**{**wish, **speed})

    def _show(self, time: float, frame: PlannedFrame) -> None:
        self._frame, model, data = frame, self.model, self._data
        data.qpos[:] = frame.qpos
        mujoco.mj_kinematics(model, data)
        velocity_w = frame.state.velocity_w / self._slow
        self.moment = Moment(time, data.xpos, data.xquat, frame.state.com_w, velocity_w)

    def _pendulum(self) -> list[np.ndarray]:
        """The pole of the inverted pendulum, and the path of its cart."""
        sketch, time = self.planner.stage.sketch, self.planner.time
        cart = sketch.pendulum(time).cart_w
        mass = np.array([np.interp(time, sketch.time, column) for column in sketch.com_w.T])
        ground = float(mass[2] - self.planner.body.height) + LIFT
        ahead = np.column_stack([sketch.cart_w, np.full(len(sketch.time), ground)])
        return [np.stack([[cart[0], cart[1], ground], mass]), ahead]


def _slowed(clip: Clip, slow: float) -> Clip:
    """The clip with times `slow` times as long: what its body does under gravity g/s²."""
    if slow == 1.0:
        return clip
    begin = clip.time[0]
    events = [replace(e, time=begin + slow * (e.time - begin)) for e in clip.events]
    names = ("torque", "contact_force_w", "other_force_w", "ground_force_w", "external_force_w")
    return replace(
        clip,
        fps=clip.fps / slow,
        time=begin + slow * (clip.time - begin),
        qvel=clip.qvel / slow,
        events=tuple(events),
        **{name: getattr(clip, name) / slow**2 for name in names},
    )


def _sole(contact: Contact, body: CentroidalBody) -> np.ndarray:
    """Corners of a foot that lies flat (4, 3) [m]."""
    leg = body.legs[contact.limb]
    wide = max(leg.half_width, 0.015)
    hind, fore = leg.effectors[0], leg.effectors[-1]
    if fore - hind < 0.03:
        hind, fore = hind - 0.03, fore + 0.03
    corners = np.array([[hind, wide, LIFT], [fore, wide, LIFT], [fore, -wide, LIFT]])
    corners = np.vstack([corners, [[hind, -wide, LIFT]]])
    placed: np.ndarray = contact.position_w + corners @ contact.R_flat_w.T
    return placed
