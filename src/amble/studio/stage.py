"""Stage: what is seen of a motion in the browser: body, ground, goal, and what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.motion.browser import GROUND, WORLD, Puppet, look_at_body, set_mood
from amble.motion.browser_ground import Ground
from amble.terrain.terrain import Terrain

if TYPE_CHECKING:
    import viser

FOLLOWING = 0.25  # [s] in which the camera catches up
FAR = 3.0  # [m] from the body at which it does so at once
GOAL_AHEAD, GOAL_LEFT = 2.5, 4.0  # [m]
GOAL_RGB, DRAG_RGB = (31, 119, 220), (225, 60, 45)
Dragged = Callable[[str, np.ndarray, np.ndarray, bool], None]
"""Called with the part, the grabbed point (3,), where it is pulled (3,), and whether it goes on."""


class Stage:
    """Everything hangs on one frame, which moves backwards under a body that is followed, so that
    nobody's camera has to be moved."""

    def __init__(self, server: viser.ViserServer, shadows: bool = True) -> None:
        self.server = server
        set_mood(server, shadows)
        self.world = server.scene.add_frame(WORLD, show_axes=False)
        self.offset_w = np.zeros(3)  # the place in the world that is at the camera's centre [m]
        self.follows = True
        self.puppet: Puppet | None = None
        self.ground: Ground | None = None
        self._drag_line: Any = None
        self._goal: Any = None
        self._moved_goal: Callable[[np.ndarray], None] | None = None

    def set_body(
        self,
        character: Character,
        dragged: Dragged | None,
        model: mujoco.MjModel | None = None,
    ) -> None:
        """Show another body; `model` has its shape, if that is not its own."""
        with self.server.atomic():
            if self.puppet is not None:
                self.puppet.remove()
            self.puppet = Puppet(self.server, character, model)
            if dragged is not None:
                for part, mesh in self.puppet.meshes:
                    self._listen(mesh, part, dragged)
        look_at_body(self.server, float(character.model.stat.extent))

    def set_ground(self, terrain: Terrain) -> None:
        """Show another ground."""
        with self.server.atomic():
            if self.ground is not None:
                self.ground.remove()
            self.ground = Ground(self.server, terrain, GROUND)

    def reshape(self, model: mujoco.MjModel) -> None:
        """Bring the body's surfaces in line with its model, which has grown or shrunk."""
        if self.puppet is not None:
            with self.server.atomic():
                self.puppet.reshape(model)

    def place(self, places_w: np.ndarray, quats_w: np.ndarray, seconds: float) -> None:
        """Put the body where it is; `seconds` have passed since the last time."""
        if self.puppet is None or self.ground is None:
            return
        if self.follows:
            target = places_w[1].copy()
            target[2] = float(self.ground.terrain.height(target[0], target[1]))
            left = target - self.offset_w
            far = np.linalg.norm(left) > FAR
            self.offset_w += left if far else (1 - np.exp(-seconds / FOLLOWING)) * left
        with self.server.atomic():
            self.world.position = -self.offset_w
            self.puppet.place(places_w, quats_w)
        self.ground.follow(places_w[1, :2])

    def show_drag(self, arrow_w: np.ndarray | None) -> None:
        """A line from the point that is pulled to where (2, 3) [m]."""
        if arrow_w is None:
            if self._drag_line is not None:
                self._drag_line.visible = False
            return
        if self._drag_line is None:
            self._drag_line = self.server.scene.add_arrows(
                f"{WORLD}/drag", arrow_w[None], DRAG_RGB, shaft_radius=0.012, head_radius=0.03
            )
        self._drag_line.points = arrow_w[None].astype(np.float32)
        self._drag_line.visible = True

    def add_goal(self, moved: Callable[[np.ndarray], None]) -> None:
        """A disc on the ground that can be dragged; `moved` gets its place (2,) [m]."""
        angle = np.linspace(0, 2 * np.pi, 33)[:-1]
        rim = np.stack([np.cos(angle), np.sin(angle), np.zeros(32)], -1)
        vertices = np.concatenate([0.22 * rim, 0.22 * rim + [0, 0, 0.02], [[0, 0, 0.02]]])
        k, n = np.arange(32), (np.arange(32) + 1) % 32
        top = np.stack([np.full(32, 64), 32 + k, 32 + n], -1)
        side = np.concatenate([np.stack([k, n, 32 + n], -1), np.stack([k, 32 + n, 32 + k], -1)])
        self._goal = self.server.scene.add_mesh_simple(
            *(f"{WORLD}/goal", vertices, np.concatenate([top, side])),
            color=GOAL_RGB,
            opacity=0.85,
            cast_shadow=False,
        )
        self._goal.position = (GOAL_AHEAD, 0.0, 0.005)

        @self._goal.on_drag
        def _(event: Any) -> None:
            place = self._on_ground(event.client.camera.position, event.end_position)
            if place is not None:
                self._goal.position = (*place[:2], place[2] + 0.005)
                moved(place[:2])

    def keep_goal_near(self, xy: np.ndarray, heading: float) -> None:
        """Lay the disc before a body that has left it behind; the heading is in degrees."""
        if self._goal is None or self.ground is None:
            return
        if np.linalg.norm(np.asarray(self._goal.position)[:2] - xy) < GOAL_LEFT:
            return
        angle = np.radians(heading)
        x, y = xy + GOAL_AHEAD * np.array([np.cos(angle), np.sin(angle)])
        self._goal.position = (x, y, float(self.ground.terrain.height(x, y)) + 0.005)

    def _on_ground(self, eye: Any, point: Any) -> np.ndarray | None:
        """Where the line from a camera through a point, as the page has them, meets the ground."""
        eye_w, point_w = np.asarray(eye) + self.offset_w, np.asarray(point) + self.offset_w
        along = point_w - eye_w
        terrain = self.ground.terrain if self.ground else None
        place = point_w
        for _ in range(8):  # on hills, nearer at each turn
            height = 0.0 if terrain is None else float(terrain.height(place[0], place[1]))
            if not np.isfinite(along).all() or along[2] > -1e-3:
                return None
            place = eye_w + along * (height - eye_w[2]) / along[2]
        if np.linalg.norm(place[:2] - self.offset_w[:2]) > 60:
            return None
        return np.array([place[0], place[1], height])

    def _listen(self, mesh: Any, part: str, dragged: Dragged) -> None:
        @mesh.on_drag
        def _(event: Any) -> None:
            start, end = np.asarray(event.start_position), np.asarray(event.end_position)
            going_on = event.phase != "end"
            dragged(part, start + self.offset_w, end + self.offset_w, going_on)
