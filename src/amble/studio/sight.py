"""Sight: what a motion is made of at one moment, as lines and points that a page can draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from amble.characters.character import GRAVITY
from amble.geometry.polygons import convex_hull

LIFT = 0.008  # [m] above the ground, so that lines on it are seen
NOTHING = np.zeros((0, 3))
CAPTURE, SUPERVISOR = "capture point", "supervisor's point"


@dataclass(frozen=True, eq=False)
class Sight:
    """All in the world's frame [m]; what a motion does not know stays empty."""

    com_w: np.ndarray  # (3,)
    ground: float = 0.0  # height of the ground under it [m]
    com_path_w: np.ndarray = field(default_factory=lambda: NOTHING)  # (N, 3) where it will go
    taken_w: Sequence[np.ndarray] = ()  # outlines of soles on the ground (N, 3), now and before
    planned_w: Sequence[np.ndarray] = ()  # outlines of soles still to come
    forces: Sequence[tuple[np.ndarray, np.ndarray]] = ()  # point (3,) and force (3,) [N]
    support_w: np.ndarray = field(default_factory=lambda: NOTHING)  # corners (N, 3)
    pendulum_w: Sequence[np.ndarray] = ()  # chains of points (N, 3)
    points_w: Mapping[str, np.ndarray] = field(default_factory=dict)  # by name (3,)


def capture_point(
    com_w: np.ndarray, velocity_w: np.ndarray, ground: float, gravity: float = GRAVITY
) -> np.ndarray:
    """Where an inverted pendulum that moves like this must step to come to rest, ξ = c + ċ √(z/g),
    on the ground (3,) [m]."""
    height = max(float(com_w[2]) - ground, 1e-3)
    x, y = com_w[:2] + velocity_w[:2] * np.sqrt(height / gravity)
    return np.array([x, y, ground + LIFT])


def support(points_w: np.ndarray) -> np.ndarray:
    """The convex hull (N, 3) of points that stand on the ground, as high as the highest."""
    if not len(points_w):
        return NOTHING
    hull = np.array(convex_hull(points_w[:, :2].tolist()))
    if len(hull) < 2:
        return NOTHING
    return np.column_stack([hull, np.full(len(hull), points_w[:, 2].max() + LIFT)])


def outline(points_w: np.ndarray) -> np.ndarray:
    """The outline (N, 3) of one sole from its contact points, as high as each of them."""
    hull = np.array(convex_hull(points_w[:, :2].tolist()))
    if len(hull) < 3:  # a point or an edge is shown as a small square
        x, y, z = points_w.mean(axis=0)
        square = 0.03 * np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
        return square + (x, y, z + LIFT)
    nearest = np.argmin(np.linalg.norm(points_w[:, None, :2] - hull[None], axis=-1), axis=0)
    return np.column_stack([hull, points_w[nearest, 2] + LIFT])
