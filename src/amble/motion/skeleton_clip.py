"""A clip of a skeleton's motion: a body of bones with ball joints that moves as the file says."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.errors import InputError
from amble.motion.bvh import read_bvh
from amble.motion.clip import Clip
from amble.motion.clip_skeleton import TIP
from amble.motion.differences import rates
from amble.motion.skeleton import Skeleton, SkeletonMotion, unique_names
from amble.terrain import Flat, Terrain

THICKNESS = 0.11  # radius of a bone relative to its length
THINNEST, THICKEST = 0.006, 0.045  # radius of a bone relative to the skeleton's size
DENSITY = 1000.0  # [kg/m³]
BONE_RGBA = "0.80 0.74 0.62 1"
ROOT = "root_joint"


def read_bvh_clip(
    path: str | Path,
    *,
    scale: float = 1.0,
    up: str = "y",
    forward: str | None = None,
    skip: int = 0,
) -> Clip:
    """The motion in a BVH file as a clip; the options are those of `read_bvh`."""
    motion = read_bvh(path, scale=scale, up=up, forward=forward, skip=skip)
    try:
        return skeleton_clip(motion, Path(path).stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def skeleton_clip(motion: SkeletonMotion, name: str, terrain: Terrain | None = None) -> Clip:
    """A clip of the motion: no contacts are known, and no torques."""
    body = skeleton_character(motion.skeleton, name, motion.moving)
    T, model = len(motion), body.model
    columns = [motion.places[:, 0], motion.quats[:, 0]]
    for joint in range(1, len(motion.skeleton)):
        if motion.moving[joint]:
            columns.append(motion.places[:, joint] - motion.skeleton.offsets[joint])
        columns.append(motion.quats[:, joint])
    time, qpos = np.arange(T) / motion.fps, np.concatenate(columns, axis=1)
    return Clip(
        character=body,
        terrain=terrain or Flat(),
        fps=motion.fps,
        time=time,
        qpos=qpos,
        qvel=rates(model, time, qpos).velocity,
        torque=np.zeros((T, model.nv - 6)),
        touching=np.zeros((T, 0), dtype=bool),
        contact_force_w=np.zeros((T, 0, 3)),
        other_force_w=np.zeros((T, 3)),
        ground_force_w=np.zeros((T, 3)),
        external_force_w=np.zeros((T, 3)),
        scenario=name,
    )


def skeleton_character(skeleton: Skeleton, name: str, moving: np.ndarray) -> Character:
    """A body of bones: a ball joint at each joint, and three slides before it where it moves.

    It has no limbs, contact points or motors; it is for looking at, and as a reference.
    """
    names = unique_names(("world", *skeleton.names), allowed="-.:")[1:]
    root = ElementTree.Element("mujoco", model=name)
    ElementTree.SubElement(root, "compiler", angle="radian")
    parents = [ElementTree.SubElement(root, "worldbody")]
    for joint, (word, parent) in enumerate(zip(names, skeleton.parents, strict=True)):
        place = skeleton.offsets[joint] - (np.eye(3)[2] * skeleton.lowest if joint == 0 else 0.0)
        body = ElementTree.SubElement(parents[parent + 1], "body", name=word, pos=_text(place))
        if joint == 0:
            ElementTree.SubElement(body, "freejoint", name=ROOT)
        else:
            for axis in range(3 if moving[joint] else 0):
                about = {"name": f"{word}_slide_{'xyz'[axis]}", "axis": _text(np.eye(3)[axis])}
                ElementTree.SubElement(body, "joint", about, type="slide")
            ElementTree.SubElement(body, "joint", name=f"{word}_turn", type="ball")
        _add_bones(body, skeleton, joint)
        parents.append(body)
    xml = ElementTree.tostring(root, encoding="unicode")
    try:
        model = mujoco.MjModel.from_xml_string(xml)
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"the skeleton makes no body: {reason}") from None
    free = np.array([-np.inf, np.inf])
    return Character(
        name=name,
        xml=xml,
        root=names[0],
        limbs=(),
        end_effectors=(),
        joint_limits=np.tile(free, (model.nv - 6, 1)),
        torque_limits=np.zeros(model.nv - 6),
        parts={word: word for word in names},
        source="a skeleton of motion capture",
    )


def _add_bones(body: ElementTree.Element, skeleton: Skeleton, joint: int) -> None:
    """Capsules from the joint to each child, or to its tip; a ball where there is neither."""
    ends = [skeleton.offsets[child] for child in skeleton.children[joint]]
    tip = skeleton.tips[joint]
    if np.isfinite(tip).all():
        ends.append(tip)
        name = body.attrib["name"] + TIP
        ElementTree.SubElement(body, "site", name=name, pos=_text(tip), size="0.001", group="5")
    thinnest, thickest = (share * skeleton.size for share in (THINNEST, THICKEST))
    _add_geom(body, type="sphere", size=f"{2 * thinnest:.9g}")
    for end in ends:
        length = float(np.linalg.norm(end))
        if length > thinnest:
            radius = float(np.clip(THICKNESS * length, thinnest, thickest))
            _add_geom(body, type="capsule", fromto=f"0 0 0 {_text(end)}", size=f"{radius:.9g}")


def _add_geom(body: ElementTree.Element, **attributes: str) -> None:
    """A shape that is seen and weighs something, but touches nothing."""
    attributes |= {"density": f"{DENSITY:g}", "rgba": BONE_RGBA, "contype": "0", "conaffinity": "0"}
    ElementTree.SubElement(body, "geom", attributes)


def _text(row: np.ndarray) -> str:
    return " ".join(f"{value:.12g}" for value in row)
