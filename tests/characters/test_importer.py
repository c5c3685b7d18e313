"""The importer finds limbs, feet, contact points, directions and a pose to stand in."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from legged_models import (
    BOX_FOOT,
    CAPSULE_FOOT,
    SPHERE_FOOT,
    arm,
    biped,
    check_runs,
    check_stands,
    leg,
    load_text,
    many_legs,
    mjcf,
    turned,
    urdf_biped,
)

from amble.characters import character, character_names
from amble.characters.importer import native_qpos
from amble.errors import InputError, UnknownName


def test_a_biped_with_box_feet_has_four_corners_a_foot(tmp_path: Path) -> None:
    body = load_text(tmp_path, mjcf(biped()))
    assert [limb.name for limb in body.limbs] == ["left_leg", "right_leg"]
    assert [foot.name for foot in body.feet] == ["left_foot", "right_foot"]
    data = mujoco.MjData(body.model)
    mujoco.mj_kinematics(body.model, data)
    heel_l, heel_r, toe_l, toe_r = (data.site(s).xpos for s in body.feet[0].sites)
    assert toe_l[0] - heel_l[0] == pytest.approx(0.2, abs=1e-3)
    assert heel_l[1] - heel_r[1] == pytest.approx(0.08, abs=1e-3)
    assert toe_l[1] > toe_r[1]
    assert body.parts["left_thigh"] == "left_a" and body.parts["right_shank"] == "right_b"
    check_stands(body)
    check_runs(body)


@pytest.mark.parametrize(("foot", "points"), [(BOX_FOOT, 4), (SPHERE_FOOT, 1), (CAPSULE_FOOT, 2)])
def test_contact_points_follow_the_shape(tmp_path: Path, foot: str, points: int) -> None:
    body = load_text(tmp_path, mjcf(biped(foot)))
    assert [len(f.sites) for f in body.feet] == [points, points]
    check_stands(body)


@pytest.mark.parametrize("foot", ["box", "sphere", "cylinder"])
@pytest.mark.parametrize("fixed", [True, False])
def test_urdf_with_a_fixed_base(tmp_path: Path, foot: str, fixed: bool) -> None:
    body = load_text(tmp_path, urdf_biped(foot, fixed), "walker.urdf")
    assert body.dof == 6 + (8 if fixed else 10)
    assert [f.body for f in body.feet] == ["l_sole", "r_sole"]
    assert set(body.torque_limits) == {90.0}
    assert any("fixed" in note for note in body.notes)
    check_stands(body)
    check_runs(body)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([0.4, -0.4], ["front", "hind"]),
        ([0.5, 0.0, -0.5], ["front", "middle", "hind"]),
    ],
)
def test_quadruped_and_hexapod_without_telling_names(
    tmp_path: Path, rows: list[float], words: list[str]
) -> None:
    body = load_text(tmp_path, mjcf(many_legs(rows)))
    expected = [f"{side}_{word}_foot" for word in words for side in ("left", "right")]
    assert [foot.name for foot in body.feet] == expected
    data = mujoco.MjData(body.model)
    mujoco.mj_kinematics(body.model, data)
    for foot in body.feet:
        y = data.site(foot.sites[0]).xpos[1]
        assert (y > 0) == foot.name.startswith("left")
    check_stands(body)
    check_runs(body)


def test_a_monopod_stands_on_its_foot(tmp_path: Path) -> None:
    root = (
        f'<body name="b" pos="0 0 1"><freejoint/><geom size="0.1" mass="5"/>{leg("m", 0, 0)}</body>'
    )
    body = load_text(tmp_path, mjcf(root))
    assert [(limb.name, limb.end_effector) for limb in body.limbs] == [("leg", "foot")]
    check_stands(body)


def test_arms_and_a_head_are_no_legs(tmp_path: Path) -> None:
    head = """<body name="top" pos="0 0 0.55"><joint name="nod" axis="0 1 0"/>
      <geom type="sphere" size="0.1" pos="0 0 0.1" mass="4"/></body>"""
    body = load_text(tmp_path, mjcf(biped(inside=arm("left_u", 0.2) + arm("right_u", -0.2) + head)))
    kinds = {limb.name: limb.kind for limb in body.limbs}
    legs, arms = dict.fromkeys(("left_leg", "right_leg"), "leg"), ("left_arm", "right_arm")
    assert kinds == legs | dict.fromkeys(arms, "arm") | {"neck": "neck"}
    assert body.parts["head"] == "top" and body.parts["left_forearm"] == "left_u_b"
    assert [foot.name for foot in body.feet] == ["left_foot", "right_foot"]
    check_stands(body)


@pytest.mark.parametrize(
    ("quat", "name"),
    [
        ("0.7071068 0 0 0.7071068", "facing +y"),
        ("0 0 0 1", "facing -x"),
        ("0.5 0.5 0.5 0.5", "y up"),
    ],
)
def test_a_turned_model_looks_along_x_at_rest(tmp_path: Path, quat: str, name: str) -> None:
    straight = load_text(tmp_path, mjcf(biped()))
    body = load_text(tmp_path, mjcf(turned(biped(), quat)), "turned.xml")
    check_stands(body)
    for a, b in zip(_contact_points(straight), _contact_points(body), strict=True):
        np.testing.assert_allclose(a, b, atol=2e-3, err_msg=name)
    assert body.root != body.part("pelvis")


def test_without_names_the_toes_tell_forward(tmp_path: Path) -> None:
    half_turn = turned(biped(left="p", right="q"), "0 0 0 1")
    points = np.concatenate(_contact_points(load_text(tmp_path, mjcf(half_turn))))
    hips = load_text(tmp_path, mjcf(half_turn)).model
    assert points[:, 0].max() > -points[:, 0].min()
    assert hips.nv == 16


def test_a_foot_with_a_toe_joint_stands_on_the_foot(tmp_path: Path) -> None:
    toe = """<body name="{0}_toe" pos="0.15 0 -0.06"><joint name="{0}_toe" axis="0 1 0"/>
      <geom type="box" size="0.03 0.04 0.02" pos="0.03 0 0" mass="0.2"/></body>"""
    text = mjcf(biped())
    for side in ("left", "right"):
        mark = f'<joint name="{side}_ankle_x" axis="1 0 0"/>'
        text = text.replace(mark, mark + toe.format(side))
    body = load_text(tmp_path, text)
    assert [f.body for f in body.feet] == ["left_c", "right_c"]
    check_stands(body)


def test_a_keyframe_is_the_rest_pose_and_its_angles_are_kept(tmp_path: Path) -> None:
    bent = "0 -0.5 1.0 -0.5 0"
    key = f'<keyframe><key name="home" qpos="0 0 1 1 0 0 0 {bent} {bent}"/></keyframe>'
    body = load_text(tmp_path, mjcf(biped(), key))
    native = body.model.numeric("native_rest").data
    np.testing.assert_allclose(native[[1, 2, 3]], [-0.5, 1.0, -0.5], atol=0.02)
    assert any("home" in note for note in body.notes)
    check_stands(body)


def test_rest_is_zero_and_limits_and_springs_follow(tmp_path: Path) -> None:
    limits = 'range="0 140" stiffness="7" springref="20"'
    legs = leg("left", 0, 0.1, limits=limits) + leg("right", 0, -0.1, limits=limits)
    root = f'<body name="b" pos="0 0 1"><freejoint/><geom size="0.1" mass="9"/>{legs}</body>'
    body = load_text(tmp_path, mjcf(root))
    knee = body.model.joint("left_knee")
    native = body.model.numeric("native_rest").data[2]
    assert np.degrees(native) > 10, "the knee bends by itself"
    np.testing.assert_allclose(knee.range + native, np.radians([0, 140]), atol=1e-4)
    spring = body.model.qpos_spring[knee.qposadr[0]]
    assert spring + native == pytest.approx(np.radians(20), abs=1e-4)
    check_stands(body)


def test_coupled_joints_keep_their_relation(tmp_path: Path) -> None:
    coupled = '<joint joint1="{0}_ankle_y" joint2="{0}_knee" polycoef="0 -0.5 0.1 0 0"/>'
    extra = f"<equality>{coupled.format('left')}{coupled.format('right')}</equality>"
    body = load_text(tmp_path, mjcf(biped(), extra))
    model, data = body.model, mujoco.MjData(body.model)
    native = dict(zip(body.dof_names, model.numeric("native_rest").data, strict=True))
    data.joint("left_knee").qpos = 0.3
    knee = native["left_knee"] + 0.3
    data.joint("left_ankle_y").qpos = -0.5 * knee + 0.1 * knee**2 - native["left_ankle_y"]
    mujoco.mj_fwdPosition(model, data)
    assert abs(data.efc_pos[: data.ne]).min() < 1e-5


def test_motors_give_torque_limits_and_the_rest_is_passive(tmp_path: Path) -> None:
    motors = """<actuator><motor joint="left_knee" gear="10" ctrlrange="-3 3"/>
      <motor joint="right_knee" gear="2" forcerange="-7 7"/>
      <position joint="left_hip_y" kp="50"/></actuator>"""
    body = load_text(tmp_path, mjcf(biped(), motors))
    torque = dict(zip(body.dof_names, body.torque_limits, strict=True))
    assert torque["left_knee"] == 30 and torque["right_knee"] == 14
    assert torque["right_hip_y"] == 0
    assert torque["left_hip_y"] > 30, "a servo without limits gets a guess by weight"
    assert any("left_hip_y" in note for note in body.notes)


def test_the_scene_goes_and_the_legged_body_stays(tmp_path: Path) -> None:
    scene = """<geom name="floor" type="plane" size="1 1 1"/><light pos="0 0 3"/>
      <body name="ball" pos="1 0 1"><freejoint/><geom size="0.1"/></body>"""
    extra = '<sensor><framepos objtype="body" objname="ball"/></sensor>'
    body = load_text(tmp_path, mjcf(scene + biped(), extra))
    assert body.model.nsensor == 0 and body.model.body(1).name == "base"
    assert "ball" not in body.xml and "floor" not in body.xml
    assert any("ball" in note for note in body.notes)


def test_a_planar_root_becomes_a_floating_one(tmp_path: Path) -> None:
    rails = '<joint name="x" type="slide" axis="1 0 0"/><joint name="turn" axis="0 1 0"/>'
    body = load_text(tmp_path, mjcf(biped().replace("<freejoint/>", rails)))
    assert body.dof == 16
    check_stands(body)


def test_a_sprawled_body_finds_its_legs(tmp_path: Path) -> None:
    limb = """<body name="l{i}" euler="0 0 {a}"><joint name="a{i}" axis="0 1 0" range="-80 80"/>
      <geom type="capsule" size="0.04" fromto="0.2 0 0 0.5 0 0" mass="1"/>
      <body name="k{i}" pos="0.5 0 0"><joint name="b{i}" axis="0 1 0" range="-100 100"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0" mass="1"/></body></body>"""
    legs = "".join(limb.format(i=i, a=45 + 90 * i) for i in range(4))
    root = f'<body name="b" pos="0 0 1"><freejoint/><geom size="0.1" mass="5"/>{legs}</body>'
    body = load_text(tmp_path, mjcf(root))
    assert len(body.feet) == 4
    check_stands(body)


def test_native_angles_give_the_same_pose_in_the_original_file(tmp_path: Path) -> None:
    text = mjcf(turned(biped(), "0.7071068 0 0 0.7071068"))
    body = load_text(tmp_path, text)
    ours, theirs = body.model, mujoco.MjModel.from_xml_string(text)
    a, b = mujoco.MjData(ours), mujoco.MjData(theirs)
    rng = np.random.default_rng(1)
    mujoco.mj_integratePos(ours, a.qpos, rng.normal(size=ours.nv), 0.3)
    b.qpos[:] = native_qpos(body, a.qpos)
    mujoco.mj_kinematics(ours, a)
    mujoco.mj_kinematics(theirs, b)
    for name in ("base", "left_a", "left_c", "right_b"):
        np.testing.assert_allclose(a.body(name).xpos, b.body(name).xpos, atol=1e-4)


def test_shanks_without_feet_stand_on_their_ends(tmp_path: Path) -> None:
    limb = """<body name="l{i}" euler="0 0 {a}"><joint name="a{i}" axis="0 0 1" range="-30 30"/>
      <geom type="capsule" size="0.08" fromto="0 0 0 0.28 0 0"/>
      <body name="k{i}" pos="0.28 0 0"><joint name="b{i}" axis="0 1 0" range="30 70"/>
      <geom type="capsule" size="0.08" fromto="0 0 0 0.56 0 0"/></body></body>"""
    legs = "".join(limb.format(i=i, a=45 + 90 * i) for i in range(4))
    root = f'<body name="b" pos="0 0 1"><freejoint/><geom size="0.25"/>{legs}</body>'
    body = load_text(tmp_path, mjcf(root))
    assert [len(foot.sites) for foot in body.feet] == [1, 1, 1, 1]
    check_stands(body)


# Overrides


def test_overrides_replace_what_is_found(tmp_path: Path) -> None:
    points = [[0.1, 0.0, -0.08], [-0.05, 0.0, -0.08]]
    body = load_text(
        tmp_path,
        mjcf(biped(left="p", right="q")),
        feet={"near_foot": "p_c", "far_foot": "q_c"},
        contact_points={"near_foot": points},
        torque_limits={"p_knee": 12.5},
        parts={"seat": "base"},
    )
    assert [foot.name for foot in body.feet] == ["near_foot", "far_foot"]
    assert [limb.name for limb in body.limbs] == ["near_leg", "far_leg"]
    assert len(body.feet[0].sites) == 2 and len(body.feet[1].sites) == 4
    assert dict(zip(body.dof_names, body.torque_limits, strict=True))["p_knee"] == 12.5
    assert body.part("seat") == "base"
    check_stands(body)


def test_a_toml_file_beside_the_model_counts(tmp_path: Path) -> None:
    (tmp_path / "model.amble.toml").write_text(
        "[rest]\nleft_knee = 0.8\nleft_hip_y = -0.4\nleft_ankle_y = -0.4\n"
        "right_knee = 0.8\nright_hip_y = -0.4\nright_ankle_y = -0.4\n"
    )
    body = load_text(tmp_path, mjcf(biped()))
    native = dict(zip(body.dof_names, body.model.numeric("native_rest").data, strict=True))
    assert native["left_knee"] == pytest.approx(0.8, abs=0.02)
    check_stands(body)


@pytest.mark.parametrize(
    ("overrides", "error", "words"),
    [
        ({"feets": {}}, UnknownName, "feet"),
        ({"feet": {"left_foot": "left_d"}}, UnknownName, "left_c"),
        ({"rest": {"left_kne": 1.0}}, UnknownName, "left_knee"),
        ({"rest": {"left_knee": "bent"}}, InputError, "number"),
        ({"torque_limits": {"left_knee": -1}}, InputError, "at least 0"),
        ({"torque_limits": {"left_knee": float("nan")}}, InputError, "finite"),
        ({"forward": "north"}, InputError, "+x"),
        ({"forward": "+z", "up": "+z"}, InputError, "same axis"),
        ({"keyframe": "home"}, UnknownName, "home"),
        ({"root": "nobody"}, UnknownName, "base"),
        ({"contact_points": {"left_foot": [1, 2]}}, InputError, "points"),
        ({"contact_points": {"tail": [[0, 0, 0]]}}, UnknownName, "left_foot"),
        ({"limbs": {"left_c": "wing"}}, InputError, "arm"),
        ({"parts": {"head": "nothing"}}, UnknownName, "nothing"),
        ({"feet": "left_c"}, InputError, "table"),
    ],
)
def test_wrong_overrides_are_refused_in_one_line(
    tmp_path: Path, overrides: dict[str, object], error: type[InputError], words: str
) -> None:
    with pytest.raises(error) as caught:
        load_text(tmp_path, mjcf(biped()), **overrides)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def _contact_points(body: object) -> list[np.ndarray]:
    data = mujoco.MjData(body.model)  # type: ignore[attr-defined]
    mujoco.mj_kinematics(body.model, data)  # type: ignore[attr-defined]
    return [np.array([data.site(s).xpos for s in foot.sites]) for foot in body.feet]  # type: ignore[attr-defined]


# A file does not say that a body stands on its hands.
UPRIGHT = [name for name in character_names() if name != "acrobat"]


@pytest.mark.parametrize("name", UPRIGHT)
def test_a_library_body_saved_as_a_file_is_understood_the_same(tmp_path: Path, name: str) -> None:
    known = character(name)
    found = load_text(tmp_path, known.xml, f"{name}.xml")
    assert [foot.name for foot in found.feet] == [foot.name for foot in known.feet]
    assert [foot.body for foot in found.feet] == [foot.body for foot in known.feet]
    check_stands(found)
