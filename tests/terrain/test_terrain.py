"""Every ground is the same shape in the simulator as in `height` and `normal`."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amble.terrain import Blocks, Flat, Hole, Noise, Slope, Stairs, Steps, Terrain

GROUNDS: dict[str, Terrain] = {
    "flat": Flat(),
    "slope": Slope(8),
    "slope sideways": Slope(-20, direction_degrees=70),
    "stairs up": Stairs(),
    "stairs down": Stairs(rise=-0.12, run=0.25, count=4),
    "stairs up and down": Stairs(back=True, start=-1),
    "steps": Steps(at=(-1, 0.5, 2), heights=(-0.3, 0.2, 0.1)),
    "steps of no height": Steps(at=(0,), heights=(0,)),
    "noise": Noise(amplitude=0.2, extent=4),
    "blocks": Blocks(amplitude=0.1, extent=3),
    "hole": Hole(width=1.5),
    "hole across everything": Hole(x=-1, length=0.5, depth=0.4),
    "cliff": Hole(x=1, length=1000, depth=30),
    "moved hole": Hole(width=1).moved(-2, 0.3, -0.2, yaw_degrees=40),
    "moved slope": Slope(10).moved(1, 2, 0.3, yaw_degrees=30),
    "moved stairs": Stairs().moved(0.5, -0.2, 0.1, yaw_degrees=120),
    "moved noise": Noise(extent=3).moved(0.3, 0.2, 0.5, yaw_degrees=-50),
    "slope after flat": Flat() | Slope(8),
    "stairs on a slope": Stairs(back=True) | Slope(5, direction_degrees=90) | Flat(),
    "moved twice": Noise(extent=3).moved(1, 2, 0, yaw_degrees=30).moved(-2, 1, 0.5, -100),
    "moved union": (Blocks(extent=2) | Slope(3)).moved(0.1, 0.2, 0.3, yaw_degrees=200),
}


def ray_heights(terrain: Terrain, x: np.ndarray, y: np.ndarray, top: float = 50.0) -> np.ndarray:
    """Where rays from above meet the ground in the simulator."""
    spec = mujoco.MjSpec()
    terrain.add_to(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    down, hit = np.array([0.0, 0.0, -1.0]), np.zeros(1, dtype=np.int32)
    rays = [
        mujoco.mj_ray(model, data, np.array([*point, top]), down, None, 1, -1, hit)
        for point in zip(x, y, strict=True)
    ]
    return top - np.array(rays)


def points(seed: int, count: int = 400, reach: float = 5.0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-reach, reach, (2, count))


def assert_same_shape(terrain: Terrain, seed: int = 0) -> None:
    x, y = points(seed)
    tolerance = 1e-3 if "noise" in str(terrain.describe()) else 1e-4
    np.testing.assert_allclose(terrain.height(x, y), ray_heights(terrain, x, y), atol=tolerance)


@pytest.mark.parametrize("name", GROUNDS)
def test_simulator_has_the_same_heights(name: str) -> None:
    assert_same_shape(GROUNDS[name])


@pytest.mark.parametrize("reach", [60.0, 400.0])
@pytest.mark.parametrize("name", GROUNDS)
def test_far_from_the_origin_too(name: str, reach: float) -> None:
    terrain, (x, y) = GROUNDS[name], points(seed=6, reach=reach)
    height = terrain.height(x, y)
    top = max(50.0, height.max() + 1)
    np.testing.assert_allclose(height, ray_heights(terrain, x, y, top), atol=1e-3)


@pytest.mark.parametrize("place", [(900.0, -900.0, 100.0), (-300.0, 5.0, -20.0)])
@pytest.mark.parametrize(
    "terrain", [Stairs(back=True), Noise(extent=4), Blocks(extent=2), Hole(width=2)]
)
def test_moved_far_away(terrain: Terrain, place: tuple[float, float, float]) -> None:
    moved, (x, y) = (
        terrain.moved(*place, yaw_degrees=33),
        points(seed=7) + np.array(place)[:2, None],
    )
    rays = ray_heights(moved, x, y, top=place[2] + 50)
    np.testing.assert_allclose(moved.height(x, y), rays, atol=1e-3)


@pytest.mark.parametrize("name", GROUNDS)
def test_normals_have_unit_length(name: str) -> None:
    x, y = points(seed=8, reach=20)
    length = np.linalg.norm(GROUNDS[name].normal(x, y), axis=-1)
    np.testing.assert_allclose(length, 1, atol=1e-12)


def test_an_edge_belongs_to_the_level_behind_it() -> None:
    stairs = Stairs(rise=0.1, run=0.5, count=3, start=1.0, width=2.0)
    x = np.array([1.0 - 1e-12, 1.0, 1.5 - 1e-12, 1.5, 2.0, 50.0])
    np.testing.assert_allclose(stairs.height(x, 0.0), [0, 0.1, 0.1, 0.2, 0.3, 0.3], atol=1e-12)
    assert stairs.height(2.5, -1.0) == pytest.approx(0.3) and stairs.height(2.5, 1.0) == 0


@pytest.mark.parametrize("name", GROUNDS)
def test_normal_is_the_slope_of_height(name: str) -> None:
    terrain, (x, y), step = GROUNDS[name], points(seed=1), 1e-6
    normal = terrain.normal(x, y)
    dx = (terrain.height(x + step, y) - terrain.height(x - step, y)) / (2 * step)
    dy = (terrain.height(x, y + step) - terrain.height(x, y - step)) / (2 * step)
    smooth = np.hypot(dx, dy) < 5  # not across the edge of a step
    assert smooth.mean() > 0.95
    expected = np.column_stack([-dx, -dy, np.ones_like(dx)])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(normal[smooth], expected[smooth], atol=1e-6)


@pytest.mark.parametrize("name", GROUNDS)
def test_takes_scalars_and_arrays(name: str) -> None:
    terrain, (x, y) = GROUNDS[name], points(seed=2, count=6)
    grid = terrain.height(x.reshape(2, 3), y.reshape(2, 3))
    assert grid.shape == (2, 3) and terrain.normal(x.reshape(2, 3), y.reshape(2, 3)).shape == (
        2,
        3,
        3,
    )
    assert np.shape(terrain.height(x[0], y[0])) == () and terrain.normal(x[0], y[0]).shape == (3,)
    assert float(terrain.height(x[0], y[0])) == grid[0, 0]


@settings(max_examples=15)
@given(st.floats(-40, 40), st.floats(-180, 180), st.floats(-3, 3), st.floats(-180, 180))
def test_any_slope_anywhere(degrees: float, direction: float, shift: float, yaw: float) -> None:
    assert_same_shape(Slope(degrees, direction).moved(shift, -shift, shift, yaw))


@settings(max_examples=15)
@given(
    st.floats(0.02, 0.4) | st.floats(-0.4, -0.02),
    st.floats(0.1, 1),
    st.integers(1, 12),
    st.floats(-3, 3),
    st.booleans(),
)
def test_any_stairs(rise: float, run: float, count: int, start: float, back: bool) -> None:
    assert_same_shape(Stairs(rise, run, count, start, back))


@settings(max_examples=8)
@given(st.floats(0.01, 0.5), st.floats(0.4, 3), st.integers(0, 1000), st.floats(1, 6))
def test_any_noise(amplitude: float, wavelength: float, seed: int, extent: float) -> None:
    assert_same_shape(Noise(amplitude, wavelength, seed, extent=extent))


@settings(max_examples=8)
@given(st.floats(0.2, 1), st.floats(0.01, 0.3), st.integers(0, 1000), st.floats(0, 1))
def test_any_blocks(size: float, amplitude: float, seed: int, start: float) -> None:
    assert_same_shape(Blocks(size, amplitude, seed, start, extent=3))


@settings(max_examples=15)
@given(st.floats(-4, 4), st.floats(0.05, 1000), st.floats(0.01, 40), st.floats(0, 6))
def test_any_hole(x: float, length: float, depth: float, width: float) -> None:
    assert_same_shape(Hole(x, length, depth, width))


def test_a_hole_is_where_it_says() -> None:
    edge, hole = 1e-9, Hole(x=2, length=1.5, depth=4, width=2)
    x = np.array([2 - edge, 2, 3.5 - edge, 3.5, 300])
    np.testing.assert_allclose(hole.height(x, 0.0), [0, -4, -4, 0, 0])
    np.testing.assert_allclose(hole.height(3.0, [-1 - edge, -1, 1 - edge, 1]), [0, -4, -4, 0])
    assert (Hole(x=2, length=1.5, depth=4).height(3.0, np.linspace(-300, 300, 9)) == -4).all()


@pytest.mark.parametrize("terrain", [Noise(amplitude=0.3), Blocks(amplitude=0.3, start=0.6)])
def test_random_ground_is_level_where_a_character_starts(terrain: Terrain) -> None:
    x, y = np.random.default_rng(0).uniform(-0.35, 0.35, (2, 100))
    assert abs(terrain.height(x, y)).max() < 0.01
    x, y = points(seed=3, reach=4)
    assert np.ptp(terrain.height(x, y)) > 0.3
    assert abs(terrain.height(x, y)).max() <= 0.3


def test_seed_decides_the_shape() -> None:
    x, y = points(seed=4)
    for make in (lambda seed: Noise(seed=seed), lambda seed: Blocks(seed=seed)):
        assert (make(1).height(x, y) == make(1).height(x, y)).all()
        assert (make(1).height(x, y) != make(2).height(x, y)).any()


def test_ground_geoms_touch_anything_and_win() -> None:
    spec = mujoco.MjSpec()
    (Flat() | Stairs() | Noise() | Slope(3)).add_to(spec)
    model = spec.compile()
    assert (model.geom_contype == 2**31 - 1).all() and (model.geom_conaffinity == 2**31 - 1).all()
    assert (model.geom_priority == 1).all() and (model.geom_condim == 3).all()


@pytest.mark.parametrize("name", GROUNDS)
def test_small_ball_touches_where_the_ground_is(name: str) -> None:
    """Collisions see the same surface as rays: a ball that dips in by 0.2 mm has that depth."""
    terrain, (x, y), radius, depth = GROUNDS[name], points(seed=5, count=100, reach=3), 0.002, 2e-4
    spec = mujoco.MjSpec()
    terrain.add_to(spec)
    ball = spec.worldbody.add_body(name="ball")
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0])
    model = spec.compile()
    data = mujoco.MjData(model)
    surface = np.column_stack([x, y, terrain.height(x, y)])
    agree = 0
    for center in surface + (radius - depth) * terrain.normal(x, y):
        data.qpos[:3] = center
        mujoco.mj_forward(model, data)
        agree += data.ncon > 0 and abs(data.contact.dist.min() + depth) < 2e-5
    assert agree >= 97, "but for a few at edges, where two faces are near"


@pytest.mark.parametrize(
    "terrain", [Steps(at=(0.0,), heights=(-0.02,)), Blocks(amplitude=0.01), Hole(x=0, depth=0.02)]
)
def test_low_steps_push_upwards_however_deep_a_foot_is_in_them(terrain: Terrain) -> None:
    spec = mujoco.MjSpec()
    terrain.add_to(spec)
    foot = spec.worldbody.add_body(name="foot")
    foot.add_freejoint()
    foot.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.03, 0.02])
    model = spec.compile()
    data = mujoco.MjData(model)
    for sunk in (0.001, 0.015, 0.03):
        data.qpos[:3] = [-0.15, 0.0, 0.02 - sunk]
        mujoco.mj_forward(model, data)
        ground_first = model.geom_bodyid[data.contact.geom[:, 0]] == 0
        up = np.where(ground_first, 1, -1) * data.contact.frame[:, 2]
        assert data.ncon and (up > 0.99).all()
