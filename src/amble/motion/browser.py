"""A body in the browser, its light and air: what saved pages, `amble show` and the studio share."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from amble.characters.character import Character
from amble.errors import InputError
from amble.geometry.turns import about_z
from amble.motion.clip import Clip, Event
from amble.motion.surfaces import Surface, body_surfaces

if TYPE_CHECKING:
    import mujoco
    import viser

WORLD = (
    "/world"  # the frame that holds everything; it moves backwards under a body that is followed
)
BODY, GROUND = f"{WORLD}/body", f"{WORLD}/ground"
FOOTPRINT_RGB, FOOTPRINT_LIFT = (205, 40, 30), 0.006  # [m] over the ground, to be seen
SEEN = 0.01  # of a size: smaller changes are not worth a new surface


def require_viser() -> None:
    """Raise `InputError` that says what to install where viser is missing."""
    if find_spec("viser") is None:
        raise InputError(
            "pages in the browser need viser, which is not installed: pip install 'amble[studio]'"
        )


def set_mood(server: viser.ViserServer, shadows: bool = True) -> None:
    """Light and air of a bright day; shadows are what takes a weak graphics card longest."""
    server.scene.configure_default_lights(enabled=True, cast_shadow=shadows)
    server.scene.add_light_ambient("/light", color=(235, 242, 255), intensity=0.35)
    server.scene.configure_fog(16.0, 42.0, color=(255, 255, 255))


def look_at_body(server: viser.ViserServer, extent: float) -> None:
    """Put the camera where a body of this extent [m] is seen well."""
    distance = 1.15 * extent
    server.initial_camera.position = (1.1 * distance, -1.25 * distance, 0.8 * distance)
    server.initial_camera.look_at = (0.0, 0.0, 0.42 * extent)


class Puppet:
    """The shapes of a character, a frame for every body that has some."""

    def __init__(
        self,
        server: viser.ViserServer,
        character: Character,
        model: mujoco.MjModel | None = None,
    ) -> None:
        """`model` has the character's present shape, if that is not its own."""
        model = character.model if model is None else model
        self.root = server.scene.add_frame(BODY, show_axes=False)
        self._frames: list[tuple[int, Any]] = []
        self.meshes: list[tuple[str, Any]] = []  # MJCF body and its mesh
        self._sizes = _sizes(model)
        for body in range(1, model.nbody):
            surfaces = body_surfaces(model, body)
            if not surfaces:
                continue
            self._frames.append((body, server.scene.add_frame(f"{BODY}/{body}", show_axes=False)))
            for number, surface in enumerate(surfaces):
                mesh = add_surface(server, f"{BODY}/{body}/{number}", surface)
                self.meshes.append((model.body(body).name, mesh))

    def place(self, places_w: np.ndarray, quats_w: np.ndarray) -> None:
        """Put every body where it is: places (nbody, 3) [m] and turns (nbody, 4)."""
        for body, frame in self._frames:
            frame.position = places_w[body]
            frame.wxyz = quats_w[body]

    def reshape(self, model: mujoco.MjModel) -> None:
        """Bring the surfaces in line with a model whose parts have changed their sizes."""
        sizes = _sizes(model)
        if np.allclose(sizes, self._sizes, rtol=SEEN, atol=0.0):
            return
        self._sizes = sizes
        meshes = iter(self.meshes)
        for body, _ in self._frames:
            for surface in body_surfaces(model, body):
                _, mesh = next(meshes)
                vertices = surface.vertices.astype(np.float32)
                if not np.array_equal(mesh.vertices, vertices):
                    mesh.vertices = vertices

    def remove(self) -> None:
        """Take the body away."""
        self.root.remove()


def _sizes(model: mujoco.MjModel) -> np.ndarray:
    """What shapes depend on, all positive: sizes of geoms, and the extent of meshes (G, 4)."""
    return np.column_stack([model.geom_size, np.maximum(model.geom_rbound, 1e-6)]) + 1e-6


def add_surface(server: viser.ViserServer, name: str, surface: Surface) -> Any:
    """A surface as a mesh that casts shadows."""
    red, green, blue, alpha = surface.rgba
    return server.scene.add_mesh_simple(
        name,
        surface.vertices,
        surface.faces,
        color=(red, green, blue),
        opacity=alpha if alpha < 1 else None,
    )


def footprint_outline(event: Event) -> np.ndarray:
    """Corners (4, 3) of where a foot is told to step, a little above the ground [m]."""
    v = event.values
    corners = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]]) / 2
    sole = corners * (v["length"], v["width"], 0.0)
    place = (v["x"], v["y"], v["z"] + FOOTPRINT_LIFT)
    return np.asarray(sole @ about_z(np.radians(v["yaw"])).T + place)


def add_footprints(server: viser.ViserServer, clip: Clip) -> None:
    """Outlines of where feet are told to step, on the ground."""
    loops = [footprint_outline(event) for event in clip.events_of("footprint")]
    if loops:
        lines = np.concatenate([np.stack([p, np.roll(p, -1, axis=0)], axis=1) for p in loops])
        colours = np.broadcast_to(np.array(FOOTPRINT_RGB, np.uint8), lines.shape)
        server.scene.add_line_segments(
            *(f"{WORLD}/footprints", lines.astype(np.float32), colours.copy()),
            thickness=3.0, thickness_units="screen",
        )  # fmt: skip
