"""Reshape: scale one segment of a compiled model, in place, with everything that hangs on it.

The segment is scaled about its joint by an affine map S: `length` along the segment's long axis,
`girth` across it. Its centre of mass, inertia, geoms, sites and the joints of its children follow,
exactly where the simulator's shapes allow it. It works before and during a simulation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.errors import InputError, UnknownName
from amble.geometry.rotations import matrix_from_quat, quat_from_matrix

_GEOM = mujoco.mjtGeom
_SHAPE_FIELDS = (  # what `scale_segment` changes itself; MuJoCo derives the rest
    *("body_pos", "body_mass", "body_ipos", "body_iquat", "body_inertia", "body_sameframe"),
    *("site_pos", "site_sameframe"),
    *("geom_pos", "geom_quat", "geom_size", "geom_aabb", "geom_rbound", "geom_sameframe"),
    *("mesh_vert", "mesh_normal", "mesh_polynormal", "bvh_aabb"),
)


SIZES = ("length", "girth", "mass")
SMALLEST, LARGEST = 0.01, 100.0
"""Factors beyond these make bodies that no simulator can handle."""


@dataclass(frozen=True)
class Scale:
    """Factors of a segment's length, girth and mass; without `mass`, the density stays.

    character("humanoid").reshaped({"left_thigh": Scale(length=2, girth=1.2)})
    """

    length: float = 1.0
    girth: float = 1.0
    mass: float | None = None

    def __post_init__(self) -> None:
        for name in SIZES:
            if getattr(self, name) is not None:
                read_factor(name, getattr(self, name))

    @property
    def mass_factor(self) -> float:
        return self.length * self.girth**2 if self.mass is None else self.mass


def read_factor(name: str, value: object) -> float:
    """The factor of a size, as a number or as text; `InputError` where it is not allowed."""
    try:
        factor = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        factor = math.nan
    if not SMALLEST <= factor <= LARGEST:
        allowed = f"a positive factor from {SMALLEST:g} to {LARGEST:g}"
        raise InputError(f"{name} = {value} is not allowed; give {allowed}")
    return factor


def scale_segment(
    model: mujoco.MjModel, body: str, length: float, girth: float, mass: float | None = None
) -> None:
    """Scale the segment `body` of `model` in place; the factors are relative to its present size.

    A mesh is scaled where no other geom uses it; a shared mesh only moves. The model's constants
    (inverse weights, subtree masses) are renewed at the end; the caller renews its MjData.
    """
    scale = Scale(length, girth, mass)
    b = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body)
    if b <= 0:
        names = [model.body(i).name for i in range(1, model.nbody)]
        raise UnknownName("body", body, names, where="the model")
    axis = long_axis(model, b)
    S = scale.girth * np.eye(3) + (scale.length - scale.girth) * np.outer(axis, axis)
    center = _joint_position(model, b)

    def moved(point: np.ndarray) -> np.ndarray:
        return center + (point - center) @ S.T

    _scale_inertia(model, b, S, scale.mass_factor)
    model.body_ipos[b] = moved(model.body_ipos[b])
    for child in np.flatnonzero(model.body_parentid == b):
        if child != b:
            model.body_pos[child] = moved(model.body_pos[child])
    for site in np.flatnonzero(model.site_bodyid == b):
        model.site_pos[site] = moved(model.site_pos[site])
        model.site_sameframe[site] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE
    for geom in np.flatnonzero(model.geom_bodyid == b):
        model.geom_pos[geom] = moved(model.geom_pos[geom])
        model.geom_sameframe[geom] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE
        _scale_geom(model, int(geom), S)
    model.body_sameframe[b] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE
    _renew_bounding_volumes(model, b)
    mujoco.mj_setConst(model, mujoco.MjData(model))


def copy_shape(source: mujoco.MjModel, target: mujoco.MjModel) -> None:
    """Give `target`, once equal to `source`, back the shape of `source`, in place."""
    for field in _SHAPE_FIELDS:
        getattr(target, field)[:] = getattr(source, field)
    mujoco.mj_setConst(target, mujoco.MjData(target))


def long_axis(model: mujoco.MjModel, b: int) -> np.ndarray:
    """Unit vector (3,) in the frame of body `b` along which it is long.

    From its joint to the middle of its children; without any, to its own centre of mass. The sole
    of a foot is long in the direction that the body faces at rest, so that it stays flat, and so is
    the trunk of a quadruped, whose children lie around its joint.

    Scaling leaves this axis as it is, since no comparison of length and width decides: a second
    scaling can undo the first.
    """
    forward = _rest_rotation(model, b).T[:, 0]
    children = np.flatnonzero(model.body_parentid == b)
    joint = _joint_position(model, b)
    if len(children):
        offsets = model.body_pos[children] - joint
        if _distinct(offsets.mean(axis=0), np.abs(offsets).max()):
            return _unit(offsets.mean(axis=0))
        if len(children) > 1:
            return forward
    elif _is_sole(model, b):
        return forward
    towards = model.body_ipos[b] - joint
    return _unit(towards) if _distinct(towards, 1.0) else forward


def _distinct(vector: np.ndarray, size: float) -> bool:
    return bool(np.linalg.norm(vector) > 1e-6 * max(size, 1.0))


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))


def _is_sole(model: mujoco.MjModel, b: int) -> bool:
    """Whether two or more of the body's sites share the lowest height at rest."""
    up = _rest_rotation(model, b)[2]
    heights = model.site_pos[model.site_bodyid == b] @ up
    if len(heights) < 2:
        return False
    return int(np.count_nonzero(heights < heights.min() + 1e-3 * np.ptp(heights) + 1e-6)) > 1


def _rest_rotation(model: mujoco.MjModel, b: int) -> np.ndarray:
    """R_wb (3, 3) of a body at rest."""
    R = np.eye(3)
    while b:
        R = matrix_from_quat(model.body_quat[b]) @ R
        b = int(model.body_parentid[b])
    return R


def _joint_position(model: mujoco.MjModel, b: int) -> np.ndarray:
    if model.body_jntnum[b] == 0:
        return np.zeros(3)
    return model.jnt_pos[model.body_jntadr[b]].copy()


def _second_moment(model: mujoco.MjModel, b: int) -> np.ndarray:
    """Σ = ∫ r rᵀ dm about the centre of mass, body frame (3, 3) [kg m²]; I = tr(Σ)1 − Σ."""
    R = matrix_from_quat(model.body_iquat[b])
    inertia = R @ np.diag(model.body_inertia[b]) @ R.T
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia


def _scale_inertia(model: mujoco.MjModel, b: int, S: np.ndarray, mass_factor: float) -> None:
    """Σ' = (m'/m) S Σ Sᵀ, exact for an affine map of any solid."""
    sigma = mass_factor * S @ _second_moment(model, b) @ S.T
    moments, axes = np.linalg.eigh(np.trace(sigma) * np.eye(3) - sigma)
    order, axes = _closest_axes(axes, matrix_from_quat(model.body_iquat[b]))
    model.body_mass[b] *= mass_factor
    model.body_inertia[b] = moments[order]
    model.body_iquat[b] = quat_from_matrix(axes)


def _closest_axes(axes: np.ndarray, old: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order and signs of the columns of `axes` that make them a rotation close to `old`."""
    overlap = np.abs(axes.T @ old)
    order = np.empty(3, dtype=int)
    for _ in range(3):
        i, j = np.unravel_index(np.argmax(overlap), overlap.shape)
        order[j] = i
        overlap[i, :] = overlap[:, j] = -1.0
    chosen = axes[:, order]
    chosen = chosen * np.where(np.sum(chosen * old, axis=0) < 0, -1.0, 1.0)
    if np.linalg.det(chosen) < 0:
        chosen[:, 2] *= -1.0
    return order, chosen


def _scale_geom(model: mujoco.MjModel, geom: int, S: np.ndarray) -> None:
    """Size and orientation of a geom under S; its position is moved by the caller."""
    kind, size = _GEOM(model.geom_type[geom]), model.geom_size[geom]
    R = matrix_from_quat(model.geom_quat[geom])
    edges = S @ R  # (3, 3), the images of the geom's unit axes, no longer orthogonal in general
    stretch = np.linalg.norm(edges, axis=0)
    if kind == _GEOM.mjGEOM_SPHERE:
        size[0] *= np.linalg.det(S) ** (1 / 3)
    elif kind in (_GEOM.mjGEOM_CAPSULE, _GEOM.mjGEOM_CYLINDER):
        # The axis is exact; the radius keeps the cross-section's area.
        size[1] *= stretch[2]
        size[0] *= np.sqrt(np.linalg.det(S) / stretch[2])
        model.geom_quat[geom] = quat_from_matrix(_rotation_with_axis(R, edges[:, 2] / stretch[2]))
    elif kind == _GEOM.mjGEOM_ELLIPSOID:
        axes, half, _ = np.linalg.svd(edges * size)
        order, axes = _closest_axes(axes, R)
        model.geom_size[geom] = half[order]
        model.geom_quat[geom] = quat_from_matrix(axes)
    elif kind == _GEOM.mjGEOM_BOX:
        u, _, vt = np.linalg.svd(edges)
        size *= stretch
        model.geom_quat[geom] = quat_from_matrix(u @ vt)
    elif kind == _GEOM.mjGEOM_MESH:
        _scale_mesh(model, geom, R.T @ S @ R)
    _renew_geom_bounds(model, geom)


def _rotation_with_axis(R: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The rotation closest to R whose third column is `axis`."""
    u, _, vt = np.linalg.svd(R[:, :2] - np.outer(axis, axis @ R[:, :2]), full_matrices=False)
    first_two = u @ vt
    return np.column_stack([first_two, axis])


def _scale_mesh(model: mujoco.MjModel, geom: int, A: np.ndarray) -> None:
    """Vertices and normals of the geom's mesh under the map A, in the mesh's own frame."""
    mesh = model.geom_dataid[geom]
    if np.count_nonzero((model.geom_dataid == mesh) & (model.geom_type == _GEOM.mjGEOM_MESH)) > 1:
        return
    vertices = slice(model.mesh_vertadr[mesh], model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh])
    model.mesh_vert[vertices] = model.mesh_vert[vertices] @ A.T
    normals = slice(
        model.mesh_normaladr[mesh], model.mesh_normaladr[mesh] + model.mesh_normalnum[mesh]
    )
    polygons = slice(model.mesh_polyadr[mesh], model.mesh_polyadr[mesh] + model.mesh_polynum[mesh])
    for array, rows in ((model.mesh_normal, normals), (model.mesh_polynormal, polygons)):
        turned = array[rows] @ np.linalg.inv(A)
        array[rows] = turned / np.linalg.norm(turned, axis=1, keepdims=True).clip(min=1e-12)


def _renew_geom_bounds(model: mujoco.MjModel, geom: int) -> None:
    """Bounding box in the geom's own frame, and radius: broad-phase collision reads them."""
    kind, size = _GEOM(model.geom_type[geom]), model.geom_size[geom]
    center = np.zeros(3)
    if kind == _GEOM.mjGEOM_SPHERE:
        half = np.full(3, size[0])
    elif kind == _GEOM.mjGEOM_CAPSULE:
        half = np.array([size[0], size[0], size[0] + size[1]])
    elif kind == _GEOM.mjGEOM_CYLINDER:
        half = np.array([size[0], size[0], size[1]])
    elif kind == _GEOM.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        start = model.mesh_vertadr[mesh]
        vertices = model.mesh_vert[start : start + model.mesh_vertnum[mesh]]
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        center, half = (low + high) / 2, (high - low) / 2
        model.geom_size[geom] = half
    else:
        half = size.copy()
    model.geom_aabb[geom] = np.concatenate([center, half])
    rounded = kind in (_GEOM.mjGEOM_SPHERE, _GEOM.mjGEOM_CAPSULE, _GEOM.mjGEOM_ELLIPSOID)
    model.geom_rbound[geom] = half.max() if rounded else np.linalg.norm(np.abs(center) + half)


def _renew_bounding_volumes(model: mujoco.MjModel, b: int) -> None:
    """Boxes around the body's geoms, in its inertial frame: mid-phase collision reads them."""
    first = model.body_bvhadr[b]
    R_bi = matrix_from_quat(model.body_iquat[b])
    # Children of a node come after it: going backwards, they are ready.
    for node in range(first + model.body_bvhnum[b] - 1, first - 1, -1):
        geom = model.bvh_nodeid[node]
        if geom >= 0:
            R_ig = R_bi.T @ matrix_from_quat(model.geom_quat[geom])
            offset = (model.geom_pos[geom] - model.body_ipos[b]) @ R_bi
            center = offset + R_ig @ model.geom_aabb[geom, :3]
            half = np.abs(R_ig) @ model.geom_aabb[geom, 3:]
        else:
            boxes = model.bvh_aabb[first + model.bvh_child[node]]
            low = (boxes[:, :3] - boxes[:, 3:]).min(axis=0)
            high = (boxes[:, :3] + boxes[:, 3:]).max(axis=0)
            center, half = (low + high) / 2, (high - low) / 2
        model.bvh_aabb[node] = np.concatenate([center, half])
