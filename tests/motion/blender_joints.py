"""Run by Blender's Python: where every joint is in every frame of each file, in Blender's axes.

blender_joints.py JOBS.json: a list of {file, fps, frames, result}; `result` is an .npz file with
`names` and `places` (T, J, 3), the number of `meshes`, and all their vertices (V, 3) in the first
and the last frame, `first` and `last`, as modifiers and shape keys make them.
"""

import json
import sys
from pathlib import Path

import bpy  # type: ignore[import-not-found]
import numpy as np

IMPORT = {
    ".bvh": lambda file: bpy.ops.import_anim.bvh(filepath=file, frame_start=1),
    ".glb": lambda file: bpy.ops.import_scene.gltf(filepath=file),
    ".usda": lambda file: bpy.ops.wm.usd_import(filepath=file),
}
FIRST = {".bvh": 1, ".glb": 0, ".usda": 0}  # the frame at which the motion begins


def vertices(frame):
    """Of all meshes, in the world (V, 3)."""
    scene.frame_set(frame)
    now = bpy.context.evaluated_depsgraph_get()
    found = [np.zeros((0, 3))]
    for thing in scene.objects:
        if thing.type == "MESH" and thing.find_armature():  # not the shapes of bones
            seen = thing.evaluated_get(now)
            places = np.array([corner.co for corner in seen.data.vertices])
            turn = np.array(seen.matrix_world)
            found.append(places @ turn[:3, :3].T + turn[:3, 3])
    return np.concatenate(found)


for job in json.loads(Path(sys.argv[1]).read_text()):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene, kind = bpy.context.scene, Path(job["file"]).suffix
    scene.render.fps = round(job["fps"])
    IMPORT[kind](job["file"])
    (armature,) = [thing for thing in scene.objects if thing.type == "ARMATURE"]
    places = []
    for frame in range(job["frames"]):
        scene.frame_set(FIRST[kind] + frame)
        turn = np.array(armature.matrix_world)
        heads = np.array([bone.head for bone in armature.pose.bones])
        places.append(heads @ turn[:3, :3].T + turn[:3, 3])
    meshes = sum(thing.type == "MESH" for thing in scene.objects)
    names = [bone.name for bone in armature.pose.bones]
    begin = FIRST[kind]
    seen = {"first": vertices(begin), "last": vertices(begin + job["frames"] - 1)}
    np.savez(job["result"], names=names, places=np.array(places), meshes=meshes, **seen)
