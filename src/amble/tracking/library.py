"""References by name, made from planned motion alone and kept in the cache: `reference("walk")`."""

from __future__ import annotations

from collections.abc import Callable

from amble.characters import character as library_character
from amble.characters.character import Character
from amble.errors import UnknownName
from amble.tracking.cache import cached_solve
from amble.tracking.flat_body import FlatBody
from amble.tracking.generated import planned_cycle, standing
from amble.tracking.reference import Reference
from amble.tracking.spacetime import Progress, Settings

BODY = "humanoid-tracking"
WALK, RUN = 1.2, 3.0  # [m/s] for legs of 0.9 m; of others by their Froude number

_Maker = Callable[[FlatBody, Settings, Progress | None], Reference]


def reference_names() -> tuple[str, ...]:
    """The names that `reference` knows."""
    return tuple(_MAKERS)


def reference(
    name: str,
    character: Character | None = None,
    *,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Reference:
    """A reference of the library for `humanoid-tracking`, or another body on two feet.

    It is solved when first asked for, which takes seconds, and read from the cache from then on.
    """
    if name not in _MAKERS:
        raise UnknownName("reference", name, _MAKERS)
    body = FlatBody(character or library_character(BODY))
    return _MAKERS[name](body, settings or Settings(), progress)


def _speed(body: FlatBody, speed: float) -> float:
    """The speed [m/s] that is to this body what `speed` is to legs of 0.9 m."""
    return float(speed * (body.character.leg_length / 0.9) ** 0.5)


def _walk(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
    motion = planned_cycle(body, _speed(body, WALK), "walk")
    return cached_solve(body, motion, settings, progress)


def _run(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
    motion = planned_cycle(body, _speed(body, RUN), "run")
    return cached_solve(body, motion, settings, progress)


def _stand(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
    return cached_solve(body, standing(body), settings, progress)


_MAKERS: dict[str, _Maker] = {"walk": _walk, "run": _run, "stand": _stand}
