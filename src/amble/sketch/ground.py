"""The ground under a body: heights along its way, planes under its feet (centroidal appendix B)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import Leg
from amble.terrain.terrain import Terrain

STEEPEST = 0.6  # tan of the slope that friction holds
DEEPEST, HIGHEST = 0.35, 0.30  # steps down and up, of the leg length
SLOPE_PRIOR = 0.3  # standard deviation of slopes, before any sample is seen
NOISE = 0.02  # [m] standard deviation of a sample about the plane
ROUGH = 0.008  # [m] ground this far from its plane is not flat
EDGE = 0.012  # [m] a sole whose plane misses the ground by more lies over an edge


def fit_plane(xy: np.ndarray, z: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Plane z = a + b·(xy − mean) by Bayesian linear regression: (a, bx, by), batched.

    A normal prior on the slope b keeps it from following a few rough samples; a is free.
    xy (..., n, 2), z (..., n), weights (..., n); the mean is that of xy, weighted.
    """
    w = np.ones(z.shape) if weights is None else weights
    total = w.sum(-1)[..., None]
    mean = (w[..., None] * xy).sum(-2) / total
    level = (w * z).sum(-1)[..., None] / total
    d = xy - mean[..., None, :]
    precision = np.einsum("...n,...ni,...nj->...ij", w, d, d)
    precision = precision + (NOISE / SLOPE_PRIOR) ** 2 * np.eye(2)
    moment = np.einsum("...n,...ni->...i", w * (z - level), d)
    slope = np.linalg.solve(precision, moment[..., None])[..., 0]
    return np.concatenate([level, slope], axis=-1)


@dataclass(frozen=True, eq=False)
class Survey:
    """The ground along a way of K samples."""

    height: np.ndarray  # (K,) smooth height of the ground [m]
    level: np.ndarray  # (K,) height a body on it would be on: holes and walls left out [m]
    open: np.ndarray  # (K,) whether a foot could stand there
    slope: float  # rise per metre over the whole way
    rough: bool


def survey(
    terrain: Terrain,
    way_w: np.ndarray,
    leg_length: float,
    window: float,
    level: float | None = None,
) -> Survey:
    """Heights along a way (K, 2), smoothed over `window` metres.

    Samples lie on the way and 0.2 m · L / 0.925 m beside, before and behind it. The smooth height
    at a place depends on the ground around that place only, so that successive surveys agree.
    The way is prolonged backwards, so that also the first sample has ground on both sides.
    """
    spread = 0.216 * leg_length
    steps = np.diff(way_w, axis=0)
    first = way_w[min(10, len(way_w) - 1)] - way_w[0]
    distance = math.hypot(*first)
    direction = first / distance if distance > 1e-6 else np.array([1.0, 0.0])
    behind = np.linspace(-window, 0.0, 9)[:-1, None] * direction + way_w[0]
    path = np.concatenate([behind, way_w])
    arc = np.concatenate(
        [np.linspace(-window, 0.0, 9)[:-1], [0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))]
    )
    offsets = spread * np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    points = path[:, None] + offsets  # (M, 5, 2)
    z = terrain.height(points[..., 0], points[..., 1])
    start = len(behind)
    if np.ptp(z) < 1e-9:
        flat = z[start:, 0]
        return Survey(flat, flat, np.ones(len(way_w), dtype=bool), 0.0, False)
    levels, passable = _levels(z[:, 0], start, leg_length, level)
    near = np.abs(z - levels[:, None]) <= HIGHEST * leg_length
    height = _smooth(arc, np.where(near, z, levels[:, None]), start, window)
    normal = terrain.normal(way_w[:, 0], way_w[:, 1])
    open_ = passable[start:] & (normal[:, 2] > 1 / math.sqrt(1 + STEEPEST**2))
    along = arc[start:]
    length = float(along[-1])
    fit = fit_plane(np.stack([along, 0 * along], -1), levels[start:])
    # The last samples have ground on one side only, which says little of its roughness.
    local = np.abs(levels[start:] - height)[: max(2, 3 * len(way_w) // 5)]
    return Survey(
        height=height,
        level=levels[start:],
        open=open_,
        slope=float(fit[1]) if length > 0.1 * leg_length else 0.0,
        rough=bool(np.max(local) > ROUGH * leg_length / 0.925),
    )


def _levels(
    z: np.ndarray, start: int, leg_length: float, level: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Height of the last ground a body could have stepped on, both ways from `start`."""
    down, up = -DEEPEST * leg_length, HIGHEST * leg_length
    levels, passable = z.tolist(), [True] * len(z)
    here = levels[start] if level is None else level
    if not math.isfinite(here):
        here = 0.0
    for order in (range(start, len(z)), range(start - 1, -1, -1)):
        last = here
        for k in order:
            if math.isfinite(levels[k]) and down <= levels[k] - last <= up:
                last = levels[k]
            else:
                levels[k], passable[k] = last, False
    return np.array(levels), np.array(passable)


def _smooth(arc: np.ndarray, z: np.ndarray, start: int, window: float) -> np.ndarray:
    """Locally weighted lines through the samples, with a prior on their slope."""
    difference = arc[None, :] - arc[start:, None]  # (K, M)
    sigma = 0.4 * window
    w = np.exp(-0.5 * (difference / sigma) ** 2)
    total = w.sum(1)
    mean = (w * difference).sum(1) / total
    sample = z.mean(1)
    level = w @ sample / total
    spread = (w * difference**2).sum(1) / total - mean**2
    moment = (w @ (sample * arc)) / total - level * (mean + arc[start:])
    slope = moment / (spread + (NOISE / SLOPE_PRIOR) ** 2 + 0.05 * sigma**2)
    return np.asarray(level - slope * mean)


def steppable(
    terrain: Terrain, leg_length: float, xy: np.ndarray, level: np.ndarray | float
) -> np.ndarray:
    """Whether a foot could stand at places (..., 2) when the body is on ground of height `level`.

    The ground must exist, lie within a step up or down, and be no steeper than friction holds.
    """
    z = terrain.height(xy[..., 0], xy[..., 1])
    normal = terrain.normal(xy[..., 0], xy[..., 1])
    rise = z - level
    held = normal[..., 2] >= 1 / math.sqrt(1 + STEEPEST**2)
    reach = (rise >= -DEEPEST * leg_length) & (rise <= HIGHEST * leg_length)
    return np.asarray(np.isfinite(z) & reach & held)


def nudged(
    terrain: Terrain, legs: Sequence[Leg], xy: np.ndarray, yaw: np.ndarray, reach: float
) -> np.ndarray:
    """Places (M, 2) moved along each foot by at most `reach` metres, off the edges of steps."""
    grid = np.array([_sole_grid(leg) for leg in legs])
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    local = np.stack([c * grid[..., 0] - s * grid[..., 1], s * grid[..., 0] + c * grid[..., 1]], -1)
    tries = reach * np.linspace(-1.0, 1.0, 9)
    moves = tries[:, None] * np.column_stack([c, s])[:, None]  # (M, 9, 2)
    points = xy[:, None, None] + moves[:, :, None] + local[:, None]
    z = terrain.height(points[..., 0], points[..., 1])
    around = np.broadcast_to(local[:, None], points.shape)
    plane = fit_plane(around, z)
    d = around - around.mean(-2, keepdims=True)
    off = np.abs(z - plane[..., :1] - np.einsum("...ni,...i->...n", d, plane[..., 1:])).max(-1)
    cost = np.where(off > EDGE, 1.0 + off, 0.0) + np.abs(tries)
    best = np.argmin(np.nan_to_num(cost, nan=np.inf), axis=1)
    return np.asarray(xy + moves[np.arange(len(xy)), best])


def footholds(
    terrain: Terrain, legs: Sequence[Leg], xy: np.ndarray, yaw: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (M, 3) and normals (M, 3) of M feet at xy (M, 2) that point along yaw (M,).

    A sole's plane is fitted to nine places under it and raised until none is above it. Over an
    edge the sole lies on the higher side. A point foot has the ground's own height and normal.
    """
    grid = np.array([_sole_grid(leg) for leg in legs])  # (M, 9, 2)
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    local = np.stack([c * grid[..., 0] - s * grid[..., 1], s * grid[..., 0] + c * grid[..., 1]], -1)
    points = xy[:, None] + local
    z = _with_bottom(terrain.height(points[..., 0], points[..., 1]))
    soles = all(len(leg.effectors) > 1 for leg in legs)
    if soles and np.ptp(z) < 1e-9:
        up = np.tile([0.0, 0.0, 1.0], (len(xy), 1))
        return np.column_stack([xy, z[:, 0]]), up
    if not soles and len({len(leg.effectors) for leg in legs}) == 1:
        return np.column_stack([xy, z[:, 0]]), terrain.normal(xy[:, 0], xy[:, 1])
    plane = fit_plane(local, z)
    d = local - local.mean(1, keepdims=True)
    residual = z - plane[:, :1] - np.einsum("mni,mi->mn", d, plane[:, 1:])
    edge = np.abs(residual).max(1) > EDGE
    if edge.any():
        top = z.max(1, keepdims=True)
        weights = np.where(edge[:, None] & (z < top - 2 * EDGE), 1e-6, 1.0)
        plane = np.where(edge[:, None], fit_plane(local, z, weights), plane)
    steep = np.hypot(plane[:, 1], plane[:, 2])
    slope = plane[:, 1:] * np.minimum(1.0, STEEPEST / np.maximum(steep, 1e-9))[:, None]
    height = (z - np.einsum("mni,mi->mn", local, slope)).max(1)
    normal = np.column_stack([-slope, np.ones(len(xy))])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    for k, leg in enumerate(legs):
        if len(leg.effectors) < 2:
            normal[k], height[k] = terrain.normal(*xy[k]), z[k, 0]
    return np.column_stack([xy, height]), normal


def _with_bottom(z: np.ndarray) -> np.ndarray:
    """Heights (M, 9) with a deep bottom where there is no ground: only the rest carries."""
    known = np.isfinite(z)
    if known.all():
        return z
    top = np.where(known, z, -np.inf).max(1, keepdims=True)
    return np.where(known, z, np.where(np.isfinite(top), top, 0.0) - 1.0)


def foothold(
    terrain: Terrain, leg: Leg, xy: np.ndarray, yaw: float
) -> tuple[np.ndarray, np.ndarray]:
    """Position (3,) and normal (3,) of one foot on the ground."""
    position, normal = footholds(terrain, [leg], np.asarray(xy, float)[None], np.array([yaw]))
    return position[0], normal[0]


def _sole_grid(leg: Leg) -> np.ndarray:
    """Places under a sole, from its reference point, the reference point first (9, 2) [m]."""
    heel, toe, w = leg.effectors[0], leg.effectors[-1], leg.half_width
    xs, ys = (heel, 0.5 * (heel + toe), toe), (-w, 0.0, w)
    corners = [(x, y) for x in xs for y in ys if (x, y) != (xs[1], 0.0)]
    return np.array([(0.0, 0.0), *corners])
