"""Whether the COLLADA files of a URDF that are drawn with y up are meant to be turned to z up.

The format says so and ROS does not do it, and models of both kinds exist. The masses tell: drawn in
the right way, meshes lie around the centres of mass of their links.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np

from amble.characters.importer.meshes import Y_TO_Z, UnreadMesh, collada_triangles, is_y_up
from amble.geometry.rotations import rotate

CLEARLY = 0.6  # of the distance between meshes and masses: what turning must bring it down to


def turn_y_up(robot: ET.Element, find: Callable[[str], Path]) -> bool:
    """Look at every link with a mass and such a mesh; `find` gives the file of a mesh's name."""
    raw = turned = 0.0
    quat = np.empty(4)
    for link in robot.iter("link"):
        mass = link.find("inertial/origin")
        mesh = link.find("visual/geometry/mesh")
        if mass is None or mesh is None or not mesh.get("filename", "").lower().endswith(".dae"):
            continue
        try:
            content = find(mesh.get("filename", "")).read_bytes()
            if not is_y_up(content):
                continue
            middle = collada_triangles(content).reshape(-1, 3).mean(axis=0)
            middle = middle * _numbers(mesh.get("scale", "1 1 1"))
            origin = link.find("visual/origin")
            pose = origin if origin is not None else ET.Element("origin")
            com, place = _numbers(mass.get("xyz", "0 0 0")), _numbers(pose.get("xyz", "0 0 0"))
            mujoco.mju_euler2Quat(quat, _numbers(pose.get("rpy", "0 0 0")), "XYZ")
        except (UnreadMesh, OSError, ValueError):
            continue
        raw += float(np.linalg.norm(rotate(quat, middle) + place - com))
        turned += float(np.linalg.norm(rotate(quat, Y_TO_Z @ middle) + place - com))
    return turned < CLEARLY * raw


def _numbers(text: str) -> np.ndarray:
    """Three of them; ValueError for anything else."""
    return np.array(text.split(), dtype=float).reshape(3)
