"""Laws of posing: feet and centre of mass as planned, joints within limits, left like right."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from walks import Gait, human_gait, mirrored, robot_gait, standing, turned

import amble
from amble.characters.centroidal import CentroidalBody, centroidal_body
from amble.characters.character import Character
from amble.errors import InputError, UnknownName
from amble.motion.trace import joint_angles
from amble.pose.feet import FootState
from amble.pose.momentum_ik import PushedPoint
from amble.pose.poser import Poser
from amble.pose.style import styles
from amble.pose.weights import IkWeights
from amble.terrain import Flat

GAITS = {
    "humanoid": lambda body: human_gait(body, 1.2, 1.5),
    "cassie": lambda body: robot_gait(body, 0.7, 0.8, 0.6, (0.0, 0.5), 1.5, drop=0.03),
    "anymal": lambda body: robot_gait(body, 0.8, 0.6, 0.55, (0.0, 0.5, 0.5, 0.0), 1.5),
    "luxo": lambda body: robot_gait(body, 0.7, 0.8, 0.55, (0.0,), 1.5, drop=0.03),
}


def _subject(name: str) -> tuple[Character, CentroidalBody]:
    character = amble.character(name)
    return character, centroidal_body(character)


def _pose(
    poser: Poser, gait: Gait, fps: float = 60.0, seconds: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    times = np.arange(0.0, gait.seconds if seconds is None else seconds, 1 / fps)
    return times, np.array([poser.frame(t, gait.state(t), gait.contacts) for t in times])


def _feet(poser: Poser, gait: Gait, times: np.ndarray) -> list[tuple[FootState, ...]]:
    poser.feet.reset()
    hips = np.array([leg.hip_b for leg in poser.body.legs])
    return [
        poser.feet.at(t, gait.state(t), gait.contacts, gait.state(t).com_w + hips) for t in times
    ]


def _points_and_com(character: Character, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    model = character.model
    data = mujoco.MjData(model)
    sites = [model.site(s).id for e in character.end_effectors for s in e.sites]
    root = model.body(character.root).id
    points, com = [], []
    for q in qpos:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        points.append(data.site_xpos[sites])
        com.append(data.subtree_com[root].copy())
    return np.array(points), np.array(com)


@pytest.mark.parametrize("name", GAITS)
def test_feet_and_centre_of_mass_are_where_planned(name: str) -> None:
    character, body = _subject(name)
    gait = GAITS[name](body)
    poser = Poser(character, body, Flat())
    times, qpos = _pose(poser, gait)
    points, com = _points_and_com(character, qpos)
    planned = np.array([gait.state(t).com_w for t in times])
    error = np.linalg.norm(com - planned, axis=1)
    assert error.mean() < 5e-4
    assert error.max() < 4e-3
    names = [site for e in character.end_effectors for site in e.sites]
    for k, feet in enumerate(_feet(poser, gait, times)):
        for leg, foot in zip(body.legs, feet, strict=True):
            if foot.standing:
                mine = points[k, [names.index(site) for site in leg.foot.sites]]
                middle = 0.5 * (mine[:, 0].min() + mine[:, 0].max())
                along = 0.5 * (leg.effectors[0] + leg.effectors[-1])
                expected = foot.sole.position_w + along * foot.sole.R_w[:, 0]
                assert np.linalg.norm(mine.mean(axis=0)[1:] - expected[1:]) < 1e-3
                if leg.half_width > 0 or len(leg.foot.sites) == 1:
                    assert abs(middle - expected[0]) < 1e-3


@pytest.mark.parametrize("speed", [0.6, 1.6, 3.0, 6.0])
def test_no_joint_exceeds_its_limits(speed: float) -> None:
    character, body = _subject("humanoid")
    _, qpos = _pose(Poser(character, body, Flat()), human_gait(body, speed, 1.5))
    angles = joint_angles(character.model, qpos)
    low, high = character.joint_limits.T
    assert (angles >= low).all()
    assert (angles <= high).all()


def test_a_walk_is_smooth() -> None:
    character, body = _subject("humanoid")
    _, qpos = _pose(Poser(character, body, Flat()), human_gait(body, 1.2, 2.0))
    velocity = np.zeros((len(qpos) - 1, character.dof))
    for k in range(len(velocity)):
        mujoco.mj_differentiatePos(character.model, velocity[k], 1 / 60, qpos[k], qpos[k + 1])
    acceleration = np.abs(np.diff(velocity[:, 6:], axis=0)) * 60
    assert np.percentile(acceleration, 99.9) < 250
    assert acceleration.max() < 350


def test_standing_is_the_rest_pose() -> None:
    character, body = _subject("humanoid")
    _, qpos = _pose(Poser(character, body, Flat()), standing(body))
    assert np.abs(joint_angles(character.model, qpos)).max() < np.radians(3)
    assert np.abs(np.diff(qpos, axis=0)).max() < 2e-3


@pytest.mark.parametrize("speed", [1.2, 3.0])
def test_momentum_term_lessens_the_error_and_no_weight_makes_it_diverge(speed: float) -> None:
    character, body = _subject("humanoid")
    gait = human_gait(body, speed, 2.0)
    swing = {}
    for weight in (0.0, 1e-3, 1e-2, 0.1, 1.0):
        weights = replace(IkWeights.of(character), momentum=weight)
        poser = Poser(character, body, Flat(), weights=weights)
        momentum = []
        for t in np.arange(0.0, gait.seconds, 1 / 60):
            before = poser.mark()
            qpos = poser.frame(t, gait.state(t), gait.contacts)
            if before[0] is not None:
                velocity = np.empty(character.dof)
                mujoco.mj_differentiatePos(character.model, velocity, 1 / 60, before[0].qpos, qpos)
                momentum.append(poser.ik.angular_momentum(velocity))
        late = np.array(momentum[30:])
        swing[weight] = float(np.linalg.norm(late - late.mean(axis=0), axis=1).mean())
        _, com = _points_and_com(character, qpos[None])
        assert np.linalg.norm(com[0] - gait.state(t).com_w) < 0.01
    assert swing[1e-3] < 0.8 * swing[0.0]
    assert swing[1e-2] < 0.5 * swing[0.0]
    assert max(swing[0.1], swing[1.0]) < 0.5 * swing[0.0]


@pytest.mark.parametrize("name", ["humanoid", "anymal"])
def test_mirrored_motion_gives_mirrored_poses(name: str) -> None:
    character, body = _subject(name)
    gait = GAITS[name](body)
    _, qpos = _pose(Poser(character, body, Flat()), gait, seconds=1.0)
    _, other = _pose(Poser(character, body, Flat()), mirrored(gait, body), seconds=1.0)
    assert character.mirror is not None
    points, _ = _points_and_com(character, character.mirror.mirror_pose(qpos))
    others, _ = _points_and_com(character, other)
    assert np.abs(points - others).max() < 2e-3


def test_a_turned_world_gives_turned_poses() -> None:
    character, body = _subject("humanoid")
    gait = human_gait(body, 1.2, 1.0)
    _, qpos = _pose(Poser(character, body, Flat()), gait)
    _, other = _pose(Poser(character, body, Flat()), turned(gait, 2.0))
    assert np.abs(np.abs(qpos[:, 7:]) - np.abs(other[:, 7:])).max() < 1e-3


def test_the_frame_rate_does_not_matter() -> None:
    character, body = _subject("humanoid")
    gait = human_gait(body, 1.2, 1.6)
    found = {fps: _pose(Poser(character, body, Flat()), gait, fps)[1] for fps in (30, 60, 240)}
    for fps, step in ((30, 8), (60, 4)):
        angles = joint_angles(character.model, found[fps][fps // 2 :])
        finest = joint_angles(character.model, found[240][120::step])
        assert np.abs(angles - finest[: len(angles)]).max() < np.radians(240 / fps)


def test_marks_bring_back_the_same_future() -> None:
    character, body = _subject("humanoid")
    gait = human_gait(body, 1.2)
    poser = Poser(character, body, Flat())
    _pose(poser, gait, seconds=0.5)
    mark = poser.mark()
    futures = []
    for _ in range(2):
        poser.restore(mark)
        futures.append([poser.frame(t, gait.state(t), gait.contacts) for t in (0.51, 0.53, 0.6)])
    assert np.array_equal(futures[0], futures[1])
    with pytest.raises(InputError, match="not after"):
        poser.frame(0.5, gait.state(0.5), gait.contacts)


def test_a_pushed_point_yields() -> None:
    character, body = _subject("humanoid")
    gait = standing(body)
    push = PushedPoint("thorax", np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.5)
    b = character.model.body("thorax").id
    data = mujoco.MjData(character.model)
    moved = {}
    for pushed in (None, push):
        poser = Poser(character, body, Flat())
        for k in range(8):
            data.qpos[:] = poser.frame(k / 60, gait.state(0.0), gait.contacts, push=pushed)
        mujoco.mj_kinematics(character.model, data)
        moved[pushed is not None] = float(data.xpos[b, 1])
    assert abs(moved[False]) < 1e-4
    assert moved[True] > 0.01


@pytest.mark.parametrize("name", styles())
def test_every_style_poses_a_walk(name: str) -> None:
    character, body = _subject("humanoid")
    _, qpos = _pose(Poser(character, body, Flat(), name), human_gait(body, 1.0, 0.6))
    assert np.isfinite(qpos).all()


def test_an_unknown_style_names_the_nearest() -> None:
    character, body = _subject("humanoid")
    with pytest.raises(UnknownName, match="sneaky"):
        Poser(character, body, Flat(), "sneeky")
