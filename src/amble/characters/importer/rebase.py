"""Make a pose the zero of a model: every hinge 0, every ball joint and the root at the identity.

What the bodies are made of stays; only the frames between them, and what is counted from the old
zero (ranges, springs, coupled joints, tendon lengths), change. Rotation of the root is taken up by
a massless body above it, so that nothing inside the root moves.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco
import numpy as np

from amble.geometry.rotations import quat_conjugate, quat_multiply, rotate


def rebase(spec: mujoco.MjSpec, model: mujoco.MjModel, qpos: np.ndarray) -> None:
    """Change `spec`, compiled as `model`, in place so that its zero is the pose `qpos`; the root
    keeps the position and orientation of `qpos` as its own."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_fwdPosition(model, data)
    _shift_couplings(spec, model, qpos)
    for tendon in spec.tendons:
        _shift_tendon(tendon, model, data)
    for body in spec.bodies[1:]:
        b = model.body(body.name).id
        parent = model.body_parentid[b]
        back = quat_conjugate(data.xquat[parent])
        pos = rotate(back, data.xpos[b] - data.xpos[parent])
        body.pos, body.quat = _in_frame(body, pos, quat_multiply(back, data.xquat[b]))
        for joint in body.joints:
            j = model.joint(joint.name).id
            if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                continue
            inward = quat_conjugate(data.xquat[b])
            joint.axis = rotate(inward, data.xaxis[j])
            joint.pos = rotate(inward, data.xanchor[j] - data.xpos[b])
            if model.jnt_type[j] >= int(mujoco.mjtJoint.mjJNT_SLIDE):
                angle = qpos[model.jnt_qposadr[j]]
                joint.springref = model.qpos_spring[model.jnt_qposadr[j]] - angle
                joint.range = model.jnt_range[j] - angle if model.jnt_limited[j] else (0, 0)
                joint.ref = 0.0


def upright_root(xml: str, name: str) -> str:
    """Put the root's free joint on a new body of that name, level and at the root's place."""
    tree = ET.fromstring(xml)
    world = tree.find("worldbody")
    old = world.find(".//body") if world is not None else None
    if world is None or old is None:
        raise ValueError("the model has no body")
    for joint in [*old.findall("joint"), *old.findall("freejoint")]:
        if joint.tag == "freejoint" or joint.get("type") == "free":
            old.remove(joint)
    for child in list(world):
        world.remove(child)
    new = ET.SubElement(world, "body", {"name": name, "pos": old.get("pos", "0 0 0")})
    ET.SubElement(new, "joint", {"name": "root", "type": "free"})
    old.set("pos", "0 0 0")
    new.append(old)
    return ET.tostring(tree, encoding="unicode")


def _in_frame(element: mujoco.MjsBody, pos: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, ...]:
    """A pose in the parent body, seen from the <frame> elements that stand between."""
    frames: list[mujoco.MjsFrame] = []
    frame = element.frame
    while frame is not None:
        frames.insert(0, frame)
        frame = frame.frame
    for frame in frames:
        back = quat_conjugate(frame.quat)
        pos, quat = rotate(back, pos - frame.pos), quat_multiply(back, quat)
    return pos, quat


def _shift_couplings(spec: mujoco.MjSpec, model: mujoco.MjModel, qpos: np.ndarray) -> None:
    """y = P(x) between two joints, with x and y counted from the new zero."""
    for equality in spec.equalities:
        if equality.type != mujoco.mjtEq.mjEQ_JOINT:
            continue
        y = _displacement(model, equality.name1, qpos)
        x = _displacement(model, equality.name2, qpos) if equality.name2 else 0.0
        data = np.array(equality.data)
        moved = np.polynomial.Polynomial(data[:5])(np.polynomial.Polynomial([x, 1.0]))
        data[:5] = np.pad(moved.coef, (0, 5 - len(moved.coef)))
        data[0] -= y
        equality.data = data


def _displacement(model: mujoco.MjModel, joint: str, qpos: np.ndarray) -> float:
    adr = model.joint(joint).qposadr[0]
    return float(qpos[adr] - model.qpos0[adr])


def _shift_tendon(tendon: mujoco.MjsTendon, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """A fixed tendon is a sum of joint angles and counts from their zero; a spatial one is not."""
    t = model.tendon(tendon.name).id if tendon.name else tendon.id
    first = model.tendon_adr[t]
    if model.wrap_type[first] == mujoco.mjtWrap.mjWRAP_JOINT:
        shift = data.ten_length[t]
        tendon.range = model.tendon_range[t] - shift if model.tendon_limited[t] else (0, 0)
    else:
        shift = 0.0
    tendon.springlength = model.tendon_lengthspring[t] - shift
