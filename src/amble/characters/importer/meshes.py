"""Mesh files that MuJoCo does not read itself, as the binary STL that it does read.

COLLADA (.dae) is what most URDF models are drawn with. Its unit counts; its up axis mostly does
not, as in ROS, where a mesh is meant in the axes of its link (`y_up.py` tells which).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import numpy as np

MESH_ENDINGS = (".obj", ".stl", ".msh", ".dae")
MOST_FACES = 200_000  # MuJoCo's limit for STL
Y_TO_Z = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
HEADER = 84  # bytes before the faces of a binary STL, each of 50 bytes


class UnreadMesh(ValueError):
    """Says why, as the end of a sentence about the file."""


def readable(file: Path, turn_y_up: bool = False) -> tuple[str, bytes]:
    """Ending and content of a mesh file in a format MuJoCo reads.

    `turn_y_up` turns COLLADA files that are drawn with y up.
    """
    ending = file.suffix.lower()
    if ending not in MESH_ENDINGS:
        raise UnreadMesh(f"has the unread format '{file.suffix}'")
    content = file.read_bytes()
    if ending == ".dae":
        corners = collada_triangles(content)
        turned = turn_y_up and is_y_up(content)
        return ".stl", binary_stl(corners @ Y_TO_Z.T if turned else corners)
    if ending == ".stl":
        faces = int.from_bytes(content[80:HEADER], "little")
        if len(content) != HEADER + 50 * faces and content.lstrip()[:5].lower() == b"solid":
            return ".stl", binary_stl(_ascii_stl(content))
        if faces > MOST_FACES:
            raise UnreadMesh(f"has {faces} faces, at most {MOST_FACES} are read")
    return file.suffix, content


def binary_stl(corners: np.ndarray) -> bytes:
    """Of triangles (n, 3 corners, 3) [m]."""
    if not len(corners):
        raise UnreadMesh("holds no faces")
    if len(corners) > MOST_FACES:
        raise UnreadMesh(f"has {len(corners)} faces, at most {MOST_FACES} are read")
    faces = np.zeros(len(corners), dtype=[("floats", "<f4", 12), ("attributes", "<u2")])
    faces["floats"][:, 3:] = corners.reshape(-1, 9)
    return bytes(80) + len(corners).to_bytes(4, "little") + faces.tobytes()


def _ascii_stl(content: bytes) -> np.ndarray:
    words = content.split()
    at = [i for i, word in enumerate(words) if word.lower() == b"vertex"]
    try:
        numbers = [float(words[i + k]) for i in at for k in (1, 2, 3)]
        return np.array(numbers).reshape(-1, 3, 3)
    except (ValueError, IndexError):
        raise UnreadMesh("is a broken STL file") from None


def is_y_up(content: bytes) -> bool:
    """Whether a COLLADA file says so; it also means it where it says nothing."""
    return b"<up_axis>Z_UP" not in content and b"<up_axis>X_UP" not in content


def collada_triangles(content: bytes) -> np.ndarray:
    """Triangles (n, 3, 3) [m] of all that the scene of a COLLADA file shows."""
    try:
        root = ET.fromstring(content)
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        named = {i: element for element in root.iter() if (i := element.get("id"))}
        unit = root.find("asset/unit")
        scale = float(unit.get("meter", "1")) if unit is not None else 1.0
        scenes = root.findall("library_visual_scenes/visual_scene/node")
        shown = [part for node in scenes for part in _parts(node, np.eye(4), named)]
        shown = shown or [(g, np.eye(4)) for g in root.findall("library_geometries/geometry")]
        pieces = [
            _triangles(g, named) @ pose[:3, :3].T * scale + pose[:3, 3] * scale for g, pose in shown
        ]
        return np.concatenate(pieces) if pieces else np.zeros((0, 3, 3))
    except (ET.ParseError, ValueError, IndexError, KeyError, TypeError):
        raise UnreadMesh("is a broken COLLADA file") from None


def _parts(
    node: ET.Element, pose: np.ndarray, named: dict[str, ET.Element], depth: int = 0
) -> Iterator[tuple[ET.Element, np.ndarray]]:
    """Geometries under a node of the scene, each with its pose (4, 4)."""
    for step in node:
        if step.tag in ("matrix", "translate", "rotate", "scale"):
            pose = pose @ _transform(step)
    for child in node:
        if child.tag == "instance_geometry":
            yield named[child.get("url", "")[1:]], pose
        elif child.tag == "node" and depth < 100:
            yield from _parts(child, pose, named, depth + 1)
        elif child.tag == "instance_node" and depth < 100:
            yield from _parts(named[child.get("url", "")[1:]], pose, named, depth + 1)


def _transform(step: ET.Element) -> np.ndarray:
    numbers = np.array((step.text or "").split(), dtype=float)
    if step.tag == "matrix":
        return numbers.reshape(4, 4)
    matrix = np.eye(4)
    if step.tag == "translate":
        matrix[:3, 3] = numbers
    elif step.tag == "scale":
        matrix[:3, :3] = np.diag(numbers)
    else:
        x, y, z = numbers[:3] / max(float(np.linalg.norm(numbers[:3])), 1e-12)
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        angle = np.radians(numbers[3])
        matrix[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return matrix


def _triangles(geometry: ET.Element, named: dict[str, ET.Element]) -> np.ndarray:
    """Of one geometry (n, 3, 3), in its own frame and unit; polygons become fans."""
    found = [np.zeros((0, 3, 3))]
    for group in geometry.iter():
        if group.tag not in ("triangles", "polylist", "polygons"):
            continue
        inputs = group.findall("input")
        stride = 1 + max(int(i.get("offset", "0")) for i in inputs)
        vertex = next(i for i in inputs if i.get("semantic") == "VERTEX")
        points = _points(named[vertex.get("source", "")[1:]], named)
        column = int(vertex.get("offset", "0"))
        rows = [np.array((p.text or "").split(), dtype=int) for p in group.findall("p")]
        corners = np.concatenate(rows or [np.zeros(0, int)])[column::stride]
        if group.tag == "polygons":
            sizes = np.array([len(row) // stride for row in rows], dtype=int)
        elif group.tag == "polylist":
            sizes = np.array((group.findtext("vcount") or "").split(), dtype=int)
        else:
            sizes = np.full(len(corners) // 3, 3)
        starts = np.cumsum(sizes) - sizes
        for k in range(1, int(sizes.max(initial=0)) - 1):
            start = starts[sizes > k + 1]
            found.append(points[corners[np.stack([start, start + k, start + k + 1], axis=1)]])
    return np.concatenate(found)


def _points(vertices: ET.Element, named: dict[str, ET.Element]) -> np.ndarray:
    """Positions (n, 3) that a <vertices> element stands for."""
    position = next(i for i in vertices.findall("input") if i.get("semantic") == "POSITION")
    source = named[position.get("source", "")[1:]]
    numbers = np.array((source.findtext("float_array") or "").split(), dtype=float)
    accessor = source.find("technique_common/accessor")
    stride = int(accessor.get("stride", "3")) if accessor is not None else 3
    return numbers[: len(numbers) // stride * stride].reshape(-1, stride)[:, :3]
