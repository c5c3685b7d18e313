"""How much stepping survives, and how exactly feet go where they are told. Prints tables.

    python benchmarks/step_robustness.py footprints --count 50 --seeds 5  # random, in sequence
    python benchmarks/step_robustness.py footprints --body acrobat --count 12 --near 0.05 \\
        --far 0.12 --turn 15
    python benchmarks/step_robustness.py pushes --newton 60 170 250 350 450
    python benchmarks/step_robustness.py series --seeds 20         # ten pushes 2 s apart
    python benchmarks/step_robustness.py polar --plot limits.png   # largest push by direction

Pushes last 0.1 s, and those of another body than the humanoid go with its weight. A survivor has
not fallen and, in `pushes`, stands on both feet at the end.
"""

from __future__ import annotations

import argparse
import cmath
import math
from typing import Any, NamedTuple

import numpy as np

import amble
from amble.control.stepping.footprints import FEET, Footprint
from amble.control.stepping.parameters import BALANCES, SteppingParameters
from amble.control.stepping.reach import Foot, planned_step
from amble.control.stepping.stepping import Stepping
from amble.control.stepping.supervisor import RULES
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.grids import polar_plot
from amble.parameters import settled
from amble.scenarios.balance import HUMAN_MASS
from amble.scenarios.stepping import fit
from amble.scenarios.stepping_measures import lift_off_delays, reached_footprints, stands
from amble.world import MuJoCoWorld, Push, SimulationDiverged
from amble.world.simulate import simulate

PUSH_SECONDS, FIRST = 0.1, 1.0
PARTS = ("thorax", "pelvis")
STEP_SECONDS = 1.6  # [s] that a directed step takes at most, with standing still before the next
COARSE, FINE = 100.0, 10.0  # [N]
MOST = 800.0  # [N] that is tried


class Result(NamedTuple):
    clip: Clip
    stepping: Stepping
    fell: bool

    @property
    def reactive(self) -> int:
        return sum(step.kind == "reactive" for step in self.stepping.footwork.taken)


def begin(body: str, **wishes: Any) -> tuple[MuJoCoWorld, Stepping]:
    character = amble.character(body)
    world = MuJoCoWorld(character)
    if body == "acrobat":
        wishes.setdefault("arm_swing", 0.0)
    parameters = settled(SteppingParameters(), dict(fit(SteppingParameters, character)) | wishes)
    return world, Stepping(character, world.model, world.data, world.terrain, parameters)


def go(world: MuJoCoWorld, stepping: Stepping, seconds: float) -> Result:
    try:
        clip = simulate(world, stepping, seconds)
    except SimulationDiverged as error:
        assert error.clip is not None
        return Result(error.clip, stepping, True)
    return Result(clip, stepping, bool(clip.events_of("fall")))


def pushed(
    body: str, part: str, newton: float, degrees: float, seconds: float, **wishes: Any
) -> Result:
    world, stepping = begin(body, **wishes)
    world.push(push_of(world, part, newton, degrees, FIRST))
    return go(world, stepping, seconds)


def push_of(world: MuJoCoWorld, part: str, newton: float, degrees: float, start: float) -> Push:
    """The push of a human, for this body's weight."""
    character = world.character
    force = newton * character.mass / HUMAN_MASS
    angle = math.radians(degrees)
    name = part if part in character.parts else character.root
    return Push(name, (force * math.cos(angle), force * math.sin(angle), 0.0), start, PUSH_SECONDS)


def pushes(a: argparse.Namespace) -> None:
    for rule in a.rule:
        for newton in a.newton:
            for part in PARTS:
                found = [
                    pushed(
                        *(a.body, part, newton, 360 * k / a.directions, a.seconds),
                        rule=rule,
                        balance=a.balance,
                    )
                    for k in range(a.directions)
                ]
                alive = [not r.fell and stands(r.clip) for r in found]
                delays = [
                    d for r in found for d in lift_off_delays(r.clip, r.stepping.footwork.taken)
                ]
                steps = [
                    len(r.stepping.footwork.taken) and r.stepping.footwork.steps for r in found
                ]
                delay = f"{np.mean(delays):.3f} s" if delays else "-"
                falls = [round(360 * k / a.directions) for k, ok in enumerate(alive) if not ok]
                print(
                    f"{rule:18} {part:7} {newton:4.0f} N: {sum(alive)}/{len(alive)} stand again;"
                    f" {sum(r.reactive > 0 for r in found)} step, {min(steps)}–{max(steps)} steps,"
                    f" {delay} from push to lift-off" + (f"; not from {falls}°" if falls else ""),
                    flush=True,
                )


def series(a: argparse.Namespace) -> None:
    for newton in a.newton:
        alive = []
        for seed in range(a.seeds):
            rng = np.random.default_rng(seed)
            world, stepping = begin(a.body, rule=a.rule[0])
            for k in range(a.count):
                degrees = float(rng.uniform(0, 360))
                world.push(push_of(world, "thorax", newton, degrees, FIRST + k * a.pause))
            result = go(world, stepping, FIRST + a.count * a.pause + 2.0)
            alive.append(not result.fell)
            if result.fell:
                print(f"  seed {seed} falls at {result.clip.time[-1]:.1f} s", flush=True)
        print(
            f"{a.rule[0]}: {a.count} pushes of {newton:.0f} N every {a.pause:g} s:"
            f" {sum(alive)}/{len(alive)} seeds survive",
            flush=True,
        )


def footprints(a: argparse.Namespace) -> None:
    for seed in range(a.seeds):
        world, stepping = begin(a.body)
        rng, work = np.random.default_rng(seed), stepping.footwork
        prints = random_footprints(a, rng, stepping)
        stepping.direct(*prints)
        result = go(world, stepping, a.count * STEP_SECONDS * work.slow)
        errors = list(reached_footprints(result.clip, work.taken))
        heel, toes = np.array(errors).T if errors else (np.array([math.nan]),) * 2
        exact = sum(h < 0.03 and t < 5.0 for h, t in errors)
        print(
            f"seed {seed}: {len(errors)} of {a.count} reached, {exact} within 3 cm and 5°;"
            f" heel {1e3 * heel.mean():.1f} mm, at most {1e3 * heel.max():.1f};"
            f" toes {toes.mean():.2f}°, at most {toes.max():.2f};"
            f" {result.reactive} steps to save it; {'FELL' if result.fell else 'no fall'}"
            + "".join(f"\n    refused: {why}" for _, why in work.refused[:2]),
            flush=True,
        )


def random_footprints(
    a: argparse.Namespace, rng: np.random.Generator, stepping: Stepping
) -> list[Footprint]:
    """Left and right in turn, each some way from where the foot was, turned against the other."""
    stepping.body.update()
    for sole in stepping.soles:
        sole.refresh()
    work = stepping.footwork
    feet, made, foot = list(work.feet), [], int(rng.integers(2))
    while len(made) < a.count:
        far, angle = rng.uniform(a.near, a.far), rng.uniform(0, 2 * math.pi)
        place = feet[foot].place + cmath.rect(far, angle)
        yaw = math.degrees(feet[1 - foot].yaw) + rng.uniform(-a.turn, a.turn)
        footprint = Footprint(FEET[foot], place.real, place.imag, yaw)
        try:
            step = planned_step(footprint, (feet[0], feet[1]), work.shape, work.terrain)
        except InputError:
            continue
        feet[foot] = Foot(step.place, step.yaw, step.ground)
        made.append(footprint)
        foot = 1 - foot
    return made


def polar(a: argparse.Namespace) -> None:
    """The largest push survived, from below: the first that makes it fall ends the search."""
    degrees = [360 * k / a.directions for k in range(a.directions)]
    curves: dict[str, list[float]] = {}
    for rule in a.rule:
        curves[rule] = [largest(a, rule, angle) for angle in degrees]
        print(f"{rule:18}", *(f"{v:4.0f}" for v in curves[rule]), flush=True)
    if a.plot:
        title = f"{a.body}: largest push on the {a.part} survived [N × {PUSH_SECONDS:g} s]"
        polar_plot(a.plot, title, degrees, curves)


def largest(a: argparse.Namespace, rule: str, degrees: float) -> float:
    best = 0.0
    for step in (COARSE, FINE):
        while best + step <= MOST:
            if pushed(
                *(a.body, a.part, best + step, degrees, a.seconds), rule=rule, balance=a.balance
            ).fell:
                break
            best += step
    return best


KINDS = {"footprints": footprints, "pushes": pushes, "series": series, "polar": polar}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=tuple(KINDS))
    parser.add_argument("--body", default="humanoid")
    parser.add_argument("--rule", nargs="+", choices=RULES, default=["ours"])
    parser.add_argument("--balance", choices=BALANCES, default="strong")
    parser.add_argument("--newton", type=float, nargs="+", default=[250.0])
    parser.add_argument("--directions", type=int, default=16)
    parser.add_argument("--part", default="thorax")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--pause", type=float, default=2.0)
    parser.add_argument("--near", type=float, default=0.1)
    parser.add_argument("--far", type=float, default=0.5)
    parser.add_argument("--turn", type=float, default=45.0)
    parser.add_argument("--plot")
    a = parser.parse_args()
    KINDS[a.what](a)


if __name__ == "__main__":
    main()
