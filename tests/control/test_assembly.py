"""The compiled assembly is its numpy twin, for every body, any contacts and every kind of task."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
import whole_body_twin as twin
from situations import TIME, random_situation

from amble.characters import character_names
from amble.control.whole_body import WholeBody
from amble.features.feature import Kind
from amble.geometry.rotations import matrix_from_quat, quat_from_rotvec
from amble.world import MuJoCoWorld

NAMES = ("A", "b", "levels", "D", "lo", "hi", "weight", "target", "lower", "upper")
SEEDS = range(3)
every_body = pytest.mark.parametrize("name", character_names())


def compiled(body: WholeBody, time: float = TIME) -> tuple[np.ndarray, ...]:
    """The problem as the core assembles it; solving may relax it."""
    body._core.assemble(time, body.tasks.levels, body.contacts, body.posture)
    return body.problem()


def compare(body: WholeBody) -> None:
    """Every array equal to rounding: the base is eliminated by Cholesky here, by LU there."""
    for name, found, expected in zip(NAMES, compiled(body), twin.problem(body, TIME), strict=True):
        assert found.shape == expected.shape, name
        finite = abs(expected) < twin.FREE
        np.testing.assert_array_equal(found[~finite], expected[~finite], err_msg=name)
        scale = abs(expected[finite]).max(initial=1.0)
        np.testing.assert_allclose(
            found[finite], expected[finite], rtol=1e-9, atol=1e-11 * scale, err_msg=name
        )


@pytest.mark.parametrize("non_penetration", (False, True))
@every_body
def test_the_compiled_problem_is_the_twins(name: str, non_penetration: bool) -> None:
    for seed in SEEDS:
        compare(random_situation(name, seed, non_penetration=non_penetration))


def test_the_situations_hold_every_case() -> None:
    bodies = [random_situation(name, seed) for name in character_names() for seed in SEEDS]
    kinds, modes = np.vstack(
        [body.tasks.ints[: body.tasks.levels[-1], [0, 3]] for body in bodies]
    ).T
    assert set(kinds) == set(Kind)
    assert set(modes) == {0, 1}
    assert {0} < {len(body.contact_points) for body in bodies}
    counts = {"hinge": 0, "ball": 0, "violated": 0, "hardest": 0, "fast": 0}
    for body in bodies:
        G, least, _ = twin.limit_rows(body)
        balls = (G != 0).sum(axis=1) > 1
        counts["hinge"] += int((~balls).sum())
        counts["ball"] += int(balls.sum())
        counts["violated"] += int((least > 0).sum())
        counts["hardest"] += int((least == twin.HARDEST).sum())
        calm = body.posture.most_speed - twin.SOON * body.most_acceleration
        counts["fast"] += int((abs(body.data.qvel[6:]) > calm).sum())
    assert min(counts.values()) > 0, counts


@every_body
def test_the_views_are_the_features(name: str) -> None:
    body = random_situation(name, seed=7)
    state = twin.Twin(body).state
    com, spin = (twin.task_feature(body, kind, 0) for kind in (Kind.COM, Kind.MOMENTUM))
    points = [twin.point_feature(body, k) for k in range(len(body.sites))]
    velocity = state.data.qvel
    expected = {
        "com": com.value(state),
        "com_velocity": com.jacobian(state) @ velocity,
        "com_drift": com.drift(state),
        "com_jacobian": com.jacobian(state),
        "momentum": spin.value(state),
        "momentum_drift": spin.drift(state),
        "momentum_jacobian": spin.jacobian(state),
        "point_position": np.array([point.value(state) for point in points]),
        "point_velocity": np.array([point.jacobian(state) @ velocity for point in points]),
        "point_drift": np.array([point.drift(state) for point in points]),
    }
    assert set(body.views) == set(expected)
    for key, array in expected.items():
        scale = abs(array).max()
        np.testing.assert_allclose(body.views[key], array, rtol=0, atol=1e-11 * scale, err_msg=key)


def test_a_body_that_grows_is_followed() -> None:
    body = random_situation("humanoid", seed=5)
    world = MuJoCoWorld(body.character, body.terrain)
    world.reset(body.data.qpos, body.data.qvel)
    grown = WholeBody(world.character, world.model, world.data, world.terrain)
    mass = float(world.model.body_mass.sum())
    world.reshape("left_foot", length=1.5)
    world.reshape("right_thigh", length=1.4, girth=1.2)
    grown.update()
    grown.use_contacts(np.arange(3))
    grown.tasks.setpoint(Kind.POINT, np.repeat((0, 5), 3), np.tile(range(3), 2), kp=9.0, kv=6.0)
    grown.tasks.end_level()
    assert grown.mass > 1.05 * mass
    compare(grown)


@every_body
def test_the_rates_of_joint_angles_are_their_derivatives(name: str) -> None:
    """What the rows of joint limits consist of, by central differences along the velocity."""
    body, step = random_situation(name, seed=2), 1e-6
    velocity = np.random.default_rng(0).normal(size=body.model.nv)
    sides = []
    for sign in (1, -1):
        qpos = body.data.qpos.copy()
        mujoco.mj_integratePos(body.model, qpos, velocity, sign * step)
        sides.append(twin.joint_angles(body.model, qpos))
    rates = twin.angle_rates(body.model, twin.joint_angles(body.model, body.data.qpos))
    found = (sides[0] - sides[1]) / (2 * step)
    np.testing.assert_allclose(rates @ velocity[6:], found, rtol=0, atol=1e-8)


@pytest.mark.parametrize("short_of", (0.0, 1e-10))
def test_half_a_turn_is_the_largest_error(short_of: float) -> None:
    body = random_situation("luxo", seed=0)
    now = body.data.xmat[1].reshape(3, 3)
    turn = matrix_from_quat(quat_from_rotvec([0.0, 0.0, math.pi - short_of]))
    body.tasks.clear()
    for rotation in (turn @ now, now):
        body.tasks.orientation(1, rotation, kp=1.0, kv=0.0)
    body.tasks.end_level()
    right = compiled(body)[1]
    assert np.linalg.norm(right[:3] - right[3:]) == pytest.approx(math.pi)
