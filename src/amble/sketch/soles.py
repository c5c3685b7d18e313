"""Soles on the ground, seen from above: how far two feet are apart."""

from __future__ import annotations

import math

import numpy as np

from amble.characters.centroidal import Leg


def sole_middle(leg: Leg, xy: np.ndarray, yaw: float) -> np.ndarray:
    """The point half-way between heel and toe (2,) [m] of a foot whose reference is at `xy`."""
    along = 0.5 * (leg.effectors[0] + leg.effectors[-1])
    return np.array([xy[0] + along * math.cos(yaw), xy[1] + along * math.sin(yaw)])


def sole_distance(
    a: Leg, a_xy: np.ndarray, a_yaw: float, b: Leg, b_xy: np.ndarray, b_yaw: float
) -> float:
    """Distance between the middle lines of two soles, from heel to toe [m]."""
    p, q = _ends(a, a_xy, a_yaw), _ends(b, b_xy, b_yaw)
    (px, py), (ux, uy) = p[0], (p[1][0] - p[0][0], p[1][1] - p[0][1])
    (qx, qy), (vx, vy) = q[0], (q[1][0] - q[0][0], q[1][1] - q[0][1])
    cross = ux * vy - uy * vx
    if abs(cross) > 1e-12:
        s = ((qx - px) * vy - (qy - py) * vx) / cross
        t = ((qx - px) * uy - (qy - py) * ux) / cross
        if 0 <= s <= 1 and 0 <= t <= 1:
            return 0.0
    return min(*(_to_line(point, *q) for point in p), *(_to_line(point, *p) for point in q))


def _ends(leg: Leg, xy: np.ndarray, yaw: float) -> tuple[tuple[float, float], tuple[float, float]]:
    x, y, c, s = float(xy[0]), float(xy[1]), math.cos(yaw), math.sin(yaw)
    heel, toe = leg.effectors[0], leg.effectors[-1]
    return (x + c * heel, y + s * heel), (x + c * toe, y + s * toe)


def _to_line(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    ux, uy = b[0] - a[0], b[1] - a[1]
    dx, dy = point[0] - a[0], point[1] - a[1]
    share = min(max((dx * ux + dy * uy) / max(ux * ux + uy * uy, 1e-12), 0.0), 1.0)
    return math.hypot(dx - share * ux, dy - share * uy)
