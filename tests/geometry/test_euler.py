"""Euler angles: they make the rotation they were taken from, and follow it without jumps."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from amble.errors import InputError
from amble.geometry.euler import angles_from_matrix, matrix_from_angles, unwrapped_angles
from amble.geometry.rotations import matrix_from_quat, quat_from_rotvec


@pytest.mark.parametrize("order", ["".join(p) for p in permutations("xyz")])
def test_angles_make_the_rotation(order: str) -> None:
    rng = np.random.default_rng(1)
    R = matrix_from_quat(quat_from_rotvec(rng.normal(size=(200, 3)) * 2))
    found = matrix_from_angles(angles_from_matrix(R, order), order)
    np.testing.assert_allclose(found, R, atol=1e-12)
    axes = np.eye(3)[["xyz".index(letter) for letter in order]]
    a, b, c = 0.3, -1.1, 2.0
    steps = [
        matrix_from_quat(quat_from_rotvec(t * e)) for t, e in zip((a, b, c), axes, strict=True)
    ]
    np.testing.assert_allclose(matrix_from_angles([a, b, c], order), np.linalg.multi_dot(steps))
    for b in (np.pi / 2, -np.pi / 2):
        R = matrix_from_angles([0.4, b, -0.9], order)
        np.testing.assert_allclose(
            matrix_from_angles(angles_from_matrix(R, order), order), R, atol=1e-9
        )


def test_sequences_do_not_jump() -> None:
    """Two turns about z while the second angle swings past a right angle."""
    t = np.linspace(0, 4 * np.pi, 500)
    angles = np.stack([t, 2.0 * np.sin(t / 3), -0.5 * t], axis=1)
    found = unwrapped_angles(matrix_from_angles(angles, "zyx"), "zyx")
    np.testing.assert_allclose(found, angles, atol=1e-9)


def test_an_axis_twice_is_refused() -> None:
    with pytest.raises(InputError, match="zyz"):
        matrix_from_angles(np.zeros(3), "zyz")
