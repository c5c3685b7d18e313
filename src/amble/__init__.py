"""amble: bodies that move by physics."""
# ruff: noqa: F401

import os as _os
from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

# Small dense problems run 10–40 times slower when BLAS spreads them over threads; numpy reads this
# once, when it is first imported, and so the public names below are imported only when asked for.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    _os.environ.setdefault(_name, "1")

__version__ = "0.1.0"

if TYPE_CHECKING:  # the table below, as type checkers and editors read it
    from amble.characters import Character, Scale, character, character_names
    from amble.control.balance import Balance, BalanceParameters
    from amble.errors import AmbleError, InputError, UnknownName
    from amble.motion.bvh import read_bvh
    from amble.motion.clip import Clip
    from amble.motion.export import write
    from amble.motion.measures import measure
    from amble.motion.skeleton_clip import read_bvh_clip
    from amble.planner.live import live
    from amble.planner.planner import Planner
    from amble.scenarios import (  # type: ignore[no-redef]  # `scenario` is a module there, too
        Outcome,
        Request,
        Scenario,
        scenario,
        scenario_names,
    )
    from amble.sketch.command import Command, Script, read_script
    from amble.terrain import Flat, Terrain, parse_terrain
    from amble.world import MuJoCoWorld, Push
    from amble.world.simulate import simulate

_HOMES = {
    "characters": ("Character", "Scale", "character", "character_names"),
    "control.balance": ("Balance", "BalanceParameters"),
    "errors": ("AmbleError", "InputError", "UnknownName"),
    "motion.bvh": ("read_bvh",),
    "motion.clip": ("Clip",),
    "motion.export": ("write",),
    "motion.measures": ("measure",),
    "motion.skeleton_clip": ("read_bvh_clip",),
    "planner.live": ("live",),
    "planner.planner": ("Planner",),
    "scenarios": ("Outcome", "Request", "Scenario", "scenario", "scenario_names"),
    "sketch.command": ("Command", "Script", "read_script"),
    "terrain": ("Flat", "Terrain", "parse_terrain"),
    "world": ("MuJoCoWorld", "Push"),
    "world.simulate": ("simulate",),
}

__all__ = sorted(name for names in _HOMES.values() for name in names)


if not TYPE_CHECKING:  # else every name would seem to exist

    def __getattr__(name: str) -> _Any:
        for home, names in _HOMES.items():
            if name in names:
                return getattr(_import_module(f"amble.{home}"), name)
        raise AttributeError(f"module 'amble' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
