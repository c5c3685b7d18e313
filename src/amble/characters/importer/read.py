"""A model file on disk → an editable MuJoCo model with all its mesh and texture files in memory."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from amble.characters.importer.meshes import UnreadMesh, readable
from amble.characters.importer.urdf import prepare, shorten
from amble.errors import InputError

XACRO = "{http://www.ros.org/wiki/xacro}"
LARGEST = 100_000_000  # bytes of a model file, its meshes apart


@dataclass
class Draft:
    """A model on its way to a Character, with the files it needs and what to tell the user."""

    path: Path
    spec: mujoco.MjSpec
    assets: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    #: small files instead of some of the assets, while nobody looks (see `stand_ins.py`)
    stand_ins: dict[str, bytes] = field(default_factory=dict)

    @property
    def has_lost_shapes(self) -> bool:
        """Whether a mesh file was left out."""
        return any("mesh" in note and "left out" in note for note in self.notes)

    def compile(self) -> mujoco.MjModel:
        """The compiled model; MuJoCo's complaint as one line otherwise.

        A mesh without volume counts as a shell, and one that cannot be used at all is left out.
        """
        shells: set[str] = set()
        while True:
            try:
                self.spec.assets = self.assets | self.stand_ins
                return self.spec.compile()
            except ValueError as error:
                complaint = one_line(error)
                name = re.search(r"Element name '(.*?)'", complaint)
                mesh = self.spec.mesh(name[1]) if name else None
                if mesh is None:
                    lost = [note for note in self.notes if note.endswith("left out")]
                    why = f" ({lost[0]})" if lost and complaint.startswith("mass") else ""
                    raise InputError(f"{self.path}: {complaint}{why}") from None
                if mesh.name in shells:
                    self.notes.append(f"mesh '{mesh.name}' is left out: {complaint.split(',')[0]}")
                    drop_mesh(self.spec, mesh)
                else:
                    shells.add(mesh.name)
                    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL


def drop_mesh(spec: mujoco.MjSpec, mesh: mujoco.MjsMesh) -> None:
    """The mesh and all shapes made of it."""
    name = mesh.name or Path(mesh.file).stem
    for geom in [g for g in spec.geoms if g.meshname == name]:
        spec.delete(geom)
    spec.delete(mesh)


def one_line(error: Exception) -> str:
    """MuJoCo's message without its layers, codes and line breaks."""
    text = str(error).replace("mjMINVAL", "1e-15")
    if line := re.search(r"Error=(\w+).*?Line number=(\d+)", text):
        kind = line[1].removeprefix("XML_ERROR_").replace("_", " ").lower()
        return f"broken XML at line {line[2]} ({kind})"
    text = re.sub(r"^(XML )?Error: (Error: )?", "", text.strip())
    text = text.replace("Error opening file", "cannot open the file")
    text = re.sub(r"name '', |, id -?\d+|\s*$", "", text)
    return re.sub(r"\s*\n\s*", ", ", text)


def read(path: str | Path) -> Draft:
    """Read a .xml or .mjcf (MJCF) or .urdf file."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if path.is_dir():
        raise InputError(f"{path}: is a directory, not a model file (.xml, .mjcf or .urdf)")
    if not path.is_file():
        raise InputError(f"{path}: is no regular file; allowed: .xml, .mjcf, .urdf")
    if path.suffix.lower() not in (".xml", ".mjcf", ".urdf"):
        raise InputError(f"{path}: unknown ending '{path.suffix}'; allowed: .xml, .mjcf, .urdf")
    root = _parse(path, {path.resolve()})
    if root.tag == "robot":
        return _read_urdf(path, root)
    if root.tag == "mujoco":
        return _read_mjcf(path)
    raise InputError(
        f"{path}: not a model; its first element is <{root.tag}>, allowed: <mujoco>, <robot>"
    )


def _parse(path: Path, seen: set[Path]) -> ET.Element:
    """The XML tree, refused where it, or what it includes, is empty, broken or holds a number that
    is not one."""
    try:
        if (size := path.stat().st_size) > LARGEST:
            raise InputError(f"{path}: {size} bytes; model files of up to {LARGEST} bytes are read")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or 'cannot be read'}") from None
    if not content.strip():
        raise InputError(f"{path}: the file is empty")
    try:
        # With comments, so that lines keep their numbers on the way to MuJoCo.
        root = ET.fromstring(content, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
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
        tag = str(element.tag)
        if tag.startswith(XACRO):
            raise InputError(
                f"{path}: <xacro:{tag.removeprefix(XACRO)}> is a macro; allowed: plain URDF, as "
                "the program xacro writes it"
            )
    for include in root.iter("include"):
        file = path.parent / include.get("file", "")
        if file.is_file() and file.resolve() not in seen:
            _parse(file, seen | {file.resolve()})
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
            drop_mesh(spec, mesh)
    draft.notes[:] = shorten(draft.notes)
    for texture in list(spec.textures):
        if texture.file and not _take(draft, texture, texture_folder, "texture"):
            for material in spec.materials:
                material.textures = ["" if t == texture.name else t for t in material.textures]
            spec.delete(texture)
    for group in (spec.hfields, spec.skins):  # ground and looks: they do not stay anyway
        for element in list(group):
            if element.file:
                _drop_heights(spec, element.name)
                spec.delete(element)
    spec.compiler.meshdir = spec.compiler.texturedir = ""
    _guess_radians(draft)
    return draft


def _guess_radians(draft: Draft) -> None:
    """A part of a larger file may lack its <compiler angle="radian"/>; then no joint could move."""
    hinges = [j for j in draft.spec.joints if j.type == mujoco.mjtJoint.mjJNT_HINGE]
    ranges = np.array([joint.range for joint in hinges if np.any(joint.range)])
    if draft.spec.compiler.degree and len(ranges) >= 4 and np.abs(ranges).max() <= 2 * np.pi:
        draft.spec.compiler.degree = False
        draft.notes.append("no joint has a range of more than 6.3, so angles are taken as radians")


def _take(draft: Draft, asset: object, folder: Path, kind: str) -> bool:
    """Load the file of a mesh or texture under a flat, unique name; False where it is missing."""
    given = str(asset.file)  # type: ignore[attr-defined]
    file = folder / given
    try:
        if not file.is_file():
            raise UnreadMesh("is missing")
        name = _store(draft, file, kind)
    except UnreadMesh as why:
        draft.notes.append(f"{kind} file '{given}' {why}: left out")
        return False
    if not asset.name:  # type: ignore[attr-defined]
        asset.name = file.stem  # type: ignore[attr-defined]
    asset.file = name  # type: ignore[attr-defined]
    return True


def _store(draft: Draft, file: Path, kind: str = "mesh", turn: bool = False) -> str:
    """Keep a file's content under its own name, or one with a number where that is taken."""
    try:
        if kind == "mesh":
            ending, content = readable(file, turn)
        else:
            ending, content = file.suffix, file.read_bytes()
    except OSError as error:
        raise UnreadMesh(f"cannot be read ({error.strerror})") from None
    name, count = file.stem + ending, 1
    # In URDF a mesh is known by its stem, so a.obj and a.stl may not both be there.
    stems = {Path(taken).stem: taken for taken in draft.assets}
    while taken := stems.get(Path(name).stem):
        if taken == name and draft.assets[name] == content:
            break
        count += 1
        name = f"{file.stem}-{count}{ending}"
    draft.assets[name] = content
    return name


def _drop_heights(spec: mujoco.MjSpec, name: str) -> None:
    for geom in [g for g in spec.geoms if g.hfieldname and g.hfieldname == name]:
        spec.delete(geom)


def _read_urdf(path: Path, robot: ET.Element) -> Draft:
    """MuJoCo reads URDF itself, once it is prepared."""
    draft = Draft(path, mujoco.MjSpec())  # collects files and notes before there is a model
    draft.notes += prepare(robot, path.parent, lambda file, turn: _store(draft, file, turn=turn))
    before = path.read_bytes().partition(b"<robot")[0].count(b"\n")  # so that lines keep numbers
    try:
        text = "\n" * before + ET.tostring(robot, encoding="unicode")
        draft.spec = mujoco.MjSpec.from_string(text)
    except ValueError as error:
        raise InputError(f"{path}: {one_line(error)}") from None
    for link in draft.spec.worldbody.bodies:
        _weigh_shapes(link)
    return draft


def _weigh_shapes(link: mujoco.MjsBody) -> None:
    """In URDF shapes weigh nothing; only a link that has no mass otherwise gets its from them."""
    group = [link]
    for body in group:  # the link with all that is fixed to it
        for child in body.bodies:
            if child.joints:
                _weigh_shapes(child)
            else:
                group.append(child)
    if any(body.mass > 0 for body in group):
        for geom in (geom for body in group for geom in body.geoms):
            geom.mass = 0.0
