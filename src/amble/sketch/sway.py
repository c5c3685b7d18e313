"""Sway: the centre of mass swings towards the foot it stands on (centroidal appendix D.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amble.sketch.contact import Contact
from amble.sketch.gait import Gait


@dataclass(frozen=True, eq=False)
class Sway:
    """Sideways displacement over time: cubics through knots, level at each."""

    times: np.ndarray  # (n,) [s]
    values: np.ndarray  # (n,) to the left [m]
    rate: float = 0.0  # [m/s] at the first knot

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacement [m] and its rate [m/s] at times; constant outside the knots."""
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        h = self.times[k + 1] - self.times[k]
        u = np.clip((t - self.times[k]) / h, 0.0, 1.0)
        a, step = self.values[k], self.values[k + 1] - self.values[k]
        da = np.where(k == 0, self.rate, 0.0)
        y = a + step * u * u * (3 - 2 * u) + da * h * u * (1 - u) ** 2
        rate = step * 6 * u * (1 - u) / h + da * (1 - u) * (1 - 3 * u)
        outside = (t < self.times[0]) | (t > self.times[-1])
        return y, np.where(outside, 0.0, rate)


def still(now: float) -> Sway:
    """No sway."""
    return Sway(np.array([now, now + 1.0]), np.zeros(2))


def sway_of(
    gait: Gait, contacts: Sequence[Contact], now: float, amount: float, before: Sway | None
) -> Sway:
    """From where the sway is now through the middles of contacts; none where feet stay."""
    if not gait.sways:
        return still(now)
    start, rate = 0.0, 0.0
    if before is not None and before.times[0] <= now <= before.times[-1] + 5.0:
        value, slope = before.at(np.array([now]))
        start, rate = float(value[0]), float(slope[0])
    gap = 0.12 * gait.time_scale
    knots: list[tuple[float, float]] = [(now, start)]

    def knot(time: float, value: float) -> None:
        if time > knots[-1][0] + gap:
            knots.append((time, value))

    swings = [c for c in contacts if c.start > now]
    if swings and before is None:
        # A body that moves already: where it would be had it always done so.
        knots[0] = (now, _between(gait, contacts, now, amount))
    lifted = [c for c in contacts if c.start <= now < c.end and c.middle < now]
    first = swings[0] if swings else None
    if first is not None and len(lifted) == 2:
        # Both feet are down: over to the one that stays before the other lifts.
        mover = next(c for c in lifted if c.limb == first.limb)
        side = -gait.sides[first.limb]
        size = amount * gait.sway_amplitude(first.speed)
        knot(0.5 * (max(mover.end, now) + first.start), side * size)
    for c in contacts:
        if c.middle <= now:
            continue
        rests = math.isinf(c.end) and not any(d.start > c.start for d in contacts)
        knot(c.middle, 0.0 if rests else gait.sides[c.limb] * amount * gait.sway_amplitude(c.speed))
    knots.append((knots[-1][0] + 0.5 * gait.time_scale, 0.0))
    times, values = np.array(knots).T
    return Sway(times, values, rate)


def _between(gait: Gait, contacts: Sequence[Contact], now: float, amount: float) -> float:
    """The sway at a time between the middles of two contacts."""
    past = [c for c in contacts if c.middle <= now and not math.isinf(c.end)]
    coming = [c for c in contacts if c.middle > now]
    if not past or not coming:
        return 0.0
    a, b = max(past, key=lambda c: c.middle), min(coming, key=lambda c: c.middle)
    u = (now - a.middle) / max(b.middle - a.middle, 1e-6)
    size = amount * gait.sway_amplitude(a.speed)
    return size * (
        gait.sides[a.limb] + (gait.sides[b.limb] - gait.sides[a.limb]) * u * u * (3 - 2 * u)
    )
