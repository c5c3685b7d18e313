"""How much a walk survives: pushes, blocks nobody sees, slopes. Prints tables.

    python benchmarks/walk_robustness.py pushes --speed 0.5 1 --newton 200 300 400
    python benchmarks/walk_robustness.py blocks
    python benchmarks/walk_robustness.py slopes
    python benchmarks/walk_robustness.py table2      # every parameter at both ends of its range
    python benchmarks/walk_robustness.py combined    # random combinations within 80 % of the ranges
    python benchmarks/walk_robustness.py commands    # random commands and pushes
    python benchmarks/walk_robustness.py bodies      # segments x 0.7 to 1.4 at random
    python benchmarks/walk_robustness.py heights     # a child to a giant
    python benchmarks/walk_robustness.py limits      # speeds, quick steps, half turns, stops

Pushes act on the thorax for 0.1 s at random phases of the step. The walk up to the push is
simulated once for each speed and saved; every push starts from a saved state. Who has not fallen
after `--after` seconds counts as a survivor.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from walk_run import Result, Run

import amble
from amble.characters.reshape import Scale
from amble.parameters import settled
from amble.terrain.text import parse_terrain

STEP_SECONDS = 1.06  # within which the random phases of the pushes lie: two steps
RANGES = {  # of table 2, for a human
    "step_length": (0.0, 0.7),
    "swing_duration": (0.4, 0.7),
    "swing_height": (0.02, 0.1),
    "hip_shift": (0.06, 0.15),
    "foot_spread": (0.0, 0.03),
    "lean": (-0.3, 0.3),
}
WARM_UP = 4.0  # [s]


def pushes(
    body: str,
    speed: float,
    newton: float,
    directions: int,
    phases: int,
    after: float,
    **wishes: Any,
) -> Iterator[tuple[int, int, Result]]:
    """Every direction and phase: their numbers and what came of it."""
    run = Run(amble.character(body), speed=speed, **wishes)
    warm = WARM_UP * max(1.0, speed)
    assert math.isinf(run.go(warm).fell), "it fell before any push"
    rng = np.random.default_rng(100)
    offsets = np.sort(rng.uniform(0, STEP_SECONDS, phases)) // 0.004 * 0.004
    saved, now = [], 0.0
    for offset in offsets:
        assert math.isinf(run.go(offset - now).fell)
        now = offset
        saved.append(run.save())
    for phase, restore in enumerate(saved):
        for direction in range(directions):
            restore()
            angle = 2 * math.pi * direction / directions
            force = (newton * math.cos(angle), newton * math.sin(angle), 0.0)
            run.world.push(amble.Push("thorax", force, start=run.world.time, seconds=0.1))
            yield phase, direction, run.go(after)


def push_table(a: argparse.Namespace) -> None:
    for speed in a.speed:
        for newton in a.newton:
            found = list(
                pushes(a.body, speed, newton, a.directions, a.phases, a.after, **dict(a.set))
            )
            alive = [math.isinf(r.fell) for _, _, r in found]
            spine = max((r.spine for _, _, r in found if math.isinf(r.fell)), default=math.nan)
            hands = max((r.hands for _, _, r in found if math.isinf(r.fell)), default=math.nan)
            print(
                f"{speed:.1f} m/s, {newton:.0f} N: {sum(alive)}/{len(alive)}"
                f" = {100 * sum(alive) / len(alive):.0f} %; back {spine:.0f}°, hands {hands:+.2f} m"
            )
            by_direction = [
                sum(math.isinf(r.fell) for _, k, r in found if k == d) for d in range(a.directions)
            ]
            print("   by direction from ahead, counter-clockwise:", *by_direction, flush=True)


def ground_table(a: argparse.Namespace, grounds: list[tuple[str, str, dict[str, Any]]]) -> None:
    alive = []
    for label, text, wishes in grounds:
        run = Run(amble.character(a.body), parse_terrain(text), **(wishes | dict(a.set)))
        start = run.world.data.qpos[:2].copy()
        result = run.go(a.seconds)
        far = float(np.hypot(*(run.world.data.qpos[:2] - start)))
        alive.append(math.isinf(result.fell))
        print(
            f"  {label}: {'walks' if alive[-1] else f'falls at {result.fell:.1f} s'}, {far:.1f} m",
            flush=True,
        )
    print(f"{sum(alive)}/{len(alive)} walk {a.seconds:g} s")


def blocks(a: argparse.Namespace) -> None:
    cases = [
        (
            f"{speed} m/s, heading {45 * (k % 8)}°, blocks {k}",
            f"blocks:amplitude=0.04,size=0.4,start=0.7,extent=14,seed={k}",
            {"speed": speed, "heading": 45.0 * (k % 8), "sees_ground": False},
        )
        for speed in a.speed
        for k in range(24)
    ]
    ground_table(a, cases)


def slopes(a: argparse.Namespace) -> None:
    cases = [
        (
            f"{speed} m/s, uphill is {45 * k}°",
            f"slope:degrees=8,direction_degrees={45 * k}",
            {"speed": speed},
        )
        for speed in a.speed
        for k in range(8)
    ]
    ground_table(a, cases)


def table2(a: argparse.Namespace) -> None:
    """Every parameter at either end of its range, the others nominal."""
    cases = [
        (f"{key} = {value:g}", "flat", {"step_length": 0.35, key: value})
        for key, ends in RANGES.items()
        for value in ends
    ]
    ground_table(a, cases)


def combined(a: argparse.Namespace) -> None:
    """Random values of all parameters within 80 % of their ranges."""
    rng = np.random.default_rng(7)
    cases = []
    for _ in range(a.count):
        wishes = {
            key: float(rng.uniform(low + 0.1 * (high - low), high - 0.1 * (high - low)))
            for key, (low, high) in RANGES.items()
        }
        cases.append((", ".join(f"{k} {v:.2f}" for k, v in wishes.items()), "flat", wishes))
    ground_table(a, cases)


def commands(a: argparse.Namespace) -> None:
    """A new speed and heading every 4 s, and a push of up to 200 N from anywhere every 5 s."""
    rng = np.random.default_rng(3)
    run = Run(amble.character(a.body), speed=0.5)
    due = [4.0, 5.0]
    heading = [0.0]

    def each(time: float) -> None:
        if time >= due[0]:
            due[0] += 4.0
            heading[0] += float(rng.uniform(-120, 120))
            wishes = {"speed": float(rng.uniform(-0.3, 1.2)), "heading": heading[0]}
            run.walk.parameters = settled(run.walk.parameters, wishes)
        if time >= due[1]:
            due[1] += 5.0
            newton, angle = rng.uniform(50, 200), rng.uniform(0, 2 * math.pi)
            force = (newton * math.cos(angle), newton * math.sin(angle), 0.0)
            run.world.push(amble.Push("thorax", force, start=run.world.time, seconds=0.1))

    result = run.go(a.seconds, each)
    ended = "no fall" if math.isinf(result.fell) else f"falls at {result.fell:.1f} s"
    print(f"{a.seconds:g} s of random commands and pushes: {ended}, {run.walk.stepper.steps} steps")


def bodies(a: argparse.Namespace) -> None:
    """Thighs, shanks, arms and trunk of other lengths and masses, both sides alike."""
    rng = np.random.default_rng(11)
    alive = 0
    for k in range(a.count):
        body = amble.character(a.body)
        scales = {}
        for word in ("thigh", "shank", "upper_arm", "forearm", "thorax"):
            scale = Scale(length=float(rng.uniform(0.7, 1.4)), mass=float(rng.uniform(0.7, 1.4)))
            sides = (word,) if word == "thorax" else (f"left_{word}", f"right_{word}")
            scales |= dict.fromkeys(sides, scale)
        result = Run(body.reshaped(scales), speed=0.6).go(a.seconds)
        alive += math.isinf(result.fell)
        print(
            f"  body {k}: {'walks' if math.isinf(result.fell) else f'falls at {result.fell:.1f} s'}"
        )
    print(f"{alive}/{a.count} walk {a.seconds:g} s", flush=True)


def heights(a: argparse.Namespace) -> None:
    """People of other heights, as heavy as people of that height are, at the same Froude number."""
    alive, sizes = 0, (0.9, 1.1, 1.3, 1.5, 1.7, 1.9, 2.2, 2.6, 3.0)
    for height in sizes:
        body = amble.character(a.body, height=height, mass=72.0 * (height / 1.75) ** 3)
        result = Run(body, speed=0.8 * math.sqrt(height / 1.75)).go(a.seconds)
        alive += math.isinf(result.fell)
        print(f"  {height:.1f} m: {_ended(result.fell)}")
    print(f"{alive}/{len(sizes)} walk {a.seconds:g} s", flush=True)


def limits(a: argparse.Namespace) -> None:
    """Slowest to fastest, quick steps, half turns and stops."""
    for speed in (-0.4, -0.2, 0.0, 0.5, 1.0, 1.25, 1.5):
        run = Run(amble.character(a.body), speed=speed)
        begun = run.go(0.5 * a.seconds).fell
        start = run.com()
        ended = min(begun, run.go(0.5 * a.seconds).fell)
        reached = abs(run.com() - start) / (0.5 * a.seconds)
        print(f"  {speed:g} m/s: {_ended(ended)}, {reached:.2f} m/s in the second half", flush=True)
    for swing in (0.3, 0.35):
        for speed in (0.5, 1.0):
            run = Run(amble.character(a.body), speed=speed, swing_duration=swing)
            print(
                f"  T = {swing:g} s at {speed:g} m/s: {_ended(run.go(a.seconds).fell)}", flush=True
            )
    for speed in (0.5, 1.0):
        for change in ({"heading": 180.0}, {"speed": 0.0}):
            print(f"  at {speed:g} m/s, {change}: {_change(a, speed, change)}", flush=True)


def _change(a: argparse.Namespace, speed: float, change: dict[str, float]) -> str:
    """What a change of command leads to, at ten phases of the stride."""
    run = Run(amble.character(a.body), speed=speed)
    run.go(WARM_UP * max(1.0, speed))
    saved = []
    for _ in range(10):
        run.go(STEP_SECONDS / 10)
        saved.append(run.save())
    falls, done = 0, []
    parameters = run.walk.parameters
    for restore in saved:
        restore()
        run.walk.parameters = settled(parameters, change)
        passed: list[float] = []

        def each(time: float, passed: list[float] = passed) -> None:
            flat = run.walk.stepper.body
            turned = abs(math.remainder(run.walk.stepper.heading - math.pi, 2 * math.pi)) < 0.1
            there = turned if "heading" in change else abs(flat.velocity) < 0.1
            if there and not passed:
                passed.append(time)

        falls += math.isfinite(run.go(8.0, each).fell)
        done.append(passed[0] if passed else math.inf)
    run.walk.parameters = parameters
    return f"{falls} of 10 fall; done after {min(done):.2f} to {max(done):.2f} s"


def _ended(fell: float) -> str:
    return "walks" if math.isinf(fell) else f"falls at {fell:.1f} s"


def pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


KINDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "pushes": push_table,
    "blocks": blocks,
    "slopes": slopes,
    "table2": table2,
    "combined": combined,
    "commands": commands,
    "bodies": bodies,
    "heights": heights,
    "limits": limits,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=tuple(KINDS))
    parser.add_argument("--body", default="humanoid")
    parser.add_argument("--speed", type=float, nargs="+", default=[0.5, 1.0])
    parser.add_argument("--newton", type=float, nargs="+", default=[200.0, 300.0, 400.0])
    parser.add_argument("--directions", type=int, default=16)
    parser.add_argument("--phases", type=int, default=5)
    parser.add_argument("--after", type=float, default=4.0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--set", type=pair, nargs="*", default=[])
    a = parser.parse_args()
    KINDS[a.what](a)


if __name__ == "__main__":
    main()
