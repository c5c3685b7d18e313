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
BOXES = 12.0  # [m] from the body to which boxes are drawn
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
            self._fixed.append(self._plane(f"plane_{number}", place, quat))
        levels = [place[2] for quat, place in planes.items() if quat[1] == quat[2] == 0.0]
        self._floor = max(levels, default=-np.inf)  # what is below it is not seen

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

    def _plane(self, name: str, place: Any, quat: Any) -> Any:
        """A plane with lines, without end."""
        return self._server.scene.add_grid(
            f"{self._name}/{name}",
            infinite_grid=True,
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
        """What is near of boxes, as one mesh, the edges of their tops, and lines on large ones."""
        corners = self._boxes.near(centre, self._floor)  # (N, 8, 3): below, then above
        if not len(corners):
            return []
        first = 8 * np.arange(len(corners))[:, None, None]
        a, b, c, d = np.moveaxis(first + _SIDES, -1, 0)
        faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
        top = corners[:, 4:] + (0.0, 0.0, LIFT)
        edges = np.stack([top, np.roll(top, -1, axis=1)], axis=2).reshape(-1, 2, 3)
        lines = np.concatenate([edges, *(_metres(rectangle) for rectangle in top)])
        scene = self._server.scene
        return [
            scene.add_mesh_simple(
                f"{self._name}/boxes",
                corners.reshape(-1, 3),
                faces,
                color=BOX_RGB,
                flat_shading=True,
                side="double",
                cast_shadow=False,
            ),
            scene.add_line_segments(
                *(f"{self._name}/edges", lines.astype(np.float32)),
                colors=EDGE_RGB,
                thickness=1.2,
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
        self.places, self._half = places, half
        self._R = matrix_from_quat(quats)  # (N, 3, 3)

    def near(self, xy: np.ndarray, floor: float) -> np.ndarray:
        """The corners (M, 8, 3) of what lies within BOXES of a point, above a floor."""
        if not len(self.places):
            return np.zeros((0, 8, 3))
        seen_from = np.einsum("nji,nj->ni", self._R, np.array([*xy, 0.0]) - self.places)
        seen_from[:, 2] = 0.0
        reach = np.array([BOXES, BOXES, np.inf])
        low, high = (
            np.maximum(-self._half, seen_from - reach),
            np.minimum(self._half, seen_from + reach),
        )
        low[:, 2] = np.maximum(low[:, 2], floor - self.places[:, 2])
        some = (high > low).all(axis=1)
        signs = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
        unit = np.concatenate([np.c_[signs, np.zeros(4)], np.c_[signs, np.ones(4)]])
        local = low[some, None] + unit * (high - low)[some, None]
        corners: np.ndarray = np.einsum("nij,nkj->nki", self._R[some], local)
        return corners + self.places[some, None]


def _metres(rectangle: np.ndarray) -> np.ndarray:
    """Lines (L, 2, 3) a metre apart on a rectangle (4, 3), if it is a large one."""
    a, b, _, d = rectangle
    lines = [np.zeros((0, 2, 3))]
    for along, aside in ((b - a, d - a), (d - a, b - a)):
        length, width = np.linalg.norm(along), np.linalg.norm(aside)
        if min(length, width) < WIDE:
            break
        at = np.arange(1.0, width) / width
        begin = a + at[:, None] * aside
        lines.append(np.stack([begin, begin + along], axis=1))
    return np.concatenate(lines)


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
