"""A model file on disk → an editable MuJoCo model with all its mesh and texture files in memory."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

import mujoco

from amble.errors import InputError

MESH_ENDINGS = (".obj", ".stl", ".msh")


@dataclass
class Draft:
    """A model on its way to a Character, with the files it needs and what to tell the user."""

    path: Path
    spec: mujoco.MjSpec
    assets: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def compile(self) -> mujoco.MjModel:
        """The compiled model; MuJoCo's complaint as one line otherwise."""
        try:
            self.spec.assets = self.assets
            return self.spec.compile()
        except ValueError as error:
            raise InputError(f"{self.path}: {one_line(error)}") from None


def one_line(error: Exception) -> str:
    """MuJoCo's message without its layers, codes and line breaks."""
    text = str(error).replace("mjMINVAL", "1e-15")
    if line := re.search(r"Error=(\w+).*?Line number=(\d+)", text):
        kind = line[1].removeprefix("XML_ERROR_").replace("_", " ").lower()
        return f"broken XML at line {line[2]} ({kind})"
    text = re.sub(r"^(XML )?Error: ", "", text.strip())
    text = re.sub(r"name '', |, id -?\d+|\s*$", "", text)
    return re.sub(r"\s*\n\s*", ", ", text)


def read(path: str | Path) -> Draft:
    """Read a .xml or .mjcf (MJCF) or .urdf file."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if path.is_dir():
        raise InputError(f"{path}: is a directory, not a model file (.xml, .mjcf or .urdf)")
    if path.suffix.lower() not in (".xml", ".mjcf", ".urdf"):
        raise InputError(f"{path}: unknown ending '{path.suffix}'; allowed: .xml, .mjcf, .urdf")
    root = _parse(path)
    if root.tag == "robot":
        return _read_urdf(path, root)
    if root.tag == "mujoco":
        return _read_mjcf(path)
    raise InputError(
        f"{path}: not a model; its first element is <{root.tag}>, allowed: <mujoco>, <robot>"
    )


def _parse(path: Path) -> ET.Element:
    """The XML tree, refused where it is empty, broken or holds a number that is not one."""
    content = path.read_bytes()
    if not content.strip():
        raise InputError(f"{path}: the file is empty")
    try:
        root = ET.fromstring(content)
    except ET.ParseError as error:
        line, column = error.position
        reason = str(error).split(":")[0]
        raise InputError(
            f"{path}: broken XML at line {line}, column {column + 1} ({reason})"
        ) from None
    for element in root.iter():
        for key, value in element.attrib.items():
            if key not in ("name", "file") and re.search(r"(^|\s)[+-]?nan(\s|$)", value, re.I):
                label = element.get("name")
                named = f" '{label}'" if label else ""
                raise InputError(
                    f'{path}: <{element.tag}>{named} has {key}="{value}": not a number'
                )
    return root


def _read_mjcf(path: Path) -> Draft:
    try:
        draft = Draft(path, mujoco.MjSpec.from_file(str(path)))
    except ValueError as error:
        raise InputError(f"{path}: {one_line(error)}") from None
    spec = draft.spec
    folder = path.parent
    mesh_folder = folder / spec.compiler.meshdir
    texture_folder = folder / spec.compiler.texturedir
    for mesh in list(spec.meshes):
        if mesh.file and not _take(draft, mesh, mesh_folder, "mesh"):
            for geom in [
                g for g in spec.geoms if g.meshname == (mesh.name or Path(mesh.file).stem)
            ]:
                spec.delete(geom)
            spec.delete(mesh)
    for texture in list(spec.textures):
        if texture.file and not _take(draft, texture, texture_folder, "texture"):
            for material in spec.materials:
                material.textures = ["" if t == texture.name else t for t in material.textures]
            spec.delete(texture)
    for field_ in list(spec.hfields):
        if field_.file and not _take(draft, field_, mesh_folder, "height field"):
            raise InputError(f"{path}: height field file '{field_.file}' is missing")
    spec.compiler.meshdir = spec.compiler.texturedir = ""
    return draft


def _take(draft: Draft, asset: object, folder: Path, kind: str) -> bool:
    """Load the file of a mesh or texture under a flat, unique name; False where it is missing."""
    given = str(asset.file)  # type: ignore[attr-defined]
    file = folder / given
    if not file.is_file():
        draft.notes.append(f"{kind} file '{given}' is missing: its shapes are left out")
        return False
    if not asset.name:  # type: ignore[attr-defined]
        asset.name = file.stem  # type: ignore[attr-defined]
    asset.file = _store(draft, file)  # type: ignore[attr-defined]
    return True


def _store(draft: Draft, file: Path) -> str:
    content = file.read_bytes()
    name, count = file.name, 1
    while draft.assets.get(name, content) != content:
        count += 1
        name = f"{file.stem}-{count}{file.suffix}"
    draft.assets[name] = content
    return name


def _read_urdf(path: Path, robot: ET.Element) -> Draft:
    """MuJoCo reads URDF itself, once its mesh paths and a few of its defaults are put right."""
    assets = Draft(path, mujoco.MjSpec())  # collects files and notes before there is a model
    left_out: dict[str, int] = {}
    for link in robot.iter("link"):
        for tag in ("visual", "collision"):
            for shape in link.findall(tag):
                for mesh in shape.iter("mesh"):
                    given = mesh.get("filename", "")
                    file = _find_mesh(path.parent, given)
                    if file is not None and file.suffix.lower() in MESH_ENDINGS:
                        mesh.set("filename", _store(assets, file))
                        continue
                    missing = (
                        "is missing" if file is None else f"has the unread format '{file.suffix}'"
                    )
                    reason = f"{tag} mesh '{given}' {missing}: left out"
                    left_out[reason] = left_out.get(reason, 0) + 1
                    link.remove(shape)
                    break
    assets.notes += [f"{r} ({n} shapes)" if n > 1 else r for r, n in left_out.items()]
    _repair(robot, assets.notes)
    for extension in robot.findall("mujoco"):
        robot.remove(extension)
    # Keep visual shapes and fixed links: feet are often links welded to the shank.
    compiler = {"discardvisual": "false", "fusestatic": "false", "balanceinertia": "true"}
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", compiler)
    try:
        text = ET.tostring(robot, encoding="unicode")
        return Draft(path, mujoco.MjSpec.from_string(text), assets.assets, assets.notes)
    except ValueError as error:
        raise InputError(f"{path}: {one_line(error)}") from None


def _repair(robot: ET.Element, notes: list[str]) -> None:
    """Shapes of size zero are left out; a mass without inertia becomes a ball of water."""
    without = []
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            solids = [s for s in shape.iter() if s.tag in ("sphere", "cylinder", "box")]
            sizes = [x for s in solids for v in s.attrib.values() for x in v.split()]
            if any(_number(x) == 0.0 for x in sizes):
                link.remove(shape)
        mass, inertia = link.find("inertial/mass"), link.find("inertial/inertia")
        if mass is None or inertia is None:
            continue
        kg = _number(mass.get("value", "0"))
        if kg > 0 and all(_number(v) == 0.0 for v in inertia.attrib.values()):
            moment = 0.4 * kg * (3 * kg / (4000 * math.pi)) ** (2 / 3)  # solid sphere, 1000 kg/m³
            for axis in ("ixx", "iyy", "izz"):
                inertia.set(axis, repr(moment))
            without.append(str(link.get("name")))
    if without:
        notes.append(f"mass but no inertia, taken as balls of water: {', '.join(without)}")


def _number(text: str) -> float:
    """NaN for what is no number: MuJoCo says so with the place."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _find_mesh(folder: Path, given: str) -> Path | None:
    """`package://name/meshes/a.stl`, `file:///…` and relative paths, looked for around the model.

    A package's own root is unknown, so each parent folder is tried with and without its name.
    """
    plain = re.sub(r"^(package|model|file)://", "", given)
    tails = [Path(plain), *([Path(*Path(plain).parts[1:])] if "://" in given else [])]
    for parent in [folder, *folder.resolve().parents][:5]:
        for tail in tails:
            if tail.parts and (parent / tail).is_file():
                return parent / tail
    return None
