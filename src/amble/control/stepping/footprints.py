"""Footprints: where a foot is told to step (stepping section 4), by API, text or YAML file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from amble.control.stepping.curves import LIFT_OFF, TOUCHDOWN
from amble.errors import InputError, UnknownName

FEET = ("left", "right")
FORM = "FOOT:X:Y:YAW[:SECONDS[:HEIGHT]], for example left:0.3:0.1:0"
EXAMPLE = "{foot: left, x: 0.3, y: 0.1, yaw: 0, seconds: 1.0, height: 0.06}"
AS_DISTANCE_ASKS = 0.0
LIMITS = {"seconds": (0.3, 10.0, "s"), "height": (0.01, 1.0, "m")}
# Of a human; times go with the root of the size.
SHORTEST, SECONDS_PER_METRE = 1.0, 0.6  # [s] of a whole step, and more for what is far
LOWEST, LIFT_PER_METRE = 0.05, 0.06  # [m] of the lift, and more for what is far
FASTEST = 7.5  # [m/s] that a foot may reach, for a human; a sprinter's swing foot reaches 20


@dataclass(frozen=True)
class Footprint:
    """A place for the middle of one sole on the ground. With `seconds` or `height` 0 the distance
    decides."""

    foot: str  # left or right
    x: float  # [m]
    y: float  # [m]
    yaw: float = 0.0  # [deg] where the toes point, 0 = along x
    seconds: float = AS_DISTANCE_ASKS  # of the whole step; in the air for 0.4 of it
    height: float = AS_DISTANCE_ASKS  # [m] the foot is lifted over the higher of both grounds

    def __post_init__(self) -> None:
        if self.foot not in FEET:
            raise UnknownName("foot", str(self.foot), FEET, where="footprint")
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not math.isfinite(value):
                raise InputError(f"footprint: {field.name} = {value!r}; give a finite number")
        for name, (low, high, unit) in LIMITS.items():
            value = getattr(self, name)
            if value != AS_DISTANCE_ASKS and not low <= value <= high:
                raise InputError(
                    f"footprint: {name} = {value:g} is not allowed; give {low:g} to {high:g} {unit}"
                    ", or 0 for what the distance asks"
                )

    @property
    def place(self) -> complex:
        """In the ground plane [m]."""
        return complex(self.x, self.y)

    @property
    def radians(self) -> float:
        """The yaw."""
        return math.radians(self.yaw)

    @property
    def index(self) -> int:
        """0 for the left foot, 1 for the right."""
        return FEET.index(self.foot)

    def __str__(self) -> str:
        return f"{self.foot}:{self.x:g}:{self.y:g}:{self.yaw:g}"


def default_seconds(distance: float, shift: float, size: float) -> float:
    """Duration of a step over this distance whose weight is to be shifted so far [m]."""
    far = (distance + shift) / size
    return math.sqrt(size) * (SHORTEST + SECONDS_PER_METRE * far)


def least_seconds(distance: float, size: float) -> float:
    """The shortest duration in which a foot gets there [s]: a Gaussian's peak is twice its mean."""
    in_air = 2.0 * distance / (FASTEST * math.sqrt(size))
    return in_air / (TOUCHDOWN - LIFT_OFF)


def default_height(distance: float, size: float) -> float:
    """Lift of a step over this distance [m]."""
    return LOWEST * size + LIFT_PER_METRE * min(distance, size)


def read_footprints(text: str) -> tuple[Footprint, ...]:
    """Footprints as a user types them: some `FORM` with `;` between, or the name of a YAML file."""
    text = text.strip()
    if text.lower().endswith((".yaml", ".yml")):
        return _read_file(Path(text))
    return tuple(_read(part.strip()) for part in text.split(";") if part.strip())


def _read(text: str) -> Footprint:
    foot, *numbers = (word.strip() for word in text.split(":"))
    if not 2 <= len(numbers) <= 5:
        raise InputError(f"footprint '{text}': give {FORM}")
    values = []
    for word in numbers:
        try:
            values.append(float(word))
        except ValueError:
            raise InputError(f"footprint '{text}': '{word}' is not a number; give {FORM}") from None
    return _made(f"footprint '{text}'", foot, *values)


def _read_file(path: Path) -> tuple[Footprint, ...]:
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error.__class__.__name__})") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path}{where}: is not YAML; give a list of {EXAMPLE}") from None
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: is not a list; give a list of {EXAMPLE}")
    return tuple(_entries(path, entries))


def _entries(path: Path, entries: Sequence[Any]) -> Iterable[Footprint]:
    known = [field.name for field in fields(Footprint)]
    for k, entry in enumerate(entries, start=1):
        where = f"{path}, entry {k}"
        if not isinstance(entry, dict):
            raise InputError(f"{where}: is not a footprint; give {EXAMPLE}")
        for key in entry:
            if key not in known:
                raise UnknownName("key", str(key), known, where=where)
        missing = [key for key in known[:3] if key not in entry]
        if missing:
            raise InputError(f"{where}: {missing[0]} is missing; give {EXAMPLE}")
        yield _made(where, **entry)


def _made(where: str, *values: Any, **named: Any) -> Footprint:
    try:
        return Footprint(*values, **named)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
