"""Every feature of every body: Jacobian and drift are the derivatives that they claim to be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from random_states import BUILDERS, computed, feature_classes, features_of, moved, random_states

from amble.characters import character_names
from amble.features.feature import Feature
from amble.features.frame import Orientation
from amble.features.posture import Posture
from amble.features.state import BodyState

# Central differences of step h err by h² y‴/6 and 1e-16 y/h. Along one degree of freedom y‴ is
# about ẏ; at the end of a chain, where velocities add up to some 20 rad/s, 400 ẏ: at most 2e-8.
STEP = 1e-5
TOLERANCE = 1e-7

CLASSES = feature_classes()
OF_STATE = [feature for feature in CLASSES if feature.order > 0]
every_body = pytest.mark.parametrize("name", character_names())


def assert_close(found: np.ndarray, expected: np.ndarray, scale: float, what: object) -> None:
    error = abs(found - expected).max(initial=0.0)
    assert error <= TOLERANCE * scale, f"{what}: off by {error:.2g} at a scale of {scale:.2g}"


@cache
def around(name: str) -> tuple[tuple[BodyState, ...], ...]:
    """For each random state of a body, its neighbours ±h along every degree of freedom."""
    return tuple(
        tuple(moved(state, sign * STEP * row) for row in np.eye(state.model.nv) for sign in (1, -1))
        for state in random_states(name)
    )


def test_every_feature_class_is_built_here() -> None:
    assert set(BUILDERS) == set(CLASSES)


@pytest.mark.parametrize("feature", OF_STATE, ids=lambda feature: feature.__name__)
@every_body
def test_jacobian_is_the_derivative_of_the_value(name: str, feature: type[Feature]) -> None:
    for state, neighbours in zip(random_states(name), around(name), strict=True):
        for y in features_of(name, feature):
            J = y.jacobian(state)
            if y.order == 1:
                assert_close(y.value(state), J @ state.data.qvel, abs(J).max(), y)
                continue
            values = [y.value(neighbour) for neighbour in neighbours]
            pairs = zip(values[::2], values[1::2], strict=True)
            columns = [y.difference(after, before) / (2 * STEP) for after, before in pairs]
            assert_close(J, np.column_stack(columns), abs(J).max(), y)


@pytest.mark.parametrize("feature", OF_STATE, ids=lambda feature: feature.__name__)
@every_body
def test_drift_is_the_change_of_the_rate_at_constant_velocity(
    name: str, feature: type[Feature]
) -> None:
    for state in random_states(name):
        velocity = state.data.qvel
        after, before = moved(state, STEP * velocity), moved(state, -STEP * velocity)
        for y in features_of(name, feature):
            rate = (y.jacobian(after) - y.jacobian(before)) @ velocity / (2 * STEP)
            scale = abs(y.jacobian(state)).max() * abs(velocity).max() ** 2
            assert_close(y.drift(state), rate, scale, y)


@every_body
def test_without_velocity_nothing_drifts(name: str) -> None:
    for moving in random_states(name):
        state = computed(moving.model, moving.data.qpos, np.zeros(moving.model.nv))
        for feature in OF_STATE:
            for y in features_of(name, feature):
                weight = abs(y.jacobian(state)).max() * np.linalg.norm(state.model.opt.gravity)
                assert_close(y.drift(state), np.zeros(len(y.drift(state))), weight, y)


def test_a_difference_undoes_a_displacement_of_any_size() -> None:
    (state, *_) = random_states("humanoid")
    joints = np.random.default_rng(0).uniform(-1, 1, state.model.nv - 6)
    turn_b = np.array([0.3, -2.0, 1.1])  # of the root, in its own axes
    after = moved(state, np.concatenate([np.zeros(3), turn_b, joints]))
    for y, expected in (
        (Posture(state.model), joints),
        (Orientation(state.root), state.data.xmat[state.root].reshape(3, 3) @ turn_b),
    ):
        assert_close(y.difference(y.value(after), y.value(state)), expected, 1.0, y)
