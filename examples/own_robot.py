"""Bring your own robot: any legged MJCF or URDF file. Here a small biped, written on the spot."""

import tempfile
from pathlib import Path

import amble
from amble.characters.describe import describe

LEG = """
<body name="{side}_thigh" pos="0 {y} 0">
  <joint type="ball" range="0 90"/> <geom fromto="0 0 0 0.05 0 -0.3"/>
  <body name="{side}_shank" pos="0.05 0 -0.3">
    <joint axis="0 1 0" range="-30 120"/> <geom fromto="0 0 0 -0.05 0 -0.3"/>
    <body name="{side}_foot" pos="-0.05 0 -0.3">
      <joint axis="0 1 0" range="-40 40"/> <joint axis="1 0 0" range="-30 30"/>
      <geom type="box" size="0.1 0.04 0.02" pos="0.04 0 -0.04"/>
    </body>
  </body>
</body>"""
ROBOT = f"""
<mujoco model="strider">
  <default> <geom type="capsule" size="0.03"/> </default>
  <worldbody>
    <body name="pelvis" pos="0 0 0.66"> <freejoint/> <geom type="box" size="0.08 0.12 0.08"/>
      {LEG.format(side="left", y=0.1)} {LEG.format(side="right", y=-0.1)}
    </body>
  </worldbody>
</mujoco>"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "strider.xml"
    path.write_text(ROBOT)
    robot = amble.character(path)
    # Whatever it found can be said better in a few lines, here or in strider.amble.toml beside it.
    weaker = amble.character(path, overrides={"torque_limits": {"left_shank_joint": 20.0}})

print(describe(robot))
print(f"left knee: {weaker.torque_limits.min():.0f} N m instead of {robot.torque_limits.min():.0f}")
balance = amble.scenario("balance")
print(balance.make(balance.request(robot, seconds=1.0)).reason)
