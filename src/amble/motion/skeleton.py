"""Skeleton and SkeletonMotion: joints, bones and their motion, as files of animation know them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from amble.errors import InputError
from amble.geometry.rotations import matrix_from_quat, quat_multiply

STILL = 1e-7  # [m] by which a joint may leave its place in its parent and still count as fixed


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of J joints in its rest pose, in which the axes of every joint are the world's.

    Parents stand before their children; the first joint is the root, with parent −1.
    """

    names: tuple[str, ...]  # unique
    parents: tuple[int, ...]
    offsets: np.ndarray  # (J, 3) from the parent's joint at rest [m]; the root's place itself
    tips: np.ndarray  # (J, 3) end of the bone of a last joint, from the joint [m]; NaN for others

    def __post_init__(self) -> None:
        orderly = all(-1 < p < k for k, p in enumerate(self.parents) if k > 0)
        if not self.parents or self.parents[0] != -1 or not orderly:
            raise InputError("skeleton: parents must stand before their children, one root first")
        if len(set(self.names)) != len(self.names):
            raise InputError("skeleton: names of joints must differ")

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def rest_w(self) -> np.ndarray:
        """Places of the joints at rest (J, 3) [m]."""
        places = np.array(self.offsets, dtype=float)
        for joint, parent in enumerate(self.parents[1:], start=1):
            places[joint] += places[parent]
        return places

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The joints that hang on each joint."""
        return tuple(
            tuple(j for j, parent in enumerate(self.parents) if parent == joint)
            for joint in range(len(self))
        )

    @cached_property
    def lowest(self) -> float:
        """Height of the lowest joint or tip at rest [m]."""
        return float(self._ends_w[:, 2].min())

    @cached_property
    def size(self) -> float:
        """The longest side of a box around all joints and tips at rest [m]."""
        return float(np.ptp(self._ends_w, axis=0).max())

    @cached_property
    def _ends_w(self) -> np.ndarray:
        ends = np.concatenate([self.rest_w, self.rest_w + self.tips])
        return ends[np.isfinite(ends).all(axis=1)]


@dataclass(frozen=True, eq=False)
class SkeletonMotion:
    """T poses of a skeleton, `fps` a second. x forward, y left, z up; quaternions w, x, y, z."""

    skeleton: Skeleton
    fps: float  # [1/s]
    places: np.ndarray  # (T, J, 3) joint in its parent's frame [m]; the root in the world's
    quats: np.ndarray  # (T, J, 4) turn of a joint relative to its parent's; of the root, the world

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def moving(self) -> np.ndarray:
        """Joints (J,) bool that leave their place in their parent; the root always counts."""
        off = np.abs(self.places - self.skeleton.offsets).max(axis=(0, 2))
        off[0] = np.inf
        moves: np.ndarray = off > STILL
        return moves

    @cached_property
    def places_w(self) -> np.ndarray:
        """Places of the joints in the world (T, J, 3) [m]."""
        return self._world[0]

    @cached_property
    def quats_w(self) -> np.ndarray:
        """Turns of the joints in the world, away from rest (T, J, 4)."""
        return self._world[1]

    @cached_property
    def _world(self) -> tuple[np.ndarray, np.ndarray]:
        places, quats = self.places.copy(), self.quats.copy()
        for joint, parent in enumerate(self.skeleton.parents[1:], start=1):
            R_wp = matrix_from_quat(quats[:, parent])
            places[:, joint] = places[:, parent] + np.einsum(
                "tij,tj->ti", R_wp, self.places[:, joint]
            )
            quats[:, joint] = quat_multiply(quats[:, parent], self.quats[:, joint])
        return places, quats


def smooth_signs(quats: np.ndarray) -> np.ndarray:
    """Quaternions (T, …, 4) with signs that change as little as can be from frame to frame."""
    turned = np.sum(quats[1:] * quats[:-1], axis=-1) < 0
    flips = np.cumprod(np.where(turned, -1.0, 1.0), axis=0)
    return np.concatenate([quats[:1], quats[1:] * flips[..., None]])


def unique_names(names: Iterable[str], allowed: str = "") -> tuple[str, ...]:
    """Names that differ and hold letters, digits, `_` and what is in `allowed` only.

    Files of animation separate words by blanks, and paths by slashes and colons.
    """
    found: list[str] = []
    for name in names:
        plain = "".join(c if c.isalnum() or c in "_" + allowed else "_" for c in name) or "joint"
        other, number = plain, 2
        while other in found:
            other, number = f"{plain}_{number}", number + 1
        found.append(other)
    return tuple(found)
