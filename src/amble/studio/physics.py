"""Motion by torques in the studio: a simulated scenario that goes on as long as somebody looks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from amble.characters.character import GRAVITY, Character
from amble.characters.reshape import Scale
from amble.control.watched import noted_events, watched_points
from amble.errors import InputError
from amble.motion.browser import footprint_outline
from amble.motion.clip import Clip
from amble.motion.fall import has_fallen, rest_com_height
from amble.parameters import ParameterInfo, Value, parameter_infos, settled
from amble.scenarios.scenario import Scenario
from amble.scenarios.simulated import Simulated
from amble.sketch.command import Command
from amble.studio.motion import FPS, LONGEST_RECORDING, Moment
from amble.studio.sight import CAPTURE, LIFT, Sight, capture_point, outline, support
from amble.terrain.terrain import Terrain
from amble.world import MuJoCoWorld, Push
from amble.world.recorder import Recorder

TIMESTEP, CONTROL = 1 / 960, 2  # [s] of physics, and steps of it between two torques: 480 Hz
KEPT_SOLES = 8  # footsteps that stay on the ground
OWN = ("control_rate", "combination", "planner")  # parameters that only the beginning decides


class PhysicsMotion:
    """A body in MuJoCo's physics and its controller."""

    def __init__(
        self,
        scenario: Scenario,
        character: Character,
        terrain: Terrain,
        wish: Command,
        *,
        gravity: float = GRAVITY,
        at: tuple[float, float] = (0.0, 0.0),
        disturbed: bool = True,
    ) -> None:
        """`disturbed`: with the scenario's own pushes, growth and changes."""
        recipe = scenario.play
        if not isinstance(recipe, Simulated):
            raise InputError(f"scenario '{scenario.name}': is not simulated as it is watched")
        self.character, self.terrain, self.fallen = character, terrain, ""
        self.world = MuJoCoWorld(character, terrain, timestep=TIMESTEP)
        self.world.model.opt.gravity[2] = -gravity
        self.world.reset(self.world.standing(at, float(np.radians(wish.heading))))
        request = scenario.request(character, terrain=terrain)
        parameters = scenario.parameters_of(request)
        self._usual = settled(parameters, {"control_rate": 1 / (CONTROL * TIMESTEP)})
        self._names = _names(self._usual)
        self.follows = frozenset(self._names)
        self._gravity = gravity
        begin = {key: getattr(wish, key) for key in self._names}
        self._control = recipe.controller(self.world, settled(self._usual, self._told(begin)))
        self._torque = np.zeros(self.world.model.nv - 6)
        self._steps = 0
        self._due: list[tuple[float, Any]] = []
        if disturbed:
            for push in recipe.all_pushes(character, parameters, request.seed):
                self.world.push(push)
            self._due += recipe.actions(self.world, parameters)
            for change in recipe.changes(character):
                self._due.append((change.time, lambda c=change: self.tune(**{c.key: c.value})))
            self._due.sort(key=lambda each: each[0])
        self._root = self.world.model.body(character.root).id
        self._rest_height = rest_com_height(character)
        self._recorder: Recorder | None = None
        self._soles: deque[np.ndarray] = deque(maxlen=KEPT_SOLES)
        self._standing: tuple[bool, ...] = ()
        self._show()

    @property
    def model(self) -> mujoco.MjModel:
        return self.world.model

    @property
    def ground_force(self) -> float:
        report = self.world.contacts()
        return float(report.force_w[:, 2].sum() + report.other_force_w[2])

    @property
    def residuals(self) -> Sequence[float]:
        body = self._control.body
        return tuple(float(value) for value in body.residual[: len(body.tasks.levels) - 1])

    @property
    def tunable(self) -> dict[str, tuple[ParameterInfo, Value]]:
        """The controller's parameters that can change now, and their values."""
        parameters = self._control.parameters
        return {
            name: (info, getattr(parameters, name))
            for name, info in parameter_infos(parameters).items()
            if name not in OWN
        }

    def tune(self, **settings: Value) -> None:
        """Change parameters of the controller; raises `InputError` for what is not allowed."""
        self._control.parameters = settled(self._control.parameters, settings)

    def command(self, **wish: Value) -> None:
        self.tune(**self._told({key: wish[key] for key in self._names if key in wish}))

    def push(self, push: Push) -> None:
        self.world.push(replace(push, start=self.world.time + push.start))

    def reshape(self, part: str, scale: Scale) -> None:
        """Scale a part now, relative to its present size."""
        self.world.reshape(part, scale.length, scale.girth, scale.mass)
        self._rest_height = rest_com_height(self.character, self.world.model)

    def advance(self, seconds: float) -> None:
        """Go on, to the nearest step of the physics."""
        world = self.world
        for _ in range(round((self.moment.time + seconds - world.time) / TIMESTEP)):
            while self._due and self._due[0][0] <= world.time:
                self._due.pop(0)[1]()
            if self._steps % CONTROL == 0:
                self._torque = self._control.torque(world.time)
            world.step(self._torque)
            self._steps += 1
        self._show()
        self._check_fall()

    def sight(self) -> Sight:
        world, report, moment = self.world, self.world.contacts(), self.moment
        sites = [world.model.site(s).id for e in self.character.end_effectors for s in e.sites]
        places = world.data.site_xpos[sites]
        x, y, _ = moment.com_w
        ground = float(self.terrain.height(x, y))
        xi = capture_point(moment.com_w, moment.velocity_w, ground, self._gravity)
        points = {CAPTURE: xi}
        for name, place in watched_points(self._control).items():
            height = float(self.terrain.height(*place)) + LIFT
            points[name] = np.array([*place, height])
        return Sight(
            com_w=moment.com_w,
            ground=ground,
            taken_w=tuple(self._soles),
            planned_w=[footprint_outline(e) for e in noted_events(self._control)],
            forces=list(zip(places[report.touching], report.force_w[report.touching], strict=True)),
            support_w=support(places[report.touching]),
            pendulum_w=[np.stack([xi, moment.com_w])],
            points_w=points,
        )

    def begin_recording(self) -> None:
        frames = round(LONGEST_RECORDING * FPS) + 2
        self._recorder = Recorder(self.world, FPS, frames=frames)

    def record(self) -> None:
        if self._recorder is not None:
            self._recorder.record(self._torque)

    def recorded(self) -> Clip | None:
        """Its body has the shape that it had at the time."""
        recorder, self._recorder = self._recorder, None
        if recorder is None or len(recorder) < 3:
            return None
        clip = recorder.clip()
        before = [e for e in self.world.log if e.kind == "reshape" and e.time < clip.time[0] - 1e-9]
        return replace(clip, events=(*before, *clip.events), scenario="studio")

    def close(self) -> None:
        """There is nothing to end."""

    def _told(self, wish: Mapping[str, Any]) -> dict[str, Value]:
        """A wish in the words of the controller, as far as it can follow it."""
        infos = parameter_infos(self._usual)
        found: dict[str, Value] = {}
        for key, value in wish.items():
            name, info = self._names[key], infos[self._names[key]]
            usual = getattr(self._usual, name)
            given = float(value)
            if key == "height":
                given = usual + (given if name == "com_height" else -given)
            elif key in ("width", "stride"):
                given *= usual
            found[name] = min(max(given, info.low), info.high)
        return found

    def _show(self) -> None:
        data, root = self.world.data, self._root
        mujoco.mj_subtreeVel(self.world.model, data)
        com_w, velocity_w = data.subtree_com[root].copy(), data.subtree_linvel[root].copy()
        self.moment = Moment(self.world.time, data.xpos, data.xquat, com_w, velocity_w)
        self._note_footsteps()

    def _note_footsteps(self) -> None:
        """Keep the outline of every foot that has just come down."""
        touching, first, standing = self.world.contacts().touching, 0, []
        for effector in self.character.end_effectors:
            points = slice(first, first + len(effector.sites))
            first = points.stop
            standing.append(bool(touching[points].all()))
            known = len(self._standing) >= len(standing) and self._standing[len(standing) - 1]
            if standing[-1] and not known:
                sites = [self.world.model.site(site).id for site in effector.sites]
                self._soles.append(outline(self.world.data.site_xpos[sites]))
        self._standing = tuple(standing)

    def _check_fall(self) -> None:
        x, y, z = self.moment.com_w.tolist()
        weight = float(self.world.model.body_subtreemass[self._root]) * self._gravity
        load = float(self.world.contacts().other_force_w[2])
        height = z - float(self.terrain.height(x, y))
        if not self.fallen and has_fallen(height, self._rest_height, load, weight):
            self.fallen = "it could not keep its balance"


def _names(parameters: Any) -> dict[str, str]:
    """Which parameter of a controller each wish is about."""
    known = parameter_infos(parameters)
    words = {"speed": "speed", "heading": "heading", "width": "hip_shift"}
    words |= {"stride": "swing_duration", "height": "com_height"}
    names = {key: name for key, name in words.items() if name in known}
    if "crouch" in known:
        names["height"] = "crouch"
    return names
