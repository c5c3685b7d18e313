"""Small legged models as MJCF and URDF text, and the laws every imported one must keep."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
from scipy.optimize import nnls

from amble.characters import Character
from amble.characters.importer import load

BOX_FOOT = '<geom type="box" size="0.1 0.04 0.02" pos="0.04 0 -0.06"/>'
SPHERE_FOOT = '<geom type="sphere" size="0.03" pos="0 0 -0.02"/>'
CAPSULE_FOOT = '<geom type="capsule" size="0.03" fromto="-0.08 0 -0.05 0.12 0 -0.05"/>'


def save(folder: Path, text: str, name: str = "model.xml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def mjcf(root: str, extra: str = "") -> str:
    return f"<mujoco><worldbody>{root}</worldbody>{extra}</mujoco>"


def leg(name: str, x: float, y: float, foot: str = BOX_FOOT, limits: str = "") -> str:
    """Hip (roll, pitch), knee, ankle (pitch, roll); thigh and shank of 0.4 m, straight at zero."""
    return f"""
    <body name="{name}_a" pos="{x} {y} -0.1">
      <joint name="{name}_hip_x" axis="1 0 0"/><joint name="{name}_hip_y" axis="0 1 0"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.4" mass="4"/>
      <body name="{name}_b" pos="0 0 -0.4">
        <joint name="{name}_knee" axis="0 1 0" {limits}/>
        <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.36" mass="2"/>
        <body name="{name}_c" pos="0 0 -0.4">
          <joint name="{name}_ankle_y" axis="0 1 0"/><joint name="{name}_ankle_x" axis="1 0 0"/>
          {foot.replace("/>", ' mass="1"/>')}
        </body>
      </body>
    </body>"""


def arm(name: str, y: float) -> str:
    return f"""
    <body name="{name}_a" pos="0 {y} 0.5">
      <joint name="{name}_shoulder" axis="0 1 0"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.28" mass="1.5"/>
      <body name="{name}_b" pos="0 0 -0.3">
        <joint name="{name}_elbow" axis="0 1 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.25" mass="1"/>
      </body>
    </body>"""


def biped(foot: str = BOX_FOOT, left: str = "left", right: str = "right", inside: str = "") -> str:
    return f"""
    <body name="base" pos="0 0 1"><freejoint/>
      <geom type="box" size="0.08 0.12 0.1" mass="20"/>
      {leg(left, 0, 0.1, foot)}{leg(right, 0, -0.1, foot)}{inside}
    </body>"""


def many_legs(rows: list[float], foot: str = SPHERE_FOOT) -> str:
    legs = "".join(leg(f"p{i}{s}", x, 0.2 * s, foot) for i, x in enumerate(rows) for s in (1, -1))
    length = max(rows) + 0.1
    return f"""
    <body name="base" pos="0 0 1"><freejoint/>
      <geom type="box" size="{length} 0.15 0.08" mass="30"/>{legs}
    </body>"""


def turned(root: str, quat: str) -> str:
    """The same body with its own axes turned inside the root."""
    start, rest = root.split("<freejoint/>", 1)
    inside = rest.rsplit("</body>", 1)[0]
    return f'{start}<freejoint/><frame quat="{quat}">{inside}</frame></body>'


URDF_SHAPES = {
    "box": '<origin xyz="0.03 0 -0.05"/><geometry><box size="0.2 0.08 0.04"/></geometry>',
    "sphere": '<origin xyz="0 0 -0.02"/><geometry><sphere radius="0.03"/></geometry>',
    "cylinder": '<origin xyz="0 0 -0.05"/>'
    '<geometry><cylinder radius="0.06" length="0.04"/></geometry>',
}


def urdf_link(name: str, mass: float, shape: str) -> str:
    moment = 0.01 * mass
    inertia = f'ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"'
    return f"""<link name="{name}">
      <inertial><mass value="{mass}"/><inertia {inertia}/></inertial>
      <visual>{shape}</visual><collision>{shape}</collision></link>"""


def urdf_joint(name: str, kind: str, parent: str, child: str, xyz: str, axis: str = "0 1 0") -> str:
    limit = '<limit lower="-2" upper="2" effort="90" velocity="9"/>' if kind == "revolute" else ""
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="{xyz}"/><axis xyz="{axis}"/>{limit}</joint>"""


def urdf_biped(foot: str = "box", fixed_toe: bool = True) -> str:
    """Fixed base; each foot is a link fixed to an ankle link, as in many robots."""
    rod = '<origin xyz="0 0 -0.2"/><geometry><cylinder radius="0.04" length="0.34"/></geometry>'
    small = '<geometry><sphere radius="0.03"/></geometry>'
    parts = [urdf_link("base", 15, '<geometry><box size="0.2 0.3 0.2"/></geometry>')]
    for s, y in (("l", 0.1), ("r", -0.1)):
        parts += [
            urdf_link(f"{s}_hip", 1, small),
            urdf_link(f"{s}_thigh", 4, rod),
            urdf_link(f"{s}_shank", 3, rod),
            urdf_link(f"{s}_ankle", 0.5, small),
            urdf_link(f"{s}_sole", 0.8, URDF_SHAPES[foot]),
            urdf_joint(f"{s}_hip_roll", "revolute", "base", f"{s}_hip", f"0 {y} -0.1", "1 0 0"),
            urdf_joint(f"{s}_hip_pitch", "revolute", f"{s}_hip", f"{s}_thigh", "0 0 0"),
            urdf_joint(f"{s}_knee", "revolute", f"{s}_thigh", f"{s}_shank", "0 0 -0.4"),
            urdf_joint(f"{s}_pitch", "revolute", f"{s}_shank", f"{s}_ankle", "0 0 -0.4"),
            urdf_joint(f"{s}_fix", "fixed", f"{s}_ankle", f"{s}_sole", "0 0 -0.02")
            if fixed_toe
            else urdf_joint(f"{s}_roll", "revolute", f"{s}_ankle", f"{s}_sole", "0 0 0", "1 0 0"),
        ]
    return f'<robot name="walker">{"".join(parts)}</robot>'


def load_text(folder: Path, text: str, name: str = "model.xml", **overrides: object) -> Character:
    return load(save(folder, text, name), overrides or None)


def check_stands(character: Character) -> None:
    """Contact points on the ground; it looks along +x; the feet can carry the weight at rest."""
    model = character.model
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    np.testing.assert_allclose(model.qpos0[7:][_hinge_addresses(model)], 0.0)
    np.testing.assert_allclose(model.qpos0[3:7], [1, 0, 0, 0], atol=1e-9)
    sites = [s for foot in character.feet for s in foot.sites]
    heights = [data.site(s).xpos[2] for s in sites]
    assert np.abs(heights).max() < 2e-3
    limits = character.joint_limits
    assert np.all(limits[:, 0] <= 1e-6) and np.all(limits[:, 1] >= -1e-6), "rest within the limits"
    # Static balance of the base: friction-cone forces at the contact points bear the weight.
    columns = []
    for site in sites:
        jacobian = np.empty((3, model.nv))
        mujoco.mj_jacSite(model, data, jacobian, None, model.site(site).id)
        for push in ((0.7, 0, 1), (-0.7, 0, 1), (0, 0.7, 1), (0, -0.7, 1)):
            columns.append(jacobian.T @ push)
    forces = np.array(columns).T
    weight = character.mass * 9.81
    found, missing = nnls(forces[:6], data.qfrc_bias[:6])
    assert missing < 0.02 * weight
    torque = (data.qfrc_bias - forces @ found)[6:]
    assert np.abs(torque).max() < weight * character.leg_length


def _hinge_addresses(model: mujoco.MjModel) -> np.ndarray:
    scalar = model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)
    return model.jnt_qposadr[scalar] - 7


def check_runs(character: Character, seconds: float = 0.25) -> None:
    """On a plane, held in the rest pose by stiff springs, it neither sinks, jumps nor tips."""
    spec = character.spec()
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], priority=1,
        contype=2**31 - 1, conaffinity=2**31 - 1, solref=[0.005, 1],
    )  # fmt: skip
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    weight = character.mass * 9.81 * character.leg_length
    model = spec.compile()
    driven = np.flatnonzero(character.torque_limits > 0) + 6
    model.jnt_stiffness[model.dof_jntid[driven]] = 8 * weight
    model.dof_damping[driven] = 0.3 * weight
    model.dof_armature[driven] = 0.002 * weight
    model.qpos_spring[:] = model.qpos0
    data = mujoco.MjData(model)
    for _ in range(round(seconds / 0.001)):
        mujoco.mj_step(model, data)
    assert not data.warning.number.any()
    assert abs(data.qpos[2] - model.qpos0[2]) < 0.05
    assert data.xmat[1].reshape(3, 3)[2, 2] > np.cos(np.radians(15))
