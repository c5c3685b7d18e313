"""Clip: a recorded motion, with everything needed to look at it, measure it or imitate it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.characters.reshape import scale_segment
from amble.errors import InputError
from amble.terrain.terrain import Terrain


@dataclass(frozen=True)
class Event:
    """Something that happened at one moment of a clip.

    kind                what                   values
    push                part                   fx, fy, fz [N]; seconds [s]; x, y, z [m]
    reshape             part                   length, girth, mass: factors to the size just before
    touchdown, liftoff  end effector
    footprint           foot                   x, y, z, length, width [m]; yaw [deg]: to step there
    command             key, e.g. `heading`    value, in the key's unit ([m/s], [deg], …)
    plan, plan_failure  reason
    limit               what of a command was limited
    fall                reason

    A push's x, y, z say where on the part, in its frame; without them it acts at the part's
    centre of mass.
    """

    time: float  # [s]
    kind: str
    what: str = ""
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """One moment of a clip as MuJoCo sees it; the next frame overwrites `model` and `data`."""

    index: int
    time: float  # [s]
    model: mujoco.MjModel
    data: mujoco.MjData


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of T frames, `fps` a second, of a character with P contact points.

    Every array has one row a frame. Positions and forces are in the world frame (x forward, y left,
    z up); the layouts of `qpos` and `qvel` are MuJoCo's, joint by joint in the model's order:

        qpos  x y z of the root [m] and its quaternion w x y z; then an angle [rad] for a hinge,
              a length [m] for a slide, a quaternion w x y z for a ball joint
        qvel  linear velocity of the root in the world frame [m/s] and its angular velocity in its
              own frame [rad/s]; then a rate for a hinge or slide, three for a ball joint, in its
              child's frame

    `torque` has the layout of `qvel[6:]`. Contact points are the sites of `character.end_effectors`
    in order (`point_names`). `touching`, `contact_force_w` and `other_force_w` hold at the instant
    of the frame; `ground_force_w` and `external_force_w` are averages since the previous frame
    (zero in the first), so that their sum times the interval is the impulse the body received.

    To use a clip as a reference motion for learning, read `qpos`, `qvel`, `torque`, `touching`.
    """

    character: Character
    terrain: Terrain
    fps: float  # [1/s]
    time: np.ndarray  # (T,) [s], increasing
    qpos: np.ndarray  # (T, nq)
    qvel: np.ndarray  # (T, nv)
    torque: np.ndarray  # (T, nv − 6) [N m]
    touching: np.ndarray  # (T, P) bool
    contact_force_w: np.ndarray  # (T, P, 3) [N] on the character, at each contact point
    other_force_w: np.ndarray  # (T, 3) [N] ground force on parts without contact points
    ground_force_w: np.ndarray  # (T, 3) [N] net ground force, average since the previous frame
    external_force_w: np.ndarray  # (T, 3) [N] pushes, average since the previous frame
    events: tuple[Event, ...] = ()
    scenario: str = ""
    friction: float = 1.0  # friction coefficient of the ground

    def __post_init__(self) -> None:
        model = self.character.model
        T, P = len(self.time), len(self.point_names)
        if T == 0:
            raise InputError("clip: has no frames; at least one is needed")
        shapes = {
            "time": (T,),
            "qpos": (T, model.nq),
            "qvel": (T, model.nv),
            "torque": (T, model.nv - 6),
            "touching": (T, P),
            "contact_force_w": (T, P, 3),
            "other_force_w": (T, 3),
            "ground_force_w": (T, 3),
            "external_force_w": (T, 3),
        }
        for name, shape in shapes.items():
            array = np.asarray(getattr(self, name), dtype=bool if name == "touching" else float)
            if array.shape != shape:
                raise InputError(f"clip: {name} has shape {array.shape}; expected {shape}")
            if not np.isfinite(array).all():
                row = int(np.argwhere(~np.isfinite(array))[0][0])
                raise InputError(f"clip: {name} is not finite at frame {row}; all must be numbers")
            object.__setattr__(self, name, array)
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise InputError(f"clip: fps is {self.fps}; it must be positive")
        if (np.diff(self.time) <= 0).any():
            raise InputError("clip: time must increase from frame to frame")

    def __len__(self) -> int:
        return len(self.time)

    @property
    def seconds(self) -> float:
        """From the first frame to the last [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def point_names(self) -> tuple[str, ...]:
        """The P contact points: MJCF sites, in the order of the character's end effectors."""
        return tuple(site for e in self.character.end_effectors for site in e.sites)

    def events_of(self, *kinds: str) -> tuple[Event, ...]:
        """The events of these kinds, in order of time."""
        return tuple(e for e in self.events if e.kind in kinds)

    def frames(self, model: mujoco.MjModel | None = None) -> Iterator[Frame]:
        """Play the clip: kinematics and centres of mass are up to date at every frame yielded.

        `model` is the character's own by default, or one that adds scenery to it; it is copied, and
        the clip's reshapes are applied to the copy as they happen.
        """
        model = copy.copy(self.character.model if model is None else model)
        data = mujoco.MjData(model)
        reshapes = sorted(self.events_of("reshape"), key=lambda e: e.time)
        for index, time in enumerate(self.time):
            while reshapes and reshapes[0].time <= time + 1e-9:
                event = reshapes.pop(0)
                scale_segment(model, self.character.part(event.what), **event.values)
            data.time = time
            data.qpos[:] = self.qpos[index]
            data.qvel[:] = self.qvel[index]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_camlight(model, data)
            yield Frame(index, float(time), model, data)

    def save(self, path: str | Path) -> None:
        """Write everything to a .npz file; equal clips give equal bytes."""
        from amble.motion.clip_file import write_clip

        write_clip(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Clip:
        """Read what `save` wrote; raises `InputError` that says what is wrong with the file."""
        from amble.motion.clip_file import read_clip

        return read_clip(Path(path))
