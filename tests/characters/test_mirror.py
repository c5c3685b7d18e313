"""Laws of the mirror map: it undoes itself, and a mirrored pose has mirrored places."""

import mujoco
import numpy as np
import pytest

from amble.characters import Character, character
from amble.characters.mirror import find_mirror, swapped_names

SYMMETRIC = (
    "humanoid",
    "humanoid-tracking",
    "baby",
    "luxo",
    "cassie",
    "anymal",
    "anymal-large",
    "ostrich",
    "dinosaur",
)


def random_state(body: Character, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    model = body.model
    qpos = body.rest_qpos()
    mujoco.mj_integratePos(model, qpos, 0.4 * rng.normal(size=model.nv), 1.0)
    return qpos, rng.normal(size=model.nv)


@pytest.mark.parametrize("name", (*SYMMETRIC, "asymmetric"))
def test_mirroring_twice_is_nothing(name: str) -> None:
    body = character(name)
    mirror = body.mirror
    assert mirror is not None
    qpos, qvel = random_state(body, np.random.default_rng(3))
    np.testing.assert_allclose(mirror.mirror_pose(mirror.mirror_pose(qpos)), qpos, atol=1e-12)
    np.testing.assert_allclose(
        mirror.mirror_velocity(mirror.mirror_velocity(qvel)), qvel, atol=1e-12
    )
    np.testing.assert_array_equal(mirror.points[mirror.points], np.arange(len(mirror.points)))


@pytest.mark.parametrize("name", SYMMETRIC)
def test_mirrored_state_has_mirrored_places_and_velocities(name: str) -> None:
    body = character(name)
    mirror, model = body.mirror, body.model
    assert mirror is not None
    qpos, qvel = random_state(body, np.random.default_rng(4))
    original, image = mujoco.MjData(model), mujoco.MjData(model)
    original.qpos, original.qvel = qpos, qvel
    image.qpos, image.qvel = mirror.mirror_pose(qpos), mirror.mirror_velocity(qvel)
    for data in (original, image):
        mujoco.mj_forward(model, data)
    flip = np.array([1, -1, 1])
    np.testing.assert_allclose(image.xipos, original.xipos[mirror.bodies] * flip, atol=1e-9)
    np.testing.assert_allclose(image.subtree_com[0], original.subtree_com[0] * flip, atol=1e-9)
    np.testing.assert_allclose(
        velocity_of_com(model, image), velocity_of_com(model, original) * flip, atol=1e-9
    )
    for data in (original, image):
        mujoco.mj_subtreeVel(model, data)
    pseudo = np.array([-1, 1, -1])
    np.testing.assert_allclose(
        image.subtree_linvel[0], original.subtree_linvel[0] * flip, atol=1e-9
    )
    np.testing.assert_allclose(
        image.subtree_angmom[0], original.subtree_angmom[0] * pseudo, atol=1e-9 * body.mass
    )
    kinetic = [data.qvel @ data.qfrc_bias for data in (original, image)]
    assert kinetic[0] == pytest.approx(kinetic[1], rel=1e-9, abs=1e-6)
    sites = [model.site(site).id for e in body.end_effectors for site in e.sites]
    theirs = original.site_xpos[sites][mirror.points]
    np.testing.assert_allclose(image.site_xpos[sites], theirs * flip, atol=1e-9)


def velocity_of_com(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jacSubtreeCom(model, data, jacobian, 0)
    return jacobian @ data.qvel


def test_poses_can_be_mirrored_in_batches() -> None:
    body = character("humanoid")
    assert body.mirror is not None
    rng = np.random.default_rng(5)
    poses = np.array([random_state(body, rng)[0] for _ in range(6)])
    one_by_one = np.array([body.mirror.mirror_pose(pose) for pose in poses])
    batch = body.mirror.mirror_pose(poses.reshape(2, 3, -1))
    np.testing.assert_array_equal(batch.reshape(6, -1), one_by_one)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_foot", "right_foot"),
        ("LeftFoot", "RightFoot"),
        ("foot_l", "foot_r"),
        ("L_HIP", "R_HIP"),
        ("LF_SHANK", "RF_SHANK"),
        ("lh_thigh", "rh_thigh"),
        ("FL_calf", "FR_calf"),
        ("RL_calf", "RR_calf"),
        ("lfoot", "rfoot"),
        ("footL", "footR"),
    ],
)
def test_names_in_many_styles_find_their_partner(left: str, right: str) -> None:
    assert right in swapped_names(left)
    assert left in swapped_names(right)


def test_axes_written_the_other_way_round_change_the_sign() -> None:
    """Robots often use the same axis on both sides: mirrored angles then have opposite signs."""
    legs = "".join(
        f'<body name="{n}_leg" pos="0 {y} 0"><joint axis="1 0 0"/><geom size=".1"/></body>'
        for n, y in (("l", 0.2), ("r", -0.2))
    )
    body = f'<body name="b"><freejoint/><geom size=".1"/>{legs}</body>'
    xml = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    mirror = find_mirror(mujoco.MjModel.from_xml_string(xml), [])
    assert mirror is not None
    np.testing.assert_array_equal(mirror.dofs, [1, 0])
    np.testing.assert_array_equal(mirror.signs, [-1, -1])


def test_sides_with_different_joints_have_no_mirror() -> None:
    xml = """<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/>
      <body name="l_leg" pos="0 .2 0"><joint/><geom size=".1"/></body>
      <body name="r_leg" pos="0 -.2 0"><joint type="ball"/><geom size=".1"/></body>
    </body></worldbody></mujoco>"""
    assert find_mirror(mujoco.MjModel.from_xml_string(xml), []) is None
