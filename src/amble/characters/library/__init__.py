"""The library: bodies by name, one file each. Every entry takes `height` [m] and `mass` [kg]."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from amble.characters.character import Character
from amble.errors import UnknownName

# name → module and function; the modules are imported when they are asked for.
_ENTRIES: dict[str, tuple[str, str]] = {
    "humanoid": ("humanoid", "humanoid"),
    "humanoid-tracking": ("humanoid_tracking", "humanoid_tracking"),
    "baby": ("baby", "baby"),
    "asymmetric": ("asymmetric", "asymmetric"),
    "acrobat": ("acrobat", "acrobat"),
    "luxo": ("luxo", "luxo"),
    "cassie": ("cassie", "cassie"),
    "anymal": ("anymal", "anymal"),
    "anymal-large": ("anymal", "anymal_large"),
    "ostrich": ("ostrich", "ostrich"),
    "dinosaur": ("dinosaur", "dinosaur"),
}

NAMES: tuple[str, ...] = tuple(_ENTRIES)


def entry(name: str) -> Callable[..., Character]:
    """The function that builds the body of that name."""
    if name not in _ENTRIES:
        raise UnknownName("character", name, NAMES)
    module, function = _ENTRIES[name]
    builder: Callable[..., Character] = getattr(import_module(f"{__name__}.{module}"), function)
    return builder
