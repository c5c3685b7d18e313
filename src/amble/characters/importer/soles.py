"""Where a foot touches the ground: its shapes as points, the flat below it, the corners of that.

A cloud is a set of points with radii: a sphere is one point, a capsule two, a box its corners, a
mesh the vertices of its convex hull. The support in the direction d is at `point + radius * d`.
"""

from __future__ import annotations

from itertools import product

import mujoco
import numpy as np

FLAT_DEGREES = 4.0  # facets that agree this well are one flat
FLAT_SHARE = 0.1  # of the outline seen from below: with less flat than this a foot is round
ROLLING = 0.5  # of a round foot's extent: a patch shorter than this is where it rolls
ROUND_SHARE = 0.3  # of the outline: with less flat than this a foot may roll
SMALL = 0.005  # [m] a patch narrower than this is a line, or a point


class Cloud:
    """Points (n, 3) with radii (n,) [m] in the frame of one body."""

    def __init__(self, points: np.ndarray, radii: np.ndarray) -> None:
        self.points, self.radii = points, radii

    def towards(self, direction: np.ndarray) -> np.ndarray:
        """The surface points that would touch a plane in this direction first (n, 3)."""
        return self.points + self.radii[:, None] * direction

    @property
    def size(self) -> float:
        """The diagonal of the bounding box [m]."""
        low = (self.points - self.radii[:, None]).min(axis=0)
        high = (self.points + self.radii[:, None]).max(axis=0)
        return float(np.linalg.norm(high - low))


def shapes_of(model: mujoco.MjModel, link: int) -> np.ndarray:
    """Geoms of a body and of all that is welded to it: the colliding, else the visible ones."""
    welded = np.flatnonzero(model.body_weldid == model.body_weldid[link])
    geoms = np.flatnonzero(np.isin(model.geom_bodyid, welded))
    colliding = geoms[(model.geom_contype[geoms] | model.geom_conaffinity[geoms]) > 0]
    return colliding if len(colliding) else geoms


def cloud_of(model: mujoco.MjModel, body: int, geoms: np.ndarray) -> Cloud | None:
    """Shapes that are fixed to a body, in its frame; None where there are none."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    frame, origin = data.xmat[body].reshape(3, 3), data.xpos[body]
    points, radii = [], []
    for geom in geoms:
        local, radius = _shape_points(model, geom)
        world = local @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
        points.append((world - origin) @ frame)
        radii.append(np.full(len(local), radius))
    if not points:
        return None
    return Cloud(np.concatenate(points), np.concatenate(radii))


def lowest_shapes(model: mujoco.MjModel, data: mujoco.MjData, link: int) -> tuple[int, np.ndarray]:
    """The body of a link that reaches lowest in this pose, and its geoms that are down there.

    A shank's shape is no part of the sole, even where the foot is welded to it.
    """
    geoms = shapes_of(model, link)
    if not len(geoms):
        return link, geoms
    low = []
    for geom in geoms:
        points, radius = _shape_points(model, geom)
        heights = points @ data.geom_xmat[geom].reshape(3, 3)[2] + data.geom_xpos[geom][2]
        low.append(heights.min() - radius)
    body = int(model.geom_bodyid[geoms[int(np.argmin(low))]])
    own = model.geom_bodyid[geoms] == body
    cloud = cloud_of(model, body, geoms[own])
    reach = min(low) + 0.1 * (cloud.size if cloud else 0.0)
    return body, geoms[own & (np.array(low) <= reach)]


def _shape_points(model: mujoco.MjModel, geom: int) -> tuple[np.ndarray, float]:
    """Points in the geom's frame and the radius around them."""
    size = model.geom_size[geom]
    match mujoco.mjtGeom(model.geom_type[geom]):
        case mujoco.mjtGeom.mjGEOM_SPHERE:
            return np.zeros((1, 3)), float(size[0])
        case mujoco.mjtGeom.mjGEOM_CAPSULE:
            return np.array([[0, 0, -size[1]], [0, 0, size[1]]]), float(size[0])
        case mujoco.mjtGeom.mjGEOM_CYLINDER:
            angle = np.arange(16) * (2 * np.pi / 16)
            ring = np.stack([size[0] * np.cos(angle), size[0] * np.sin(angle)], axis=1)
            return np.array([[*xy, z] for xy in ring for z in (-size[1], size[1])]), 0.0
        case mujoco.mjtGeom.mjGEOM_BOX:
            return np.array(list(product((-1.0, 1.0), repeat=3))) * size, 0.0
        case mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            sphere = np.array([d for d in product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
            normal = sphere * size
            return sphere * size**2 / np.linalg.norm(normal, axis=1)[:, None], 0.0
        case mujoco.mjtGeom.mjGEOM_MESH:
            mesh = model.geom_dataid[geom]
            start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            vertices = model.mesh_vert[start : start + count].astype(float)
            if model.mesh_graphadr[mesh] >= 0:
                vertices = vertices[_hull(model, mesh)[0]]
            return vertices, 0.0
        case _:
            return np.zeros((1, 3)), 0.0


def _hull(model: mujoco.MjModel, mesh: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles (faces, 3) of the convex hull, as indices of the mesh's vertices."""
    graph = model.mesh_graph[model.mesh_graphadr[mesh] :]
    vertices, faces = int(graph[0]), int(graph[1])
    start = 2 + vertices
    ids = graph[start : start + vertices]
    start += vertices + vertices + 3 * faces
    return ids, graph[start : start + 3 * faces].reshape(faces, 3)


def flat_below(cloud: Cloud, down: np.ndarray, rock: float) -> tuple[np.ndarray, float]:
    """The direction that is down when the foot stands on its flat, `down` where it is round; and
    the share of its outline that is flat.

    Of the hull's facets that look down, the largest group of equal direction is the flat.
    It may be tilted by up to `rock` [degrees] before the foot is set down.
    """
    touch = cloud.towards(down)
    touch = touch - touch.mean(axis=0)
    spread = np.linalg.svd(touch - np.outer(touch @ down, down), full_matrices=False)
    widths = spread[1] / np.sqrt(len(touch))
    if widths[0] < SMALL / 4:
        return down, 0.0
    if widths[1] < SMALL / 4:  # a line, such as a capsule
        line = np.linalg.svd(touch, full_matrices=False)[2][0]
        across = down - (down @ line) * line
        cosine = np.linalg.norm(across)
        return across / cosine if cosine > np.cos(np.radians(rock)) else down, 1.0
    normals, areas = _facets(np.concatenate([touch, touch - cloud.size * down]))
    looking = normals @ down > np.cos(np.radians(rock))
    if not looking.any():
        return down, 0.0
    agree = normals[looking] @ normals.T
    flat = (agree > np.cos(np.radians(FLAT_DEGREES))) @ areas
    outline = np.maximum(agree, 0.0) @ areas
    best = int(np.argmax(flat * (normals[looking] @ down)))
    share = float(flat[best] / outline[best])
    return normals[looking][best] if share > FLAT_SHARE else down, share


def _facets(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outward normals (n, 3) and areas (n,) of the convex hull, which MuJoCo's qhull finds."""
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="cloud", uservert=np.ascontiguousarray(points, np.float32).ravel())
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="cloud")
    model = spec.compile()
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, model.mesh_quat[0])
    corners = (model.mesh_vert @ rotation.reshape(3, 3).T)[_hull(model, 0)[1]].astype(float)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(cross, axis=1)
    keep = area > 1e-10
    return cross[keep] / area[keep, None], area[keep] / 2


def corners(cloud: Cloud, down: np.ndarray, flat: float, forward: np.ndarray) -> np.ndarray:
    """Contact points (1 to 4; 3): left heel, right heel, left toe, right toe; heel, toe; or one.

    `forward` is where the character looks; `flat` the share of the foot's outline that is flat. All
    points lie in one plane across `down`. A ball touches at one point and a wheel along its axle,
    however many faces they are drawn with.
    """
    touch = cloud.towards(down)
    height = touch @ down
    tolerance = max(0.002, 0.03 * cloud.size)
    support = touch[height > height.max() - tolerance]
    support = support + np.outer(height.max() - support @ down, down)
    forward = forward - (forward @ down) * down
    forward = forward / np.linalg.norm(forward)
    left = np.cross(forward, down)
    along, across = support @ forward, support @ left
    length, width = np.ptp(along), np.ptp(across)
    if flat < ROUND_SHARE:
        middle = support.mean(axis=0)
        for way, extent in ((forward, length), (left, width)):
            if extent < ROLLING * np.ptp(cloud.points @ way):
                support = support - np.outer((support - middle) @ way, way)
        along, across = support @ forward, support @ left
        length, width = np.ptp(along), np.ptp(across)
    if max(length, width) < 2 * SMALL:
        return support.mean(axis=0, keepdims=True)
    if width < max(SMALL, 0.05 * length):
        return support[[int(np.argmin(along)), int(np.argmax(along))]]
    if length < max(SMALL, 0.05 * width):
        return support[[int(np.argmax(across)), int(np.argmin(across))]]
    signs = ((-1, 1), (-1, -1), (1, 1), (1, -1))
    picked = [int(np.argmax(a * along / length + b * across / width)) for a, b in signs]
    return support[list(dict.fromkeys(picked))]
