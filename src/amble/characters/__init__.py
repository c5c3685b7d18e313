"""Characters: bodies that can move, from the library or from a file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from amble.characters import library
from amble.characters.character import Character, EndEffector, Limb
from amble.characters.reshape import Scale
from amble.errors import InputError, UnknownName

__all__ = ["Character", "EndEffector", "Limb", "Scale", "character", "character_names"]

_FILE_ENDINGS = (".xml", ".mjcf", ".urdf")


def character_names() -> tuple[str, ...]:
    """Names of the library's bodies."""
    return library.NAMES


def character(name_or_path: str | Path, **parameters: Any) -> Character:
    """A body of the library by name, or any legged MJCF or URDF model by path.

    Library bodies take `height` [m] and `mass` [kg]: `character("humanoid", height=1.75, mass=70)`.
    What a path takes is said by `amble.characters.importer.load`. To change single parts, see
    `Character.reshaped`: `character("humanoid").reshaped({"left_thigh": Scale(length=2)})`.
    """
    name = str(name_or_path)
    if name.lower().endswith(_FILE_ENDINGS):
        from amble.characters.importer import load

        _check_keys(parameters, load, name)
        return load(name_or_path, **parameters)
    if name not in library.NAMES:
        _refuse_path(Path(name))
    build = library.entry(name)
    _check_keys(parameters, build, name)
    return build(**parameters)


def _check_keys(parameters: Mapping[str, Any], build: Callable[..., Any], name: str) -> None:
    allowed = [key for key in inspect.signature(build).parameters if key != "path"]
    for key in parameters:
        if key not in allowed:
            raise UnknownName("parameter", key, allowed, where=f"character '{name}'")


def _refuse_path(path: Path) -> None:
    """Raise for what can only be meant as a file and is none of ours."""
    if path.name and (path.is_dir() or path.suffix or len(path.parts) > 1):
        what = "is a folder" if path.is_dir() else f"has the ending '{path.suffix}'"
        raise InputError(
            f"character '{path}': {what}; give a name of the library or a model file "
            f"({', '.join(_FILE_ENDINGS)})"
        )
