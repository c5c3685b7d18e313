"""Points on the ground that a controller decides by, for those who want to see why it steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

Place = tuple[float, float]  # x, y [m] in the world


@runtime_checkable
class Watchful(Protocol):
    """A controller that tells by which points it decides."""

    @property
    def watched(self) -> Mapping[str, Place]:
        """By name."""


def watched_points(controller: Any) -> Mapping[str, Place]:
    """The points of a controller that tells; none of one that does not."""
    return controller.watched if isinstance(controller, Watchful) else {}
