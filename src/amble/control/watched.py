"""What a controller tells those who look on: points that it decides by, and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from amble.motion.clip import Event

Place = tuple[float, float]  # x, y [m] in the world


@runtime_checkable
class Watchful(Protocol):
    """A controller that tells by which points it decides."""

    @property
    def watched(self) -> Mapping[str, Place]:
        """By name."""


@runtime_checkable
class Noting(Protocol):
    """A controller that notes what it was told."""

    @property
    def events(self) -> Sequence[Event]:
        """In order of time."""


def noted_events(controller: Any) -> Sequence[Event]:
    """The events of a controller that notes some."""
    return controller.events if isinstance(controller, Noting) else ()


def watched_points(controller: Any) -> Mapping[str, Place]:
    """The points of a controller that tells; none of one that does not."""
    return controller.watched if isinstance(controller, Watchful) else {}
