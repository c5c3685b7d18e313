"""The friction pyramid: inside the cone of any normal, and as wide as four edges can be."""

from __future__ import annotations

import numpy as np
import pytest

from amble.features.contact import friction_cone

AXES = [sign * row for row in np.eye(3) for sign in (1.0, -1.0)]


def normals() -> list[np.ndarray]:
    """The axes, directions almost along them, and random ones."""
    rng = np.random.default_rng(0)
    near = [axis + 1e-9 * rng.normal(size=3) for axis in AXES]
    found = [*AXES, *near, *rng.normal(size=(40, 3))]
    return [normal / np.linalg.norm(normal) for normal in found]


@pytest.mark.parametrize("friction", (0.05, 0.8, 3.0))
def test_generators_have_length_1_and_lie_on_the_cone_all_around_it(friction: float) -> None:
    for normal in normals():
        V = friction_cone(normal, friction)
        np.testing.assert_allclose(np.linalg.norm(V, axis=0), 1, rtol=1e-14)
        upward = normal @ V
        tangents = V - np.outer(normal, upward)
        np.testing.assert_allclose(np.linalg.norm(tangents, axis=0), friction * upward, rtol=1e-12)
        # Two opposite pairs at a right angle: no other four edges span more of the cone.
        T = tangents / (friction * upward)
        cosines = [[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]]
        np.testing.assert_allclose(T.T @ T, cosines, atol=1e-12)


@pytest.mark.parametrize("friction", (0.05, 0.8, 3.0))
def test_the_normal_is_inside_and_every_combination_stays_in_the_cone(friction: float) -> None:
    rng = np.random.default_rng(1)
    for normal in normals():
        V = friction_cone(normal, friction)
        equal = V.sum(axis=1)
        np.testing.assert_allclose(equal / np.linalg.norm(equal), normal, atol=1e-14)
        forces = V @ rng.exponential(size=(4, 20))
        upward = normal @ forces
        sideways = np.linalg.norm(forces - np.outer(normal, upward), axis=0)
        assert np.all(sideways <= friction * upward * (1 + 1e-12))


def test_without_friction_only_the_normal_is_left() -> None:
    for normal in normals():
        np.testing.assert_allclose(friction_cone(normal, 0.0), np.tile(normal[:, None], 4))
