"""The ground in the browser: planes with lines every metre, boxes with sharp edges, hills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from amble.geometry.rotations import matrix_from_quat
from amble.terrain import Union
from amble.terrain.terrain import Terrain

if TYPE_CHECKING:
    import viser

GROUND_RGB, CELL_RGB, METRE_RGB = (205, 210, 208), (188, 194, 193), (150, 158, 160)
HILL_RGB, BOX_RGB, EDGE_RGB = (158, 164, 162), (176, 182, 180), (110, 118, 122)
FADE = 38.0  # [m] at which lines are not seen any more
NEAR, SPACING = 4.0, 0.125  # [m] of hills around the body that are drawn finely, and how
REACH, GROWTH = 30.0, 1.25  # [m] that they are drawn to, each square larger by this factor
LINES = 9.0  # [m] from the body to which hills have lines
BOXES = 14.0  # [m] from the body at which boxes are drawn
WIDE = 4.0  # [m] a box this long and wide has lines on its top
STEP = 2.0  # [m] that the body goes until what is around it is drawn anew
LIFT = 0.004  # [m] of lines over what they lie on
_PLANE, _BOX = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_BOX
_SIDES = np.array([[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]])


class Ground:
    """What is seen of a terrain: its planes at once, boxes and hills as far as they are near."""

    def __init__(self, server: viser.ViserServer, terrain: Terrain, name: str) -> None:
        self.terrain, self._server, self._name = terrain, server, name
        self._centre: np.ndarray | None = None
        self._fixed: list[Any] = []
        self._near: list[Any] = []
        parts = _parts(terrain)
        models = [_model(part) for part in parts]
        self._hills = [part for part, model in zip(parts, models, strict=True) if model.nhfield]
        self._boxes = _Boxes(*_geoms(models, _BOX))
        planes: dict[tuple[float, ...], np.ndarray] = {}
        for place, quat, _ in zip(*_geoms(models, _PLANE), strict=True):
            found = planes.setdefault(tuple(np.round(quat, 6)), place)
            if place[2] > found[2]:  # of parallel planes the highest is seen
                planes[tuple(np.round(quat, 6))] = place
        for number, (quat, place) in enumerate(planes.items()):
            self._fixed.append(self._grid(f"plane_{number}", place, quat, None))
        for k in np.flatnonzero((2 * self._boxes.half[:, :2] > WIDE).all(axis=1)):
            box = self._boxes
            top = box.places[k] + (0.0, 0.0, box.half[k, 2] + LIFT / 2)
            self._fixed.append(self._grid(f"top_{k}", top, box.quats[k], 2 * box.half[k, :2]))

    def follow(self, xy: np.ndarray) -> None:
        """Show what lies around a point (2,) [m]."""
        if not (self._hills or len(self._boxes.places)):
            return
        if self._centre is not None and np.abs(xy - self._centre).max() < STEP:
            return
        self._centre = np.round(np.asarray(xy, dtype=float))
        for part in self._near:
            part.remove()
        self._near = self._near_boxes(self._centre)
        for number, hill in enumerate(self._hills):
            self._near += [self._hill(hill, number), self._lines(hill, number)]

    def remove(self) -> None:
        """Take the ground away."""
        for part in (*self._fixed, *self._near):
            part.remove()
        self._fixed, self._near = [], []

    def _grid(self, name: str, place: Any, quat: Any, sides: np.ndarray | None) -> Any:
        """A plane with lines; without end where it has no sides."""
        width, height = (10.0, 10.0) if sides is None else (float(sides[0]), float(sides[1]))
        return self._server.scene.add_grid(
            f"{self._name}/{name}",
            width=width,
            height=height,
            infinite_grid=sides is None,
            cell_size=0.5,
            cell_color=CELL_RGB,
            section_size=1.0,
            section_color=METRE_RGB,
            fade_distance=FADE,
            shadow_opacity=0.35,
            plane_color=GROUND_RGB,
            plane_opacity=1.0,
            position=place,
            wxyz=quat,
        )

    def _near_boxes(self, centre: np.ndarray) -> list[Any]:
        """Boxes around, as one mesh, and the edges of their tops."""
        near = self._boxes.near(centre)
        if not len(near):
            return []
        corners = self._boxes.corners[near]  # (N, 8, 3): below, then above
        first = 8 * np.arange(len(near))[:, None, None]
        a, b, c, d = np.moveaxis(first + _SIDES, -1, 0)
        faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
        top = corners[:, 4:] + (0.0, 0.0, LIFT)
        edges = np.stack([top, np.roll(top, -1, axis=1)], axis=2).reshape(-1, 2, 3)
        scene = self._server.scene
        return [
            scene.add_mesh_simple(
                f"{self._name}/boxes",
                corners.reshape(-1, 3),
                faces,
                color=BOX_RGB,
                flat_shading=True,
                side="double",
            ),
            scene.add_line_segments(
                *(f"{self._name}/edges", edges.astype(np.float32)),
                colors=EDGE_RGB,
                thickness=1.5,
                thickness_units="screen",
            ),
        ]

    def _hill(self, hill: Terrain, number: int) -> Any:
        """Fine squares near the body, larger ones far away."""
        axis = _axis()
        x, y = np.meshgrid(*(c + axis for c in self._middle), indexing="ij")
        z = hill.height(x, y)
        k = np.arange(axis.size**2).reshape(axis.size, axis.size)
        a, b, c, d = (each.ravel() for each in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
        faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
        return self._server.scene.add_mesh_simple(
            f"{self._name}/hill_{number}",
            np.stack([x, y, z], -1).reshape(-1, 3),
            faces,
            color=HILL_RGB,
            flat_shading=True,
            side="double",
            cast_shadow=False,
        )

    def _lines(self, hill: Terrain, number: int) -> Any:
        """Lines on the hills, a metre apart."""
        along = np.arange(-LINES, LINES + 0.125, 0.25)
        offsets = np.arange(-LINES, LINES + 0.5)
        u, v = np.meshgrid(offsets, along, indexing="ij")
        segments = []
        for x, y in ((u, v), (v, u)):
            x, y = x + self._middle[0], y + self._middle[1]
            line = np.stack([x, y, hill.height(x, y) + LIFT], -1)
            segments.append(np.stack([line[:, :-1], line[:, 1:]], axis=2).reshape(-1, 2, 3))
        return self._server.scene.add_line_segments(
            *(f"{self._name}/lines_{number}", np.concatenate(segments).astype(np.float32)),
            colors=METRE_RGB,
            thickness=1.0,
            thickness_units="screen",
        )

    @property
    def _middle(self) -> np.ndarray:
        return np.zeros(2) if self._centre is None else self._centre


class _Boxes:
    """The boxes of a ground."""

    def __init__(self, places: np.ndarray, quats: np.ndarray, half: np.ndarray) -> None:
        self.places, self.quats, self.half = places, quats, half
        signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
        unit = np.concatenate([np.c_[signs, -np.ones(4)], np.c_[signs, np.ones(4)]])
        turned = np.einsum("nij,nkj->nki", matrix_from_quat(quats), unit[None] * half[:, None])
        self.corners = places[:, None] + turned  # (N, 8, 3)

    def near(self, xy: np.ndarray) -> np.ndarray:
        """Those that reach into the surroundings of a point."""
        low, high = self.corners[..., :2].min(axis=1), self.corners[..., :2].max(axis=1)
        inside = (low < xy + BOXES) & (high > xy - BOXES)
        return np.flatnonzero(inside.all(axis=1))


def _geoms(
    models: list[mujoco.MjModel], kind: mujoco.mjtGeom
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places (N, 3), quaternions (N, 4) and sizes (N, 3) of all shapes of a kind."""
    found = [(model, model.geom_type == kind) for model in models]
    places, quats, sizes = (
        np.concatenate([getattr(model, name)[of_kind] for model, of_kind in found])
        for name in ("geom_pos", "geom_quat", "geom_size")
    )
    return places, quats, sizes


def _parts(terrain: Terrain) -> list[Terrain]:
    """What a ground is put together from."""
    if isinstance(terrain, Union):
        return [part for each in terrain.parts for part in _parts(each)]
    return [terrain]


def _model(terrain: Terrain) -> mujoco.MjModel:
    """The ground as the simulator has it: planes, boxes, fields of heights."""
    spec = mujoco.MjSpec()
    terrain.add_to(spec)
    return spec.compile()


def _axis() -> np.ndarray:
    """Places along an axis, from −REACH to REACH [m], denser in the middle."""
    fine = np.arange(0.0, NEAR + SPACING / 2, SPACING)
    far, step = [float(fine[-1])], SPACING
    while far[-1] < REACH:
        step *= GROWTH
        far.append(far[-1] + step)
    half = np.concatenate([fine, far[1:]])
    return np.concatenate([-half[:0:-1], half])
