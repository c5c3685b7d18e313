"""The two real robots: meshes, closed loops and springs. The data lies beside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import mujoco
import numpy as np
import pytest
from legged_models import check_runs, check_stands

from amble.characters.describe import describe
from amble.characters.importer import load
from amble.scenarios import scenario
from amble.world import Push

DATA = Path(os.environ.get("AMBLE_DATA", Path(__file__).parents[3] / "shared" / "data"))


def robot(path: str) -> Path:
    file = DATA / "robots" / path
    if not file.is_file():
        pytest.skip(f"no robot models in {DATA}; AMBLE_DATA names another folder")
    return file


@pytest.mark.parametrize("file", ["cassie.xml", "scene.xml"])
def test_cassie(file: str) -> None:
    body = load(robot(f"agility_cassie/{file}"))
    assert [foot.body for foot in body.feet] == ["left-foot", "right-foot"]
    assert [len(foot.sites) for foot in body.feet] == [2, 2], "a capsule touches at heel and toe"
    assert [limb.kind for limb in body.limbs] == ["leg", "leg"]
    assert body.model.neq == 4 and "closed loops        4" in describe(body)
    torque = dict(zip(body.dof_names, body.torque_limits, strict=True))
    assert torque["left-knee"] == pytest.approx(12.2 * 16)
    assert torque["left-shin"] == torque["left-heel-spring"] == 0
    assert body.model.joint("left-shin").stiffness[0] == 1500
    data = mujoco.MjData(body.model)
    mujoco.mj_forward(body.model, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-6, "loops are closed at rest"
    check_stands(body)
    check_runs(body, seconds=0.15)  # its springs give 5 cm, and without balance it then tips


@pytest.mark.slow
@pytest.mark.parametrize("file", ["agility_cassie/cassie.xml", "anybotics_anymal_c/anymal_c.xml"])
def test_the_robots_stand_and_are_pushed(file: str) -> None:
    body = load(robot(file))
    chosen = scenario("balance")
    push = Push(body.root, (0.25 * 9.81 * body.mass, 0.0, 0.0), start=2.0, seconds=0.1)
    outcome = chosen.make(chosen.request(body, seconds=6.0, pushes=(push,)))
    assert outcome.reached_goal, outcome.reason
    quiet = chosen.make(chosen.request(body, seconds=2.0))
    assert quiet.report["measures"]["com_drift_mm"] < 2


@pytest.mark.slow
@pytest.mark.parametrize("file", ["anymal_c.xml", "scene.xml"])
def test_anymal(file: str) -> None:
    body = load(robot(f"anybotics_anymal_c/{file}"))
    sides = ["left_front", "right_front", "left_hind", "right_hind"]
    assert [foot.name for foot in body.feet] == [f"{side}_foot" for side in sides]
    assert [foot.body for foot in body.feet] == [f"{x}_SHANK" for x in ("LF", "RF", "LH", "RH")]
    assert [len(foot.sites) for foot in body.feet] == [1, 1, 1, 1]
    assert set(body.torque_limits) == {80.0}
    assert body.part("left_hind_thigh") == "LH_THIGH"
    check_stands(body)
    check_runs(body)
