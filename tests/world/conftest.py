"""A small biped with springs in its joints, so that it stands without any torque."""

from __future__ import annotations

import numpy as np
import pytest

from amble.characters.character import Character, EndEffector, Limb
from amble.world import MuJoCoWorld

SIDES = ("left", "right")
SEGMENTS = ("thigh", "shank", "foot")


def leg_xml(side: str, y: float) -> str:
    corners = [(x, dy) for x in (-0.06, 0.16) for dy in (0.04, -0.04)]
    sites = "".join(
        f'<site name="{side}_sole_{k}" pos="{x} {dy} -0.06"/>' for k, (x, dy) in enumerate(corners)
    )
    return f"""
    <body name="{side}_thigh" pos="0 {y} 0"><joint name="{side}_hip" type="ball"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.06" mass="8"/>
      <body name="{side}_shank" pos="0 0 -0.4"><joint name="{side}_knee" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.045" mass="4"/>
        <body name="{side}_foot" pos="0 0 -0.4"><joint name="{side}_ankle" axis="0 1 0"/>
          <geom type="box" pos="0.05 0 -0.03" size="0.11 0.04 0.03" mass="1"/>{sites}
        </body></body></body>"""


BIPED_XML = f"""<mujoco model="biped">
  <default><geom contype="1" conaffinity="2"/><joint stiffness="2000" damping="60"/></default>
  <worldbody>
    <body name="pelvis" pos="0 0 0.86"><freejoint name="root"/>
      <geom type="capsule" fromto="0 0 0.08 0 0 0.5" size="0.12" mass="40"/>
      <geom type="sphere" pos="0 0 0.75" size="0.11" mass="5"/>
      {leg_xml("left", 0.09)}{leg_xml("right", -0.09)}
    </body>
  </worldbody></mujoco>"""


@pytest.fixture(scope="session")
def biped() -> Character:
    return Character(
        name="biped",
        xml=BIPED_XML,
        root="pelvis",
        limbs=tuple(
            Limb(f"{s}_leg", "leg", tuple(f"{s}_{part}" for part in SEGMENTS), f"{s}_foot")
            for s in SIDES
        ),
        end_effectors=tuple(
            EndEffector(f"{s}_foot", f"{s}_foot", tuple(f"{s}_sole_{k}" for k in range(4)))
            for s in SIDES
        ),
        joint_limits=np.array([[-0.5, 0.5], [-2, 1], [-0.5, 0.5], [0, 2.5], [-1, 1]] * 2),
        torque_limits=np.array([100.0, 200, 100, 200, 50] * 2),
        parts={name: name for name in ("pelvis", *(f"{s}_{p}" for s in SIDES for p in SEGMENTS))},
    )


@pytest.fixture
def world(biped: Character) -> MuJoCoWorld:
    return MuJoCoWorld(biped)


@pytest.fixture
def standing(world: MuJoCoWorld) -> MuJoCoWorld:
    """The biped after it has settled on the ground."""
    world.step(np.zeros(10), 2000)
    return world
