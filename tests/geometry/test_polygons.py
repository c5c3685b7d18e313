"""Laws of convex polygons: nearest is inside and nothing inside is nearer; the gauge scales."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amble.geometry.polygons import ConvexPolygon, convex_hull

COORDINATES = st.floats(-10, 10).map(lambda x: round(x, 3))
POINTS = st.tuples(COORDINATES, COORDINATES)
SQUARE = ConvexPolygon([(-1, -1), (1, -1), (1, 1), (-1, 1), (0.2, 0.3)])


def test_the_hull_leaves_out_what_is_inside_or_between() -> None:
    assert convex_hull([(0, 0), (2, 0), (1, 0), (2, 2), (1, 1), (0, 2)]) == [
        (0, 0),
        (2, 0),
        (2, 2),
        (0, 2),
    ]


@given(st.lists(POINTS, min_size=1, max_size=8), POINTS, st.floats(0.5, 2))
def test_nothing_in_the_polygon_is_nearer(
    points: list[tuple[float, float]], point: tuple[float, float], scale: float
) -> None:
    polygon = ConvexPolygon(points)
    nearest = polygon.nearest(point, scale)
    # Optimality: towards any corner it only gets farther, (p − n)·(corner − n) ≤ 0.
    corners = polygon.centre + scale * (np.array(polygon.corners) - polygon.centre)
    towards = (corners - nearest) @ (np.array(point) - nearest)
    assert towards.max() <= 1e-6
    assert polygon.nearest(nearest, scale + 1e-9) == pytest.approx(nearest, abs=1e-6)


@given(st.floats(0.1, 3), st.floats(0, 2 * math.pi))
def test_the_gauge_is_the_scale_that_reaches_a_point(scale: float, angle: float) -> None:
    direction = np.array([math.cos(angle), math.sin(angle)])
    edge = direction / abs(direction).max()
    assert SQUARE.gauge(tuple(scale * edge)) == pytest.approx(scale)
    assert SQUARE.gauge(SQUARE.nearest(tuple(5 * edge), scale)) == pytest.approx(scale)


def test_segments_and_points_have_no_inside() -> None:
    assert ConvexPolygon([(0, 0), (1, 0)]).gauge((0.5, 0)) == math.inf
    assert ConvexPolygon([(0, 0), (1, 0)]).nearest((0.3, 2)) == (0.3, 0)
    assert ConvexPolygon([(1, 2)]).nearest((5, 5)) == (1, 2)
    assert ConvexPolygon([]).corners == []
