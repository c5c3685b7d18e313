"""What the user knows better: a dict, or a TOML file (`robot.amble.toml` beside `robot.xml`).

root = "base"                       # which body of the scene
forward = "+y"                      # where the model looks, in its own axes
up = "+z"
keyframe = "home"                   # the pose to stand in, by the model's name for it
[rest]                              # joint → angle [rad] or displacement [m], as in the file
left_knee = 0.6
[feet]                              # foot → body; these and no others are the feet
left_foot = "l_sole"
[contact_points]                    # foot → points in its body's frame [m]
left_foot = [[0.1, 0.03, -0.05], [0.1, -0.03, -0.05]]
[limbs]                             # limb → kind (leg, arm, neck, tail), by its last body
l_gripper = "arm"
[torque_limits]                     # joint → [N m] or [N]; 0: no motor
left_toe = 0.0
[parts]                             # word → body
head = "camera_mount"
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from amble.errors import InputError, UnknownName

AXES = ("+x", "-x", "+y", "-y", "+z", "-z")
KINDS = ("leg", "arm", "neck", "tail")


@dataclass(frozen=True)
class Overrides:
    """See the module's text for what each means."""

    root: str | None = None
    forward: str | None = None
    up: str | None = None
    keyframe: str | None = None
    rest: Mapping[str, float] = field(default_factory=dict)
    feet: Mapping[str, str] = field(default_factory=dict)
    contact_points: Mapping[str, list[list[float]]] = field(default_factory=dict)
    limbs: Mapping[str, str] = field(default_factory=dict)
    torque_limits: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    where: str = "overrides"

    def check(self, key: str, allowed: Iterable[str]) -> None:
        """Every name used in the table `key` (its values where it says which body) must exist."""
        allowed = list(allowed)
        table: Mapping[str, Any] = getattr(self, key)
        kind = "body" if key in ("feet", "parts", "limbs") else "joint"
        kind = "foot" if key == "contact_points" else kind
        for name in table.values() if key in ("feet", "parts") else table:
            if name not in allowed:
                raise UnknownName(kind, name, allowed, where=f"[{key}] of {self.where}")


def read_overrides(model: Path, given: Mapping[str, Any] | str | Path | None) -> Overrides:
    """From a dict, a TOML file, or else the TOML file beside the model, if there is one."""
    if isinstance(given, Mapping):
        return _checked(given, "overrides")
    beside = model.with_name(f"{model.stem}.amble.toml")
    path = Path(given) if given is not None else beside
    if given is None and not beside.is_file():
        return Overrides()
    try:
        return _checked(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not TOML: {str(error).splitlines()[0]}") from None


def _checked(table: Mapping[str, Any], where: str) -> Overrides:
    allowed = [f.name for f in fields(Overrides) if f.name != "where"]
    for key, value in table.items():
        if key not in allowed:
            raise UnknownName("override", key, allowed, where=where)
        _check_value(key, value, where)
    return Overrides(**table, where=where)


def _check_value(key: str, value: Any, where: str) -> None:
    if key in ("root", "forward", "up", "keyframe"):
        if not isinstance(value, str):
            raise InputError(f"{where}: {key} = {value!r}; expected a name in quotes")
        if key in ("forward", "up") and value not in AXES:
            raise InputError(f"{where}: {key} = '{value}'; allowed: {', '.join(AXES)}")
        return
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: {key} = {value!r}; expected a table of names")
    for name, item in value.items():
        place = f"{where}: [{key}] {name} = {item!r}"
        if key in ("rest", "torque_limits"):
            if not _is_number(item):
                raise InputError(f"{place}; expected a finite number")
            if key == "torque_limits" and item < 0:
                raise InputError(f"{place}; expected a number of at least 0")
        elif key == "contact_points":
            points = item if isinstance(item, list) and item else [None]
            for point in points:
                if not isinstance(point, list | tuple) or len(point) != 3:
                    raise InputError(f"{place}; expected a list of points [x, y, z]")
                if not all(_is_number(x) for x in point):
                    raise InputError(f"{place}; expected finite numbers")
        elif not isinstance(item, str):
            raise InputError(f"{place}; expected a name in quotes")
        elif key == "limbs" and item not in KINDS:
            raise InputError(f"{place}; allowed: {', '.join(KINDS)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
