"""The compiled inverse kinematics against its twin in numpy and MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from momentum_ik_twin import MomentumIkTwin

import amble
from amble.characters.centroidal import CentroidalBody, centroidal_body
from amble.characters.character import Character
from amble.characters.importer import load
from amble.geometry.rotations import matrix_from_quat, quat_from_rotvec
from amble.pose.feet import FootState
from amble.pose.momentum_ik import MANY_ITERATIONS, Goal, Last, MomentumIk, PushedPoint
from amble.sketch.contact import Sole

SUBJECTS = ("humanoid", "luxo", "cassie", "anymal", "telescopic", "looped")
LOOPS = """<equality>
    <connect body1="left_front_shank" body2="right_front_shank" anchor="0 0 -0.1"/>
    <weld body1="left_hind_thigh" body2="right_hind_thigh"/>
  </equality></mujoco>"""
LEG = """
    <body name="{name}_a" pos="0 {y} -0.1">
      <joint name="{name}_hip_x" axis="1 0 0"/><joint name="{name}_hip_y" axis="0 1 0"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.3" mass="4"/>
      <body name="{name}_b" pos="0 0 -0.4">
        <joint name="{name}_shin" type="slide" axis="0 0 -1" range="-0.15 0.15" limited="true"/>
        <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.36" mass="2"/>
        <body name="{name}_c" pos="0 0 -0.4">
          <joint name="{name}_ankle_y" axis="0 1 0"/><joint name="{name}_ankle_x" axis="1 0 0"/>
          <geom type="box" size="0.1 0.04 0.02" pos="0.04 0 -0.06" mass="1"/>
        </body>
      </body>
    </body>"""


def _character(name: str, folder: Path) -> Character:
    if name == "looped":
        plain = amble.character("anymal")
        return replace(plain, xml=plain.xml.replace("</mujoco>", LOOPS))
    if name != "telescopic":
        return amble.character(name)
    path = folder / "telescopic.xml"
    legs = "".join(LEG.format(name=n, y=y) for n, y in (("left", 0.1), ("right", -0.1)))
    path.write_text(
        f"""<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint/>
        <geom type="box" size="0.08 0.12 0.1" mass="20"/>{legs}</body></worldbody></mujoco>"""
    )
    return load(path)


def _goal(
    rng: np.random.Generator, ik: MomentumIk, body: CentroidalBody, size: float
) -> tuple[Goal, np.ndarray, Last]:
    """A goal `size` [rad] away from the rest pose, a pose to start from, the frame before."""
    model = ik.character.model

    def pose(size: float) -> np.ndarray:
        qpos = ik.character.rest_qpos()
        mujoco.mj_integratePos(model, qpos, size * rng.standard_normal(model.nv), 1.0)
        return qpos

    com_w, _ = ik.place(ik.character.rest_qpos())
    feet = []
    for leg in body.legs:
        R = matrix_from_quat(quat_from_rotvec(size * rng.standard_normal(3)))
        at = com_w + leg.reference_b + 0.3 * size * rng.standard_normal(3)
        standing = bool(rng.integers(2))
        load = 1.0 if standing else float(rng.uniform())
        pivot = leg.effectors[int(rng.integers(len(leg.effectors)))]
        feet.append(FootState(Sole(at, R), standing, load, at, 0.0, pivot))
    push = None
    if rng.integers(2):
        direction = rng.standard_normal(3)
        b = int(rng.integers(1, model.nbody))
        point_b = 0.1 * rng.standard_normal(3)
        push = PushedPoint(b, point_b, direction / np.linalg.norm(direction), 0.3)
    aim_w = com_w + 0.3 * size * rng.standard_normal(3)
    goal = Goal(feet, aim_w, 2 * size * rng.standard_normal(3), pose(size), push)
    return goal, pose(size), (pose(size), pose(size), 1 / 60)


def _difference(model: mujoco.MjModel, a: np.ndarray, b: np.ndarray) -> float:
    found = np.empty(model.nv)
    mujoco.mj_differentiatePos(model, found, 1.0, a, b)
    return float(np.abs(found).max())


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("size", [0.02, 0.1])
def test_core_and_twin_find_the_same_pose(name: str, size: float, tmp_path: Path) -> None:
    character = _character(name, tmp_path)
    body = centroidal_body(character)
    ik, twin = MomentumIk(character, body), MomentumIkTwin(character, body)
    rng = np.random.default_rng(3)
    for _ in range(20):
        goal, start, last = _goal(rng, ik, body, size)
        for before in (None, last):
            found = ik.solve(goal, start, before)
            assert _difference(character.model, twin.solve(goal, start, before), found) < 1e-8
            for a, b in zip(ik.place(found), twin.place(found), strict=True):
                np.testing.assert_allclose(a, b, atol=1e-12)
            assert ik.foot_error() == pytest.approx(twin.foot_error(goal.feet), abs=1e-12)
            velocity = rng.standard_normal(character.dof)
            expected = twin.angular_momentum(velocity)
            np.testing.assert_allclose(ik.angular_momentum(velocity), expected, atol=1e-10)


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_pose_found_is_within_its_limits_and_found_again(name: str, tmp_path: Path) -> None:
    character = _character(name, tmp_path)
    body = centroidal_body(character)
    ik = MomentumIk(character, body)
    rng = np.random.default_rng(5)
    for _ in range(10):
        goal, start, last = _goal(rng, ik, body, 0.3)
        qpos = ik.solve(goal, start, last, iterations=MANY_ITERATIONS)
        angles = ik.limits.angles(qpos)
        assert (angles >= character.joint_limits[:, 0]).all()
        assert (angles <= character.joint_limits[:, 1]).all()
        np.testing.assert_array_equal(qpos, ik.solve(goal, start, last, iterations=MANY_ITERATIONS))


def test_what_is_not_finite_is_refused() -> None:
    character = amble.character("luxo")
    ik = MomentumIk(character, centroidal_body(character))
    goal, start, _ = _goal(np.random.default_rng(0), ik, ik.body, 0.1)
    start[8] = np.nan
    with pytest.raises(RuntimeError, match="not finite"):
        ik.solve(goal, start)
