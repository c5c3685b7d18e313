"""Which controller can follow which: every transition simulated once (tracking section 5.5).

All motions begin and end on row 0 of the walk and expect the walk after them, so that any of them
may follow any other. Whether the body keeps up is seen in simulation: from the state that one
controller leaves behind, the next plays to its end.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from amble.errors import InputError
from amble.motion.files import replacing
from amble.tracking.cache import cache_folder
from amble.tracking.controllers import WALK, Controllers
from amble.tracking.lcp_world import LcpWorld
from amble.tracking.performance import HEIGHT, Performance
from amble.tracking.tracker import Tracker
from amble.world import SimulationDiverged

METHOD = "motion graph 1"  # changes when the same input gives another result
LOW, TILT = 0.3, 1.0  # [m], [rad] from the reference that count as a fall


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """Motions and their simulated transitions."""

    names: tuple[str, ...]
    progress: tuple[np.ndarray, ...]  # heading [rad] over the steps of each motion, from 0
    step: float  # [s]
    held: np.ndarray  # (motions, motions) bool: whether the second can follow the first
    cost: np.ndarray  # (motions, motions) mean of eq. 18 over the second one

    def turn(self, motion: int) -> float:
        """How far a motion turns [rad]."""
        return float(self.progress[motion][-1])

    def seconds(self, motion: int) -> float:
        return (len(self.progress[motion]) - 1) * self.step


def motion_graph(
    controllers: Controllers,
    names: tuple[str, ...],
    gamma: float,
    progress: Callable[[float], None] | None = None,
) -> MotionGraph:
    """The graph of some motions, from the cache if they were simulated before."""
    if names[0] != WALK:
        raise InputError(f"a motion graph begins with '{WALK}', into which all motions lead")
    made = [controllers.leading_to(name, WALK) for name in names]
    travels = [np.array([each.q(k)[3] for k in range(each.steps + 1)]) for each in made]
    headings = tuple(travel - travel[0] for travel in travels)
    step = made[0].reference.step
    path = cache_folder() / f"graph-{_key(controllers, names, gamma)}.npz"
    with suppress(OSError, ValueError, KeyError), np.load(path) as file:
        return MotionGraph(names, headings, step, file["held"], file["cost"])
    count = len(names)
    held, cost = np.zeros((count, count), bool), np.full((count, count), np.inf)
    for first in range(count):
        world, left = LcpWorld(controllers.character), None
        q, v = made[first].q(0), made[first].v(0)
        world.reset_flat(q, v)
        begin = Performance(made[first])
        if np.isfinite(_played(world, begin, gamma)):
            left = world.save()
        for second in range(count):
            if progress:
                progress((first * count + second) / count**2)
            if left is None:
                continue
            world.restore(left)
            after = Performance(made[second])
            after.frame = begin.frame
            cost[first, second] = _played(world, after, gamma)
    held = np.isfinite(cost)
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        np.savez(buffer, held=held, cost=cost)
        with replacing(path) as unfinished:
            unfinished.write_bytes(buffer.getvalue())
    return MotionGraph(names, headings, step, held, cost)


def _played(world: LcpWorld, performance: Performance, gamma: float) -> float:
    """Mean cost of a motion played to its end; infinite if the body falls."""
    tracker = Tracker(world, performance, gamma)
    steps, regulator = performance.regulator.steps, performance.regulator
    try:
        for k in range(steps):
            world.step(tracker.torque(world.time))
            away = performance.local(*world.flat_state)[0] - regulator.q(k + 1)
            if abs(away[HEIGHT]) > LOW or np.abs(away[3:6]).max() > TILT:
                return np.inf
    except SimulationDiverged:
        return np.inf
    performance.advance(np.ones(2, bool), np.zeros(2), world.flat_state[0])
    return float(np.mean(tracker.costs) / 2)


def _key(controllers: Controllers, names: tuple[str, ...], gamma: float) -> str:
    found = hashlib.sha256(f"{METHOD} {controllers.settings} {gamma!r}".encode())
    found.update(controllers.character.xml.encode())
    for name in names:
        found.update(controllers.reference(name).digest.encode())
    return found.hexdigest()
