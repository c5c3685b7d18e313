"""A closed loop of sketches alone, as a planner would call them, and laws of its steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

import amble
from amble.characters.centroidal import CentroidalBody, centroidal_body
from amble.sketch.command import Command
from amble.sketch.contact import Contact
from amble.sketch.gait import Gait, gait_of
from amble.sketch.sketch import Sketch
from amble.sketch.sketcher import Sketcher
from amble.terrain import Flat, Terrain


@lru_cache
def body_of(name: str) -> CentroidalBody:
    return centroidal_body(amble.character(name))


@dataclass
class Walked:
    body: CentroidalBody
    gait: Gait
    contacts: list[Contact]
    time: np.ndarray
    com: np.ndarray
    cart: np.ndarray
    last: Sketch
    notes: set[str]

    def of_limb(self, limb: int) -> list[Contact]:
        return [c for c in self.contacts if c.limb == limb]

    def on_ground(self, time: float) -> int:
        return sum(c.holds(time) for c in self.contacts)


def walk(
    name: str,
    wish: Callable[[float], Command],
    seconds: float,
    *,
    terrain: Terrain | None = None,
    gait: str = "",
    every: float = math.inf,
) -> Walked:
    """Sketch, keep what starts before the next sketch, go on to the middle of a contact."""
    body = body_of(name)
    sketcher = Sketcher(body, gait_of(body, gait), terrain or Flat())
    state, contacts = sketcher.start()
    kept: dict[tuple[int, float], Contact] = {(c.limb, c.start): c for c in contacts}
    now, samples, notes = 0.0, [], set()
    while now < seconds:
        sketch = sketcher.sketch(now, state, wish(now), list(kept.values())[-3 * len(body.legs) :])
        notes |= set(sketch.notes)
        new = [c.middle for c in sketch.contacts if not c.fixed and c.middle > now + 0.1]
        later = min([*new, now + every, now + 1.0])
        for c in sketch.contacts:
            if c.start < later:
                kept[(c.limb, c.start)] = replace(c, fixed=True)
        inside = sketch.time < later
        samples.append(np.column_stack([sketch.time, sketch.com_w, sketch.cart_w])[inside])
        state, now = sketch.pendulum(later), later
    rows = np.concatenate(samples)
    contacts_made = sorted(kept.values(), key=lambda c: c.start)
    return Walked(
        *(body, sketcher.gait, contacts_made),
        *(rows[:, 0], rows[:, 1:4], rows[:, 4:6], sketch, notes),
    )


def broken_laws(walked: Walked) -> list[str]:
    """What is wrong with the contacts of a walk, in words."""
    found = []
    gait = walked.gait
    for limb in range(gait.limbs):
        contacts = walked.of_limb(limb)
        for c in contacts:
            if not c.start <= c.flat <= c.heel_off <= c.end:
                found.append(f"phases of limb {limb} at {c.start:.2f}")
        for a, b in pairwise(contacts):
            if b.start - a.end < gait.shortest_swing - 1e-9:
                found.append(f"limb {limb} swings {b.start - a.end:.3f} s at {b.start:.2f}")
            speed = np.linalg.norm(b.position_w - a.position_w) / (b.start - a.end)
            if speed > 3.5 * math.sqrt(9.81 * gait.leg_length) + 3 * b.speed:
                found.append(f"limb {limb} swings at {speed:.1f} m/s at {b.start:.2f}")
    if gait.limbs == 2:
        slow = 1.2 * math.sqrt(gait.scale)
        for time in np.arange(0.0, walked.time[-1], 0.01):
            near = [c.speed for c in walked.contacts if c.start - 0.6 < time < c.end + 0.6]
            if not walked.on_ground(time) and max(near, default=0.0) < slow:
                found.append(f"no foot on the ground at {time:.2f}")
    return found
