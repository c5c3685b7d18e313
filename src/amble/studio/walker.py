"""Walker: a motion that goes on in real time, and can be steered, pushed and made anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

import mujoco
import numpy as np

from amble.characters import Scale
from amble.characters.centroidal import centroidal_body
from amble.characters.character import Character
from amble.errors import AmbleError, InputError, UnknownName
from amble.motion.clip import Clip
from amble.parameters import Value, settled
from amble.sketch.command import Command
from amble.studio.drag import Drag
from amble.studio.motion import FPS, LONGEST_RECORDING, Moment, Motion
from amble.studio.physics import PhysicsMotion
from amble.studio.planned import PlannedMotion
from amble.studio.setting import CLEAR, NOTICE, OBSTACLES, PLANNED, WAYS, Setting, top_speed
from amble.terrain.terrain import Terrain

NEAR = 0.35  # [m] from the goal at which a body stops
REST = 2.0  # [s] between a fall and the new start
SAME_GROUND = 0.04  # [m] by which a new ground may differ under a body that goes on
MOST_OBSTACLES = 24
PIT = 0.5  # of the body's height: who fell deeper begins again where the motion began


class Begin(Enum):
    """How another setting begins."""

    ON = "the motion goes on, if it can"
    HERE = "standing where the body is"
    ANEW = "where and as the setting itself begins"


@dataclass(frozen=True)
class Parts:
    """What of a motion that goes on becomes another."""

    body: Character | None = None
    ground: Terrain | None = None


class Walker:
    """One character on its way. All methods are for one thread, but building is done in another."""

    def __init__(self, setting: Setting | None = None) -> None:
        self.setting = setting or Setting()
        if self.setting.scenario:
            self.setting = replace(self.setting, way=self.setting.way_of_recipe)
        self.wish = self.setting.own_wish(Command(speed=1.2))
        self.goal_w: np.ndarray | None = None  # (2,) [m] to walk to
        self.message = ""  # the last thing worth saying
        self.drag: Drag | None = None
        self.clip: Clip | None = None  # the last one that was recorded
        self._pool = ThreadPoolExecutor(1)
        self._building: Future[Any] | None = None
        self._next: tuple[Setting, Begin] | None = None
        self._asked, self._how = self.setting, Begin.ANEW
        self._fallen_for = 0.0
        self._recording = False
        self._recorded_from = self._record_due = 0.0
        self.motion: Motion = self.setting.motion(self.wish, (0.0, 0.0), own=True)
        self.generation = 0  # grows with every new body or ground
        self.shape = 0  # grows when the body takes another size
        self.ground = 0  # grows when the ground changes under a motion that goes on

    @property
    def character(self) -> Character:
        return self.motion.character

    @property
    def model(self) -> mujoco.MjModel:
        """The body in its present shape; in physics with its ground."""
        return self.motion.model

    @property
    def moment(self) -> Moment:
        """Where the body is."""
        return self.motion.moment

    @property
    def building(self) -> bool:
        """Whether another motion is being prepared."""
        return self._building is not None

    @property
    def recording(self) -> bool:
        return self._recording

    @property
    def recorded_seconds(self) -> float:
        return self.moment.time - self._recorded_from if self.recording else 0.0

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._building is not None and self._building.done() and not self._building.exception():
            made = self._building.result()
            if not isinstance(made, Parts):
                made[0].close()
        self.motion.close()

    def command(self, **changes: Value) -> None:
        """Wish something else; raises `InputError` for what is not allowed."""
        wish = settled(self.wish, changes)
        new = {k: v for k, v in changes.items() if getattr(wish, k) != getattr(self.wish, k)}
        if new and not self.motion.fallen:
            self.motion.command(**{key: getattr(wish, key) for key in new})
        self.wish = wish

    def change(self, **changes: object) -> None:
        """Go on otherwise: at once where the motion can, else as soon as it is prepared.

        A scenario begins as it does by itself, at the origin. Anything else goes on where the body
        is: a new ground is laid so that its origin comes to lie beneath it.
        """
        before = self.pending
        if "scenario" in changes:
            chosen = Setting(scenario=str(changes["scenario"]))
            self._next = replace(chosen, way=chosen.way_of_recipe), Begin.ANEW
            return
        if "way" in changes or "character" in changes:
            way = before.way if before.way in WAYS else PLANNED
            before = replace(before.without_scenario(), way=way)
        if "character" in changes:
            before = replace(before, sizes={}, gait="")
        if "terrain" in changes:
            before = replace(before, origin=self._here(), obstacles=())
        self._next = replace(before, **changes), Begin.ON  # type: ignore[arg-type]

    def lay_obstacle(self, kind: str) -> None:
        """Put one on the ground, as far ahead as leaves time to see it."""
        if kind not in OBSTACLES:
            raise UnknownName("obstacle", kind, OBSTACLES)
        x, y, _, heading = self._here()
        far, angle = CLEAR + NOTICE * self.wish.speed, math.radians(heading)
        x, y = x + far * math.cos(angle), y + far * math.sin(angle)
        ground = float(self.motion.terrain.height(x, y))
        block = OBSTACLES[kind].at(x, y, ground, heading)
        self.change(obstacles=(*self.pending.obstacles, block)[-MOST_OBSTACLES:])

    def reshape(self, sizes: Mapping[str, Scale]) -> None:
        """Give parts other sizes, relative to their own."""
        for part in sizes:
            self.character.part(part)
        self.change(sizes={**self.pending.sizes, **sizes})

    def tune(self, **settings: Value) -> None:
        """Change parameters of the controller, in physics."""
        if not isinstance(self.motion, PhysicsMotion):
            raise InputError("only a motion in physics has a controller to tune")
        self.motion.tune(**settings)

    def reset(self) -> None:
        """Begin again where the motion began, without obstacles, as its scenario does."""
        self._next = replace(self.pending, origin=(0.0,) * 4, obstacles=()), Begin.ANEW

    def pull(self, part: str, point_w: np.ndarray, pull_w: np.ndarray) -> None:
        """Pull at a point of a part (3,) [m] as if by a rubber band to `pull_w` (3,) [m]."""
        if self.drag is not None and self.drag.part == part:
            again = Drag(self.motion, part, self.drag.point_w(self.motion), pull_w)
            self.drag.pull_w = again.pull_w
        else:
            self.drag = Drag(self.motion, part, point_w, pull_w)

    def release(self) -> None:
        """Let go."""
        self.drag = None

    def arrow(self) -> np.ndarray | None:
        """From the point that is dragged to where it is dragged to (2, 3) [m], if any is."""
        if self.drag is None:
            return None
        return np.stack([self.drag.point_w(self.motion), self.drag.pull_w])

    def start_recording(self) -> None:
        """From now on frames are kept."""
        self.motion.begin_recording()
        self._recording = True
        self._recorded_from = self._record_due = self.moment.time

    def stop_recording(self) -> Clip | None:
        """The clip of what was recorded; None if it is too short to be one."""
        if not self._recording:
            return None
        self._recording = False
        clip = self.motion.recorded()
        if clip is not None:
            self.clip = clip
        return clip

    def step(self, seconds: float) -> None:
        """Let the motion go on by some time; failures become a message and a new start."""
        self.prepare()
        if self.motion.fallen:
            self._lie(seconds)
            return
        try:
            self._steer()
            if self.drag is not None:
                self.drag.pull(self.motion)
            self.motion.advance(seconds)
        except InputError as error:
            self.drag, self.message = None, str(error)
        except Exception as error:  # whatever happens to one motion, the page goes on
            self.message = f"The motion broke off ({error.__class__.__name__}) and begins again."
            self._restart()
            return
        self._record()
        if self.motion.fallen:
            self.message = f"It fell: {self.motion.fallen}."
            self._fallen_for = 0.0

    def prepare(self) -> None:
        """Have made in a thread what was asked for; go on with it when it is ready."""
        try:
            if self._building is None and self._next is not None:
                (self._asked, self._how), self._next = self._next, None
                goes_on = self._how is Begin.ON and self._goes_on(self._asked)
                work = partial(_parts, self._asked, self.setting) if goes_on else self._whole()
                self._building = self._pool.submit(work)
            if self._building is None or not self._building.done():
                return
            done, self._building = self._building, None
            made = done.result()
            if not isinstance(made, Parts):
                self._begin(made)
            elif not self._go_on(made):
                self._building = self._pool.submit(self._whole())
        except AmbleError as error:
            self.message = str(error)
        except Exception as error:  # of a model file, say
            self.message = f"That cannot be prepared ({error.__class__.__name__}: {error})."

    def _whole(self) -> Callable[[], tuple[Motion, Command]]:
        """What makes the motion that was asked for, standing here or where it begins."""
        anew = self._how is Begin.ANEW
        at = self._asked.origin[:2] if anew else self._here()[:2]
        wish = self.wish
        if self._asked.character_name != self.setting.character_name:
            wish = replace(wish, style="natural")
        return partial(_whole, self._asked, wish, at, anew)

    def _begin(self, made: tuple[Motion, Command]) -> None:
        self.stop_recording()
        self.drag = self.goal_w = None
        old, (self.motion, self.wish) = self.motion, made
        old.close()
        self.setting = self._asked
        self.generation += 1
        self.message = ""

    def _goes_on(self, setting: Setting) -> bool:
        """Whether the motion can go on with it, if the ground is the same beneath the body."""
        old, motion = self.setting, self.motion
        if isinstance(motion, PhysicsMotion):
            return replace(setting, sizes=old.sizes) == old and not motion.fallen
        names = ("character", "scenario", "way")
        like = all(getattr(setting, name) == getattr(old, name) for name in names)
        return isinstance(motion, PlannedMotion) and like and not motion.fallen

    def _go_on(self, parts: Parts) -> bool:
        """Go on with other parts without a new beginning; False if that cannot be."""
        old, setting, motion = self.setting, self._asked, self.motion
        if isinstance(motion, PhysicsMotion):
            usual = Scale()
            for part in old.sizes.keys() | setting.sizes.keys():
                scale, before = setting.sizes.get(part, usual), old.sizes.get(part, usual)
                motion.reshape(part, _relative(scale, before))
        elif isinstance(motion, PlannedMotion) and not motion.fallen:
            if parts.ground is not None and not self._same_beneath(parts.ground):
                return False
            self.stop_recording()
            if setting.gait != old.gait or parts != Parts():
                gait = setting.gait if setting.gait != old.gait else None
                motion.change(parts.body, parts.ground, gait)
            motion.gravity = setting.gravity
        else:
            return False
        self.shape += setting.sizes != old.sizes
        self.ground += parts.ground is not None
        self.setting = setting
        return True

    @property
    def pending(self) -> Setting:
        """The setting that was asked for last."""
        if self._next is not None:
            return self._next[0]
        return self.setting if self._building is None else self._asked

    def _same_beneath(self, ground: Terrain) -> bool:
        """Whether a ground is as high as the present one where the body is and soon will be."""
        x, y, _, heading = self._here()
        reach = self.character.leg_length
        along = np.linspace(-0.5, 1.0, 7) * reach
        ahead, aside = np.meshgrid(along, np.array([-0.3, 0.0, 0.3]) * reach)
        c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
        xs, ys = x + c * ahead - s * aside, y + s * ahead + c * aside
        off = ground.height(xs, ys) - self.motion.terrain.height(xs, ys)
        return bool(np.abs(off).max() < SAME_GROUND)

    def _here(self) -> tuple[float, float, float, float]:
        """Where the body is: x, y and the ground's height [m], and where it goes (deg)."""
        x, y = self.moment.com_w[:2].tolist()
        heading = (self.wish.heading + 180.0) % 360.0 - 180.0
        return x, y, float(self.motion.terrain.height(x, y)), heading

    def _record(self) -> None:
        """Keep the frame if one is due; in slow motion not all are."""
        if not self._recording or self.moment.time < self._record_due - 1e-6:
            return
        self._record_due = max(self._record_due, self.moment.time) + 1 / FPS
        self.motion.record()
        if self.recorded_seconds > LONGEST_RECORDING:
            self.stop_recording()
            self.message = f"A recording lasts {LONGEST_RECORDING:g} s at most."

    def _steer(self) -> None:
        """Towards the goal, if there is one, slower when near."""
        if self.goal_w is None:
            return
        away = self.goal_w - self.moment.com_w[:2]
        distance = float(np.linalg.norm(away))
        if distance < NEAR:
            self.goal_w = None
            self.command(speed=0.0)
            return
        heading = math.degrees(math.atan2(away[1], away[0]))
        turn = (heading - self.wish.heading + 180) % 360 - 180
        if abs(turn) > (8.0 if distance > 1.0 else 20.0):
            self.command(heading=self.wish.heading + turn)

    def _lie(self, seconds: float) -> None:
        """After a fall, wait a moment and begin again: where it lies, or at the beginning if that
        is a pit."""
        self._fallen_for += seconds
        if self._fallen_for > REST and not self.building:
            self._restart()

    def _restart(self) -> None:
        if self._next is not None:
            return
        deep = self.setting.origin[2] - self._here()[2] > PIT * self.character.com_height
        self._next = self.setting, Begin.ANEW if deep else Begin.HERE


def _parts(setting: Setting, old: Setting) -> Parts:
    """What differs, with all that takes long done."""
    body = ground = None
    if setting.sizes != old.sizes and setting.way == PLANNED:
        body = setting.body()
        centroidal_body(body)
    names = ("terrain", "origin", "obstacles")
    if any(getattr(setting, name) != getattr(old, name) for name in names):
        ground = setting.ground()
        ground.height(0.0, 0.0)
    return Parts(body, ground)


def _whole(
    setting: Setting, wish: Command, at: tuple[float, float], anew: bool
) -> tuple[Motion, Command]:
    wish = setting.own_wish(wish) if anew else wish
    legs = sum(limb.kind == "leg" for limb in setting.body().limbs) if not setting.is_file else 2
    wish = replace(wish, speed=min(wish.speed, top_speed(setting.way, legs)))
    return setting.motion(wish, at, anew), wish


def _relative(scale: Scale, before: Scale) -> Scale:
    """From one size to another."""
    mass = scale.mass_factor / before.mass_factor
    return Scale(scale.length / before.length, scale.girth / before.girth, mass)
