"""Grounds as text and plain data: for the command line and for files.

The text names a ground and its parameters, `slope:degrees=8,direction_degrees=90`; `@` moves it,
`stairs:rise=0.1@x=2,yaw_degrees=90`; `+` puts several together, `flat+blocks:size=0.3`; `/`
separates the numbers of a list, `steps:at=1/2,heights=0.1/0`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from amble.errors import InputError, UnknownName
from amble.parameters import parameter_infos, settled
from amble.terrain.blocks import Blocks
from amble.terrain.compose import Moved, Union
from amble.terrain.flat import Flat, Slope
from amble.terrain.hole import Hole
from amble.terrain.noise import Noise
from amble.terrain.stairs import Stairs, Steps
from amble.terrain.terrain import Terrain

_SIMPLE: dict[str, type[Terrain]] = {
    terrain.kind: terrain for terrain in (Flat, Slope, Stairs, Steps, Noise, Blocks, Hole)
}


def terrain_names() -> tuple[str, ...]:
    """The grounds that `parse_terrain` knows."""
    return tuple(_SIMPLE)


def terrain_from(description: Mapping[str, Any]) -> Terrain:
    """The ground that `Terrain.describe` described; raises `InputError` for anything else."""
    given = dict(description)
    kind = given.pop("kind", None)
    if kind == Union.kind:
        return Union(tuple(terrain_from(part) for part in given.get("parts", ())))
    if kind == Moved.kind:
        return _moved(terrain_from(given.pop("terrain", {})), given, "terrain 'moved'")
    if kind not in _SIMPLE:
        raise UnknownName("terrain", str(kind), [*_SIMPLE, Union.kind, Moved.kind])
    return _with_settings(_SIMPLE[kind](), given)


def parse_terrain(text: str) -> Terrain:
    """The ground that a text such as `slope:degrees=8` names; see above for the grammar."""
    # A sign of a number, as in 1e+2 or =+3, joins no grounds.
    parts = tuple(_parse_part(part.strip()) for part in re.split(r"(?<![=/eE])\+", text))
    return parts[0] if len(parts) == 1 else Union(parts)


def _parse_part(text: str) -> Terrain:
    ground, at, move = text.partition("@")
    name, colon, settings = (word.strip() for word in ground.partition(":"))
    if name not in _SIMPLE:
        raise UnknownName("terrain", name, _SIMPLE)
    terrain = _with_settings(_SIMPLE[name](), _pairs(settings, text) if colon else {})
    return _moved(terrain, _pairs(move, text), f"terrain '{text}'") if at else terrain


def _moved(terrain: Terrain, settings: Mapping[str, Any], where: str) -> Moved:
    try:
        return settled(Moved(terrain), settings, where=where)
    except InputError as error:
        text = str(error)
        raise error if where in text else InputError(f"{where}: {text}") from None


def _pairs(text: str, where: str) -> dict[str, Any]:
    """`a=1,b=2` as a mapping from names to texts."""
    pairs = {}
    for item in text.split(","):
        key, equals, value = (word.strip() for word in item.partition("="))
        if not (key and equals and value):
            raise InputError(f"terrain '{where}': '{item}' is not of the form name=value")
        pairs[key] = value
    return pairs


def _with_settings(terrain: Terrain, settings: Mapping[str, Any]) -> Terrain:
    """A changed copy; lists of numbers, the fields that are no single parameter, are set here."""
    where = f"terrain '{terrain.kind}'"
    single = parameter_infos(terrain)
    lists = {f.name for f in fields(terrain)} - set(single)  # type: ignore[arg-type]
    unknown = [name for name in settings if name not in lists and name not in single]
    if unknown:
        raise UnknownName("parameter", unknown[0], [*single, *lists], where=where)
    numbers = {name: _numbers(settings[name], name, where) for name in lists & set(settings)}
    if numbers:
        terrain = replace(terrain, **numbers)  # type: ignore[type-var]
    rest = {name: value for name, value in settings.items() if name not in lists}
    try:
        return settled(terrain, rest, where=where)
    except InputError as error:
        text = str(error)
        raise error if where in text else InputError(f"{where}: {text}") from None


def _numbers(value: Any, name: str, where: str) -> tuple[float, ...]:
    items = value.split("/") if isinstance(value, str) else value
    try:
        return tuple(float(item) for item in items)
    except (TypeError, ValueError):
        raise InputError(f"{where}: {name} = {value!r}; give numbers such as 1/2.5") from None
