"""Contacts of a motion, found in the heights and speeds of heels and toes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from amble.tracking.flat_body import CORNERS, FlatBody

LOW = 0.028  # [m] above the floor that still counts as standing, for legs of 1 m
SLOW = 0.55  # [m/s] of a point that stands, for legs of 1 m
BRIEF = 0.05  # [s]: shorter contacts and gaps do not count


def floor_height(points: np.ndarray, step: float) -> float:
    """Height [m] on which the points (T, P, 3) stand: the median of the lowest where it is slow.

    A capture's floor is seldom at zero, nor are its feet as large as the body's.
    """
    lowest = points[:, :, 2].min(axis=1)
    which = points[:, :, 2].argmin(axis=1)
    speed = np.linalg.norm(np.gradient(points, step, axis=0), axis=2)
    slow = speed[np.arange(len(points)), which]
    calm = lowest[slow <= np.quantile(slow, 0.4)]
    return float(np.median(calm))


def detect_contacts(body: FlatBody, q: np.ndarray, step: float, floor: float = 0.0) -> np.ndarray:
    """Which of the eight corners (T, 8) stand: heel or toe of a foot low and slow for a while."""
    points = np.array([body.midpoints_w(each) for each in q])  # (T, 4, 3)
    size = body.character.leg_length / 0.9
    velocity = np.gradient(points, step, axis=0)
    low = points[:, :, 2] - floor < LOW * size
    slow = np.linalg.norm(velocity, axis=2) < SLOW * np.sqrt(size)
    on = low & slow
    contact = np.zeros((len(q), CORNERS), bool)
    for point in range(4):
        contact[:, 2 * point] = contact[:, 2 * point + 1] = _steady(
            on[:, point], round(BRIEF / step)
        )
    return contact


def _steady(on: np.ndarray, least: int) -> np.ndarray:
    """Without gaps, and then without contacts, that are shorter than `least` rows."""
    for value in (False, True):
        on = on.copy()
        edges = np.flatnonzero(np.diff(on.astype(int))) + 1
        bounds = [0, *edges, len(on)]
        for first, last in pairwise(bounds[1:-1]):
            if on[first] == value and last - first < least:
                on[first:last] = not value
    return on
