"""What a user types, made into values: characters, pushes, changes and settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from amble.characters import character
from amble.characters.character import Character
from amble.characters.reshape import SIZES, Scale, read_factor
from amble.errors import InputError, UnknownName
from amble.scenarios.scenario import Change, Growth
from amble.sketch.command import read_script
from amble.world.world import Push

PUSH_FORM = "T:BODY:NEWTON:DEGREES:SECONDS, for example 1:thorax:200:90:0.1"
CHANGE_FORM = "T:KEY=VALUE, for example 3:depth=0.1 or 3:left_thigh.length=2"
SETTING_FORM = "KEY=VALUE, for example depth=0.1"
CHARACTER_FORM = "NAME:height=1.6,mass=60 or NAME:left_thigh.length=1.5"
CHARACTER_KEYS = ("height", "mass")


def read_number(text: str, what: str) -> float:
    """A finite number, or an error that says of what."""
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{what}: '{text}' is not a number") from None
    if not math.isfinite(number):
        raise InputError(f"{what}: '{text}' is not a finite number")
    return number


def read_setting(text: str) -> tuple[str, str]:
    """`depth=0.1` → ("depth", "0.1")."""
    key, equals, value = text.partition("=")
    if not (equals and key.strip() and value.strip()):
        raise InputError(f"--set '{text}': give {SETTING_FORM}")
    return key.strip().replace("-", "_"), value.strip()


def read_settings(texts: Iterable[str]) -> dict[str, str]:
    """The settings by key; the last one of a key counts."""
    return dict(read_setting(text) for text in texts)


def read_change(text: str) -> Change | Growth:
    """`3:depth=0.1` → `depth` changes at 3 s; `3:left_thigh.length=2` → it grows from 3 s on."""
    where = f"--at '{text}'"
    time, _, setting = text.partition(":")
    key, equals, value = (word.strip() for word in setting.partition("="))
    if not (time.strip() and key and equals and value):
        raise InputError(f"{where}: give {CHANGE_FORM}")
    start = read_number(time, f"{where}, time")
    part, dot, size = key.rpartition(".")
    if dot:
        return Growth(start, part, read_scale({size: value}, where))
    return Change(start, key.replace("-", "_"), value)


def read_scale(factors: Mapping[str, str], where: str) -> Scale:
    """`{"length": "2"}` → twice as long."""
    for size in factors:
        if size not in SIZES:
            raise UnknownName("size", size, SIZES, where=where)
    try:
        return Scale(**{size: read_factor(size, value) for size, value in factors.items()})
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def read_push(text: str) -> Push:
    """`1:thorax:200:90:0.1` → 200 N to the left (90°) on the thorax from 1 s on for 0.1 s."""
    pieces = text.split(":")
    if len(pieces) != 5:
        raise InputError(f"--push '{text}': give {PUSH_FORM}")
    names = ("time", "", "newton", "degrees", "seconds")
    numbers = {
        name: read_number(piece, f"--push '{text}', {name}")
        for name, piece in zip(names, pieces, strict=True)
        if name
    }
    if numbers["newton"] < 0 or numbers["seconds"] <= 0 or not pieces[1]:
        raise InputError(f"--push '{text}': give NEWTON ≥ 0, SECONDS > 0 and a BODY: {PUSH_FORM}")
    angle = math.radians(numbers["degrees"])
    force_w = (numbers["newton"] * math.cos(angle), numbers["newton"] * math.sin(angle), 0.0)
    return Push(pieces[1], force_w, start=numbers["time"], seconds=numbers["seconds"])


def read_character(text: str) -> Character:
    """A library name or a path to MJCF or URDF, with sizes of the whole and of parts if wished.

    `humanoid:height=1.6,mass=60,left_thigh.length=1.5`; parts have length, girth and mass.
    """
    where = f"--character '{text}'"
    name, colon, options = text.partition(":")
    if not colon or Path(text).exists():
        return character(text)
    whole: dict[str, float] = {}
    parts: dict[str, dict[str, str]] = {}
    for option in options.split(","):
        key, equals, value = (word.strip() for word in option.partition("="))
        if not (key and equals and value):
            raise InputError(f"{where}: '{option}' is no size; give {CHARACTER_FORM}")
        part, dot, size = key.rpartition(".")
        if dot:
            parts.setdefault(part, {})[size] = value
        elif key in CHARACTER_KEYS:
            whole[key] = read_number(value, f"{where}, {key}")
        else:
            raise UnknownName("size", key, CHARACTER_KEYS, where=where)
    body = character(name, **whole)
    scales = {part: read_scale(factors, where) for part, factors in parts.items()}
    return body.reshaped(scales) if scales else body


def read_script_changes(path: Path) -> tuple[Change, ...]:
    """The changes of a script in a YAML file."""
    script = read_script(path)
    return tuple(
        Change(time, key, value) for time, wish in script.changes for key, value in wish.items()
    )
