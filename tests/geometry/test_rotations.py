"""Rotations against scipy, and the laws of the group."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from amble.geometry.rotations import (
    matrix_from_quat,
    quat_conjugate,
    quat_from_matrix,
    quat_from_rotvec,
    quat_multiply,
    rotate,
    rotvec_from_quat,
)


@pytest.fixture
def rotations() -> Rotation:
    return Rotation.random(200, rng=np.random.default_rng(1))


def quats(rotations: Rotation) -> np.ndarray:
    return rotations.as_quat(canonical=True, scalar_first=True)


def test_conversions_agree_with_scipy(rotations: Rotation) -> None:
    q = quats(rotations)
    np.testing.assert_allclose(matrix_from_quat(q), rotations.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(quat_from_matrix(rotations.as_matrix()), q, atol=1e-12)
    np.testing.assert_allclose(rotvec_from_quat(q), rotations.as_rotvec(), atol=1e-12)
    np.testing.assert_allclose(rotvec_from_quat(-q), rotations.as_rotvec(), atol=1e-12)
    np.testing.assert_allclose(quat_from_rotvec(rotations.as_rotvec()), q, atol=1e-14)


def test_product_is_composition(rotations: Rotation) -> None:
    a, b = quats(rotations)[:100], quats(rotations)[100:]
    v = np.random.default_rng(2).normal(size=(100, 3))
    np.testing.assert_allclose(rotate(quat_multiply(a, b), v), rotate(a, rotate(b, v)), atol=1e-13)
    np.testing.assert_allclose(rotate(quat_conjugate(a), rotate(a, v)), v, atol=1e-13)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-13, 1e-9, 1e-4, 3.0, np.pi - 1e-9])
def test_rotation_vectors_survive_at_every_angle(angle: float) -> None:
    v = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    np.testing.assert_allclose(rotvec_from_quat(quat_from_rotvec(v)), v, rtol=1e-6, atol=1e-300)


def test_half_turn_keeps_its_length() -> None:
    assert np.linalg.norm(rotvec_from_quat([0.0, 0.6, 0.0, 0.8])) == pytest.approx(np.pi)
