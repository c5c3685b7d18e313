"""The World protocol: a character on a ground, advanced by torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.motion.clip import Event
from amble.terrain.terrain import Terrain


@dataclass(frozen=True)
class Push:
    """A force on a body part for a time.

    Applied at the part's centre of mass unless `point_b` (in the part's frame [m]) says otherwise.
    """

    part: str
    force_w: tuple[float, float, float]  # [N]
    start: float  # [s]
    seconds: float  # [s]
    point_b: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class ContactReport:
    """What the ground does to the character at one instant; rows follow the contact points of
    `Character.end_effectors`, in order, and `other_force_w` is everything that is not on them."""

    touching: np.ndarray  # (points,) bool
    force_w: np.ndarray  # (points, 3) [N] on the character
    other_force_w: np.ndarray  # (3,) [N] ground force on any other part (a knee, a hand, the back)


class World(Protocol):
    """Advances a character in time.

    `model` and `data` are MuJoCo's and hold the kinematics and dynamics of the *current* state
    whenever control is due (after construction, `reset`, `step`, `restore` or `reshape`): mass
    matrix, bias forces, Jacobian axes. Read them freely; change the state only through the methods.
    """

    character: Character
    terrain: Terrain
    friction: float  # sliding friction coefficient of the ground
    model: mujoco.MjModel
    data: mujoco.MjData
    log: list[Event]
    """What was done to the character since the reset: pushes begun, reshapes."""

    @property
    def ground_impulse_w(self) -> np.ndarray:
        """What the ground has given to the body since the reset, (3,) [N s]."""

    @property
    def push_impulse_w(self) -> np.ndarray:
        """What pushes have given to the body since the reset, (3,) [N s]."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    @property
    def timestep(self) -> float:
        """One physics step [s]."""

    def reset(self, qpos: np.ndarray | None = None, qvel: np.ndarray | None = None) -> None:
        """Time zero, the character's own shape, the given state (by default the rest pose on the
        ground), no pushes left."""

    def step(self, torque: np.ndarray, steps: int = 1) -> None:
        """Advance `steps` physics steps under constant joint torques (nv − 6,) [N m].

        Raises `SimulationDiverged` when the state is no longer finite.
        """

    def push(self, push: Push) -> None:
        """Schedule a push; one whose start has passed begins at once and ends as planned."""

    def contacts(self) -> ContactReport:
        """Contact forces of the last physics step."""

    def save(self) -> np.ndarray:
        """The whole state as one array: time, shape and pushes still to come are part of it."""

    def restore(self, state: np.ndarray) -> None:
        """Back to a saved state; what follows is then bit for bit the same."""

    def reshape(
        self, part: str, length: float = 1.0, girth: float = 1.0, mass: float | None = None
    ) -> None:
        """Scale a segment now, relative to its present size; the feet stay where they are."""
