"""A character in plain text: what it is made of, what an import guessed, how to change it."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import Character


def describe(character: Character) -> str:
    """Several lines for people: root, size, limbs, feet with their contact points, joints."""
    model = character.model
    data = mujoco.MjData(model)
    data.qpos[:] = character.rest_qpos()
    mujoco.mj_fwdPosition(model, data)
    sections = [
        _overview(character, data),
        _limbs(character),
        _feet(character, data),
        _joints(character),
    ]
    if character.notes:
        sections.append("\n".join(["found by the import", *(f"  - {n}" for n in character.notes)]))
        sections.append(_overrides(character))
    return "\n\n".join(sections)


def _overview(character: Character, data: mujoco.MjData) -> str:
    model = character.model
    com = data.subtree_com[1]
    rows = {
        "root": character.root,
        "mass": f"{character.mass:.4g} kg",
        "height": f"{character.height:.3f} m",
        "legs": f"{len(character.feet)}, {character.leg_length:.3f} m long",
        "centre of mass": f"x {com[0]:.3f}, y {com[1]:.3f}, z {com[2]:.3f} m",
        "degrees of freedom": f"{model.nv}: 6 of the root, {model.nv - 6} of the joints",
    }
    loops = int(np.isin(model.eq_type, [mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD]).sum())
    if loops:
        rows["closed loops"] = str(loops)
    if coupled := model.neq - loops:
        rows["coupled joints"] = str(coupled)
    if not character.mirror:
        rows["left and right"] = "do not mirror each other"
    if character.source:
        rows["source"] = character.source
    width = max(len(key) for key in rows)
    return "\n".join(
        [character.name, *(f"  {key:<{width}}  {value}" for key, value in rows.items())]
    )


def _limbs(character: Character) -> str:
    width = max((len(limb.name) for limb in character.limbs), default=0)
    lines = [f"  {limb.name:<{width}}  {' > '.join(limb.bodies)}" for limb in character.limbs]
    return "\n".join(["limbs", *lines])


def _feet(character: Character, data: mujoco.MjData) -> str:
    lines = ["feet and hands, with their contact points at rest [m]"]
    for tip in character.end_effectors:
        points = ", ".join(
            "({:.3f} {:.3f} {:.3f})".format(*data.site(s).xpos + 0.0) for s in tip.sites
        )
        lines.append(f"  {tip.name} on {tip.body}: {points}")
    return "\n".join(lines)


def _joints(character: Character) -> str:
    names = character.dof_names
    units = _units(character.model)
    width = max((len(name) for name in names), default=0)
    lines = ["joints: range from the rest pose, greatest torque or force"]
    rows = zip(names, units, character.joint_limits, character.torque_limits, strict=True)
    for name, (scale, unit, load), (low, high), torque in rows:
        free = not np.isfinite(low) and not np.isfinite(high)
        reach = "free" if free else f"{low * scale:.4g} to {high * scale:.4g} {unit}"
        strength = f"{torque:.4g} {load}" if torque > 0 else "passive"
        lines.append(f"  {name:<{width}}  {reach:<22}  {strength}")
    return "\n".join(lines)


def _units(model: mujoco.MjModel) -> list[tuple[float, str, str]]:
    """Scale, unit and unit of load for each actuated degree of freedom."""
    turn, move = (180 / np.pi, "°", "N m"), (1.0, "m", "N")
    slides = model.jnt_type[model.dof_jntid[6:]] == int(mujoco.mjtJoint.mjJNT_SLIDE)
    return [move if slide else turn for slide in slides]


def _overrides(character: Character) -> str:
    """A file to start from: what was found, in the words in which it can be changed."""
    first = character.feet[0]
    model = character.model
    body = model.body(first.body).name
    points = [model.site(site).pos.round(4).tolist() for site in first.sites]
    feet = [f'{foot.name} = "{foot.body}"' for foot in character.feet]
    strongest = int(np.argmax(character.torque_limits))
    joint = model.joint(model.dof_jntid[strongest + 6]).name
    stem = character.source.rsplit(".", 1)[0] or character.name
    lines = [
        f"to change any of it, put this beside the model as {stem}.amble.toml and edit",
        '  # root = "…"; forward = "+x"; up = "+z"; keyframe = "home"',
        "  [feet]  # foot → body",
        *(f"  {_toml(line)}" for line in feet),
        f"  [contact_points]  # foot → points in the frame of '{body}' [m]",
        f"  {first.name} = {points}",
        "  [torque_limits]  # joint → N m",
        f'  "{joint}" = {character.torque_limits[strongest]:.4g}',
        "  # [rest] joint → angle [rad]; [limbs] last body → kind; [parts] word → body",
    ]
    return "\n".join(lines)


def _toml(line: str) -> str:
    """Backslashes are escapes in TOML strings."""
    return line.replace("\\", "\\\\")
