"""Worker: the loop in a process of its own, so that frames never wait for a plan."""

from __future__ import annotations

import os
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from amble.characters.centroidal import CentroidalBody
from amble.plan.weights import Limits, Weights
from amble.planner.loop import Loop
from amble.planner.stage import Stage
from amble.sketch.command import Command
from amble.sketch.gait import Gait, gait_of
from amble.sketch.sketcher import Sketcher
from amble.terrain.terrain import Terrain

_LOOP: Loop | None = None  # of this process, if it is a worker


@dataclass(frozen=True, eq=False)
class Setup:
    """What is true of a motion from its beginning to its end."""

    body: CentroidalBody
    terrain: Terrain
    gait: str | Gait = ""
    weights: Weights | None = None
    limits: Limits | None = None

    def __post_init__(self) -> None:
        if isinstance(self.gait, str):
            gait_of(self.body, self.gait)  # a wrong name is told here, not by another process

    def loop(self) -> Loop:
        """The loop that makes the stages."""
        gait = gait_of(self.body, self.gait) if isinstance(self.gait, str) else self.gait
        return Loop(self.body, Sketcher(self.body, gait, self.terrain), self.weights, self.limits)


class Worker:
    """Makes stages in another process, one at a time."""

    def __init__(self, setup: Setup) -> None:
        # Forking a process that holds threads or a window is not safe; a fresh one is.
        self._pool = ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=_begin, initargs=(setup,)
        )

    def first(self, command: Command, xy: tuple[float, float]) -> Stage:
        """The stage to begin with; waits for it."""
        return self._pool.submit(_first, command, xy).result()

    def next(self, stage: Stage, time: float, command: Command) -> Future[Stage]:
        """The stage that begins at `time`, when it is ready."""
        return self._pool.submit(_next, stage, time, command)

    def renew(self, setup: Setup) -> None:
        """Make stages of something else from now on; waits until it is ready for that."""
        self._pool.submit(_renew, setup).result()

    def close(self) -> None:
        """End the process."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _begin(setup: Setup) -> None:
    if hasattr(os, "nice"):
        os.nice(1)  # frames come first
    _renew(setup)


def _renew(setup: Setup) -> None:
    global _LOOP
    _LOOP = setup.loop()


def _first(command: Command, xy: tuple[float, float]) -> Stage:
    return _loop().first(command, xy)


def _next(stage: Stage, time: float, command: Command) -> Stage:
    return _loop().next(stage, time, command)


def _loop() -> Loop:
    if _LOOP is None:
        raise RuntimeError("this process is no worker")
    return _LOOP
