"""Squat poses: soles where they were, the COM as deep as asked, joints within their limits."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from amble.characters import character
from amble.control.squat import SquatPoses
from amble.motion.trace import joint_angles


@pytest.mark.parametrize("body", ("humanoid", "baby", "dinosaur", "ostrich"))
@pytest.mark.parametrize("share", (0.1, 0.22))
def test_a_squat_keeps_its_soles_and_its_limits(body: str, share: float) -> None:
    person = character(body)
    depth = share * person.com_height
    model, data = person.model, mujoco.MjData(person.model)
    poses = SquatPoses(person, model)
    sites = [model.site(site).id for foot in person.feet for site in foot.sites]
    root = model.body(person.root).id
    places = []
    for qpos in (poses.at(0.0), poses.at(depth)):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        places.append((data.site_xpos[sites].copy(), data.subtree_com[root].copy()))
    (soles, com), (lower_soles, lower_com) = places
    # Between two poses of the grid the blend is not exact.
    assert abs(lower_soles - soles).max() < 0.006 * person.com_height
    wanted = com - (0.0, 0.0, depth)
    np.testing.assert_allclose(lower_com, wanted, atol=0.006 * person.com_height)
    low, high = person.joint_limits.T
    angles = joint_angles(model, poses.at(depth)[None])[0]
    assert np.all(angles > low - 1e-3) and np.all(angles < high + 1e-3)


def test_a_deep_squat_leans_forward_from_the_hips() -> None:
    person = character("humanoid")
    qpos = SquatPoses(person, person.model).at(0.3)
    data = mujoco.MjData(person.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(person.model, data)
    for part in ("pelvis", "thorax"):
        R = data.xmat[person.model.body(person.parts[part]).id].reshape(3, 3)
        assert 15 < np.degrees(np.arctan2(R[0, 2], R[2, 2])) < 60
