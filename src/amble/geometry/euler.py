"""Angles of three successive turns about moving axes: R = R_a(θ₁) R_b(θ₂) R_c(θ₃).

`order` names the three axes, all different, such as "zyx". Beside (θ₁, θ₂, θ₃) the same rotation
has the angles (θ₁ + π, π − θ₂, θ₃ + π); sequences of angles keep to the nearer one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from amble.errors import InputError


def matrix_from_angles(angles: ArrayLike, order: str) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of angles (..., 3) [rad]."""
    angles = np.asarray(angles, dtype=float)
    first, second, third = (_about(axis, angles[..., i]) for i, axis in enumerate(_axes(order)))
    product: np.ndarray = first @ second @ third
    return product


def angles_from_matrix(R: ArrayLike, order: str) -> np.ndarray:
    """Angles (..., 3) [rad] of rotation matrices (..., 3, 3), the second within ±π/2.

    Where the second is ±π/2, only a sum of the others is determined: the third is 0 there.
    """
    R = np.asarray(R, dtype=float)
    a, b, c = _axes(order)
    sign = 1.0 if (b - a) % 3 == 1 else -1.0  # of the permutation
    second = np.arctan2(sign * R[..., a, c], np.hypot(R[..., a, a], R[..., a, b]))
    first = np.arctan2(-sign * R[..., b, c], R[..., c, c])
    third = np.arctan2(-sign * R[..., a, b], R[..., a, a])
    locked = np.hypot(R[..., a, a], R[..., a, b]) < 1e-9
    first = np.where(locked, np.arctan2(sign * R[..., c, b], R[..., b, b]), first)
    third = np.where(locked, 0.0, third)
    return np.stack([first, second, third], axis=-1)


def unwrapped_angles(R: ArrayLike, order: str) -> np.ndarray:
    """Angles (T, 3) [rad] of a sequence of rotations (T, 3, 3), without jumps."""
    angles = angles_from_matrix(R, order)
    for k in range(1, len(angles)):
        angles[k] = nearest(angles[k], angles[k - 1])
    return angles


def nearest(angles: np.ndarray, to: np.ndarray) -> np.ndarray:
    """The angles (3,) of the same rotation that are nearest to the angles `to` (3,)."""
    other = np.array([angles[0] + np.pi, np.pi - angles[1], angles[2] + np.pi])
    turns = [each + 2 * np.pi * np.round((to - each) / (2 * np.pi)) for each in (angles, other)]
    return min(turns, key=lambda each: float(np.sum((each - to) ** 2)))


def _axes(order: str) -> tuple[int, int, int]:
    if sorted(order) != ["x", "y", "z"]:
        raise InputError(f"order of turns '{order}'; each of x, y and z once is needed")
    a, b, c = ("xyz".index(letter) for letter in order)
    return a, b, c


def _about(axis: int, angle: np.ndarray) -> np.ndarray:
    R = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[..., axis, axis] = 1.0
    R[..., i, i] = R[..., j, j] = np.cos(angle)
    R[..., j, i], R[..., i, j] = np.sin(angle), -np.sin(angle)
    return R
