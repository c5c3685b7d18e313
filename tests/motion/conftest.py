"""A small biped, and clips of it with known answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from amble.characters.character import Character, EndEffector, Limb
from amble.motion.clip import Clip
from amble.terrain import Flat

MakeClip = Callable[..., Clip]


def leg(side: str, sign: int) -> str:
    corners = [(x, y) for x in (-0.06, 0.16) for y in (0.04, -0.04)]
    sites = "".join(
        f'<site name="{side}_sole_{k}" pos="{x} {y} -0.06"/>' for k, (x, y) in enumerate(corners)
    )
    return f"""
    <body name="{side}_thigh" pos="0 {0.09 * sign} 0"><joint name="{side}_hip" type="ball"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.06" mass="8" rgba=".3 .35 .5 1"/>
      <body name="{side}_shank" pos="0 0 -0.4"><joint name="{side}_knee" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.045" mass="4" rgba=".3 .35 .5 1"/>
        <body name="{side}_foot" pos="0 0 -0.4"><joint name="{side}_ankle" axis="0 1 0"/>
          <geom type="box" pos="0.05 0 -0.03" size="0.11 0.04 0.03" mass="1" contype="1"
            conaffinity="2" rgba=".15 .15 .2 1"/>{sites}
        </body></body></body>"""


BIPED_XML = f"""<mujoco model="biped"><worldbody>
  <body name="pelvis" pos="0 0 0.86"><freejoint name="root"/>
    <geom type="capsule" fromto="0 0 0.08 0 0 0.5" size="0.12" mass="40" contype="1" conaffinity="2"
      rgba=".85 .5 .3 1"/>
    <geom type="sphere" pos="0 0 0.75" size="0.11" mass="5" contype="1" conaffinity="2"
      rgba=".9 .75 .62 1"/>
    {leg("left", 1)}{leg("right", -1)}
  </body></worldbody></mujoco>"""


@pytest.fixture(scope="session")
def biped() -> Character:
    sides = ("left", "right")
    return Character(
        name="biped",
        xml=BIPED_XML,
        root="pelvis",
        limbs=tuple(
            Limb(f"{s}_leg", "leg", (f"{s}_thigh", f"{s}_shank", f"{s}_foot"), f"{s}_foot")
            for s in sides
        ),
        end_effectors=tuple(
            EndEffector(f"{s}_foot", f"{s}_foot", tuple(f"{s}_sole_{k}" for k in range(4)))
            for s in sides
        ),
        joint_limits=np.array([[-0.5, 0.5], [-2, 1], [-0.5, 0.5], [0, 2.5], [-1, 1]] * 2),
        torque_limits=np.array([100.0, 200, 100, 200, 0] * 2),
        parts={
            name: name
            for name in ("pelvis", *(f"{s}_{p}" for s in sides for p in ("thigh", "shank", "foot")))
        },
    )


@pytest.fixture
def make_clip(biped: Character) -> MakeClip:
    """`make_clip(seconds, fps, **fields)`: the biped at rest on flat ground, but for `fields`."""

    def make(seconds: float = 1.0, fps: float = 100.0, **fields: Any) -> Clip:
        T, P, model = round(seconds * (fps or 100)) + 1, 8, biped.model
        weight_w = np.array([0, 0, biped.mass * 9.81])
        given: dict[str, Any] = {
            "character": biped,
            "terrain": Flat(),
            "fps": fps,
            "time": np.linspace(0.0, seconds, T),
            "qpos": np.tile(model.qpos0, (T, 1)),
            "qvel": np.zeros((T, model.nv)),
            "torque": np.zeros((T, model.nv - 6)),
            "touching": np.ones((T, P), dtype=bool),
            "contact_force_w": np.tile(weight_w / P, (T, P, 1)),
            "other_force_w": np.zeros((T, 3)),
            "ground_force_w": np.tile(weight_w, (T, 1)),
            "external_force_w": np.zeros((T, 3)),
        }
        return Clip(**(given | fields))

    return make
