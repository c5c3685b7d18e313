"""Times of footsteps by least squares (centroidal eq. 1–8, appendix C).

Groups of limbs land in a fixed order, one event after another. The unknowns are the waiting times
between events, each at least the shortest allowed plus an exponential, so that the order of eq. 7
and 8 holds by construction. All terms are residuals: Levenberg–Marquardt finds the optimum, with a
Jacobian by finite differences in one batch.

Terms are weighed in the units of a human body, so that bodies of any size make the same choice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from amble.sketch.gait import Gait, Groups

STEP = 1e-4  # of the finite differences
PROBE = 0.05  # of single unknowns, where the gradient does not help
WIDEST = 3.0  # greatest |z|


@dataclass(frozen=True)
class Weights:
    """Of the objective's terms E1 … E6."""

    stride_seconds: float = 2.0
    step_seconds: float = 1.0
    stride_length: float = 0.0
    step_length: float = 4.0
    crossing: float = 1.0
    force: float = 0.4  # per (body weight · s)²; 1e-6 per (N s)² for a human


@dataclass(frozen=True, eq=False)
class Trace:
    """The cart over time, sampled evenly; beyond its end it goes on straight."""

    start: float  # [s]
    rate: float  # [1/s]
    cart_w: np.ndarray  # (K, 2) [m]
    yaw: np.ndarray  # (K,) [rad]
    heading: np.ndarray  # (K,) direction of travel [rad]
    impulse: np.ndarray  # (K,) ∫|F| dt / (m g) [s]
    _table: np.ndarray = field(init=False)
    _steps: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        table = np.column_stack(
            [
                *(self.cart_w, self.impulse),
                *(np.cos(self.yaw), np.sin(self.yaw)),
                *(np.cos(self.heading), np.sin(self.heading)),
            ]
        )
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_steps", table[1:] - table[:-1])

    def table(self, times: np.ndarray) -> np.ndarray:
        """(..., 7): cart x, y, impulse, cos and sin of yaw, cos and sin of heading."""
        u = (times - self.start) * self.rate
        i = np.minimum(np.maximum(u.astype(int), 0), len(self._table) - 2)
        f = (u - i)[..., None]
        out = self._table[i]
        step = self._steps[i]
        out[..., :3] += f * step[..., :3]
        out[..., 3:] += np.minimum(np.maximum(f, 0.0), 1.0) * step[..., 3:]
        return np.asarray(out)

    def at(self, values: np.ndarray, time: float) -> np.ndarray:
        """Values (K, ...) at a time, held beyond the ends."""
        u = min(max((time - self.start) * self.rate, 0.0), len(values) - 1.0)
        i = min(int(u), len(values) - 2)
        return np.asarray(values[i] + (u - i) * (values[i + 1] - values[i]))


@dataclass(frozen=True, eq=False)
class Past:
    """The last footstep of each limb, which is decided."""

    middle: np.ndarray  # (n,) [s]
    xy: np.ndarray  # (n, 2) [m]


@dataclass(frozen=True, eq=False)
class Wish:
    """What the steps should be like."""

    stride: float  # [s]
    step_length: float  # [m] between opposite limbs
    earliest: np.ndarray  # (events,) [s] a time before which an event cannot be
    offsets: np.ndarray  # (n, 2) of the feet from the cart, facing frame [m]


@dataclass(frozen=True, eq=False)
class _Layout:
    """Index arrays of the terms. Nodes are footsteps: first the past ones, then the new."""

    limb: np.ndarray  # (nodes,)
    event: np.ndarray  # (new nodes,) event of each
    stride: np.ndarray  # (2, ·) nodes: next and previous of a limb
    opposite: np.ndarray  # (2, ·) nodes: a footstep and the last one of the opposite limb
    crossing: np.ndarray  # (3, ·) nodes: a footstep, the opposite's next and last
    side: np.ndarray  # (·,) of the limb that crosses


@lru_cache(maxsize=256)
def _layout(
    limbs: int, order: Groups, opposite: tuple[tuple[int, int], ...], sides: tuple[int, ...]
) -> _Layout:
    nodes = [(limb, -1) for limb in range(limbs)]
    nodes += [(limb, e) for e, group in enumerate(order) for limb in group]
    other = dict(opposite)
    last = {limb: limb for limb in range(limbs)}
    stride, pairs, crossing, crossing_sides = [], [], [], []
    for k in range(limbs, len(nodes)):
        limb = nodes[k][0]
        stride.append((k, last[limb]))
        if limb in other:
            facing = other[limb]
            pairs.append((k, last[facing]))
            following = [j for j in range(k + 1, len(nodes)) if nodes[j][0] == facing]
            if following:
                crossing.append((k, following[0], last[facing]))
                crossing_sides.append(sides[limb])
        last[limb] = k
    return _Layout(
        limb=np.array([limb for limb, _ in nodes]),
        event=np.array([e for _, e in nodes[limbs:]]),
        stride=np.array(stride, dtype=int).reshape(-1, 2).T,
        opposite=np.array(pairs, dtype=int).reshape(-1, 2).T,
        crossing=np.array(crossing, dtype=int).reshape(-1, 3).T,
        side=np.array(crossing_sides, dtype=float),
    )


class Objective:
    """E1 … E6 as residuals of the unknowns z, batched over rows of z."""

    def __init__(
        self,
        gait: Gait,
        order: Groups,
        groups: int,
        trace: Trace,
        past: Past,
        wish: Wish,
        weights: Weights | None = None,
    ) -> None:
        self.trace, self.past, self.wish = trace, past, wish
        self.layout = _layout(gait.limbs, order, gait.opposite, gait.sides)
        self.events = len(order)
        self.step = wish.stride / groups
        self.shortest = 0.35 * self.step
        self.last = float(max(past.middle)) if groups > 1 else float(past.middle[0])
        w, t, x = weights or Weights(), 1 / gait.time_scale, 1 / gait.scale
        self._weights = (
            *(np.sqrt(w.stride_seconds) * t, np.sqrt(w.step_seconds) * t),
            *(np.sqrt(w.stride_length) * x, np.sqrt(w.step_length) * x),
            *(np.sqrt(w.crossing) * x, np.sqrt(w.force) * t),
        )
        rows = trace.table(past.middle)
        self._past = np.concatenate([past.xy, rows[:, 2:]], axis=1)

    def times(self, z: np.ndarray) -> np.ndarray:
        """Times of the events (P, events) [s], each after the one before it (eq. 7, 8)."""
        waits = (self.step - self.shortest) * np.exp(np.minimum(np.maximum(z, -WIDEST), WIDEST))
        out = np.empty(z.shape)
        last = np.full(len(z), self.last)
        for e in range(self.events):
            last = np.maximum(last + self.shortest, self.wish.earliest[e]) + waits[:, e]
            out[:, e] = last
        return out

    def residuals(self, z: np.ndarray) -> np.ndarray:
        """(P, terms)."""
        lay, wish, w = self.layout, self.wish, self._weights
        P, n = len(z), len(self.past.middle)
        times = self.times(z)
        node_times = np.empty((P, len(lay.limb)))
        node_times[:, :n] = self.past.middle
        node_times[:, n:] = times[:, lay.event]
        rows = np.empty((P, len(lay.limb), 7))
        rows[:, :n] = self._past
        new = self.trace.table(node_times[:, n:])
        off = wish.offsets[lay.limb[n:]]
        c, s = new[..., 3], new[..., 4]
        rows[:, n:] = new
        rows[:, n:, 0] += c * off[:, 0] - s * off[:, 1]
        rows[:, n:, 1] += s * off[:, 0] + c * off[:, 1]
        a, b = lay.stride
        terms = [w[0] * (node_times[:, a] - node_times[:, b] - wish.stride)]  # eq. 1
        gaps = times.copy()
        gaps[:, 0] -= self.last
        gaps[:, 1:] -= times[:, :-1]
        terms.append(w[1] * (gaps - self.step))  # eq. 2
        if w[2] > 0 or not lay.opposite.size:
            weight = w[2] if w[2] > 0 else 0.5 * w[3]  # a single leg has strides only
            terms.append(weight * (_along(rows, a, b) - 2 * wish.step_length))  # eq. 3
        terms.append(w[5] * (rows[:, a, 2] - rows[:, b, 2]))  # eq. 6
        if lay.opposite.size:
            i, j = lay.opposite
            terms.append(w[3] * (_along(rows, i, j) - wish.step_length))  # eq. 4
        if lay.crossing.size:
            terms.append(w[4] * _crossing(rows, lay.crossing, lay.side))  # eq. 5
        return np.concatenate(terms, axis=1)

    def cost(self, z: np.ndarray) -> float:
        """E1 + … + E6, weighed."""
        return float((self.residuals(z[None]) ** 2).sum())


def _along(rows: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Signed distance from footsteps j to i along the direction of travel."""
    d = rows[:, i, :2] - rows[:, j, :2]
    return np.asarray(d[..., 0] * rows[:, i, 5] + d[..., 1] * rows[:, i, 6])


def _crossing(rows: np.ndarray, nodes: np.ndarray, side: np.ndarray) -> np.ndarray:
    """How far a footstep lies beyond the line of the opposite limb's two around it (figure 6)."""
    a, b, c = (rows[:, k, :2] for k in nodes)
    line, d = b - c, a - c
    length = np.sqrt((line**2).sum(-1)) + 1e-6
    left = (line[..., 0] * d[..., 1] - line[..., 1] * d[..., 0]) / length
    return np.asarray(np.maximum(-side * left, 0.0))


def solve(objective: Objective, iterations: int = 6, tolerance: float = 1e-3) -> np.ndarray:
    """The unknowns at the optimum, by Levenberg–Marquardt from the gait's own rhythm.

    The objective has kinks where a path bends between samples and where feet begin to cross. Where
    no step along the gradient helps, steps along single unknowns are tried before giving up.
    """
    n = objective.events
    shifts = np.concatenate([np.zeros((1, n)), STEP * np.eye(n)])
    probes = PROBE * np.concatenate([np.eye(n), -np.eye(n)])
    z, damping = np.zeros(n), 1e-2
    r = objective.residuals(z + shifts)
    cost = float(r[0] @ r[0])
    for _ in range(iterations):
        found = _step(objective, z, r, cost, damping, shifts)
        if found is None or found[2] > cost * (1 - tolerance) - 1e-12:
            if found is not None:
                smooth = found[3] < damping or damping <= 1e-6
                z, r, cost, damping = found
                if smooth:
                    break
            tried = (objective.residuals(z + probes) ** 2).sum(1)
            best = int(np.argmin(tried))
            if tried[best] > cost * (1 - tolerance) - 1e-9:
                break
            z = z + probes[best]
            r = objective.residuals(z + shifts)
            cost, damping = float(r[0] @ r[0]), 1e-2
        else:
            z, r, cost, damping = found
    return np.clip(z, -WIDEST, WIDEST)


def _step(
    objective: Objective,
    z: np.ndarray,
    r: np.ndarray,
    cost: float,
    damping: float,
    shifts: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, float, float] | None:
    """One step that lowers the cost: unknowns, residuals around them, cost, damping; or none."""
    J = (r[1:] - r[0]).T / STEP
    H, g = J.T @ J, J.T @ r[0]
    diagonal = np.diag(np.diag(H) + 1e-6)
    for _ in range(4):
        step = np.linalg.solve(H + damping * diagonal, -g)
        trial = np.clip(z + np.clip(step, -1.0, 1.0), -WIDEST, WIDEST)
        r_trial = objective.residuals(trial + shifts)
        cost_trial = float(r_trial[0] @ r_trial[0])
        if cost_trial <= cost:
            return trial, r_trial, cost_trial, max(damping / 8.0, 1e-6)
        damping *= 10.0
    return None
