"""Command: what a user wishes of a walking body, and scripts of wishes over time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from amble.errors import InputError, UnknownName
from amble.parameters import Value, check, parameter, parameter_infos, settled

EXAMPLE = "{at: 3, speed: 1.2, heading: 90}"


@dataclass(frozen=True)
class Command:
    """A wish that holds until the next one. All of it can change at any moment."""

    speed: float = parameter(1.2, "m/s", "speed over the ground, along the heading", low=0, high=50)
    heading: float = parameter(0.0, "deg", "direction of travel, counter-clockwise from x")
    facing: float = parameter(
        0.0, "deg", "where the body looks, relative to the heading", low=-180, high=180
    )
    stride: float = parameter(1.0, "", "stride time, relative to the body's own", low=0.4, high=4)
    width: float = parameter(
        1.0, "", "distance of the feet from the middle, relative to the body's own", low=0, high=3
    )
    height: float = parameter(
        0.0, "m", "of the centre of mass, relative to the body's own", low=-1, high=1
    )
    sway: float = parameter(
        1.0, "", "sideways swing of the centre of mass, relative to the body's own", low=-3, high=3
    )
    style: str = parameter(
        "natural", "", "how the body carries itself: a name, or a clip's .npz file"
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Script:
    """Changes of a wish over time: (time [s], {parameter: value}), by time."""

    changes: tuple[tuple[float, Mapping[str, Value]], ...] = ()

    def __post_init__(self) -> None:
        times = [time for time, _ in self.changes]
        if not all(math.isfinite(time) and time >= 0 for time in times):
            raise InputError("script: times are numbers ≥ 0 [s]")
        by_time = sorted(self.changes, key=lambda change: change[0])
        object.__setattr__(self, "changes", tuple((float(t), dict(c)) for t, c in by_time))
        wishes, wish = [], Command()
        for time, change in self.changes:
            wish = settled(wish, change, where=f"script at {time:g} s")
            wishes.append(wish)
        object.__setattr__(self, "_wishes", tuple(wishes))

    def at(self, time: float) -> Command:
        """The wish that holds at a time [s]; before the first change, a `Command` as it comes."""
        last = bisect_right([t for t, _ in self.changes], time) - 1
        wishes: tuple[Command, ...] = self._wishes  # type: ignore[attr-defined]
        return wishes[last] if last >= 0 else Command()


def read_script(path: str | Path) -> Script:
    """A script from a YAML file, a list of changes: `- {at: 3, heading: 90}`.

    Raises `InputError` that names the file, the entry and what is allowed.
    """
    try:
        entries = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error.__class__.__name__})") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path}{where}: is not YAML; give a list of {EXAMPLE}") from None
    if not isinstance(entries, list):
        raise InputError(f"{path}: is not a list; give a list of {EXAMPLE}")
    changes = [_change(entry, f"{path}, entry {k}") for k, entry in enumerate(entries, start=1)]
    return Script(tuple(changes))


def _change(entry: Any, where: str) -> tuple[float, Mapping[str, Value]]:
    """One entry of a script, checked."""
    if not isinstance(entry, dict) or not all(isinstance(key, str) for key in entry):
        raise InputError(f"{where}: is not a change; give {EXAMPLE}")
    change = dict(entry)
    time = change.pop("at", None)
    if isinstance(time, bool) or not isinstance(time, int | float):
        raise InputError(f"{where}: 'at' is missing or not a number; give a time ≥ 0 [s]")
    if not math.isfinite(time) or time < 0:
        raise InputError(f"{where}: at = {time} is not allowed; give a time ≥ 0 [s]")
    for key in change:
        if key not in parameter_infos(Command):
            raise UnknownName("parameter", key, ["at", *parameter_infos(Command)], where=where)
    try:
        settled(Command(), change)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return float(time), change
