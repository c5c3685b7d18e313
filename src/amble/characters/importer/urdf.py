"""URDF files as people write them → what MuJoCo reads: mesh paths, inertias, links without mass."""

from __future__ import annotations

import math
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np

from amble.characters.importer.meshes import UnreadMesh
from amble.characters.importer.y_up import turn_y_up

FEW = 4  # files that are named one by one
WATER = 1000.0  # [kg/m³]
THIN = 1e-3  # of the largest moment of inertia: none is taken to be smaller
LIGHT = 1e-4  # of the whole mass: what a link between two joints weighs at least


def prepare(robot: ET.Element, folder: Path, take: Callable[[Path, bool], str]) -> list[str]:
    """Change the tree in place; returns what there is to tell.

    `take` stores a mesh file, turned to z up where the second argument says so.
    """
    turn = turn_y_up(robot, lambda given: _find_mesh(folder, given))
    notes = _place_meshes(robot, folder, lambda file: take(file, turn))
    if turn:
        notes.append("COLLADA meshes drawn with y up are turned: so they fit the masses")
    for shape in robot.iterfind("link/*"):
        if shape.tag in ("visual", "collision"):
            shape.attrib.pop("name", None)  # nobody asks for it, and MuJoCo wants it to be unique
    _drop_empty_shapes(robot)
    _repair_inertias(robot, notes)
    _weigh_frames(robot, notes)
    _drop_idle_mimics(robot)
    for extension in robot.findall("mujoco"):
        robot.remove(extension)
    # Keep visual shapes and fixed links: feet are often links welded to the shank.
    compiler = {"discardvisual": "false", "fusestatic": "false", "balanceinertia": "true"}
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", compiler)
    return notes


def _place_meshes(robot: ET.Element, folder: Path, take: Callable[[Path], str]) -> list[str]:
    left_out: dict[str, int] = {}
    for link in robot.iter("link"):
        for tag in ("visual", "collision"):
            for shape in link.findall(tag):
                for mesh in shape.iter("mesh"):
                    given = mesh.get("filename", "")
                    try:
                        mesh.set("filename", take(_find_mesh(folder, given)))
                    except UnreadMesh as why:
                        reason = f"{tag} mesh '{given}' {why}: left out"
                        left_out[reason] = left_out.get(reason, 0) + 1
                        link.remove(shape)
                        break
    return shorten([f"{r} ({n} shapes)" if n > 1 else r for r, n in left_out.items()])


def shorten(notes: list[str]) -> list[str]:
    """The first of many files that are left out, and how many more there are."""
    if len(notes) <= FEW:
        return notes
    return [*notes[: FEW - 1], f"{len(notes) - FEW + 1} more mesh files: left out"]


def _find_mesh(folder: Path, given: str) -> Path:
    """`package://name/meshes/a.stl`, `file:///…` and relative paths, looked for around the model.

    A package's own root is unknown, so each parent folder, and those of ROS_PACKAGE_PATH, are tried
    with and without its name.
    """
    plain = re.sub(r"^(package|model|file)://", "", given)
    tails = [Path(plain), *([Path(*Path(plain).parts[1:])] if "://" in given else [])]
    ros = [Path(p) for p in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if p]
    for parent in [*[folder, *folder.resolve().parents][:5], *ros]:
        for tail in tails:
            if tail.parts and (parent / tail).is_file():
                return parent / tail
    raise UnreadMesh("is missing")


def _drop_empty_shapes(robot: ET.Element) -> None:
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            solids = [s for s in shape.iter() if s.tag in ("sphere", "cylinder", "box")]
            sizes = [x for s in solids for v in s.attrib.values() for x in v.split()]
            if any(_number(x) == 0.0 for x in sizes):
                link.remove(shape)


def _repair_inertias(robot: ET.Element, notes: list[str]) -> None:
    """A mass without inertia becomes a ball of water; a matrix no body can have becomes the nearest
    that one can. What is plainly wrong, a negative moment, stays for MuJoCo to refuse."""
    without, impossible = [], []
    for link in robot.iter("link"):
        kg, inertia = _mass(link), link.find("inertial/inertia")
        if not kg > 0 or inertia is None:
            continue
        moment = 0.4 * kg * (3 * kg / (4 * WATER * math.pi)) ** (2 / 3)  # of a solid sphere
        xx, yy, zz, xy, xz, yz = (
            _number(inertia.get(key, "0")) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        )
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if not np.isfinite(matrix).all() or min(xx, yy, zz) < -1e-6 * moment:
            continue
        moments, axes = np.linalg.eigh(matrix)
        if max(xx, yy, zz) <= 1e-6 * moment:
            matrix = moment * np.eye(3)
            without.append(str(link.get("name")))
        elif moments[0] <= 0:
            matrix = (axes * np.maximum(moments, THIN * moments[2])) @ axes.T
            impossible.append(str(link.get("name")))
        else:
            continue
        for i, j, key in (
            (0, 0, "ixx"), (1, 1, "iyy"), (2, 2, "izz"), (0, 1, "ixy"), (0, 2, "ixz"), (1, 2, "iyz")
        ):  # fmt: skip
            inertia.set(key, repr(float(matrix[i, j])))
    if without:
        notes.append(f"mass but no inertia, taken as balls of water: {', '.join(without)}")
    if impossible:
        notes.append(f"inertia of no possible body, now the nearest: {', '.join(impossible)}")


def _weigh_frames(robot: ET.Element, notes: list[str]) -> None:
    """Links without mass and shape stand between the axes of one joint: they get a little mass.

    Where nothing that a joint moves has any mass, there is nothing to move: it becomes fixed.
    """
    links = {link.get("name", ""): link for link in robot.findall("link")}
    joints = robot.findall("joint")
    children: dict[str, list[str]] = {}
    welded: dict[str, list[str]] = {}
    for joint in joints:
        parent, child = _end(joint, "parent"), _end(joint, "child")
        children.setdefault(parent, []).append(child)
        if joint.get("type") == "fixed":
            welded.setdefault(parent, []).append(child)
    whole = sum(kg for link in links.values() if (kg := _mass(link)) > 0)
    weighed, fixed = [], []
    for joint in joints:
        name = _end(joint, "child")
        if joint.get("type") == "fixed" or name not in links:
            continue
        if not any(_has_mass(links[b]) for b in _tree(name, children) if b in links):
            joint.set("type", "fixed")
            fixed.append(str(joint.get("name")))
        elif not any(_has_mass(links[b]) or _shaped(links[b]) for b in _tree(name, welded)):
            _give_mass(links[name], LIGHT * whole)
            weighed.append(name)
    if weighed:
        notes.append(f"links without mass, now of {LIGHT * whole:.2g} kg: {', '.join(weighed)}")
    if fixed:
        notes.append(f"joints that move no mass are fixed now: {', '.join(fixed)}")


def _drop_idle_mimics(robot: ET.Element) -> None:
    """A joint that does not move follows none, and none follows it."""
    movable = ("revolute", "continuous", "prismatic")
    joints = robot.findall("joint")
    moving = {joint.get("name") for joint in joints if joint.get("type") in movable}
    for joint in joints:
        for mimic in joint.findall("mimic"):
            if joint.get("name") not in moving or mimic.get("joint") not in moving:
                joint.remove(mimic)


def _give_mass(link: ET.Element, kg: float) -> None:
    for inertial in link.findall("inertial"):
        link.remove(inertial)
    moment = repr(0.4 * kg * (3 * kg / (4 * WATER * math.pi)) ** (2 / 3))
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "mass", {"value": repr(kg)})
    diagonal = dict.fromkeys(("ixx", "iyy", "izz"), moment)
    ET.SubElement(inertial, "inertia", diagonal | dict.fromkeys(("ixy", "ixz", "iyz"), "0"))


def _tree(name: str, children: dict[str, list[str]]) -> list[str]:
    """The link and all below it; each once, even in a file that goes in circles."""
    found = [name]
    for link in found:
        found += [child for child in children.get(link, []) if child not in found]
    return found


def _end(joint: ET.Element, tag: str) -> str:
    end = joint.find(tag)
    return str(end.get("link")) if end is not None else ""


def _mass(link: ET.Element) -> float:
    mass = link.find("inertial/mass")
    return _number(mass.get("value", "0")) if mass is not None else 0.0


def _has_mass(link: ET.Element) -> bool:
    """Given, or to come from its shapes; a negative or broken one counts, for MuJoCo to refuse."""
    if link.find("inertial") is None:
        return _shaped(link)
    return _mass(link) != 0.0


def _shaped(link: ET.Element) -> bool:
    return link.find("visual") is not None or link.find("collision") is not None


def _number(text: str) -> float:
    """NaN for what is no number: MuJoCo says so with the place."""
    try:
        return float(text)
    except ValueError:
        return math.nan
