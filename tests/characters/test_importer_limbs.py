"""What real models showed: round feet, toes, tails, arms, names, and files made for other tasks."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from legged_models import (
    BOX_FOOT,
    arm,
    biped,
    check_runs,
    check_stands,
    leg,
    load_text,
    many_legs,
    mjcf,
    save,
)
from test_importer_files import CUBE

from amble.characters import Character
from amble.errors import InputError

BALL = '<asset><mesh name="ball" file="ball.obj"/></asset>'
TAIL = """<body name="tail" pos="-0.6 0 0"><joint name="wag" axis="0 0 1"/>
  <geom type="capsule" size="0.03" fromto="0 0 0 -0.3 0 -0.55" mass="0.5"/>
  <body name="tail_end" pos="-0.3 0 -0.55"><joint name="curl" axis="0 1 0"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 -1 0 -0.35" mass="0.3"/></body></body>"""


def ball(radius: float, rings: int = 24) -> str:
    """A sphere of many faces, as OBJ."""
    up, around = np.meshgrid(np.linspace(0, np.pi, rings), np.arange(2 * rings) * np.pi / rings)
    points = radius * np.stack(
        [np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up)], axis=-1
    ).reshape(-1, 3)
    return _hull_obj(points)


def wheel(radius: float, width: float, spokes: int = 48) -> str:
    """A wheel that rolls along x, as OBJ."""
    angle = np.arange(spokes) * 2 * np.pi / spokes
    rim = [np.stack([np.cos(angle) * radius, np.full(spokes, y), np.sin(angle) * radius], axis=1)
           for y in (-width / 2, width / 2)]  # fmt: skip
    return _hull_obj(np.concatenate(rim))


def _hull_obj(points: np.ndarray) -> str:
    from scipy.spatial import ConvexHull

    hull = ConvexHull(np.unique(points.round(9), axis=0))
    middle = hull.points.mean(axis=0)
    rows = [f"v {x} {y} {z}" for x, y, z in hull.points]
    for a, b, c in hull.simplices:
        p, q, r = hull.points[[a, b, c]]
        outward = np.cross(q - p, r - p) @ (p - middle) > 0
        rows.append(f"f {a + 1} {b + 1} {c + 1}" if outward else f"f {a + 1} {c + 1} {b + 1}")
    return "\n".join(rows)


def lowest(body: Character) -> dict[str, float]:
    """Height of the lowest point of each shape at rest, by body [m]."""
    model = body.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found: dict[str, float] = {}
    for g in range(model.ngeom):
        up = data.geom_xmat[g].reshape(3, 3)[2]
        centre, half = model.geom_aabb[g, :3], model.geom_aabb[g, 3:]
        low = data.geom_xpos[g, 2] + up @ centre - np.abs(up) @ half
        name = model.body(model.geom_bodyid[g]).name
        found[name] = min(found.get(name, np.inf), float(low))
    return found


# Feet


@pytest.mark.parametrize(("shape", "points"), [(ball(0.05), 1), (wheel(0.08, 0.16), 2)])
def test_what_rolls_touches_at_a_point_or_along_its_axle(
    tmp_path: Path, shape: str, points: int
) -> None:
    save(tmp_path, shape, "ball.obj")
    foot = '<geom type="mesh" mesh="ball" pos="0 0 -0.02"/>'
    body = load_text(tmp_path, mjcf(many_legs([0.4, -0.4], foot), BALL))
    assert [len(f.sites) for f in body.feet] == [points] * 4
    if points == 2:
        data = mujoco.MjData(body.model)
        mujoco.mj_kinematics(body.model, data)
        left, right = (data.site(s).xpos for s in body.feet[0].sites)
        np.testing.assert_allclose(left - right, [0, 0.16, 0], atol=5e-3)
    check_stands(body)


def test_a_shank_that_reaches_into_the_foot_is_no_foot(tmp_path: Path) -> None:
    text = mjcf(biped('<geom type="capsule" size="0.03" fromto="-0.05 0 0 0.15 0 0"/>'))
    text = text.replace("0 0 -0.36", "0 0 -0.4")  # the shank's end is inside the foot
    body = load_text(tmp_path, text)
    assert [f.body for f in body.feet] == ["left_c", "right_c"]
    assert [len(f.sites) for f in body.feet] == [2, 2]


def test_splayed_legs_come_together_and_toes_out_of_the_ground(tmp_path: Path) -> None:
    """As in motion-capture skeletons: legs 20° apart, feet 25° down, toes on their own joint."""
    limb = """<body name="{0}femur" pos="0 {y} -0.1" euler="{roll} 0 0">
      <joint name="{0}rz" axis="0 0 1" range="-60 60"/>
      <joint name="{0}rx" axis="1 0 0" range="-60 60"/>
      <joint name="{0}ry" axis="0 1 0" range="-120 60"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.4" mass="4"/>
      <body name="{0}tibia" pos="0 0 -0.4"><joint name="{0}knee" axis="0 1 0" range="0 150"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.38" mass="2"/>
      <body name="{0}foot" pos="0 0 -0.4" euler="0 25 0">
      <joint name="{0}ax" axis="1 0 0" range="-40 40"/>
      <joint name="{0}ay" axis="0 1 0" range="-60 40"/>
      <geom type="capsule" size="0.03" fromto="-0.05 0.03 -0.04 0.13 0.03 -0.04" mass="0.4"/>
      <geom type="capsule" size="0.03" fromto="-0.05 -0.03 -0.04 0.13 -0.03 -0.04" mass="0.4"/>
      <body name="{0}toes" pos="0.14 0 -0.04" euler="0 10 0">
      <joint name="{0}t" axis="0 1 0" range="-80 20"/>
      <geom type="capsule" size="0.028" fromto="0 -0.02 0 0.05 -0.02 0" mass="0.1"/>
      <geom type="capsule" size="0.028" fromto="0 0.02 0 0.05 0.02 0" mass="0.1"/>
      </body></body></body></body>"""
    legs = limb.format("l", y=0.1, roll=20) + limb.format("r", y=-0.1, roll=-20)
    trunk = '<geom type="box" size="0.08 0.12 0.1" mass="20"/>'
    text = mjcf(f'<body name="root" pos="0 0 1"><freejoint/>{trunk}{legs}</body>')
    body = load_text(tmp_path, text)
    assert [f.body for f in body.feet] == ["lfoot", "rfoot"]
    assert [len(f.sites) for f in body.feet] == [4, 4]
    data = mujoco.MjData(body.model)
    mujoco.mj_kinematics(body.model, data)
    feet = np.array([np.mean([data.site(s).xpos for s in f.sites], axis=0) for f in body.feet])
    assert np.ptp(feet[:, 1]) < 0.45, "0.75 m apart in the file"
    low = lowest(body)
    assert low["ltoes"] > -2e-3 and low["rtoes"] > -2e-3
    check_stands(body)


# Which limbs are legs, and what they are called


def test_a_tail_on_the_ground_is_no_leg(tmp_path: Path) -> None:
    root = many_legs([0.4, -0.4]).rsplit("</body>", 1)[0] + TAIL + "</body>"
    body = load_text(tmp_path, mjcf(root))
    assert len(body.feet) == 4
    assert {limb.name: limb.kind for limb in body.limbs}["tail"] == "tail"
    assert lowest(body)["tail_end"] > -2e-3, "it is lifted out of the ground"
    check_stands(body)


def test_a_third_leg_on_the_middle_line_is_one(tmp_path: Path) -> None:
    legs = leg("a", 0.3, 0) + leg("b", -0.3, 0.25) + leg("c", -0.3, -0.25)
    box = '<geom type="box" size="0.4 0.3 0.05" mass="20"/>'
    body = load_text(tmp_path, mjcf(f'<body name="b" pos="0 0 1"><freejoint/>{box}{legs}</body>'))
    assert len(body.feet) == 3
    check_stands(body)


@pytest.mark.parametrize("names", [("left_arm", "right_arm"), ("l_gripper", "r_gripper")])
def test_a_torso_with_arms_alone_has_no_legs_unless_told(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    arms = arm(names[0], 0.3) + arm(names[1], -0.3)
    box = '<geom type="box" size="0.1 0.2 0.1" pos="0 0 0.5" mass="20"/>'
    text = mjcf(f'<body name="torso" pos="0 0 1">{box}{arms}</body>')
    with pytest.raises(InputError, match="no legs"):
        load_text(tmp_path, text)
    feet = {"left_foot": f"{names[0]}_b", "right_foot": f"{names[1]}_b"}
    assert len(load_text(tmp_path, text, feet=feet).feet) == 2


def test_an_arm_on_the_back_is_an_arm(tmp_path: Path) -> None:
    mount = arm("arm", 0.0).replace("0 0.0 0.5", "0.1 0 0.1").replace("0 0 -0", "0 0 0")
    root = many_legs([0.4, -0.4]).rsplit("</body>", 1)[0] + mount + "</body>"
    body = load_text(tmp_path, mjcf(root))
    assert [limb.kind for limb in body.limbs] == ["leg"] * 4 + ["arm"]


def test_names_with_one_letter_in_front_tell_the_sides(tmp_path: Path) -> None:
    """lfemur is left because rfemur exists; without a hint from the feet it may look backwards."""
    foot = '<geom type="sphere" size="0.03" pos="0 0 -0.02"/>'
    legs = leg("lfemur", 0, -0.1, foot) + leg("rfemur", 0, 0.1, foot)
    box = '<geom type="box" size="0.08 0.12 0.1" mass="20"/>'
    body = load_text(tmp_path, mjcf(f'<body name="b" pos="0 0 1"><freejoint/>{box}{legs}</body>'))
    assert {foot.name: foot.body for foot in body.feet} == {
        "left_foot": "lfemur_c", "right_foot": "rfemur_c"
    }  # fmt: skip
    assert any("-x" in note for note in body.notes)


def test_a_weight_on_one_side_is_no_reason_to_stand_crooked(tmp_path: Path) -> None:
    pack = '<geom type="box" size="0.05 0.05 0.05" pos="0 0.1 0.1" mass="4"/>'
    root = many_legs([0.4, -0.4]).replace("<freejoint/>", "<freejoint/>" + pack)
    body = load_text(tmp_path, mjcf(root))
    data = mujoco.MjData(body.model)
    mujoco.mj_kinematics(body.model, data)
    left, right = (data.site(body.feet[i].sites[0]).xpos for i in (0, 1))
    assert left[1] == pytest.approx(-right[1], abs=5e-3)


# Files made for other tasks


def test_feet_that_meet_the_ground_by_a_pair_alone_collide(tmp_path: Path) -> None:
    foot = BOX_FOOT.replace("<geom", '<geom name="NAME" contype="0" conaffinity="0"')
    legs = leg("left", 0, 0.1, foot.replace("NAME", "lf"))
    legs += leg("right", 0, -0.1, foot.replace("NAME", "rf"))
    box = '<geom type="box" size="0.08 0.12 0.1" mass="20"/>'
    pairs = '<contact><pair geom1="lf" geom2="floor"/><pair geom1="rf" geom2="floor"/></contact>'
    text = mjcf(f'<body name="b" pos="0 0 1"><freejoint/>{box}{legs}</body>', pairs)
    body = load_text(tmp_path, text)  # the floor is in another file
    assert body.model.geom_contype[body.model.geom("lf").id] == 1
    check_runs(body)


def test_the_solver_is_as_usual_and_odd_gravity_is_told(tmp_path: Path) -> None:
    option = '<option iterations="1" ls_iterations="2" gravity="0 0 -981" timestep="0.1"/>'
    body = load_text(tmp_path, mjcf(biped(), option))
    usual = mujoco.MjSpec().option
    assert body.model.opt.iterations == usual.iterations
    assert body.model.opt.gravity[2] == usual.gravity[2]
    assert any("981" in note for note in body.notes)


def test_ranges_that_can_only_be_radians_are(tmp_path: Path) -> None:
    legs = "".join(leg(n, 0, y, limits='range="0 2.4"') for n, y in (("l", 0.1), ("r", -0.1)))
    for axis, span in (("hip_y", "-1.5 1"), ("ankle_y", "-0.8 0.8")):
        legs = legs.replace(f'{axis}" axis="0 1 0"', f'{axis}" axis="0 1 0" range="{span}"')
    box = '<geom type="box" size="0.08 0.12 0.1" mass="20"/>'
    body = load_text(tmp_path, mjcf(f'<body name="b" pos="0 0 1"><freejoint/>{box}{legs}</body>'))
    assert np.ptp(body.model.joint("l_knee").range) == pytest.approx(2.4)
    assert any("radians" in note for note in body.notes)


def test_skins_and_ground_of_missing_files_do_not_matter(tmp_path: Path) -> None:
    extra = '<asset><hfield name="hills" file="hills.png" size="1 1 1 1"/></asset>'
    extra += '<deformable><skin name="skin" file="gone.skn"/></deformable>'
    body = load_text(tmp_path, mjcf('<geom type="hfield" hfield="hills"/>' + biped(), extra))
    check_stands(body)


def test_looks_are_kept_whole_although_the_import_does_not_look_at_them(tmp_path: Path) -> None:
    save(tmp_path, ball(0.2), "shell.obj")
    save(tmp_path, CUBE, "cube.obj")
    asset = """<asset><mesh name="shell" file="shell.obj"/>
      <mesh name="cube" file="cube.obj" scale="0.05 0.05 0.05"/></asset>"""
    look = '<geom type="mesh" mesh="shell" contype="0" conaffinity="0" pos="0.1 0 0.3" mass="3"/>'
    body = load_text(tmp_path, mjcf(biped(inside=look), asset))
    assert body.assets["shell.obj"] == (tmp_path / "shell.obj").read_bytes()
    model = body.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    shell = model.mesh("shell").id
    assert model.mesh_vertnum[shell] > 500
    geom = int(np.flatnonzero(model.geom_dataid == shell)[0])
    offset = data.geom_xpos[geom] - data.body("base").xpos
    np.testing.assert_allclose(offset, [0.1, 0, 0.3], atol=1e-3)
    plain = load_text(tmp_path, mjcf(biped()), "plain.xml")
    assert body.mass == pytest.approx(plain.mass + 3)


def test_shapes_that_no_picture_shows_are_shown(tmp_path: Path) -> None:
    text = mjcf(biped()).replace("<geom ", '<geom group="3" ')
    assert (load_text(tmp_path, text).model.geom_group == 0).all()


def test_a_motor_without_a_real_limit_is_told(tmp_path: Path) -> None:
    motors = '<actuator><motor joint="left_knee" ctrlrange="-20000 20000"/></actuator>'
    body = load_text(tmp_path, mjcf(biped(), motors))
    assert any("20000" in note or "2e+04" in note for note in body.notes)


def test_limbs_whose_meshes_are_missing_are_still_limbs(tmp_path: Path) -> None:
    arms = arm("left_u", 0.2) + arm("right_u", -0.2)
    inertial = '<inertial pos="0 0 -0.14" mass="1" diaginertia="7e-3 7e-3 4e-4"/>'
    for length, kg in (("0.28", "1.5"), ("0.25", "1")):
        shape = f'<geom type="capsule" size="0.03" fromto="0 0 0 0 0 -{length}" mass="{kg}"/>'
        arms = arms.replace(shape, inertial + '<geom type="mesh" mesh="gone"/>')
    asset = '<asset><mesh name="gone" file="gone.stl"/></asset>'
    body = load_text(tmp_path, mjcf(biped(inside=arms), asset))
    assert [limb.kind for limb in body.limbs] == ["leg", "leg", "arm", "arm"]
    assert any("gone.stl" in note for note in body.notes)
    check_stands(body)


def test_hips_with_uneven_ranges_do_not_twist_the_legs(tmp_path: Path) -> None:
    text = mjcf(biped())
    for side in ("left", "right"):
        roll = f'<joint name="{side}_hip_x" axis="1 0 0"/>'
        yaw = f'<joint name="{side}_hip_z" axis="0 0 1" range="-60 60"/>'
        text = text.replace(roll, yaw + roll.replace("/>", ' range="-30 170"/>'))
    body = load_text(tmp_path, text)
    native = dict(zip(body.dof_names, body.model.numeric("native_rest").data, strict=True))
    for joint in ("left_hip_x", "right_hip_x", "left_hip_z", "right_hip_z"):
        assert native[joint] == pytest.approx(0, abs=0.02)
    check_stands(body)


@pytest.mark.parametrize(("half", "points"), [(0.02, 1), (0.08, 4)])
def test_a_small_pad_under_one_of_many_legs_is_a_point(
    tmp_path: Path, half: float, points: int
) -> None:
    foot = f'<geom type="box" size="{half} {half} 0.02" pos="0 0 -0.02"/>'
    body = load_text(tmp_path, mjcf(many_legs([0.4, -0.4], foot)))
    assert [len(f.sites) for f in body.feet] == [points] * 4
    check_stands(body)
