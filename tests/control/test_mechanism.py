"""What a mechanism dictates: closed loops stay closed, joints without a motor get no torque."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from amble.characters.importer import load
from amble.control.balance import Balance
from amble.features.frame import Position
from amble.features.state import BodyState
from amble.scenarios import scenario
from amble.world import MuJoCoWorld

SIDES = {"left": 0.12, "right": -0.12}

# A rod behind each thigh, held parallel to it by a link: rod and link have no motor.
LEG = """
<body name="{side}_thigh" pos="0 {y} 0">
  <joint name="{side}_hip" axis="0 1 0" range="-60 60"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03" mass="2"/>
  <body name="{side}_shank" pos="0 0 -.4">
    <joint name="{side}_knee" axis="0 1 0" range="-90 90"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.35" size=".025" mass="1"/>
    <body name="{side}_foot" pos="0 0 -.35">
      <joint name="{side}_pitch" axis="0 1 0" range="-60 60"/>
      <joint name="{side}_roll" axis="1 0 0" range="-40 40"/>
      <geom type="box" pos=".03 0 -.03" size=".12 .045 .02" mass=".6"/>
    </body>
  </body>
</body>
<body name="{side}_rod" pos="-.08 {y} 0">
  <joint name="{side}_rod" axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".012" mass=".3" contype="0" conaffinity="0"/>
  <body name="{side}_link" pos="0 0 -.4">
    <joint name="{side}_link" axis="0 1 0" damping=".1"/>
    <geom type="capsule" fromto="0 0 0 .08 0 0" size=".01" mass=".1" contype="0" conaffinity="0"/>
  </body>
</body>
"""
CONNECT = '<connect body1="{side}_link" body2="{side}_thigh" anchor=".08 0 0"/>'
MOTORS = "".join(
    f'<motor joint="{side}_{joint}" ctrlrange="-150 150"/>'
    for side in SIDES
    for joint in ("hip", "knee", "pitch", "roll")
)


@pytest.fixture
def world(tmp_path: Path) -> MuJoCoWorld:
    legs = "".join(LEG.format(side=side, y=y) for side, y in SIDES.items())
    loops = "".join(CONNECT.format(side=side) for side in SIDES)
    text = f"""<mujoco><worldbody><body name="pelvis" pos="0 0 .8"><freejoint/>
      <geom type="box" pos="0 0 .15" size=".1 .15 .15" mass="20"/>{legs}</body></worldbody>
      <equality>{loops}</equality><actuator>{MOTORS}</actuator></mujoco>"""
    file = tmp_path / "linkage.xml"
    file.write_text(text)
    return MuJoCoWorld(load(file))


def loop_ends(model: mujoco.MjModel, k: int) -> tuple[Position, Position]:
    """The two points that loop k holds together."""
    first, second = model.eq_data[k, :3], model.eq_data[k, 3:6]
    ends = (model.eq_obj1id[k], first), (model.eq_obj2id[k], second)
    return tuple(Position(int(body), tuple(at)) for body, at in ends)  # type: ignore[return-value]


def test_loops_stay_closed_and_only_inner_forces_close_them(world: MuJoCoWorld) -> None:
    balance = Balance(world.character, world.model, world.data, world.terrain)
    for _ in range(40):
        world.step(balance.torque(world.time), 2)
    body = balance.body
    balance.torque(world.time)
    state = BodyState(world.model, world.data, world.model.body("pelvis").id)
    torque_limits = world.character.torque_limits
    np.testing.assert_array_equal(body.torque[torque_limits == 0], 0)

    rows = []
    for k in range(world.model.neq):
        a, b = loop_ends(world.model, k)
        J = a.jacobian(state) - b.jacobian(state)
        apart = J @ body.acceleration + a.drift(state) - b.drift(state)
        gap = a.value(state) - b.value(state)
        closing = -400 * gap - 40 * J @ world.data.qvel
        np.testing.assert_allclose(apart[[0, 2]], closing[[0, 2]], atol=1e-6)
        rows.append(J)
    # M q̈ + h = [0; τ] + Jᵀ f + J_lᵀ μ: what is left over must be a force in the loops.
    left = state.mass_matrix @ body.acceleration + state.bias
    left[6:] -= body.torque
    for point, force in zip(body.contact_points, body.forces_w, strict=False):
        site = world.model.site(body.site_names[point])
        left -= Position(int(site.bodyid[0]), tuple(site.pos)).jacobian(state).T @ force
    J_loops = np.vstack(rows)
    found = np.linalg.lstsq(J_loops.T, left, rcond=1e-6)[0]
    assert np.linalg.norm(J_loops.T @ found - left) <= 1e-6 * np.linalg.norm(state.bias)
    assert np.linalg.norm(found) > 0.1, "the loops do carry something"


def test_a_body_with_closed_loops_stands(world: MuJoCoWorld) -> None:
    chosen = scenario("balance")
    outcome = chosen.make(chosen.request(world.character, seconds=3.0))
    assert outcome.reached_goal, outcome.reason
    assert outcome.report["measures"]["com_drift_mm"] < 10
