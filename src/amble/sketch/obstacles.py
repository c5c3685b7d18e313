"""Footsteps clear of holes and walls (centroidal eq. 9, appendix C.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.sketch.footsteps import Trace
from amble.sketch.gait import Gait, Groups
from amble.sketch.ground import STEEPEST, steppable
from amble.terrain.terrain import Terrain

HANG = 0.03  # [m · L / 0.925 m] that heel or toe may hang over an edge at no cost


@dataclass(frozen=True, eq=False)
class Obstacles:
    """Says how well feet stand where the cart passes at given times."""

    body: CentroidalBody
    gait: Gait
    terrain: Terrain
    trace: Trace
    levels: np.ndarray  # (K,) height of the ground the body is on, along the trace [m]
    offsets: np.ndarray  # (n, 2) of the feet from the cart, facing frame [m]

    def costs(self, times: np.ndarray, limbs: np.ndarray) -> np.ndarray:
        """(M,): 0 where a limb's foot stands well, infinite where it cannot stand."""
        rows = self.trace.table(times)
        c, s = rows[:, 3], rows[:, 4]
        x, y = self.offsets[limbs].T
        xy = np.column_stack([rows[:, 0] + c * x - s * y, rows[:, 1] + s * x + c * y])
        index = ((times - self.trace.start) * self.trace.rate).astype(int)
        index = np.minimum(np.maximum(index, 0), len(self.levels) - 1)
        stands = steppable(self.terrain, self.gait.leg_length, xy, self.levels[index])
        hang = self._hang(xy, np.column_stack([c, s]), limbs) / self.gait.scale
        cost = np.where(hang > HANG, 0.3 + np.minimum(2.0 * hang, 0.4), 0.0)
        return np.where(stands, cost, np.inf)

    def _hang(self, xy: np.ndarray, forward: np.ndarray, limbs: np.ndarray) -> np.ndarray:
        """How far the ground under heel and toe is from that under the middle of the foot [m].

        What a slope within friction explains does not count.
        """
        ends = np.array([(leg.effectors[0], leg.effectors[-1]) for leg in self.body.legs])[limbs]
        if not np.ptp(ends):
            return np.zeros(len(xy))
        along = np.column_stack([ends[:, 0], ends.mean(1), ends[:, 1]])
        points = xy[:, None] + along[..., None] * forward[:, None]
        z = self.terrain.height(points[..., 0], points[..., 1])
        off = np.abs(z - z[:, 1:2]) - STEEPEST * np.abs(along - along[:, 1:2])
        return np.asarray(np.maximum(np.nan_to_num(off, nan=np.inf), 0.0).max(1))

    def clear(self, order: Groups, times: np.ndarray, step: float) -> tuple[np.ndarray, int]:
        """Times of events whose feet can stand, and how many still cannot.

        A footstep that cannot stand is moved along the way to the nearest moment at which it can,
        and all later ones with it, which keeps the rhythm (line search in time).
        """
        event = np.array([e for e, group in enumerate(order) for _ in group])
        limbs = np.array([limb for group in order for limb in group])
        first = np.zeros(len(order))
        np.maximum.at(first, event, self.costs(times[event], limbs))
        if not first.any():
            return times, 0
        nearby = np.arange(-0.6 * step, 1.3 * step, 1 / (2 * self.trace.rate))
        shift, failed, last = 0.0, 0, -np.inf
        out = np.empty(len(times))
        for e, group in enumerate(order):
            wished = float(times[e]) + shift
            cost = first[e] if shift == 0.0 else self._of_group(group, np.array([wished]))[0]
            if cost > 0:
                tries = wished + nearby
                tries = tries[tries > last + 0.35 * step]
                total = self._of_group(group, tries) + np.abs(tries - wished) / step
                best = int(np.argmin(total)) if total.size else -1
                if best >= 0 and total[best] < cost:
                    shift += float(tries[best]) - wished
                    wished = float(tries[best])
                elif np.isinf(cost):
                    failed += 1
            out[e] = last = wished
        return out, failed

    def _of_group(self, group: tuple[int, ...], times: np.ndarray) -> np.ndarray:
        costs = [self.costs(times, np.full(len(times), limb)) for limb in group]
        return np.asarray(np.max(costs, axis=0))
