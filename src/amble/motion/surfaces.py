"""Surfaces: the shapes of a body as triangles, for files and pages that draw it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

from amble.geometry.rotations import matrix_from_quat
from amble.motion.camera import HIDDEN_GROUP

ROUND = 20  # sides of what is round
RINGS = 6  # from the equator of a ball to its pole
_GREY = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)  # MuJoCo's own, where nothing is said


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of one colour."""

    vertices: np.ndarray  # (V, 3) [m]
    normals: np.ndarray  # (V, 3) unit, outwards
    faces: np.ndarray  # (F, 3) indices of vertices, counter-clockwise from outside
    rgba: tuple[float, float, float, float]

    def moved(self, R: np.ndarray, place: np.ndarray) -> Surface:
        """Turned by R (3, 3), then shifted by `place` (3,)."""
        return Surface(self.vertices @ R.T + place, self.normals @ R.T, self.faces, self.rgba)


def joined(surfaces: list[Surface]) -> list[Surface]:
    """The same surfaces with those of one colour made one."""
    by_colour: dict[tuple[float, ...], list[Surface]] = {}
    for surface in surfaces:
        by_colour.setdefault(surface.rgba, []).append(surface)
    whole = []
    for same in by_colour.values():
        starts = np.cumsum([0, *(len(each.vertices) for each in same)])
        whole.append(
            Surface(
                np.concatenate([each.vertices for each in same]),
                np.concatenate([each.normals for each in same]),
                np.concatenate([e.faces + s for e, s in zip(same, starts, strict=False)]),
                same[0].rgba,
            )
        )
    return whole


def body_surfaces(model: mujoco.MjModel, body: int) -> list[Surface]:
    """The shapes that are drawn of one body, in its frame; those of one colour are one."""
    drawn = (model.geom_bodyid > 0) & (model.geom_group < HIDDEN_GROUP)
    if not drawn.any():
        drawn = model.geom_bodyid > 0
    geoms = np.flatnonzero(drawn & (model.geom_bodyid == body))
    return joined([surface for geom in geoms for surface in geom_surface(model, int(geom))])


def geom_surface(model: mujoco.MjModel, geom: int) -> list[Surface]:
    """One shape in its body's frame; nothing for planes and other shapes without triangles."""
    kind, size = mujoco.mjtGeom(int(model.geom_type[geom])), model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        shape = _capsule(float(size[0]), 0.0)
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        shape = _capsule(float(size[0]), float(size[1]))
    elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        vertices, normals, faces = _capsule(1.0, 0.0)
        bent = normals / size
        shape = vertices * size, bent / np.linalg.norm(bent, axis=1, keepdims=True), faces
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        shape = _cylinder(float(size[0]), float(size[1]))
    elif kind == mujoco.mjtGeom.mjGEOM_BOX:
        vertices, normals, faces = _box()
        shape = vertices * size, normals, faces
    elif kind == mujoco.mjtGeom.mjGEOM_MESH:
        shape = _mesh(model, int(model.geom_dataid[geom]))
    else:
        return []
    surface = Surface(*shape, _colour(model, geom))
    return [surface.moved(matrix_from_quat(model.geom_quat[geom]), model.geom_pos[geom])]


def _colour(model: mujoco.MjModel, geom: int) -> tuple[float, float, float, float]:
    """The geom's own colour, else its material's, with the mean colour of a texture."""
    rgba, material = np.array(model.geom_rgba[geom]), int(model.geom_matid[geom])
    if material >= 0 and np.array_equal(rgba, _GREY):
        rgba = np.array(model.mat_rgba[material])
        textures = model.mat_texid[material]
        for texture in textures[textures >= 0][:1]:
            start, channels = int(model.tex_adr[texture]), int(model.tex_nchannel[texture])
            count = int(model.tex_height[texture] * model.tex_width[texture]) * channels
            pixels = model.tex_data[start : start + count].reshape(-1, channels)
            rgba[: min(channels, 3)] *= pixels[:, :3].mean(axis=0) / 255
    red, green, blue, alpha = (round(float(value), 4) for value in rgba)
    return red, green, blue, alpha


@cache
def _ball() -> tuple[np.ndarray, np.ndarray]:
    """Unit directions (2 RINGS + 2 rows of ROUND + 1, 3), the equator twice; and its triangles."""
    up = np.linspace(-np.pi / 2, 0, RINGS + 1)
    latitudes = np.concatenate([up, -up[::-1]])
    around = np.linspace(0, 2 * np.pi, ROUND + 1)
    lat, lon = np.meshgrid(latitudes, around, indexing="ij")
    directions = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], -1)
    faces = _grid(len(latitudes), ROUND + 1)
    # At the poles one of a square's two triangles has no area.
    first, last = ROUND, 2 * ROUND * (len(latitudes) - 2)
    keep = np.ones(len(faces), dtype=bool)
    keep[0 : 2 * first : 2] = False
    keep[last + 1 :: 2] = False
    return directions.reshape(-1, 3), faces[keep]


def _grid(rows: int, columns: int) -> np.ndarray:
    """Triangles of a grid of points, two a square."""
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (row * columns + column).ravel()
    b, c, d = a + 1, a + columns + 1, a + columns
    return np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)], axis=1).reshape(-1, 3)


def _capsule(radius: float, half: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A capsule along z, or a ball where `half` is zero."""
    directions, faces = _ball()
    vertices = radius * directions
    lower = len(vertices) // 2
    vertices[:lower, 2] -= half
    vertices[lower:, 2] += half
    if half == 0:  # the two equators are one: the squares between have no area
        squares = (faces.min(axis=1) < lower) & (faces.max(axis=1) >= lower)
        faces = faces[~squares]
    return vertices, directions.copy(), faces


def _cylinder(radius: float, half: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    around = np.linspace(0, 2 * np.pi, ROUND + 1)
    ring = np.stack([np.cos(around), np.sin(around), np.zeros_like(around)], -1)
    z = np.array([0.0, 0.0, 1.0])
    n = ROUND + 1
    vertices = [radius * ring - half * z, radius * ring + half * z]
    normals, faces = [ring, ring], [_grid(2, n)]
    for sign in (-1.0, 1.0):
        first = sum(map(len, vertices))
        vertices.append(np.vstack([radius * ring[:-1], np.zeros(3)]) + sign * half * z)
        normals.append(np.tile(sign * z, (n, 1)))
        k = np.arange(ROUND)
        fan = np.stack([np.full(ROUND, ROUND), k, (k + 1) % ROUND], -1)
        faces.append(first + (fan if sign > 0 else fan[:, ::-1]))
    return np.concatenate(vertices), np.concatenate(normals), np.concatenate(faces)


@cache
def _box() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The box from −1 to 1, with sharp edges."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    vertices, normals = [], []
    for axis in range(3):
        for sign in (1, -1):
            corners = np.empty((4, 3))
            corners[:, axis] = sign
            corners[:, [(axis + 1) % 3, (axis + 2) % 3]] = square[:: 1 if sign > 0 else -1]
            vertices.append(corners)
            normals.append(np.tile(sign * np.eye(3)[axis], (4, 1)))
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    return (
        np.concatenate(vertices),
        np.concatenate(normals),
        np.concatenate([faces + 4 * k for k in range(6)]),
    )


def _mesh(model: mujoco.MjModel, mesh: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A mesh with MuJoCo's normals; a vertex is there once for each normal it has."""
    faces = slice(model.mesh_faceadr[mesh], model.mesh_faceadr[mesh] + model.mesh_facenum[mesh])
    corners = np.stack([model.mesh_face[faces], model.mesh_facenormal[faces]], -1).reshape(-1, 2)
    pairs, index = np.unique(corners, axis=0, return_inverse=True)
    vertices = model.mesh_vert[model.mesh_vertadr[mesh] + pairs[:, 0]]
    normals = model.mesh_normal[model.mesh_normaladr[mesh] + pairs[:, 1]]
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    upright = np.where(length > 1e-9, normals / np.maximum(length, 1e-9), [0.0, 0.0, 1.0])
    return vertices.astype(float), upright.astype(float), index.reshape(-1, 3)
