"""Terrain: height and normal of the ground at any point, and the same shape in the simulator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from amble.errors import InputError
from amble.parameters import check

if TYPE_CHECKING:
    from amble.terrain.compose import Moved, Union


class Terrain(ABC):
    """A ground. `height` and `normal` take scalars or arrays of equal shape.

    Grounds are solids: `a | b` is both at once, the higher of the two at any point, and `moved`
    puts one elsewhere. Each is a frozen dataclass of numbers, so that `describe` can save it.
    """

    kind: ClassVar[str]
    """The name in files and on the command line."""

    @abstractmethod
    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Height of the ground at (x, y) [m]; same shape as the arguments."""

    @abstractmethod
    def normal(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Unit normal of the ground at (x, y), shape (..., 3)."""

    @abstractmethod
    def add_to(self, spec: mujoco.MjSpec) -> None:
        """Add the same shape to the simulator's model, as static geoms of the world."""

    def describe(self) -> dict[str, Any]:
        """The ground as plain data for JSON; `terrain_from` reads it back."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        plain = {key: list(v) if isinstance(v, tuple) else v for key, v in given.items()}
        return {"kind": self.kind, **plain}

    def over(self, other: Terrain) -> Union:
        """Both grounds at once: the higher of the two at any point."""
        from amble.terrain.compose import Union

        return Union((self, other))

    def __or__(self, other: Terrain) -> Union:
        return self.over(other)

    def moved(
        self, x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw_degrees: float = 0.0
    ) -> Moved:
        """The same ground turned about z through its origin, then shifted by x, y, z [m]."""
        from amble.terrain.compose import Moved

        return Moved(self, x, y, z, yaw_degrees)

    def __post_init__(self) -> None:
        try:
            check(self)
        except InputError as error:
            raise self._error(str(error)) from None

    def _error(self, what: str) -> InputError:
        """The error to raise for a wrong parameter, which says whose it is."""
        return InputError(f"terrain '{self.kind}': {what}")


def facing_up(shape: tuple[int, ...]) -> np.ndarray:
    """Normals of level ground, (*shape, 3)."""
    normals = np.zeros((*shape, 3))
    normals[..., 2] = 1.0
    return normals
