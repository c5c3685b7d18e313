"""Walker: a planned motion that goes on in real time, and can be steered, pushed and rebuilt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import mujoco
import numpy as np

from amble.characters import Scale, character, character_names
from amble.characters.character import GRAVITY, Character
from amble.errors import AmbleError, InputError, UnknownName
from amble.motion.clip import Clip
from amble.parameters import Value, settled
from amble.planner.planner import PlannedFrame, Planner
from amble.planner.recording import Recording
from amble.sketch.command import Command
from amble.studio.balancer import BalancedFrame, Balancer
from amble.terrain import parse_terrain
from amble.world.world import Push

WAYS = ("planned", "balance in physics")
STANDS = "In physics it stands: height, gravity and sizes change it; speed and heading do not."
FPS = 60.0  # frames of motion a second
PULSE = 0.1  # [s] for which one part of a push lasts
STRETCH = 0.9  # [body weights per leg length] of force by which a drag pulls
STRONGEST = 1.2  # [body weights]
NEAR = 0.35  # [m] from the goal at which a body stops
REST = 2.0  # [s] between a fall and the new start
LONGEST_RECORDING = 300.0  # [s]
EVENTS = 400  # that are kept when nothing is recorded


@dataclass(frozen=True)
class Setting:
    """What a motion begins with."""

    character: str = "humanoid"
    terrain: str = "flat"
    way: str = "planned"  # one of WAYS
    gait: str = ""
    gravity: float = GRAVITY  # [m/s²], in physics only
    sizes: Mapping[str, Scale] = field(default_factory=dict)

    def body(self) -> Character:
        """The character; raises `InputError` for what is neither in the library nor in the
        working folder."""
        if self.character not in character_names():
            check_inside(Path(self.character))
        body = character(self.character)
        return body.reshaped(self.sizes) if self.sizes else body


def check_inside(path: Path) -> Path:
    """The path, if it lies in the working folder."""
    try:
        inside = path.resolve().is_relative_to(Path.cwd().resolve())
    except (OSError, ValueError):
        inside = False
    if not inside:
        raise InputError(f"{path}: lies outside the working folder; only files within are allowed")
    return path


class Walker:
    """One character on its way. All methods are for one thread, but building is done in another."""

    def __init__(self, setting: Setting | None = None) -> None:
        self.setting = setting or Setting()
        self.wish = Command(speed=1.2)
        self.goal_w: np.ndarray | None = None  # (2,) [m] to walk to
        self.message = ""  # the last thing worth saying
        self._pool = ThreadPoolExecutor(1)
        self._building: Future[Planner | Balancer] | None = None
        self._next: Setting | None = None
        self._asked = self.setting
        self._drag: tuple[str, np.ndarray, np.ndarray] | None = None
        self._pulsed = self._fallen_for = 0.0
        self._recording: Recording | Balancer | None = None
        self._recorded_from = self._record_due = 0.0
        self.clip: Clip | None = None  # the last one that was recorded
        self.planner = self._build(self.setting, self.wish, (0.0, 0.0))
        self.frame: PlannedFrame | BalancedFrame = self.planner.frame(0.0)
        self.generation = 0  # grows with every new body or ground
        self._data = mujoco.MjData(self.model)
        self._pose()

    @property
    def character(self) -> Character:
        return self.planner.character

    @property
    def model(self) -> mujoco.MjModel:
        """The body in its present shape; in physics with its ground."""
        planner = self.planner
        return planner.model if isinstance(planner, Balancer) else planner.character.model

    @property
    def places_w(self) -> np.ndarray:
        """Of all MJCF bodies (nbody, 3) [m]."""
        return np.asarray(self._data.xpos)

    @property
    def quats_w(self) -> np.ndarray:
        """Of all MJCF bodies (nbody, 4)."""
        return np.asarray(self._data.xquat)

    @property
    def ground_force(self) -> float:
        """Upward, on the whole body [N]."""
        planner, frame = self.planner, self.frame
        if isinstance(planner, Balancer):
            report = planner.world.contacts()
            return float(report.force_w[:, 2].sum() + report.other_force_w[2])
        return float(planner.stage.plan.total_force(frame.time)[2])

    @property
    def building(self) -> bool:
        """Whether another motion is being prepared."""
        return self._building is not None

    @property
    def recording(self) -> bool:
        return self._recording is not None

    @property
    def recorded_seconds(self) -> float:
        return self.frame.time - self._recorded_from if self.recording else 0.0

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._building is not None and self._building.done() and not self._building.exception():
            self._building.result().close()
        self.planner.close()

    def command(self, **changes: Value) -> None:
        """Wish something else; raises `InputError` for what is not allowed."""
        wish = settled(self.wish, changes)
        new = {k: v for k, v in changes.items() if getattr(wish, k) != getattr(self.wish, k)}
        if not new:
            return
        if not self.planner.fallen:
            self.planner.command(**{key: getattr(wish, key) for key in new})
        self.wish = wish

    def change(self, **changes: object) -> None:
        """Go on with another character, ground, gait or sizes, as soon as it is prepared."""
        self._next = replace(self._next or self.setting, **changes)  # type: ignore[arg-type]

    def reshape(self, part: str, scale: Scale) -> None:
        """Give a part another size, relative to its own: at once in physics, else as soon as the
        new body is prepared."""
        self.character.part(part)
        before, planner = self.setting.sizes.get(part, Scale()), self.planner
        if isinstance(planner, Balancer):
            change = Scale(
                scale.length / before.length,
                scale.girth / before.girth,
                _mass(scale) / _mass(before),
            )
            planner.reshape(part, change)
            self.setting = replace(self.setting, sizes={**self.setting.sizes, part: scale})
            self.generation += 1
        else:
            self.change(sizes={**self.setting.sizes, part: scale})

    def reset(self) -> None:
        """Begin again where the motion began."""
        self.goal_w = None
        self._next = self._next or self.setting

    def drag(self, part: str, point_w: np.ndarray, pull_w: np.ndarray) -> None:
        """Pull at a point of a part (3,) [m] as if by a rubber band to `pull_w` (3,) [m]."""
        body = self.model.body(part).id
        R_wb = self._data.xmat[body].reshape(3, 3)
        point_b = R_wb.T @ (np.asarray(point_w, dtype=float) - self._data.xpos[body])
        if not (np.isfinite(point_b).all() and np.isfinite(pull_w).all()):
            raise InputError("a drag must lead from a place to a place")
        self._drag = (part, point_b, np.asarray(pull_w, dtype=float))

    def release(self) -> None:
        """Let go."""
        self._drag = None

    def arrow(self) -> np.ndarray | None:
        """From the point that is dragged to where it is dragged to (2, 3) [m], if any is."""
        if self._drag is None:
            return None
        part, point_b, pull_w = self._drag
        return np.stack([self._point_w(part, point_b), pull_w])

    def start_recording(self) -> None:
        """From now on frames are kept."""
        planner = self.planner
        if isinstance(planner, Balancer):
            planner.begin_recording(FPS, LONGEST_RECORDING)
            self._recording = planner
        else:
            self._recording = Recording(self.character, planner.body, planner.terrain, FPS)
        self._recorded_from = self._record_due = self.frame.time

    def stop_recording(self) -> Clip | None:
        """The clip of what was recorded; None if it is too short to be one."""
        recording, self._recording = self._recording, None
        if recording is None or self.frame.time - self._recorded_from < 3 / FPS:
            return None
        if isinstance(recording, Balancer):
            self.clip = recording.recorded()
            return self.clip
        since = [e for e in self.planner.events if e.time >= self._recorded_from]
        self.clip = recording.clip(since, "studio")
        return self.clip

    def step(self, seconds: float) -> None:
        """Let the motion go on by some time; failures become a message and a new start."""
        self.prepare()
        if self.planner.fallen:
            self._lie(seconds)
            return
        try:
            self._steer()
            self._pull()
            self.frame = self.planner.frame(self.planner.time + seconds)
        except Exception as error:  # whatever happens to one motion, the page goes on
            self.message = f"The motion broke off ({error.__class__.__name__}) and begins again."
            self._restart()
            return
        self._pose()
        self._record()
        if self.planner.fallen:
            self.message = f"It fell: {self.planner.fallen}."
            self._fallen_for = 0.0

    def _record(self) -> None:
        """Keep the frame if one is due; in slow motion not all are."""
        if self._recording is None:
            if not isinstance(self.planner, Balancer):
                del self.planner.events[:-EVENTS]
            return
        if self.frame.time < self._record_due - 1e-6:
            return
        self._record_due = max(self._record_due, self.frame.time) + 1 / FPS
        if isinstance(self._recording, Balancer):
            self._recording.record()
        elif isinstance(self.frame, PlannedFrame):
            self._recording.add(self.frame)
        if self.recorded_seconds > LONGEST_RECORDING:
            self.stop_recording()
            self.message = f"A recording lasts {LONGEST_RECORDING:g} s at most."

    def _pose(self) -> None:
        self._data.qpos[:] = self.frame.qpos
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_comPos(self.model, self._data)

    def _point_w(self, part: str, point_b: np.ndarray) -> np.ndarray:
        body = self.model.body(part).id
        point: np.ndarray = self._data.xpos[body] + self._data.xmat[body].reshape(3, 3) @ point_b
        return point

    def _steer(self) -> None:
        """Towards the goal, if there is one, slower when near."""
        if self.goal_w is None:
            return
        away = self.goal_w - self.frame.state.com_w[:2]
        distance = float(np.linalg.norm(away))
        if distance < NEAR:
            self.goal_w = None
            self.command(speed=0.0)
            return
        heading = math.degrees(math.atan2(away[1], away[0]))
        turn = (heading - self.wish.heading + 180) % 360 - 180
        if abs(turn) > (8.0 if distance > 1.0 else 20.0):
            self.command(heading=self.wish.heading + turn)

    def _pull(self) -> None:
        """A drag is a row of short pushes."""
        now = self.planner.time
        if self._drag is None or now < self._pulsed + PULSE:
            return
        part, point_b, pull_w = self._drag
        self._pulsed = now
        away = pull_w - self._point_w(part, point_b)
        weight = self.character.mass * GRAVITY
        force = STRETCH * weight * away / self.planner.body.leg_length
        size = float(np.linalg.norm(force))
        force *= min(1.0, STRONGEST * weight / max(size, 1e-9))
        if size > 0.01 * weight:
            x, y, z = point_b
            self.planner.push(
                Push(part, tuple(force), now + 1e-3, PULSE, (float(x), float(y), float(z)))
            )

    def _lie(self, seconds: float) -> None:
        """After a fall, wait a moment and begin again."""
        self._fallen_for += seconds
        if self._fallen_for > REST and not self.building:
            self._restart()

    def _restart(self) -> None:
        self._next = self._next or self.setting

    def prepare(self) -> None:
        """Begin to build what was asked for; go on with it when it is ready."""
        if self._building is None and self._next is not None:
            setting, self._next = self._next, None
            self._asked = setting
            wish = replace(self.wish, style="natural") if self._other_body(setting) else self.wish
            self._building = self._pool.submit(self._build, setting, wish, (0.0, 0.0))
        if self._building is None or not self._building.done():
            return
        done, self._building = self._building, None
        try:
            planner = done.result()
        except AmbleError as error:
            self.message = str(error)
            return
        except Exception as error:  # of a model file, say
            self.message = f"That cannot be prepared ({error.__class__.__name__}: {error})."
            return
        if self.recording:
            self.stop_recording()
        self._drag, self.goal_w, self._pulsed = None, None, 0.0
        old, self.planner = self.planner, planner
        old.close()
        self.setting = self._asked
        self.frame = planner.frame(0.0)
        self._data = mujoco.MjData(self.model)
        self._pose()
        self.generation += 1
        self.message = STANDS if isinstance(planner, Balancer) else ""

    def _other_body(self, setting: Setting) -> bool:
        return setting.character != self.setting.character

    @staticmethod
    def _build(setting: Setting, wish: Command, at: tuple[float, float]) -> Planner | Balancer:
        terrain = parse_terrain(setting.terrain)
        if setting.way == WAYS[1]:
            return Balancer(setting.body(), terrain, setting.gravity, wish.height)
        if setting.way not in WAYS:
            raise UnknownName("way of moving", setting.way, WAYS)
        return Planner(setting.body(), terrain, wish, gait=setting.gait, at=at, ahead=True)


def _mass(scale: Scale) -> float:
    """Factor of the mass: that of the volume where nothing is said."""
    return scale.length * scale.girth**2 if scale.mass is None else scale.mass
