"""How many seconds are simulated in a second of computing, and where the time goes.

The scenario `balance-push` as `amble make balance-push` runs it: control at 500 Hz, physics at
1 kHz, contact measures and recording on. The breakdown comes from one more run in which the
functions named below are timed; a time is what a function takes without the others of the list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import mujoco
import numpy as np

from amble.characters import character_names
from amble.control.balance import Balance
from amble.control.whole_body import WholeBody
from amble.scenarios import scenario
from amble.world.mujoco_world import MuJoCoWorld
from amble.world.recorder import Recorder

FIGURE_TO_REACH = 6.0  # simulated seconds a second, for the humanoid
TIMED = (
    (mujoco, "mj_step1", "physics"),
    (mujoco, "mj_step2", "physics"),
    (MuJoCoWorld, "step", "world around the physics"),
    (WholeBody, "update", "control: update"),
    (WholeBody, "assemble", "control: assemble"),
    (WholeBody, "solve", "control: solve"),
    (Balance, "torque", "control: Balance in Python"),
    (Recorder, "record", "recording"),
    (Recorder, "clip", "recording"),
    (MuJoCoWorld, "__init__", "building world and controller"),
    (Balance, "__init__", "building world and controller"),
)


def run(seconds: float | None = None, repeats: int = 4) -> dict[str, Any]:
    """Speeds and breakdown; `seconds` of each run instead of the scenario's own."""
    speeds, with_measures = [], []
    for _ in range(repeats):
        speed, whole = _speed("humanoid", seconds)
        speeds.append(speed)
        with_measures.append(whole)
    report: dict[str, Any] = {
        "figure to reach, humanoid s per s": FIGURE_TO_REACH,
        "humanoid, s per s, best": max(speeds),
        "humanoid, s per s, median": float(np.median(speeds)),
        "humanoid, s per s, slowest of all runs": min(speeds),
        "humanoid with the measures at the end, s per s, median": float(np.median(with_measures)),
        **_breakdown(seconds),
    }
    for name in character_names():
        report[f"{name}, s per s, first 5 s"] = _speed(name, seconds or 5.0)[0]
    return report


def _speed(name: str, seconds: float | None) -> tuple[float, float]:
    """Simulated seconds a second, as in the report, and with the measures."""
    chosen = scenario("balance-push")
    request = chosen.request(name, seconds)
    start = perf_counter()
    report = chosen.make(request).report
    return 1 / report["compute_per_second"], report["seconds"] / (perf_counter() - start)


def _breakdown(seconds: float | None) -> dict[str, float]:
    """Milliseconds of each stage in a simulated second, and its share of the run."""
    chosen = scenario("balance-push")
    request = chosen.request("humanoid", seconds)
    with _timed() as spent:
        report = chosen.make(request).report
    whole = report["compute_seconds"]
    spent["the loop around all"] = whole - sum(spent.values())
    stages = {
        f"humanoid: {stage}, ms per s": 1000 * time / report["seconds"]
        for stage, time in spent.items()
    }
    shares = {f"humanoid: {stage}, share": time / whole for stage, time in spent.items()}
    return {
        key: value
        for pair in zip(stages.items(), shares.items(), strict=True)
        for key, value in pair
    }


@contextmanager
def _timed() -> Iterator[dict[str, float]]:
    """Time by stage [s], each without the stages that it calls, while the context is open."""
    spent: dict[str, float] = defaultdict(float)
    inner = [0.0]  # time in stages called, for each stage under way

    def timing(function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            inner.append(0.0)
            start = perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                took = perf_counter() - start
                spent[stage] += took - inner.pop()
                inner[-1] += took

        return timed

    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in TIMED]
    try:
        for (owner, name, function), (_, _, stage) in zip(originals, TIMED, strict=True):
            setattr(owner, name, timing(function, stage))
        yield spent
    finally:
        for owner, name, function in originals:
            setattr(owner, name, function)
