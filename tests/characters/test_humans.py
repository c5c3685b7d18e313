"""Laws of the human bodies: what they weigh, how they stand, how they are built."""

import mujoco
import numpy as np
import pytest

from amble.characters import Character, character, character_names
from amble.characters.anthropometry import leg_drop, leg_rest, winter
from amble.characters.library.humanoid_tracking import TABLE_1
from amble.errors import InputError, UnknownName

HUMANS = ("humanoid", "humanoid-tracking", "baby", "asymmetric")


@pytest.fixture(params=HUMANS)
def human(request: pytest.FixtureRequest) -> Character:
    return character(request.param)


def at_rest(body: Character) -> mujoco.MjData:
    data = mujoco.MjData(body.model)
    mujoco.mj_forward(body.model, data)
    return data


@pytest.mark.parametrize(
    ("name", "dof", "mass"),
    [
        ("humanoid", 35, 78.0),
        ("humanoid-tracking", 29, 71.356),
        ("baby", 35, 9.6),
        ("asymmetric", 35, 78.0),
    ],
)
def test_degrees_of_freedom_and_mass(name: str, dof: int, mass: float) -> None:
    body = character(name)
    assert body.dof == dof
    assert body.mass == pytest.approx(mass, rel=1e-9)


def test_rest_is_zero_with_soles_on_the_ground(human: Character) -> None:
    qpos = human.rest_qpos()
    joints = [j for j in range(1, human.model.njnt)]
    for j in joints:
        start = human.model.jnt_qposadr[j]
        if human.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL:
            np.testing.assert_array_equal(qpos[start : start + 4], [1, 0, 0, 0])
        else:
            assert qpos[start] == 0
    data = at_rest(human)
    for foot in human.feet:
        corners = np.array([data.site(site).xpos for site in foot.sites])
        np.testing.assert_allclose(corners[:, 2], 0, atol=1e-9)
        left_heel, right_heel, left_toe, right_toe = corners
        assert left_heel[1] > right_heel[1] and left_toe[1] > right_toe[1]
        assert left_toe[0] > left_heel[0] and right_toe[0] > right_heel[0]


def test_rest_lies_strictly_within_the_joint_limits(human: Character) -> None:
    low, high = human.joint_limits.T
    assert (low < -0.05).all() and (high > 0.05).all()
    assert human.joint_limits.shape == (human.dof - 6, 2)
    assert human.torque_limits.shape == (human.dof - 6,)
    assert (human.torque_limits > 0).all()


def test_limits_belong_to_the_joints_they_are_listed_for(human: Character) -> None:
    """The blueprint's order is not MuJoCo's: hinge ranges in the model must equal the table."""
    for j in range(human.model.njnt):
        if human.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE:
            row = human.model.jnt_dofadr[j] - 6
            np.testing.assert_allclose(human.model.jnt_range[j], human.joint_limits[row], atol=1e-9)
    knee = human.dof_names.index("left_knee")
    hip = human.dof_names.index("left_hip_y")
    neck = [i for i, name in enumerate(human.dof_names) if name.startswith("neck")]
    assert human.torque_limits[knee] > human.torque_limits[hip]
    assert all(human.torque_limits[i] < human.torque_limits[hip] / 4 for i in neck)


def test_centre_of_mass_stands_over_the_feet_before_the_ankles(human: Character) -> None:
    data = at_rest(human)
    com = data.subtree_com[0]
    ankle = data.body("left_foot").xpos[0]
    corners = np.array([data.site(site).xpos for foot in human.feet for site in foot.sites])
    foot_length = np.ptp(corners[:, 0])
    assert 0.05 * foot_length < com[0] - ankle < 0.3 * foot_length
    assert abs(com[1]) < 0.25 * corners[:, 1].max()


def test_centre_of_mass_of_an_adult_is_at_56_percent_of_stature() -> None:
    """Standing straight; knees bent by 18° cost it about 1 % of the stature."""
    assert character("humanoid").com_height / 1.77 == pytest.approx(0.56, abs=0.015)


@pytest.mark.parametrize("name", ["humanoid", "humanoid-tracking", "baby"])
def test_both_sides_are_mirror_images(name: str) -> None:
    body = character(name)
    data = at_rest(body)
    for part in body.parts:
        if part.startswith("left"):
            other = part.replace("left", "right")
            assert body.model.body(part).mass == pytest.approx(body.model.body(other).mass)
            mirrored = data.body(other).xipos * [1, -1, 1]
            np.testing.assert_allclose(data.body(part).xipos, mirrored, atol=1e-9)


def test_asymmetric_limbs_are_clearly_unequal() -> None:
    model = character("asymmetric").model
    assert model.body("right_thigh").mass[0] > 1.2 * model.body("left_thigh").mass[0]
    assert np.linalg.norm(model.body("left_hand").pos) > 1.3 * np.linalg.norm(
        model.body("right_hand").pos
    )


@pytest.mark.parametrize("part", ["thigh", "shank", "foot", "forearm", "hand", "clavicle"])
def test_tracking_body_has_the_inertias_of_table_1(part: str) -> None:
    body = character("humanoid-tracking").model.body(f"left_{part}")
    mass, *moments = TABLE_1[part]
    assert body.mass[0] == pytest.approx(mass, rel=1e-9)
    np.testing.assert_allclose(sorted(body.inertia), sorted(moments), rtol=1e-9)


def test_size_scales_lengths_masses_and_strength() -> None:
    usual, small = character("humanoid"), character("humanoid", height=0.885, mass=39.0)
    assert small.mass == pytest.approx(39.0)
    assert small.leg_length == pytest.approx(usual.leg_length / 2)
    np.testing.assert_allclose(small.torque_limits, usual.torque_limits / 4, rtol=1e-9)
    np.testing.assert_allclose(small.model.body_inertia, usual.model.body_inertia / 8, rtol=1e-6)
    np.testing.assert_allclose(small.model.dof_armature, usual.model.dof_armature / 8, rtol=1e-9)


def test_standing_on_both_feet_needs_less_than_half_the_torque(human: Character) -> None:
    """Both feet carry the weight at the point below the centre of mass."""
    model, data = human.model, at_rest(human)
    force = np.array([0.0, 0.0, human.mass * 9.81 / 2])
    torque = data.qfrc_bias.copy()
    for foot in human.feet:
        place = data.body(foot.body).xpos * [0, 1, 0] + data.subtree_com[0] * [1, 0, 0]
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, place, model.body(foot.body).id)
        torque -= jacobian.T @ force
    assert (np.abs(torque[6:]) < 0.5 * human.torque_limits).all()


@pytest.mark.parametrize(
    ("joint", "part", "axis"),
    [
        ("left_hip_x", "left_foot", 1),  # abduction: outwards
        ("left_shoulder_x", "left_hand", 1),
        ("left_elbow", "left_hand", 0),  # flexion: forwards
        ("lumbar_y", "head", 0),  # bowing
    ],
)
def test_joints_turn_farthest_where_a_person_can(joint: str, part: str, axis: int) -> None:
    """The highest angle takes the part outwards or forwards, and is larger than the lowest."""
    body = character("humanoid")
    model, data = body.model, at_rest(body)
    before = data.body(part).xipos.copy()
    dof = body.dof_names.index(joint)
    velocity = np.zeros(model.nv)
    velocity[6 + dof] = 0.3
    mujoco.mj_integratePos(model, data.qpos, velocity, 1.0)
    mujoco.mj_forward(model, data)
    assert data.body(part).xipos[axis] > before[axis] + 0.03
    low, high = body.joint_limits[dof]
    assert high > -low


@pytest.mark.parametrize("name", ["humanoid", "humanoid-tracking"])
def test_ankles_invert_more_than_they_evert(name: str) -> None:
    body = character(name)
    data = at_rest(body)
    dof = body.dof_names.index("left_ankle_x")
    low, high = body.joint_limits[dof]
    assert low < -high < 0
    data.joint("left_ankle_x").qpos[0] = low
    mujoco.mj_forward(body.model, data)
    outer, inner = (data.site(f"left_foot_{side}_heel").xpos[2] for side in ("left", "right"))
    assert inner > outer


def test_text_is_the_same_every_time(human: Character) -> None:
    assert character(human.name).xml == human.xml


def test_leg_rest_reaches_its_target() -> None:
    drop = leg_drop(0.43, 0.40, 0.3, -0.03)
    angles = leg_rest(0.43, 0.40, drop, -0.03)
    assert angles.knee == pytest.approx(0.3)
    x = -0.43 * np.sin(angles.hip) - 0.40 * np.sin(angles.hip + angles.knee)
    z = -0.43 * np.cos(angles.hip) - 0.40 * np.cos(angles.hip + angles.knee)
    assert (x, z) == (pytest.approx(-0.03), pytest.approx(-drop))
    assert angles.hip + angles.knee + angles.ankle == pytest.approx(0)


def test_winter_masses_make_a_whole() -> None:
    assert winter(1.77, 78.0).mass == pytest.approx(78.0)


@pytest.mark.parametrize("name", HUMANS)
@pytest.mark.parametrize("wrong", [{"mass": -1.0}, {"height": float("nan")}, {"height": "tall"}])
def test_bad_sizes_are_refused_in_one_line(name: str, wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="must be") as error:
        character(name, **wrong)
    assert "\n" not in str(error.value)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean humanoid"):
        character("humanoud")
    with pytest.raises(UnknownName, match="height"):
        character("humanoid", hight=1.7)
    assert set(HUMANS) <= set(character_names())
