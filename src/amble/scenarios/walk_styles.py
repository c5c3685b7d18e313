"""Walks with a mood (features section 9): each is a few lines of features over the plain walk.

Lengths and times are a human's; `fit` in `walk` scales them to other bodies.
"""

from __future__ import annotations

from dataclasses import dataclass

from amble.control.walking.hands import HANDS
from amble.control.walking.parameters import WalkParameters
from amble.parameters import parameter


@dataclass(frozen=True)
class SlowWalk(WalkParameters):
    """Unhurried."""

    speed: float = parameter(0.5, "m/s", "ahead; 0 = stand", low=-1, high=2)
    swing_duration: float = parameter(0.5, "s", "T: a foot in the air", low=0.15, high=1.2)


@dataclass(frozen=True)
class FastWalk(WalkParameters):
    """In a hurry."""

    speed: float = parameter(1.4, "m/s", "ahead; 0 = stand", low=-1, high=2)


@dataclass(frozen=True)
class SadWalk(SlowWalk):
    """Hands in the pockets, head down, trunk and knees bent, feet hardly lifted."""

    hands: str = parameter("pockets", "", "where a style puts the hands", choices=HANDS)
    head_pitch: float = parameter(35.0, "deg", "head down", low=-180, high=180)
    lean: float = parameter(0.08, "m", "l_trunk: neck ahead of the COM", low=-0.6, high=0.6)
    crouch: float = parameter(0.05, "m", "COM below its height at rest", low=-0.1, high=0.6)
    swing_height: float = parameter(0.03, "m", "h: how high a foot is lifted", low=0, high=0.4)


@dataclass(frozen=True)
class ProudWalk(WalkParameters):
    """Chest out, chin up, feet lifted high."""

    head_pitch: float = parameter(-15.0, "deg", "chin up", low=-180, high=180)
    lean: float = parameter(-0.03, "m", "l_trunk: neck ahead of the COM", low=-0.6, high=0.6)
    swing_height: float = parameter(0.10, "m", "h: how high a foot is lifted", low=0, high=0.4)
    speed: float = parameter(0.9, "m/s", "ahead; 0 = stand", low=-1, high=2)


@dataclass(frozen=True)
class TiredWalk(SlowWalk):
    """Bent far over, arms dangling, feet wide apart and dragged, long on both."""

    head_pitch: float = parameter(45.0, "deg", "head down", low=-180, high=180)
    lean: float = parameter(0.17, "m", "l_trunk: neck ahead of the COM", low=-0.6, high=0.6)
    crouch: float = parameter(0.07, "m", "COM below its height at rest", low=-0.1, high=0.6)
    swing_height: float = parameter(0.02, "m", "h: how high a foot is lifted", low=0, high=0.4)
    swing_delay: float = parameter(0.2, "s", "ΔT: both feet on the ground", low=0.02, high=0.5)
    foot_spread: float = parameter(0.03, "m", "l_foot: added to hip shift", low=0, high=0.2)
    speed: float = parameter(0.35, "m/s", "ahead; 0 = stand", low=-1, high=2)


@dataclass(frozen=True)
class SneakyWalk(SlowWalk):
    """Crouched, hands before the chest, long slow steps with feet lifted high."""

    hands: str = parameter("chest", "", "where a style puts the hands", choices=HANDS)
    lean: float = parameter(0.14, "m", "l_trunk: neck ahead of the COM", low=-0.6, high=0.6)
    crouch: float = parameter(0.14, "m", "COM below its height at rest", low=-0.1, high=0.6)
    swing_height: float = parameter(0.16, "m", "h: how high a foot is lifted", low=0, high=0.4)
    swing_duration: float = parameter(0.6, "s", "T: a foot in the air", low=0.15, high=1.2)
    swing_delay: float = parameter(0.16, "s", "ΔT: both feet on the ground", low=0.02, high=0.5)
    heel_off: bool = parameter(False, "", "the heel rises before the toes")


STYLES: tuple[tuple[str, str, type[WalkParameters]], ...] = (
    ("walk-slow", "walk at half the speed", SlowWalk),
    ("walk-fast", "walk fast", FastWalk),
    ("walk-sad", "hands in the pockets, head down, bent", SadWalk),
    ("walk-proud", "chest out, chin up, feet lifted high", ProudWalk),
    ("walk-tired", "bent over, arms dangling, dragging feet", TiredWalk),
    ("walk-sneaky", "crouched, long slow high steps", SneakyWalk),
)

# One parameter of table 2 after another, to one end and the other of its range, and back [s].
TUNING: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("step_length", (0.2, 0.6, 0.4)),
    ("swing_duration", (0.35, 0.6, 0.45)),
    ("swing_height", (0.02, 0.1, 0.06)),
    ("foot_spread", (0.0, 0.03, 0.015)),
    ("swing_delay", (0.04, 0.25, 0.08)),
    ("hip_shift", (0.06, 0.12, 0.075)),
    ("lean", (-0.15, 0.25, 0.0)),
    ("head_pitch", (-40.0, 40.0, 0.0)),
    ("crouch", (0.12, 0.0, -0.01)),
)
TUNING_BEGIN, TUNING_PAUSE = 2.5, 1.5  # [s]
