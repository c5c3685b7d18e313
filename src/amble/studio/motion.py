"""Motion: what the studio needs of anything that moves a body, however it is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.motion.clip import Clip
from amble.parameters import Value
from amble.studio.sight import Sight
from amble.terrain.terrain import Terrain
from amble.world.world import Push

FPS = 60.0  # frames of motion a second
LONGEST_RECORDING = 300.0  # [s]


@dataclass(frozen=True, eq=False)
class Moment:
    """Where the body is and how its centre of mass moves."""

    time: float = 0.0  # [s]
    places_w: np.ndarray = field(default_factory=lambda: np.zeros((1, 3)))  # of MJCF bodies [m]
    quats_w: np.ndarray = field(default_factory=lambda: np.array([[1.0, 0, 0, 0]]))
    com_w: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m]
    velocity_w: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m/s]


class Motion(Protocol):
    """A body on its way. `moment` is where it is; `advance` lets it go on."""

    character: Character
    terrain: Terrain
    moment: Moment
    follows: frozenset[str]
    """The wishes of `Command` that mean something to it."""

    @property
    def fallen(self) -> str:
        """Why it lies on the ground, if it does."""

    @property
    def model(self) -> mujoco.MjModel:
        """The body in its present shape, perhaps with its ground."""

    @property
    def ground_force(self) -> float:
        """Upward, on the whole body [N]."""

    @property
    def residuals(self) -> Sequence[float]:
        """By how much each priority misses what it asks for; empty where there are none."""

    def sight(self) -> Sight:
        """What it is made of at this moment."""

    def advance(self, seconds: float) -> None:
        """Go on."""

    def command(self, **wish: Value) -> None:
        """Wish something else; what it does not follow is let pass."""

    def push(self, push: Push) -> None:
        """Let a force act; its start counts from now [s]."""

    def begin_recording(self) -> None:
        """From now on frames can be kept."""

    def record(self) -> None:
        """Keep the present frame."""

    def recorded(self) -> Clip | None:
        """What was kept, as a clip."""

    def close(self) -> None:
        """End its processes."""
