"""Controllers by name: references of the library with their look-ahead, kept as they are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from amble.characters.character import Character
from amble.tracking.flat_body import FlatBody
from amble.tracking.library import reference
from amble.tracking.performance import Performance
from amble.tracking.reference import Reference
from amble.tracking.regulator import LookAhead, Regulator
from amble.tracking.spacetime import Progress

WALK, STAND, RUN = "walk", "stand", "run"


@dataclass
class Controllers:
    """Makes the regulators of one body; `progress` hears of the references that must be solved."""

    character: Character
    settings: LookAhead = field(default_factory=LookAhead)
    progress: Progress | None = None

    def __post_init__(self) -> None:
        self.body = FlatBody(self.character)
        self._references: dict[str, Reference] = {}
        self._made: dict[tuple[str, str], Regulator] = {}

    def reference(self, name: str) -> Reference:
        """The reference of that name."""
        if name not in self._references:
            self._references[name] = reference(name, self.character, progress=self.progress)
        return self._references[name]

    def cyclic(self, name: str) -> Regulator:
        """The controller that goes on with the same motion for ever."""
        return self._regulator(name, "")

    def leading_to(self, name: str, following: str) -> Regulator:
        """The controller of a motion after which another one comes."""
        return self.cyclic(name) if name == following else self._regulator(name, following)

    def sequence(
        self, names: Sequence[str], repeat: bool = False
    ) -> Callable[[Performance], Regulator]:
        """Chooses one motion after another, for a `Performance` that begins with the first; goes on
        with the last, or with `repeat` begins again."""
        left = list(names)

        def choose(performance: Performance) -> Regulator:
            if repeat:
                left.append(left[0])
            if len(left) > 1:
                left.pop(0)
            return self.first([*left, left[0]] if repeat else left)

        return choose

    def first(self, names: Sequence[str]) -> Regulator:
        """The controller of the first of some motions one after another."""
        return self.leading_to(names[0], names[1] if len(names) > 1 else names[0])

    def _regulator(self, name: str, following: str) -> Regulator:
        key = (name, following)
        if key not in self._made:
            after = self.cyclic(following) if following else None
            self._made[key] = Regulator(self.body, self.reference(name), self.settings, after)
        return self._made[key]
