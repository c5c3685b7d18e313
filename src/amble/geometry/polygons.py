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


class ConvexPolygon:
    """The convex hull of some points: a polygon, or a segment, or a single point.

    Plain numbers instead of arrays: a handful of corners, looked at in every tick of a controller.
    """

    def __init__(self, points: Iterable[Sequence[float]]) -> None:
        self.corners = convex_hull(points)
        count = max(len(self.corners), 1)
        self.centre = (
            sum(x for x, _ in self.corners) / count,
            sum(y for _, y in self.corners) / count,
        )
        #: for each edge its outward normal, divided by the distance of the edge from the centre
        self._normals: list[Point] = []
        if len(self.corners) > 2:
            for a, b in _edges(self.corners):
                nx, ny = b[1] - a[1], a[0] - b[0]
                reach = nx * (a[0] - self.centre[0]) + ny * (a[1] - self.centre[1])
                self._normals.append((nx / reach, ny / reach))

    def gauge(self, point: Point) -> float:
        """The factor by which to scale the polygon about its centre until `point` is on its edge:
        below 1 inside, above 1 outside; infinite for a segment or a single point."""
        if not self._normals:
            return math.inf
        x, y = point[0] - self.centre[0], point[1] - self.centre[1]
        return max(nx * x + ny * y for nx, ny in self._normals)

    def towards(self, inside: Point, point: Point) -> Point:
        """How far one gets on the straight way from a place inside to `point`."""
        if not self._normals:
            return inside
        share = 1.0
        x, y = inside[0] - self.centre[0], inside[1] - self.centre[1]
        dx, dy = point[0] - inside[0], point[1] - inside[1]
        for nx, ny in self._normals:
            reach, rise = nx * x + ny * y, nx * dx + ny * dy
            if reach + share * rise > 1.0 and rise > 0.0:
                share = max((1.0 - reach) / rise, 0.0)
        return (inside[0] + share * dx, inside[1] + share * dy)

    def nearest(self, point: Point, scale: float = 1.0) -> Point:
        """The point of the polygon, scaled about its centre, that is nearest to `point`."""
        if self.gauge(point) <= scale:
            return point
        cx, cy = self.centre
        corners = [(cx + scale * (x - cx), cy + scale * (y - cy)) for x, y in self.corners]
        candidates = [_nearest_on(a, b, point) for a, b in _edges(corners)]
        return min(candidates, key=lambda candidate: math.dist(candidate, point))


def _nearest_on(a: Point, b: Point, point: Point) -> Point:
    """The point of the segment from a to b that is nearest to `point`."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length2 = dx * dx + dy * dy
    t = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / length2 if length2 > 0 else 0.0
    t = min(1.0, max(0.0, t))
    return (a[0] + t * dx, a[1] + t * dy)


def _edges(hull: Sequence[Point]) -> list[tuple[Point, Point]]:
    return list(zip(hull, [*hull[1:], hull[0]], strict=True))


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the signed area of the triangle a, b, c: positive when it turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
