"""References by name, made from planned motion alone and kept in the cache: `reference("walk")`.

walk, run, stand           cycles
walk-slow, walk-fast       the walk at 0.8 and 1.2 times its speed
turn-15 … turn-180         turns to the left, and `-right`; they begin and end on row 0 of the
                           walk, whose rows 0 and 1 they contain, and are cycles themselves
start, stop                between standing and row 0 of the walk
walk-to-run, run-to-walk   between row 0 of the walk and row 0 of the run
"""

from __future__ import annotations

import math
from collections.abc import Callable

from amble.characters import character as library_character
from amble.characters.character import Character
from amble.errors import UnknownName
from amble.tracking.cache import cached_solve
from amble.tracking.flat_body import FlatBody
from amble.tracking.generated import planned_cycle, standing
from amble.tracking.reference import Reference
from amble.tracking.spacetime import Progress, Settings
from amble.tracking.transitions import change_motion, start_motion, stop_motion
from amble.tracking.warp import motion_of, warped

BODY = "humanoid-tracking"
WALK, RUN = 1.2, 3.0  # [m/s] for legs of 0.9 m; of others by their Froude number
SPEEDS = {"walk": WALK, "run": RUN}
TURNS = {15: 1, 45: 1, 60: 2, 90: 2, 180: 4}  # degrees → cycles of the walk that they take

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


def _cycle(speed: float, name: str) -> _Maker:
    def make(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
        motion = planned_cycle(body, _speed(body, speed), name)
        return cached_solve(body, motion, settings, progress)

    return make


def _stand(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
    return cached_solve(body, standing(body), settings, progress)


def _paced(speed: float, name: str) -> _Maker:
    def make(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
        walk = _MAKERS["walk"](body, settings, progress)
        motion = warped(body, motion_of(walk), speed=speed, name=name)
        return cached_solve(body, motion, settings, progress)

    return make


def _turn(degrees: float, cycles: int, name: str) -> _Maker:
    def make(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
        walk = _MAKERS["walk"](body, settings, progress)
        motion = warped(
            body,
            motion_of(walk),
            angle=math.radians(degrees),
            cycles=cycles,
            attached=True,
            name=name,
        )
        return cached_solve(body, motion, settings, progress)

    return make


def _start(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
    walk, stand = (_MAKERS[name](body, settings, progress) for name in ("walk", "stand"))
    motion = start_motion(body, stand, walk, _speed(body, WALK))
    return cached_solve(body, motion, settings, progress)


def _stop(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
    walk, stand = (_MAKERS[name](body, settings, progress) for name in ("walk", "stand"))
    motion = stop_motion(body, stand, walk, _speed(body, WALK))
    return cached_solve(body, motion, settings, progress)


def _change(before: str, after: str, name: str) -> _Maker:
    def make(body: FlatBody, settings: Settings, progress: Progress | None) -> Reference:
        first, second = (
            (_MAKERS[each](body, settings, progress), _speed(body, SPEEDS[each]))
            for each in (before, after)
        )
        motion = change_motion(body, first, second, name)
        return cached_solve(body, motion, settings, progress)

    return make


_MAKERS: dict[str, _Maker] = {
    "walk": _cycle(WALK, "walk"),
    "run": _cycle(RUN, "run"),
    "stand": _stand,
    "start": _start,
    "stop": _stop,
    "walk-to-run": _change("walk", "run", "walk-to-run"),
    "run-to-walk": _change("run", "walk", "run-to-walk"),
    "walk-slow": _paced(0.8, "walk-slow"),
    "walk-fast": _paced(1.2, "walk-fast"),
}
for _degrees, _cycles in TURNS.items():
    for _side, _sign in (("", 1), ("-right", -1)):
        _name = f"turn-{_degrees}{_side}"
        _MAKERS[_name] = _turn(_sign * _degrees, _cycles, _name)
