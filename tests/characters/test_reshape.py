"""Laws of reshaping: a scaled body equals one built at that size, and scaling back undoes it."""

import copy
from itertools import product

import mujoco
import numpy as np
import pytest

from amble.characters import character, character_names
from amble.characters.blueprint import (
    ORIGIN,
    Blueprint,
    Hinge,
    Segment,
    Shape,
    Sole,
    X,
    Y,
    box,
    capsule,
    ellipsoid,
)
from amble.characters.builder import build
from amble.characters.character import Limb
from amble.characters.reshape import Scale, long_axis, scale_segment
from amble.errors import InputError, UnknownName
from amble.geometry.rotations import matrix_from_quat

LENGTH, GIRTH = 1.7, 1.3


def leg_model(length: float = 1.0, girth: float = 1.0) -> mujoco.MjModel:
    """A thigh of the given size, between a pelvis and a foot.

    The joints have neither friction nor rotors: the builder chooses those by the whole body's mass.
    """
    shapes: tuple[Shape, ...] = (
        box((0, 0, -0.2 * length), (0.05 * girth, 0.04 * girth, 0.2 * length)),
        ellipsoid((0.02 * girth, 0, -0.1 * length), (0.07 * girth, 0.06 * girth, 0.1 * length)),
    )
    segments = (
        Segment("pelvis", "", 10.0, (ellipsoid(ORIGIN, (0.1, 0.15, 0.1)),)),
        Segment(
            "thigh",
            "pelvis",
            8.0 * length * girth**2,
            shapes,
            at=(0, 0.1, 0),
            joint=(Hinge(Y, (-90, 90), 100.0, rest=-20),),
            joint_name="hip",
        ),
        Segment(
            "foot",
            "thigh",
            1.0,
            (ellipsoid((0.05, 0, -0.03), (0.12, 0.04, 0.03)),),
            at=(0, 0, -0.4 * length),
            joint=(Hinge(Y, (-60, 60), 50.0, rest=20, suffix="y"), Hinge(X, (-20, 20), 50.0)),
            joint_name="ankle",
            contact=Sole(-0.07, 0.17, 0.08, 0.06),
        ),
    )
    limb = Limb("leg", "leg", ("thigh", "foot"), "foot")
    model = build(Blueprint("leg", 1.0, segments, (limb,), "")).model
    model.dof_armature[:] = model.dof_damping[:] = 0.0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def inertia_in_body(model: mujoco.MjModel, body: str) -> np.ndarray:
    b = model.body(body)
    R = matrix_from_quat(b.iquat)
    return R @ np.diag(b.inertia) @ R.T


def test_scaled_segment_equals_one_built_at_that_size() -> None:
    scaled, built = leg_model(), leg_model(LENGTH, GIRTH)
    scale_segment(scaled, "thigh", LENGTH, GIRTH)
    for field in ("body_mass", "body_ipos", "geom_pos", "geom_size", "geom_rbound", "geom_aabb"):
        np.testing.assert_allclose(getattr(scaled, field), getattr(built, field), atol=1e-9)
    np.testing.assert_allclose(scaled.body_pos[2:], built.body_pos[2:], atol=1e-9)
    np.testing.assert_allclose(scaled.body_invweight0, built.body_invweight0, rtol=1e-6)
    expected = inertia_in_body(built, "thigh")
    np.testing.assert_allclose(inertia_in_body(scaled, "thigh"), expected, atol=1e-9)


def test_scaled_segment_moves_like_one_built_at_that_size() -> None:
    scaled, built = leg_model(), leg_model(LENGTH, GIRTH)
    scale_segment(scaled, "thigh", LENGTH, GIRTH)
    states = []
    for model in (scaled, built):
        data = mujoco.MjData(model)
        data.qvel[:] = np.linspace(-1, 1, model.nv)
        data.qpos[7:] = 0.3
        for _ in range(50):
            mujoco.mj_step(model, data)
        states.append(np.concatenate([data.qpos[:2], data.qpos[3:], data.qvel]))
    np.testing.assert_allclose(states[0], states[1], atol=1e-8)


@pytest.mark.parametrize(
    "geom",
    [
        '<geom type="capsule" fromto="0 0 0 .3 0 .3" size=".05"/>',
        '<geom type="cylinder" fromto="0 0 0 0 0 -.4" size=".05"/>',
        '<geom type="box" pos="0 0 -.2" size=".05 .04 .2"/>',
        '<geom type="ellipsoid" pos=".1 0 -.2" euler="10 20 30" size=".05 .04 .2"/>',
        '<geom type="sphere" pos="0 0 -.1" size=".1"/>',
    ],
)
def test_scaling_back_undoes_it(geom: str) -> None:
    inside = f'<freejoint/>{geom}<site pos=".1 .2 .3"/><body pos="0 0 -.4">{geom}</body>'
    body = f'<body name="a">{inside}</body>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    inertia = inertia_in_body(model, "a")
    fields = ("body_mass", "body_pos", "body_ipos", "geom_pos", "geom_size", "site_pos", "bvh_aabb")
    before = {field: getattr(model, field).copy() for field in fields}
    scale_segment(model, "a", LENGTH, GIRTH)
    scale_segment(model, "a", 1 / LENGTH, 1 / GIRTH)
    tilted = (
        "capsule" in geom or "euler" in geom
    )  # its principal axes turn: compare what is physical
    for field in fields:
        if not (tilted and field == "bvh_aabb"):
            np.testing.assert_allclose(getattr(model, field), before[field], atol=1e-9)
    np.testing.assert_allclose(inertia_in_body(model, "a"), inertia, atol=1e-9)


@pytest.mark.parametrize("kind", ["box", "ellipsoid"])
def test_inertia_of_a_scaled_solid_is_that_of_the_scaled_shape(kind: str) -> None:
    body = '<body name="a"><freejoint/><geom type="{}" size="{} {} {}"/></body>'
    xml = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml.format(kind, 0.1, 0.2, 0.3))
    scale_segment(model, "a", length=2.0, girth=0.5)
    direct = mujoco.MjModel.from_xml_string(xml.format(kind, 0.2, 0.1, 0.15))
    np.testing.assert_allclose(model.body("a").mass, direct.body("a").mass, rtol=1e-9)
    np.testing.assert_allclose(inertia_in_body(model, "a"), inertia_in_body(direct, "a"), rtol=1e-9)


SHAPE = ("body_pos", "body_mass", "body_ipos", "geom_pos", "geom_size", "site_pos", "geom_aabb")
DERIVED = ("geom_rbound", "body_subtreemass", "body_invweight0", "dof_invweight0")
FACTORS = ((2.0, 1.0, None), (1.0, 2.0, None), (1.0, 1.0, 2.0), (0.5, 3.0, 0.7), (1.7, 0.4, None))


@pytest.mark.parametrize("name", character_names())
def test_every_part_of_every_body_can_be_scaled_and_scaled_back(name: str) -> None:
    body = character(name)
    for part, (length, girth, mass) in product(body.parts.values(), FACTORS):
        before, model = body.model, copy.copy(body.model)
        b = model.body(part).id
        scale_segment(model, part, length, girth, mass)
        factor = length * girth**2 if mass is None else mass
        assert model.body_mass[b] == pytest.approx(factor * before.body_mass[b], rel=1e-12)
        total = before.body_mass.sum() + (factor - 1) * before.body_mass[b]
        assert model.body_subtreemass[0] == pytest.approx(total, rel=1e-12)
        moments = np.sort(model.body_inertia[b])
        assert moments[0] > 0 and moments[2] <= moments[0] + moments[1] + 1e-9 * moments[2]
        scale_segment(model, part, 1 / length, 1 / girth, None if mass is None else 1 / mass)
        for field in (*SHAPE, *DERIVED):
            old = getattr(before, field)
            np.testing.assert_allclose(
                getattr(model, field), old, rtol=1e-12, atol=1e-12 * abs(old).max(), err_msg=field
            )
        inertia = inertia_in_body(before, part)
        np.testing.assert_allclose(
            inertia_in_body(model, part), inertia, atol=1e-12 * abs(inertia).max()
        )


@pytest.mark.parametrize("name", character_names())
def test_many_small_steps_are_one_large_one(name: str) -> None:
    """Also where a segment becomes wider than long on the way."""
    body = character(name)
    for part in body.parts.values():
        once, often = copy.copy(body.model), copy.copy(body.model)
        scale_segment(once, part, 0.5, 3.0)
        for _ in range(8):
            scale_segment(often, part, 0.5 ** (1 / 8), 3.0 ** (1 / 8))
        for field in ("body_pos", "body_mass", "body_ipos", "geom_pos", "site_pos"):
            np.testing.assert_allclose(getattr(often, field), getattr(once, field), atol=1e-9)
        inertia = inertia_in_body(once, part)
        np.testing.assert_allclose(
            inertia_in_body(often, part), inertia, atol=1e-9 * abs(inertia).max()
        )


@pytest.mark.parametrize("name", character_names())
def test_children_move_with_the_length_and_the_rest_stays(name: str) -> None:
    body = character(name)
    for part in body.parts.values():
        model, before = copy.copy(body.model), body.model
        scale_segment(model, part, 2.0, 1.0)
        b = model.body(part).id
        axis = long_axis(before, b)
        for other in range(1, model.nbody):
            moved = model.body_pos[other] - before.body_pos[other]
            along = (before.body_pos[other] @ axis) * axis
            expected = along if before.body_parentid[other] == b else np.zeros(3)
            np.testing.assert_allclose(moved, expected, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in character_names() if name != "asymmetric"])
def test_both_sides_scaled_alike_stay_mirror_images(name: str) -> None:
    body, rng = character(name), np.random.default_rng(0)
    pairs = [word for word in body.parts if "left" in word] or list(body.parts)
    for word in pairs:
        scale = Scale(length=1.7, girth=1.2)
        changed = body.reshaped({word: scale, word.replace("left", "right"): scale})
        mirror, model = changed.mirror, changed.model
        assert mirror is not None
        assert changed.mass > body.mass
        pose = changed.rest_qpos()
        mujoco.mj_integratePos(model, pose, 0.3 * rng.normal(size=model.nv), 1.0)
        one, other = mujoco.MjData(model), mujoco.MjData(model)
        one.qpos, other.qpos = pose, mirror.mirror_pose(pose)
        for data in (one, other):
            mujoco.mj_forward(model, data)
        np.testing.assert_allclose(other.xipos, one.xipos[mirror.bodies] * [1, -1, 1], atol=1e-9)


def test_only_the_scaled_segment_changes_mass() -> None:
    model = character("humanoid").model.__copy__()
    before = model.body_mass.copy()
    scale_segment(model, "left_thigh", 2.0, 1.0)
    ratio = model.body_mass[1:] / before[1:]
    assert ratio[model.body("left_thigh").id - 1] == pytest.approx(2.0)
    assert np.count_nonzero(np.abs(ratio - 1) > 1e-12) == 1
    scale_segment(model, "left_thigh", 1.5, 1.5, mass=1.0)
    assert model.body("left_thigh").mass[0] == pytest.approx(
        2 * before[model.body("left_thigh").id]
    )


def test_a_longer_foot_stays_flat() -> None:
    body = character("humanoid").reshaped({"left_foot": Scale(length=1.5, girth=1.2)})
    data = mujoco.MjData(body.model)
    mujoco.mj_forward(body.model, data)
    corners = np.array([data.site(site).xpos for site in body.feet[0].sites])
    np.testing.assert_allclose(corners[:, 2], 0, atol=1e-9)
    usual = character("humanoid")
    rest = mujoco.MjData(usual.model)
    mujoco.mj_forward(usual.model, rest)
    before = np.array([rest.site(site).xpos for site in usual.feet[0].sites])
    assert np.ptp(corners[:, 0]) == pytest.approx(1.5 * np.ptp(before[:, 0]))
    sole = body.model.geom("left_foot_sole")
    bottom = data.geom("left_foot_sole").xpos[2] - sole.size[2]
    assert bottom == pytest.approx(0, abs=1e-9)


def test_reshaped_character_stands_on_the_ground_and_is_stronger() -> None:
    usual = character("humanoid")
    longer = usual.reshaped({"left_thigh": Scale(length=2), "right_thigh": Scale(length=2)})
    assert longer.leg_length > 1.4 * usual.leg_length
    data = mujoco.MjData(longer.model)
    mujoco.mj_forward(longer.model, data)
    assert min(data.site(s).xpos[2] for f in longer.feet for s in f.sites) == pytest.approx(
        0, abs=1e-9
    )
    names = usual.dof_names
    ratio = dict(zip(names, longer.torque_limits / usual.torque_limits, strict=True))
    assert ratio["left_knee"] > 1.5
    assert ratio["left_elbow"] == ratio["lumbar_y"] == 1.0
    assert usual.leg_length == pytest.approx(character("humanoid").leg_length), (
        "the original is kept"
    )


def test_scaled_feet_still_collide() -> None:
    """The simulator's own bounding boxes must follow, or a longer foot falls through the floor."""
    body = character("humanoid").reshaped(
        {"left_foot": Scale(length=3), "right_foot": Scale(length=3)}
    )
    spec = body.spec()
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.1, 2, 0.1],
        pos=[0.5, 0, -0.1],
        contype=3,
        conaffinity=3,
    )
    model = body.compile(spec)
    data = mujoco.MjData(model)
    data.qpos[2] -= 0.001
    mujoco.mj_forward(model, data)
    touching = {model.geom(g).name for g in data.contact.geom.ravel()}
    assert {"left_foot_sole", "right_foot_sole"} <= touching


@pytest.mark.parametrize("factor", [0.0, -1.0, 1e-9, 1e9, float("nan"), float("inf"), "long"])
@pytest.mark.parametrize("size", ["length", "girth", "mass"])
def test_impossible_factors_are_refused(size: str, factor: float) -> None:
    with pytest.raises(InputError, match=f"{size} = .* positive factor from 0.01 to 100"):
        Scale(**{size: factor})
    with pytest.raises(InputError, match="positive factor"):
        scale_segment(leg_model(), "thigh", **({"length": 1.0, "girth": 1.0} | {size: factor}))


def test_unknown_segments_are_refused() -> None:
    with pytest.raises(UnknownName, match="thigh"):
        scale_segment(leg_model(), "thig", 2.0, 1.0)
    with pytest.raises(UnknownName, match="left_thigh"):
        character("humanoid").reshaped({"left_tigh": Scale(length=2)})


def test_capsule_limb_keeps_its_axis() -> None:
    shapes = (capsule((0, 0, 0), (0.1, 0, -0.4), 0.05),)
    segments = (
        Segment("pelvis", "", 1.0, (ellipsoid(ORIGIN, (0.1, 0.1, 0.1)),)),
        Segment("thigh", "pelvis", 1.0, shapes, joint=(Hinge(Y, (-9, 9), 1.0),), joint_name="hip"),
        Segment(
            "foot",
            "thigh",
            1.0,
            (ellipsoid(ORIGIN, (0.1, 0.05, 0.02)),),
            at=(0.1, 0, -0.4),
            joint=(Hinge(Y, (-9, 9), 1.0),),
            joint_name="ankle",
            contact=Sole(-0.1, 0.1, 0.1, 0.02),
        ),
    )
    limb = Limb("leg", "leg", ("thigh", "foot"), "foot")
    model = build(Blueprint("capsule", 1.0, segments, (limb,), "")).model
    scale_segment(model, "thigh", 2.0, 1.0)
    geom = np.flatnonzero(model.geom_bodyid == model.body("thigh").id)[0]
    assert model.geom_size[geom, 0] == pytest.approx(0.05)
    assert model.geom_size[geom, 1] == pytest.approx(np.hypot(0.1, 0.4))
    axis = matrix_from_quat(model.geom_quat[geom])[:, 2]
    tip = model.geom_pos[geom] - axis * model.geom_size[geom, 1]
    np.testing.assert_allclose(tip, model.body("foot").pos, atol=1e-9)
