"""Footsteps clear of holes and walls (centroidal eq. 9, appendix C.4)."""

from __future__ import annotations

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.sketch.footsteps import Trace
from amble.sketch.gait import Gait, Groups
from amble.sketch.ground import overhang, steppable
from amble.terrain.terrain import Terrain

HANG = 0.03  # [m · L / 0.925 m] that heel or toe may hang over an edge at no cost


def clear_times(
    body: CentroidalBody,
    gait: Gait,
    terrain: Terrain,
    trace: Trace,
    levels: np.ndarray,
    order: Groups,
    times: np.ndarray,
    offsets: np.ndarray,
    step: float,
) -> tuple[np.ndarray, int]:
    """Times of events whose feet can stand, and how many still cannot.

    A footstep that cannot stand is moved along the way to the nearest moment at which it can, and
    all later ones with it, which keeps the rhythm (line search in time).
    """
    shift, failed, last = 0.0, 0, -np.inf
    out = np.empty(len(times))
    nearby = np.arange(-0.6 * step, 1.3 * step, 1 / (2 * trace.rate))
    nearby = nearby[np.argsort(np.abs(nearby), kind="stable")]
    for e, group in enumerate(order):
        wished = float(times[e]) + shift
        cost = _cost(body, gait, terrain, trace, levels, group, np.array([wished]), offsets)
        if cost[0] > 0:
            tries = wished + nearby
            tries = tries[tries > last + 0.35 * step] if tries.size else tries
            total = _cost(body, gait, terrain, trace, levels, group, tries, offsets)
            total = total + np.abs(tries - wished) / step
            best = int(np.argmin(total)) if total.size else 0
            if total.size and np.isfinite(total[best]):
                if total[best] < cost[0]:
                    shift += float(tries[best]) - wished
                    wished = float(tries[best])
            else:
                failed += 1
        out[e] = last = wished
    return out, failed


def _cost(
    body: CentroidalBody,
    gait: Gait,
    terrain: Terrain,
    trace: Trace,
    levels: np.ndarray,
    group: tuple[int, ...],
    times: np.ndarray,
    offsets: np.ndarray,
) -> np.ndarray:
    """0 where every foot of a group can stand well at these times, infinite where one cannot."""
    rows = trace.table(times)
    c, s = rows[:, 3], rows[:, 4]
    yaw = np.arctan2(s, c)
    index = np.clip(((times - trace.start) * trace.rate).astype(int), 0, len(levels) - 1)
    total = np.zeros(len(times))
    for limb in group:
        x, y = offsets[limb]
        xy = np.column_stack([rows[:, 0] + c * x - s * y, rows[:, 1] + s * x + c * y])
        total[~steppable(terrain, gait.leg_length, xy, levels[index])] = np.inf
        hang = overhang(terrain, body.legs[limb], xy, yaw) / gait.scale
        total += np.where(hang > HANG, 0.3 + np.minimum(2.0 * hang, 0.4), 0.0)
    return total
