"""Pictures of a clip's frames, drawn by MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType

import mujoco
import numpy as np

from amble.characters.character import GRAVITY
from amble.geometry.turns import about_z
from amble.motion.camera import HIDDEN_GROUP, View, frame_clip
from amble.motion.clip import Clip, Event, Frame
from amble.motion.gl import create_context
from amble.motion.scenery import build_scenery, move_sun

PUSH_RGBA = np.array([0.90, 0.22, 0.15, 1.0], dtype=np.float32)
FOOTPRINT_RGBA = np.array([0.85, 0.15, 0.12, 1.0], dtype=np.float32)
FOOTPRINT_THICKNESS, FOOTPRINT_LAYER = 0.003, 0.0006  # [m], and one over the other
FORCE_RGBA = np.array([0.15, 0.62, 0.35, 0.9], dtype=np.float32)
MIN_PUSH_SECONDS = 0.15
"""A push is shown at least this long, or nobody would see it [s]."""


@dataclass(frozen=True)
class Look:
    """How pictures look."""

    width: int = 960  # [pixels]
    height: int = 540  # [pixels]
    view: View = field(default_factory=View)
    contact_forces: bool = False  # draw them as thin green arrows


class Painter:
    """Draws frames of one clip; use it in a `with` statement: it holds an OpenGL context."""

    def __init__(self, clip: Clip, look: Look) -> None:
        self.clip, self.look = clip, look
        self._framing = frame_clip(clip, look.view, look.width / look.height)
        self._size = self._framing.size
        self._model = build_scenery(
            clip.character, clip.terrain, look.width, look.height, self._size
        )
        self._weight = clip.character.mass * GRAVITY
        self._camera = mujoco.MjvCamera()
        self._option = mujoco.MjvOption()
        self._option.geomgroup[HIDDEN_GROUP:] = 0
        self._option.sitegroup[:] = 0
        self._scene = mujoco.MjvScene(self._model, maxgeom=self._model.ngeom + 200)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = 1
        self._scene.flags[mujoco.mjtRndFlag.mjRND_FOG] = 1
        self._gl = create_context(look.width, look.height)
        self._gl.make_current()
        self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)

    def __enter__(self) -> Painter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the OpenGL context."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()

    def pictures(self, indices: Sequence[int] | None = None) -> Iterator[np.ndarray]:
        """The frames of these indices (default all), in order, each (height, width, 3) uint8."""
        wanted = set(range(len(self.clip)) if indices is None else indices)
        for frame in self.clip.frames(self._model):
            if frame.index in wanted:
                yield self._draw(frame)

    def _draw(self, frame: Frame) -> np.ndarray:
        look = self.look
        self._framing.place(self._camera, frame.index)
        move_sun(frame.model, frame.data, self._framing.targets_w[frame.index], self._size)
        mujoco.mjv_updateScene(
            frame.model,
            frame.data,
            self._option,
            None,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        for event in self.clip.events_of("push"):
            if 0 <= frame.time - event.time <= max(event.values["seconds"], MIN_PUSH_SECONDS):
                self._add_push(frame, event)
        for number, event in enumerate(self.clip.events_of("footprint")):
            if event.time <= frame.time + 1e-9:
                self._add_footprint(event, FOOTPRINT_LAYER * (number % 20))
        if look.contact_forces:
            self._add_contact_forces(frame)
        self._gl.make_current()
        rectangle = mujoco.MjrRect(0, 0, look.width, look.height)
        mujoco.mjr_render(rectangle, self._scene, self._context)
        picture = np.empty((look.height, look.width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(picture, None, rectangle, self._context)
        return picture[::-1]

    def _add_push(self, frame: Frame, event: Event) -> None:
        """An arrow that ends where the push acts, as long as the push is strong for this body."""
        values = event.values
        body = frame.model.body(self.clip.character.part(event.what)).id
        if "x" in values:
            R_wb = frame.data.xmat[body].reshape(3, 3)
            point_b = np.array([values["x"], values["y"], values["z"]])
            tip_w = frame.data.xpos[body] + R_wb @ point_b
        else:
            tip_w = frame.data.xipos[body]
        force_w = np.array([values["fx"], values["fy"], values["fz"]])
        strength = np.linalg.norm(force_w)
        if strength > 0:
            length = self._size * np.clip(1.5 * strength / self._weight, 0.45, 1.2)
            along_w = force_w / strength
            tip_w = tip_w - 0.1 * self._size * along_w  # outside of the flesh, in sight
            self._add_arrow(tip_w - length * along_w, tip_w, 0.03 * self._size, PUSH_RGBA)

    def _add_footprint(self, event: Event, over: float) -> None:
        """A thin red plate where a foot is told to step."""
        if self._scene.ngeom >= self._scene.maxgeom:
            return
        v = event.values
        half = np.array([v["length"] / 2, v["width"] / 2, FOOTPRINT_THICKNESS / 2])
        place_w = np.array([v["x"], v["y"], v["z"] + over + FOOTPRINT_THICKNESS / 2])
        turned = about_z(np.radians(v["yaw"])).ravel()
        geom = self._scene.geoms[self._scene.ngeom]
        kind = mujoco.mjtGeom.mjGEOM_BOX
        mujoco.mjv_initGeom(geom, kind, half, place_w, turned, FOOTPRINT_RGBA)
        self._scene.ngeom += 1

    def _add_contact_forces(self, frame: Frame) -> None:
        for site, force_w in zip(
            self.clip.point_names, self.clip.contact_force_w[frame.index], strict=True
        ):
            if np.linalg.norm(force_w) > 0.002 * self._weight:
                start_w = frame.data.site(site).xpos
                end_w = start_w + 1.5 * self._size * force_w / self._weight
                self._add_arrow(start_w, end_w, 0.008 * self._size, FORCE_RGBA)

    def _add_arrow(
        self, start_w: np.ndarray, end_w: np.ndarray, width: float, rgba: np.ndarray
    ) -> None:
        if self._scene.ngeom >= self._scene.maxgeom:
            return
        geom = self._scene.geoms[self._scene.ngeom]
        kind = mujoco.mjtGeom.mjGEOM_ARROW
        mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.eye(3).ravel(), rgba)
        # MuJoCo draws an arrow half as long as the connector it is given.
        mujoco.mjv_connector(geom, kind, width, start_w, 2 * end_w - start_w)
        self._scene.ngeom += 1
