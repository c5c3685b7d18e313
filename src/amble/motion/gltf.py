"""glTF 2.0 (.glb): a skinned mesh, its joints and their animation; metres, y up, z forward."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from amble.motion.axes import turn_from_file
from amble.motion.clip import Clip
from amble.motion.figure import Figure, Skin, figure
from amble.motion.files import replacing
from amble.motion.shape_keys import ShapeKeys

FLOAT, BYTE, SHORT, INT = 5126, 5121, 5123, 5125  # component types
KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.uint8): BYTE}
KINDS |= {np.dtype(np.uint16): SHORT, np.dtype(np.uint32): INT}
VERTICES, INDICES = 34962, 34963  # targets of buffer views


def write_gltf(clip: Clip, path: str | Path) -> None:
    """Write the clip's body as a skinned mesh that moves; joints keep their names.

    Where joints leave their place in their parents (slides, reshapes) they are moved, too. What
    changes its size is a mesh of its own with morph targets.
    """
    content = _Glb(figure(clip)).content()
    with replacing(Path(path)) as unfinished:
        unfinished.write_bytes(content)


class _Glb:
    """Collects the binary part while the tree is built."""

    def __init__(self, body: Figure) -> None:
        self.body, self.motion = body, body.motion
        self.R_fw = turn_from_file("y", "z").T
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.binary = bytearray()
        self._growing: list[tuple[ShapeKeys, int]] = []  # and the node of each

    def content(self) -> bytes:
        """The whole file."""
        tree = json.dumps(self._tree(), separators=(",", ":"), ensure_ascii=False).encode()
        tree += b" " * (-len(tree) % 4)
        chunks = struct.pack("<I4s", len(tree), b"JSON") + tree
        if self.binary:
            chunks += struct.pack("<I4s", len(self.binary), b"BIN\0") + bytes(self.binary)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def _tree(self) -> dict[str, Any]:
        skeleton = self.motion.skeleton
        nodes = [
            {
                "name": name,
                "translation": self._turned(skeleton.offsets[joint]).tolist(),
                **({"children": list(children)} if (children := skeleton.children[joint]) else {}),
            }
            for joint, name in enumerate(skeleton.names)
        ]
        tree: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "amble"},
            "scene": 0,
            "scenes": [{"name": self.body.name, "nodes": [0]}],
            "nodes": nodes,
        }
        if self.body.skins:
            joints = list(range(len(skeleton)))
            bind = np.tile(np.eye(4, dtype=np.float32), (len(skeleton), 1, 1))
            bind[:, 3, :3] = -self._turned(skeleton.rest_w)  # column by column
            matrices = self._add(bind.reshape(-1, 16), "MAT4")
            tree["skins"] = [{"inverseBindMatrices": matrices, "joints": joints, "skeleton": 0}]
            tree["materials"] = [self._material(skin.surface.rgba) for skin in self.body.skins]
            tree["meshes"] = self._meshes()
            for number, mesh in enumerate(tree["meshes"]):
                tree["scenes"][0]["nodes"].append(len(nodes))
                nodes.append({"name": f"{mesh['name']}_skin", "mesh": number, "skin": 0})
        tree["animations"] = [self._animation()]
        tree["accessors"], tree["bufferViews"] = self.accessors, self.views
        tree["buffers"] = [{"byteLength": len(self.binary)}]
        return tree

    def _animation(self) -> dict[str, Any]:
        motion = self.motion
        times = (np.arange(len(motion)) / motion.fps).astype(np.float32)
        input_ = self._add(times[:, None], "SCALAR", bounds=True)
        samplers: list[dict[str, Any]] = []
        channels = []
        quats = motion.quats / np.linalg.norm(motion.quats, axis=-1, keepdims=True)
        xyzw = np.concatenate([self._turned(quats[..., 1:]), quats[..., :1]], axis=-1)
        places = self._turned(motion.places)
        for joint in range(len(motion.skeleton)):
            paths = [("rotation", xyzw[:, joint], "VEC4")]
            if motion.moving[joint]:
                paths.append(("translation", places[:, joint], "VEC3"))
            for path, values, kind in paths:
                target = {"node": joint, "path": path}
                channels.append({"sampler": len(samplers), "target": target})
                output = self._add(values.astype(np.float32), kind)
                samplers.append({"input": input_, "output": output, "interpolation": "LINEAR"})
        for skin, node in self._growing:
            target = {"node": node, "path": "weights"}
            channels.append({"sampler": len(samplers), "target": target})
            weights = skin.weights.astype(np.float32).reshape(-1, 1)
            output = self._add(weights, "SCALAR")
            samplers.append({"input": input_, "output": output, "interpolation": "LINEAR"})
        return {"name": self.body.name, "samplers": samplers, "channels": channels}

    def _meshes(self) -> list[dict[str, Any]]:
        """One of all that keeps its size, one of each part that does not."""
        still = [k for k, skin in enumerate(self.body.skins) if skin.keys is None]
        meshes: list[dict[str, Any]] = []
        if still:
            primitives = [self._primitive(self.body.skins[k], k) for k in still]
            meshes.append({"name": self.body.name, "primitives": primitives})
        for number, skin in enumerate(self.body.skins):
            if skin.keys is None:
                continue
            primitive = self._primitive(skin, number)
            primitive["targets"] = [
                {"POSITION": self._add(self._turned(moved).astype(np.float32), "VEC3", bounds=True)}
                for moved in skin.keys.displacements
            ]
            names = [f"size {k + 1}" for k in range(len(skin.keys.displacements))]
            weights = skin.keys.weights[0].tolist()
            self._growing.append((skin.keys, len(self.motion.skeleton) + len(meshes)))
            meshes.append(
                {
                    "name": skin.name,
                    "primitives": [primitive],
                    "weights": weights,
                    "extras": {"targetNames": names},
                }
            )
        return meshes

    def _primitive(self, skin: Skin, material: int) -> dict[str, Any]:
        kind = np.uint8 if len(self.motion.skeleton) <= 256 else np.uint16
        surface, count = skin.surface, len(skin.joints)
        joints, weights = np.zeros((count, 4), kind), np.zeros((count, 4), np.float32)
        joints[:, 0], weights[:, 0] = skin.joints, 1.0
        normals = self._turned(surface.normals).astype(np.float32)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        vertices = self._turned(surface.vertices).astype(np.float32)
        attributes = {
            "POSITION": self._add(vertices, "VEC3", target=VERTICES, bounds=True),
            "NORMAL": self._add(normals, "VEC3", target=VERTICES),
            "JOINTS_0": self._add(joints, "VEC4", target=VERTICES),
            "WEIGHTS_0": self._add(weights, "VEC4", target=VERTICES),
        }
        faces = surface.faces.astype(np.uint32).reshape(-1, 1)
        indices = self._add(faces, "SCALAR", target=INDICES)
        return {"attributes": attributes, "indices": indices, "material": material}

    def _material(self, rgba: tuple[float, float, float, float]) -> dict[str, Any]:
        *rgb, alpha = rgba
        # glTF takes linear colours; MuJoCo's are as a screen shows them.
        linear = [round(max(c, 0.0) ** 2.2, 6) for c in rgb]
        pbr = {"baseColorFactor": [*linear, alpha], "metallicFactor": 0.0, "roughnessFactor": 0.7}
        return {"pbrMetallicRoughness": pbr, **({"alphaMode": "BLEND"} if alpha < 1 else {})}

    def _turned(self, vectors: np.ndarray) -> np.ndarray:
        turned: np.ndarray = vectors @ self.R_fw.T
        return turned

    def _add(
        self, array: np.ndarray, kind: str, *, target: int | None = None, bounds: bool = False
    ) -> int:
        """Append an array (rows, components) to the binary part; the index of its accessor."""
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.binary)}
        view["byteLength"] = array.nbytes
        if target is not None:
            view["target"] = target
        self.binary += np.ascontiguousarray(array).tobytes()
        self.binary += bytes(-len(self.binary) % 4)
        self.views.append(view)
        accessor: dict[str, Any] = {"bufferView": len(self.views) - 1, "type": kind}
        accessor |= {"componentType": KINDS[array.dtype], "count": len(array)}
        if bounds:
            accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1
