"""How fast the compiled prioritised solver is, against Algorithm 1 in numpy on the same problems.

The problems are those of the 35-DoF humanoid that stands and is pushed with all 8 sole points on
the ground: 3 levels, friction cones, torque limits. Every way solves each problem in several
passes; the least time of a problem counts, so that other work on the machine does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import Any

import numpy as np

from amble import _core
from amble.characters import character
from amble.control.balance import Balance
from amble.solvers.algorithm1 import daqp_program, piqp_program, solve_algorithm1
from amble.solvers.problem import Infeasible, Problem
from amble.world import MuJoCoWorld, Push

FIGURE_TO_REACH = 150.0  # [µs], median of the compiled solve
CONTACTS, LEVELS = 8, 3
PUSHES = ((0.0, 0.0), *((force, 45.0 * k) for force in (100.0, 200.0, 300.0) for k in range(8)))
EVERY = 25  # control ticks between two logged problems: 20 a second
FEASIBLE = 1e-6  # largest violation of an inequality that still counts as met


def run(seconds: float = 0.8) -> dict[str, Any]:
    """Times [µs] over the problems of 25 pushes, `seconds` of simulation each."""
    problems, assembled, whole = _log(seconds)
    solve = _Compiled(problems)
    compiled = _times(solve, len(problems), passes=10)
    strict = _times(lambda k: solve(k, algorithm1_only=True), len(problems), passes=3)
    report: dict[str, Any] = {
        "problems": len(problems),
        "unknowns": sorted({problem.n for problem in problems}),
        "figure to reach, compiled median µs": FIGURE_TO_REACH,
        **_percentiles("compiled solve", compiled),
        **_percentiles("compiled solve, level by level", strict),
        **_percentiles("compiled assembly", assembled),
        **_percentiles("compiled assembly and solve", whole),
        "compiled: failures": sum(status != 0 for status, _ in solve.results),
        "compiled: fallbacks": sum(fallback for _, fallback in solve.results),
    }
    for name, program in (("DAQP", daqp_program), ("PIQP", piqp_program)):
        way = _Reference(problems, program)
        times = _times(way, len(problems), passes=2 if name == "DAQP" else 1)
        found = [k for k, x in enumerate(way.found) if x is not None]
        report |= _percentiles(f"numpy + {name}", times[found])
        report[f"numpy + {name}: found no optimum"] = len(problems) - len(found)
        if found:
            report[f"numpy + {name}: times slower, median"] = float(
                np.median(times[found] / compiled[found])
            )
        report |= _compare(problems, solve.x, way.found, name)
    return report


def _log(seconds: float) -> tuple[list[Problem], np.ndarray, np.ndarray]:
    """Problems, and the least time of their assembly and of assembly with solve, in place [µs]."""
    problems: list[Problem] = []
    assembled: list[float] = []
    whole: list[float] = []
    for body, time in _ticks(seconds):
        core = body._core
        arguments = (time, body.tasks.levels, body.contacts, body.posture)
        outputs = (body.torque, body.acceleration, body.forces_w, body.residual)
        times = []
        for _ in range(5):
            start = perf_counter_ns()
            core.assemble(*arguments)
            middle = perf_counter_ns()
            core.solve(body.contacts, body.posture, False, *outputs)
            times.append((middle - start, perf_counter_ns() - start))
        problem = Problem.from_rows(*body.problem())
        if len(body.contact_points) == CONTACTS and len(problem.levels) == LEVELS:
            problems.append(problem)
            assembled.append(min(t for t, _ in times) / 1000)
            whole.append(min(t for _, t in times) / 1000)
    return problems, np.array(assembled), np.array(whole)


def _ticks(seconds: float) -> Iterator[tuple[Any, float]]:
    """Controllers at the moments to log, with their time [s]."""
    body = character("humanoid")
    for force, degrees in PUSHES:
        world = MuJoCoWorld(body)
        angle = np.radians(degrees)
        force_w = (force * np.cos(angle), force * np.sin(angle), 0.0)
        world.push(Push("thorax", force_w, start=min(0.1, seconds / 4), seconds=0.1))
        balance = Balance(world.character, world.model, world.data, world.terrain)
        for tick in range(round(500 * seconds)):
            torque = balance.torque(world.time).copy()
            if tick % EVERY == 0:
                yield balance.body, world.time
            world.step(torque, 2)


class _Compiled:
    """The compiled core alone, its arrays made ready before."""

    def __init__(self, problems: list[Problem]) -> None:
        self._core = _core.Lexicographic()
        self._arguments = []
        self.x = [np.zeros(problem.n) for problem in problems]
        self.results = [(0, False)] * len(problems)
        for problem in problems:
            full = problem.filled()
            rows = [len(level.b) for level in full.levels]
            self._arguments.append(
                (
                    np.vstack([level.A for level in full.levels]),
                    np.concatenate([level.b for level in full.levels]),
                    np.cumsum([0, *rows], dtype=np.int32),
                    *full.arrays(),
                )
            )

    def __call__(self, k: int, algorithm1_only: bool = False) -> float:
        x = np.zeros_like(self.x[k])
        start = perf_counter_ns()
        status, _, _, _, _, fallback = self._core.solve(*self._arguments[k], algorithm1_only, x)
        end = perf_counter_ns()
        if not algorithm1_only:
            self.x[k], self.results[k] = x, (status, bool(fallback))
        return end - start


class _Reference:
    """Algorithm 1 in numpy on a program."""

    def __init__(self, problems: list[Problem], program: Any) -> None:
        self._problems, self._program = problems, program
        self.found: list[np.ndarray | None] = [None] * len(problems)

    def __call__(self, k: int) -> float:
        start = perf_counter_ns()
        try:
            self.found[k] = solve_algorithm1(self._problems[k], self._program)
        except Infeasible:
            self.found[k] = None
        return perf_counter_ns() - start


def _times(solve: Callable[[int], float], count: int, passes: int) -> np.ndarray:
    """Least time of each problem over some passes (count,) [µs]; none follows itself."""
    times = [[solve(k) for k in range(count)] for _ in range(passes)]
    return np.min(times, axis=0) / 1000


def _percentiles(name: str, times: np.ndarray) -> dict[str, float]:
    if not len(times):
        return {}
    return {
        f"{name}, median µs": float(np.median(times)),
        f"{name}, p99 µs": float(np.percentile(times, 99)),
    }


def _compare(
    problems: list[Problem], ours: list[np.ndarray], found: list[np.ndarray | None], name: str
) -> dict[str, Any]:
    """Residuals against a reference, level by level, relative to the residual or ‖b‖.

    A reference that violates an inequality, or is worse at a level, is none from there on.
    """
    excess, worse, violated = -np.inf, 0, 0
    for problem, x, reference in zip(problems, ours, found, strict=True):
        if reference is None:
            continue
        if problem.violation(reference) > FEASIBLE:
            violated += 1
            continue
        theirs = problem.residuals(reference)
        size = np.maximum(theirs, [np.linalg.norm(level.b) for level in problem.plain()[0]])
        difference = (problem.residuals(x) - theirs) / np.maximum(size, 1e-12)
        better = np.flatnonzero(difference < -1e-8)
        valid = better[0] + 1 if len(better) else len(difference)
        worse += len(better) > 0
        excess = max(excess, float(difference[:valid].max()))
    report: dict[str, Any] = {
        f"numpy + {name}: violates an inequality": violated,
        f"numpy + {name}: worse at a level than compiled": worse,
    }
    if np.isfinite(excess):
        report[f"compiled: greatest residual excess over {name}, relative"] = excess
    return report
