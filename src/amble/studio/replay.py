"""A finished clip in the studio: a file, or a scenario that is made before it is watched."""

from __future__ import annotations

import copy
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.characters.reshape import copy_shape, scale_segment
from amble.errors import InputError, UnknownName
from amble.motion.clip import Clip
from amble.motion.skeleton_clip import read_bvh_clip
from amble.parameters import Value
from amble.scenarios import scenario
from amble.studio.motion import Moment
from amble.studio.sight import CAPTURE, Sight, capture_point, outline, support
from amble.terrain.terrain import Terrain
from amble.world.world import Push

KINDS = (".npz", ".bvh")
AHEAD = 1.0  # [s] of the path of the centre of mass that is shown
KEPT_SOLES = 8  # footsteps that are shown, and as many that come


def read_clip_file(path: Path) -> Clip:
    """A clip from a file that amble wrote, or from BVH in metres."""
    ending = path.suffix.lower()
    if ending not in KINDS:
        raise UnknownName("kind of clip", ending, KINDS, where=f"'{path}'")
    return read_bvh_clip(path) if ending == ".bvh" else Clip.load(path)


def make_clip(name: str, character: Character | None, terrain: Terrain | None) -> Clip:
    """The clip of a scenario, made in a process of its own: frames of others go on meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.npz"
        context = get_context("spawn")  # forking a process that holds threads is not safe
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            pool.submit(_make, name, character, terrain, path).result()
        return Clip.load(path)


def _make(name: str, character: Character | None, terrain: Terrain | None, path: Path) -> None:
    chosen = scenario(name)
    chosen.make(chosen.request(character, terrain=terrain)).clip.save(path)


class ReplayMotion:
    """Plays a clip again and again."""

    follows: frozenset[str] = frozenset()
    fallen = ""
    residuals: tuple[float, ...] = ()

    def __init__(self, clip: Clip) -> None:
        self.clip, self.character, self.terrain = clip, clip.character, clip.terrain
        self._model = copy.copy(clip.character.model)
        self._first = copy.copy(self._model)
        self._root = self._model.body(clip.character.root).id
        self._sites = [self._model.site(name).id for name in clip.point_names]
        self._reshapes = sorted(clip.events_of("reshape"), key=lambda event: event.time)
        self._reshaped = 0  # so many of them are in the model
        self._played = [
            (f.data.xpos.copy(), f.data.xquat.copy(), f.data.site_xpos[self._sites])
            for f in clip.frames()
        ]
        self._com_w = np.array([f.data.subtree_com[self._root] for f in clip.frames()])
        self._velocity_w = (
            np.gradient(self._com_w, clip.time, axis=0) if len(clip) > 1 else 0.0 * self._com_w
        )
        self._soles = _landings(clip, [points for _, _, points in self._played])
        self._index = 0
        self._show(0.0)

    @property
    def model(self) -> mujoco.MjModel:
        return self._model

    @property
    def ground_force(self) -> float:
        clip, k = self.clip, self._index
        return float(clip.contact_force_w[k, :, 2].sum() + clip.other_force_w[k, 2])

    def advance(self, seconds: float) -> None:
        """Go on; at its end, at its beginning again."""
        time = self.moment.time + seconds
        self._show(time if time <= self.clip.seconds else 0.0)

    def seek(self, time: float) -> None:
        """Go to a time after the clip's beginning [s]."""
        self._show(min(max(time, 0.0), self.clip.seconds))

    def command(self, **wish: Value) -> None:
        """A clip does what it does."""

    def push(self, push: Push) -> None:
        raise InputError("a finished clip cannot be pushed; choose a way of moving first")

    def sight(self) -> Sight:
        clip, k, moment = self.clip, self._index, self.moment
        points_w, on = self._played[k][2], clip.touching[k]
        ground = float(self.terrain.height(*moment.com_w[:2]))
        ahead = self._com_w[k : k + round(AHEAD * clip.fps) + 1]
        taken = [sole for at, sole in self._soles if at <= k]
        return Sight(
            com_w=moment.com_w,
            ground=ground,
            com_path_w=ahead,
            taken_w=taken[-KEPT_SOLES:],
            planned_w=[sole for at, sole in self._soles if at > k][:KEPT_SOLES],
            forces=list(zip(points_w[on], clip.contact_force_w[k][on], strict=True)),
            support_w=support(points_w[on]),
            points_w={CAPTURE: capture_point(moment.com_w, moment.velocity_w, ground)},
        )

    def begin_recording(self) -> None:
        """The whole clip is there already."""

    def record(self) -> None:
        """The whole clip is there already."""

    def recorded(self) -> Clip:
        return self.clip

    def close(self) -> None:
        """There is nothing to end."""

    def _show(self, time: float) -> None:
        clip = self.clip
        self._index = k = min(round(time * clip.fps), len(clip) - 1)
        self._shape(clip.time[k])
        places_w, quats_w, _ = self._played[k]
        self.moment = Moment(time, places_w, quats_w, self._com_w[k], self._velocity_w[k])

    def _shape(self, time: float) -> None:
        """Give the model the shape of this moment."""
        due = sum(event.time <= time + 1e-9 for event in self._reshapes)
        if due < self._reshaped:
            copy_shape(self._first, self._model)
            self._reshaped = 0
        for event in self._reshapes[self._reshaped : due]:
            scale_segment(self._model, self.character.part(event.what), **event.values)
        self._reshaped = due


def _landings(clip: Clip, points_w: list[np.ndarray]) -> list[tuple[int, np.ndarray]]:
    """Frame and outline of every footstep of a clip."""
    found, first = [], 0
    for effector in clip.character.end_effectors:
        points = slice(first, first + len(effector.sites))
        first = points.stop
        flat: np.ndarray = np.all(clip.touching[:, points], axis=1)
        for k in np.flatnonzero(flat & ~np.concatenate([[False], flat[:-1]])):
            found.append((int(k), outline(points_w[k][points])))
    return sorted(found, key=lambda each: each[0])
