"""Convex polygons in the plane: the support of a standing body."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Point = tuple[float, float]


def convex_hull(points: Iterable[Sequence[float]]) -> list[Point]:
    """Corners of the convex hull, counter-clockwise, none collinear (Andrew's monotone chain)."""
    ordered = sorted({(float(p[0]), float(p[1])) for p in points})
    if len(ordered) < 3:
        return ordered

    def chain(row: Iterable[Point]) -> list[Point]:
        kept: list[Point] = []
        for p in row:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return chain(ordered) + chain(reversed(ordered))


def nearest_inside(hull: Sequence[Point], point: Point) -> Point:
    """The point of a convex polygon (or segment, or single point) that is nearest to `point`."""
    if len(hull) > 2 and all(_turn(a, b, point) >= 0 for a, b in _edges(hull)):
        return point
    best, nearest = math.inf, point
    for a, b in _edges(hull):
        dx, dy = b[0] - a[0], b[1] - a[1]
        length2 = dx * dx + dy * dy
        t = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / length2 if length2 > 0 else 0.0
        t = min(1.0, max(0.0, t))
        candidate = (a[0] + t * dx, a[1] + t * dy)
        distance = math.dist(candidate, point)
        if distance < best:
            best, nearest = distance, candidate
    return nearest


def scaled_about_centre(hull: Sequence[Point], factor: float) -> list[Point]:
    """The polygon grown or shrunk about the mean of its corners."""
    cx = sum(p[0] for p in hull) / len(hull)
    cy = sum(p[1] for p in hull) / len(hull)
    return [(cx + factor * (x - cx), cy + factor * (y - cy)) for x, y in hull]


def gauge(hull: Sequence[Point], point: Point) -> float:
    """The factor by which to scale a polygon about the mean of its corners until `point` is on its
    edge: below 1 inside, above 1 outside; infinite for a segment or a single point."""
    if len(hull) < 3:
        return math.inf
    cx = sum(p[0] for p in hull) / len(hull)
    cy = sum(p[1] for p in hull) / len(hull)
    factor = 0.0
    for a, b in _edges(hull):
        nx, ny = b[1] - a[1], a[0] - b[0]  # outwards
        reach = nx * (a[0] - cx) + ny * (a[1] - cy)
        factor = max(factor, (nx * (point[0] - cx) + ny * (point[1] - cy)) / reach)
    return factor


def _edges(hull: Sequence[Point]) -> list[tuple[Point, Point]]:
    return list(zip(hull, [*hull[1:], hull[0]], strict=True))


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the signed area of the triangle a, b, c: positive when it turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
