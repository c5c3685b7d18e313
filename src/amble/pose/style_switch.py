"""Switching styles on the move: the old posture turns into the new one within half a second."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from amble.geometry.splines import smooth_step
from amble.pose.style import Moment, Posture, Style
from amble.pose.swing import turn_between, turned

BLEND = 0.5  # [s]


@dataclass(frozen=True)
class _Entry:
    style: Style
    age: float  # [s] since it was switched to

    @property
    def share(self) -> float:
        return smooth_step(self.age / BLEND)


class StyleSwitch:
    """A style that can become another one: postures are blended, the newest on top of the others.

    A blend begins and ends without velocity or acceleration of its own; a further switch may come
    at any time.
    """

    def __init__(self, first: Style) -> None:
        self._entries: tuple[_Entry, ...] = (_Entry(first, BLEND),)

    def switch(self, style: Style) -> None:
        """Begin to turn into another style, whose memory must be fresh."""
        self._entries = (*self._entries, _Entry(style, 0.0))

    def posture(self, moment: Moment) -> Posture:
        """The blend of all styles that still matter."""
        if len(self._entries) == 1:
            return self._entries[0].style.posture(moment)
        entries = [replace(e, age=e.age + moment.dt) for e in self._entries]
        newest = max(k for k, entry in enumerate(entries) if entry.age >= BLEND)
        self._entries = tuple(entries[newest:])
        found = self._entries[0].style.posture(moment)
        for entry in self._entries[1:]:
            found = _blend(found, entry.style.posture(moment), entry.share)
        return found

    def reset(self) -> None:
        """Forget the past; a switch under way is done."""
        self._entries = (_Entry(self._entries[-1].style, BLEND),)
        self._entries[0].style.reset()

    def mark(self) -> Any:
        """The memory, to be given back to `restore`."""
        return self._entries, tuple(entry.style.mark() for entry in self._entries)

    def restore(self, mark: Any) -> None:
        """Go back to a `mark`."""
        self._entries, marks = mark
        for entry, each in zip(self._entries, marks, strict=True):
            entry.style.restore(each)


def _blend(a: Posture, b: Posture, share: float) -> Posture:
    """From a to b: angles evenly, the root along the shortest turn."""
    root = turned(a.root_R_b, share * turn_between(a.root_R_b, b.root_R_b))
    return Posture(a.angles + share * (b.angles - a.angles), root)
