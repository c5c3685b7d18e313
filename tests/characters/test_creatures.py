"""The non-human bodies: their published figures, and that they can stand as they are."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

from amble.characters import Character, character
from amble.errors import InputError

CREATURES = ("luxo", "cassie", "anymal", "anymal-large", "ostrich", "dinosaur")
DOF = {"luxo": 12, "cassie": 18, "anymal": 18, "anymal-large": 18}
MASS = {"luxo": 40.6, "cassie": 31.0, "anymal": 60.0, "anymal-large": 300.0}
FEET = {"luxo": 1, "anymal": 4, "anymal-large": 4}


@pytest.fixture(scope="module", params=CREATURES)
def body(request: pytest.FixtureRequest) -> Character:
    return character(request.param)


def at_rest(body: Character) -> mujoco.MjData:
    data = mujoco.MjData(body.model)
    mujoco.mj_forward(body.model, data)
    return data


def contact_points(body: Character, data: mujoco.MjData) -> np.ndarray:
    """Positions of all the feet's contact points, (n, 3) [m]."""
    return np.array([data.site(site).xpos for foot in body.feet for site in foot.sites])


def top(body: Character, data: mujoco.MjData) -> float:
    """Highest point of any visible shape [m]."""
    heights = []
    for i in range(body.model.ngeom):
        up, size = np.abs(data.geom_xmat[i].reshape(3, 3)[2]), body.model.geom_size[i]
        kind = mujoco.mjtGeom(body.model.geom_type[i])
        if kind == mujoco.mjtGeom.mjGEOM_BOX:
            reach = up @ size
        elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            reach = np.linalg.norm(up * size)
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            reach = size[0]
        else:
            flat = kind == mujoco.mjtGeom.mjGEOM_CYLINDER
            reach = up[2] * size[1] + size[0] * (np.hypot(up[0], up[1]) if flat else 1.0)
        heights.append(data.geom_xpos[i, 2] + reach)
    return float(max(heights))


def test_degrees_of_freedom_mass_and_feet(body: Character) -> None:
    assert body.dof == DOF.get(body.name, body.dof)
    assert body.mass == pytest.approx(MASS.get(body.name, body.mass), rel=1e-6)
    assert len(body.feet) == FEET.get(body.name, 2)


def test_the_two_animals_have_many_jointed_necks_and_the_dinosaur_a_tail() -> None:
    ostrich, dinosaur = character("ostrich"), character("dinosaur")
    assert 100 <= ostrich.mass <= 130
    assert len(next(x for x in ostrich.limbs if x.kind == "neck").bodies) >= 4
    assert len(next(x for x in dinosaur.limbs if x.kind == "neck").bodies) >= 3
    assert len(next(x for x in dinosaur.limbs if x.kind == "tail").bodies) >= 4


def test_two_thirds_of_the_lamp_are_its_head_and_its_root() -> None:
    lamp = character("luxo")
    assert lamp.root == "head"
    assert lamp.model.body("head").mass[0] / lamp.mass == pytest.approx(2 / 3, abs=1e-6)


def test_the_large_anymal_is_as_long_as_a_horse() -> None:
    data = at_rest(character("anymal-large"))
    fore, hind = data.body("left_front_thigh").xpos, data.body("left_hind_thigh").xpos
    assert fore[0] - hind[0] == pytest.approx(1.19, abs=0.01)


def test_the_dinosaurs_mass_lies_where_henderson_found_it() -> None:
    body = character("dinosaur")
    data = at_rest(body)
    hip, shoulder = data.body("left_thigh").xpos[0], data.body("left_upper_arm").xpos[0]
    assert (data.subtree_com[1, 0] - hip) / (shoulder - hip) == pytest.approx(0.19, abs=0.04)


def test_feet_lie_on_the_ground(body: Character) -> None:
    np.testing.assert_allclose(contact_points(body, at_rest(body))[:, 2], 0, atol=1e-6)


def test_nothing_reaches_below_the_ground(body: Character) -> None:
    """Seen from below: the lowest point of any shape, by mirroring the body upside down."""
    data = at_rest(body)
    data.geom_xpos[:, 2] *= -1
    assert -top(body, data) > -0.005 * body_height(body)


def body_height(body: Character) -> float:
    return top(body, at_rest(body))


@pytest.mark.parametrize("name", CREATURES)
def test_height_is_measured_to_the_top_at_rest(name: str) -> None:
    usual = character(name)
    scaled = character(name, height=2 * body_height(usual), mass=8 * usual.mass)
    assert body_height(scaled) == pytest.approx(2 * body_height(usual), rel=0.005)
    assert scaled.mass == pytest.approx(8 * usual.mass)
    np.testing.assert_allclose(scaled.torque_limits, 16 * usual.torque_limits, rtol=0.005)


def test_centre_of_mass_is_well_inside_the_support(body: Character) -> None:
    """Every edge of the support is at least a third of the foot's half length away."""
    data = at_rest(body)
    points = contact_points(body, data)[:, :2]
    hull = ConvexHull(points)
    distance = -(hull.equations[:, :2] @ data.subtree_com[1, :2] + hull.equations[:, 2])
    assert distance.min() > 0.66 * np.ptp(points[:, 0]) / 2


def test_left_and_right_are_mirror_images(body: Character) -> None:
    model, data = body.model, at_rest(body)
    flip = np.array([1, -1, 1])
    assert data.subtree_com[1, 1] == pytest.approx(0, abs=1e-9)
    for i in range(1, model.nbody):
        name = model.body(i).name
        if name.startswith("right"):
            continue
        other = model.body(name.replace("left", "right")).id
        assert model.body_mass[other] == pytest.approx(model.body_mass[i])
        np.testing.assert_allclose(data.xipos[other], flip * data.xipos[i], atol=1e-9)
        np.testing.assert_allclose(model.body_inertia[other], model.body_inertia[i], rtol=1e-6)


def test_rest_lies_within_the_joint_limits(body: Character) -> None:
    low, high = body.joint_limits.T
    margin = np.radians(5)
    assert np.all(low < -margin) and np.all(high > margin)


def test_standing_takes_less_than_half_the_torque_limits(body: Character) -> None:
    """Gravity's torques, less those of foot forces (least in norm) that carry the whole weight."""
    model, data = body.model, at_rest(body)
    rows = []
    for foot in body.feet:
        for site in foot.sites:
            jacobian = np.zeros((3, model.nv))
            mujoco.mj_jacSite(model, data, jacobian, None, model.site(site).id)
            rows.append(jacobian)
    jacobian = np.vstack(rows)
    forces = np.linalg.lstsq(jacobian[:, :6].T, data.qfrc_bias[:6], rcond=None)[0]
    assert forces[2::3].min() > 0
    torques = (data.qfrc_bias - jacobian.T @ forces)[6:]
    assert np.all(np.abs(torques) < 0.5 * body.torque_limits)


@pytest.mark.parametrize("name", CREATURES)
@pytest.mark.parametrize("wrong", [-1.0, 0.0, float("nan"), float("inf")])
def test_impossible_sizes_are_refused(name: str, wrong: float) -> None:
    for parameter in ("height", "mass"):
        with pytest.raises(InputError, match=f"{parameter} of character '{name}'"):
            character(name, **{parameter: wrong})
