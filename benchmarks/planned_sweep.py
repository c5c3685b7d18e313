"""How planned motion copes with commands at random (centroidal section 7.3). Prints a table.

    python benchmarks/planned_sweep.py                                    # all scenarios, 20 seeds
    python benchmarks/planned_sweep.py humanoid-run luxo-hop --seeds 0 5 --seconds 20

Every scenario is made with `wander=true` once for each seed. A run that raises counts as an
exception, and the sweep goes on. Frames count as deep where a contact point is more than 5 mm below
the ground.
"""

from __future__ import annotations

import argparse
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

import amble
from amble.motion.clip import Clip
from amble.motion.trace import trace

DEEP = 0.005  # [m]
COLUMNS = "runs  falls  exceptions  plans  not found  slip mean  slip max  deep frames  speed"
UNITS = "                                        %         mm        mm            %  × real"


@dataclass
class Tally:
    """What the runs of one scenario came to."""

    runs: int = 0
    falls: list[int] = field(default_factory=list)  # seeds
    exceptions: list[int] = field(default_factory=list)
    plans: int = 0
    failures: int = 0
    slip_mean: float = 0.0  # [mm] the worst of the runs
    slip_max: float = 0.0
    frames: int = 0
    deep: int = 0
    seconds: float = 0.0
    compute: float = 0.0  # [s]

    def add(self, seed: int, outcome: amble.Outcome) -> None:
        """Count one run."""
        measures = outcome.report["measures"]
        if measures["fell"]:
            self.falls.append(seed)
        kept = [event.what for event in outcome.clip.events_of("plan")]
        self.plans += len(kept)
        self.failures += kept.count("the plan before")
        self.slip_mean = max(self.slip_mean, measures["stance_slip_mm"]["mean"])
        self.slip_max = max(self.slip_max, measures["stance_slip_mm"]["max"])
        self.frames += len(outcome.clip)
        self.deep += deep_frames(outcome.clip)
        self.seconds += outcome.clip.seconds
        self.compute += outcome.report["compute_seconds"]

    def line(self) -> str:
        """One row of the table."""
        share = 100 * self.failures / max(self.plans, 1)
        deep = 100 * self.deep / max(self.frames, 1)
        return (
            f"{self.runs:4d}  {len(self.falls):5d}  {len(self.exceptions):10d}  {self.plans:5d}  "
            f"{share:9.2f}  {self.slip_mean:9.3f}  {self.slip_max:8.1f}  {deep:11.3f}  "
            f"{self.seconds / max(self.compute, 1e-9):5.1f}"
        )


def deep_frames(clip: Clip) -> int:
    """Frames in which a contact point is deep in the ground."""
    x, y, z = np.moveaxis(trace(clip).points_w, -1, 0)
    depth = (clip.terrain.height(x, y) - z) * clip.terrain.normal(x, y)[..., 2]
    return int((depth > DEEP).any(axis=1).sum())


def sweep(name: str, seeds: Sequence[int], seconds: float) -> Tally:
    """All runs of one scenario."""
    scenario, tally = amble.scenario(name), Tally()
    for seed in seeds:
        tally.runs += 1
        request = scenario.request(seconds=seconds, seed=seed, settings={"wander": "true"})
        try:
            tally.add(seed, scenario.make(request))
        except Exception:
            traceback.print_exc()
            tally.exceptions.append(seed)
    return tally


def main() -> None:
    planned = [n for n in amble.scenario_names() if amble.scenario(n).family == "planned"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="all by default")
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 20), metavar=("FIRST", "END"))
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    begin, seeds = time.perf_counter(), range(*arguments.seeds)
    print(f"{'scenario':28s}{COLUMNS}\n{'':28s}{UNITS}")
    for name in arguments.scenarios or planned:
        tally = sweep(name, seeds, arguments.seconds)
        print(f"{name:28s}{tally.line()}", flush=True)
        for what, which in (("fell", tally.falls), ("raised", tally.exceptions)):
            if which:
                print(f"{'':28s}{what}: seeds {', '.join(map(str, which))}", flush=True)
    print(f"in {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
