"""What a user types, made into values: characters, pushes, changes and settings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from amble.characters import character
from amble.characters.character import Character
from amble.errors import InputError, UnknownName
from amble.scenarios.scenario import Change
from amble.world.world import Push

PUSH_FORM = "T:BODY:NEWTON:DEGREES:SECONDS, for example 1:thorax:200:90:0.1"
CHANGE_FORM = "T:KEY=VALUE, for example 3:depth=0.1"
SETTING_FORM = "KEY=VALUE, for example depth=0.1"
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


def read_setting(text: str, option: str = "--set", form: str = SETTING_FORM) -> tuple[str, str]:
    """`depth=0.1` → ("depth", "0.1")."""
    key, equals, value = text.partition("=")
    if not (equals and key.strip() and value.strip()):
        raise InputError(f"{option} '{text}': give {form}")
    return key.strip().replace("-", "_"), value.strip()


def read_settings(texts: Iterable[str]) -> dict[str, str]:
    """The settings by key; the last one of a key counts."""
    return dict(read_setting(text) for text in texts)


def read_change(text: str) -> Change:
    """`3:depth=0.1` → the change of `depth` at 3 s."""
    time, colon, setting = text.partition(":")
    if not colon:
        raise InputError(f"--at '{text}': give {CHANGE_FORM}")
    key, value = read_setting(setting, "--at", CHANGE_FORM)
    return Change(read_number(time, f"--at '{text}', time"), key, value)


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
    """A library name, a path to MJCF or URDF, or `humanoid:height=1.6,mass=60`."""
    name, colon, options = text.partition(":")
    if not colon or "=" not in options or Path(text).exists():
        return character(text)
    sizes = {}
    for option in options.split(","):
        key, value = read_setting(option, f"--character '{text}'", "NAME:height=1.6,mass=60")
        if key not in CHARACTER_KEYS:
            raise UnknownName("size", key, CHARACTER_KEYS, where=f"--character '{text}'")
        sizes[key] = read_number(value, f"--character '{text}', {key}")
    return character(name, **sizes)
