"""Characters: bodies that can move, from the library or from a file."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from amble.characters import library
from amble.characters.character import Character, EndEffector, Limb
from amble.errors import UnknownName

__all__ = ["Character", "EndEffector", "Limb", "character", "character_names"]

_FILE_ENDINGS = (".xml", ".mjcf", ".urdf")


def character_names() -> tuple[str, ...]:
    """Names of the library's bodies."""
    return library.NAMES


def character(name_or_path: str | Path, **parameters: Any) -> Character:
    """A body of the library by name, or any legged MJCF or URDF model by path.

    Library bodies take `height` [m] and `mass` [kg]: `character("humanoid", height=1.75, mass=70)`.
    What a path takes is said by `amble.characters.importer.load`.
    """
    if str(name_or_path).lower().endswith(_FILE_ENDINGS):
        from amble.characters.importer import load

        return load(name_or_path, **parameters)
    build = library.entry(str(name_or_path))
    allowed = list(inspect.signature(build).parameters)
    for key in parameters:
        if key not in allowed:
            raise UnknownName("parameter", key, allowed, where=f"character '{name_or_path}'")
    return build(**parameters)
