"""Models from files walk: two real robots beside the repository, and small models made here."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from amble.characters.centroidal import centroidal_body
from amble.characters.character import Character
from amble.characters.importer import load
from amble.characters.loops import ties
from amble.motion.clip import Clip
from amble.motion.differences import rates
from amble.scenarios import scenario
from amble.scenarios.scenario import Outcome

sys.path.insert(0, str(Path(__file__).parents[1] / "characters"))
from legged_models import CAPSULE_FOOT, SPHERE_FOOT, biped, many_legs, mjcf, save

DATA = Path(os.environ.get("AMBLE_DATA", Path(__file__).parents[3] / "shared" / "data"))
MODELS = {
    "biped": biped(SPHERE_FOOT),
    "edged biped": biped(CAPSULE_FOOT),
    "quadruped": many_legs([0.4, -0.4]),
    "hexapod": many_legs([0.5, 0.0, -0.5]),
}


def robot(path: str) -> Character:
    file = DATA / "robots" / path
    if not file.is_file():
        pytest.skip(f"no robot models in {DATA}; AMBLE_DATA names another folder")
    return load(file)


def walked(body: Character, speed: float, residual: float, acceleration: float) -> Clip:
    """A walk of five seconds that keeps the laws of a planned motion."""
    chosen = scenario("humanoid-walk")
    outcome: Outcome = chosen.make(chosen.request(body, seconds=5.0, settings={"speed": speed}))
    assert outcome.reached_goal, outcome.reason
    clip, measures = outcome.clip, outcome.report["measures"]
    assert clip.qpos[-1, 0] - clip.qpos[0, 0] > 0.6 * speed * clip.seconds
    assert measures["stance_slip_mm"]["mean"] < 2 and measures["stance_slip_mm"]["max"] < 10
    assert measures["penetration_mm"]["max"] < 5
    assert measures["joint_limit_excess_deg"] < 1e-6
    assert measures["momentum_residual"] < residual
    moved = rates(body.model, clip.time, clip.qpos).acceleration[2:-2, 6:]
    assert np.abs(moved).max() < acceleration
    return clip


def test_cassie_walks_and_its_loops_stay_closed() -> None:
    body = robot("agility_cassie/cassie.xml")
    clip = walked(body, speed=1.0, residual=0.05, acceleration=600)
    data = mujoco.MjData(body.model)
    springs = [body.model.joint(f"{side}-shin").qposadr[0] for side in ("left", "right")]
    assert np.abs(clip.qpos[:, springs]).max() < np.radians(3), "stiff springs hardly give"
    for qpos in clip.qpos[::5]:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(body.model, data)
        assert max(np.linalg.norm(tie.gap(data)) for tie in ties(body.model)) < 1e-3


def test_anymal_walks_on_shanks_that_end_in_points() -> None:
    body = robot("anybotics_anymal_c/anymal_c.xml")
    for leg in centroidal_body(body).legs:
        assert leg.ankle_height == pytest.approx(0.0, abs=1e-9)
        away = leg.hip_b - leg.reference_b
        assert leg.shortest < np.linalg.norm(away) < 0.95 * leg.longest
    walked(body, speed=0.9, residual=0.15, acceleration=1500)


@pytest.mark.parametrize("name", MODELS)
def test_small_models_walk(name: str, tmp_path: Path) -> None:
    body = load(save(tmp_path, mjcf(MODELS[name])))
    walked(body, speed=0.8, residual=0.3, acceleration=6000)


def test_knees_without_limits_do_not_bend_both_ways(tmp_path: Path) -> None:
    body = load(save(tmp_path, mjcf(MODELS["quadruped"])))
    clip = walked(body, speed=0.8, residual=0.3, acceleration=6000)
    model = body.model
    data = mujoco.MjData(model)
    knees = [j for j in range(model.njnt) if model.joint(j).name.endswith("knee")]
    sides = set()
    for qpos in clip.qpos[::3]:
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        for j in knees:
            b = int(model.jnt_bodyid[j])
            thigh = data.xpos[b] - data.xpos[model.body_parentid[b]]
            (child,) = np.flatnonzero(model.body_parentid == b)
            shank = data.xpos[child] - data.xpos[b]
            sides.add((j, bool(np.cross(thigh, shank) @ data.xaxis[j] > 0)))
    assert len(sides) == len(knees)
