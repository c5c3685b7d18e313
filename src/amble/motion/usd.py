"""USD (.usda): a UsdSkel skeleton with its animation and skinned meshes; metres, z up, x forward.

The text is written as the USD specification has it, so that no package of USD is needed for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from amble.motion.clip import Clip
from amble.motion.figure import Figure, Skin, figure
from amble.motion.files import replacing
from amble.motion.shape_keys import ShapeKeys
from amble.motion.skeleton import unique_names

IDENTITY = "( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )"


def write_usd(clip: Clip, path: str | Path) -> None:
    """Write the clip's body as UsdSkel: one time code a frame, joints with their names.

    Where joints leave their place in their parents (slides, reshapes) they are moved, too. What
    changes its size is a mesh of its own with blend shapes.
    """
    text = _stage(figure(clip))
    with replacing(Path(path)) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def _stage(body: Figure) -> str:
    motion = body.motion
    (name,) = identifiers([body.name])
    lines = [
        "#usda 1.0",
        "(",
        f'    defaultPrim = "{name}"',
        "    startTimeCode = 0",
        f"    endTimeCode = {len(motion) - 1}",
        f"    framesPerSecond = {motion.fps:.10g}",
        f"    timeCodesPerSecond = {motion.fps:.10g}",
        "    metersPerUnit = 1",
        '    upAxis = "Z"',
        ")",
        "",
        f'def SkelRoot "{name}" (prepend apiSchemas = ["SkelBindingAPI"])',
        "{",
        f"    rel skel:skeleton = </{name}/Skeleton>",
        *_skeleton(body, name),
    ]
    for number, skin in enumerate(body.skins):
        lines += _mesh(skin, number, name)
    if body.skins:
        lines += ["", '    def Scope "Materials"', "    {"]
        for number, skin in enumerate(body.skins):
            lines += _material(skin.surface.rgba, f"/{name}/Materials", f"Material_{number}")
        lines.append("    }")
    return "\n".join([*lines, "}", ""])


def _skeleton(body: Figure, name: str) -> list[str]:
    """The joints at rest and in every frame."""
    motion, skeleton = body.motion, body.motion.skeleton
    paths: list[str] = []
    for word, parent in zip(identifiers(skeleton.names), skeleton.parents, strict=True):
        paths.append(word if parent < 0 else f"{paths[parent]}/{word}")
    joints = _quoted(paths)
    frames = range(len(motion))
    return [
        "",
        '    def Skeleton "Skeleton" (prepend apiSchemas = ["SkelBindingAPI"])',
        "    {",
        f"        uniform token[] joints = {joints}",
        f"        uniform matrix4d[] bindTransforms = {_array(map(_shift, skeleton.rest_w))}",
        f"        uniform matrix4d[] restTransforms = {_array(map(_shift, skeleton.offsets))}",
        f"        rel skel:animationSource = </{name}/Skeleton/Motion>",
        "",
        '        def SkelAnimation "Motion"',
        "        {",
        f"            uniform token[] joints = {joints}",
        "            float3[] translations.timeSamples = {",
        *(f"                {k}: {_rows(motion.places[k])}," for k in frames),
        "            }",
        "            quatf[] rotations.timeSamples = {",
        *(f"                {k}: {_rows(motion.quats[k])}," for k in frames),
        "            }",
        f"            half3[] scales = {_array(['(1, 1, 1)'] * len(skeleton))}",
        *_sizes(body),
        "        }",
        "    }",
    ]


def _sizes(body: Figure) -> list[str]:
    """How much of each blend shape counts in every frame."""
    growing = [(k, skin.keys) for k, skin in enumerate(body.skins) if skin.keys is not None]
    if not growing:
        return []
    words = [word for number, keys in growing for word in _key_names(number, keys)]
    weights = np.concatenate([keys.weights for _, keys in growing], axis=1)
    return [
        f"            uniform token[] blendShapes = {_quoted(words)}",
        "            float[] blendShapeWeights.timeSamples = {",
        *(f"                {k}: {_array(map(_number, row))}," for k, row in enumerate(weights)),
        "            }",
    ]


def _key_names(number: int, keys: ShapeKeys) -> list[str]:
    """Of the blend shapes of a mesh, each the only one of its name."""
    return [f"Skin_{number}_size_{k + 1}" for k in range(len(keys.displacements))]


def _blend_shapes(keys: ShapeKeys, number: int, path: str) -> list[str]:
    """What a mesh says of its blend shapes, and these."""
    words = _key_names(number, keys)
    lines = [
        f"        uniform token[] skel:blendShapes = {_quoted(words)}",
        f"        rel skel:blendShapeTargets = {_array(f'<{path}/{word}>' for word in words)}",
    ]
    for word, moved in zip(words, keys.displacements, strict=True):
        lines += [
            "",
            f'        def BlendShape "{word}"',
            "        {",
            f"            uniform vector3f[] offsets = {_rows(moved)}",
            f"            uniform vector3f[] normalOffsets = {_rows(np.zeros_like(moved))}",
            "        }",
        ]
    return lines


def _mesh(skin: Skin, number: int, name: str) -> list[str]:
    surface = skin.surface
    path = f"/{name}/Skin_{number}"
    keys = [] if skin.keys is None else _blend_shapes(skin.keys, number, path)
    vertex = 'elementSize = 1\n            interpolation = "vertex"'
    low_high = np.stack([surface.vertices.min(axis=0), surface.vertices.max(axis=0)])
    return [
        "",
        f'    def Mesh "Skin_{number}" (',
        '        prepend apiSchemas = ["SkelBindingAPI", "MaterialBindingAPI"]',
        "    )",
        "    {",
        '        uniform token subdivisionScheme = "none"',
        f"        float3[] extent = {_rows(low_high)}",
        f"        int[] faceVertexCounts = {_array(['3'] * len(surface.faces))}",
        f"        int[] faceVertexIndices = {_array(map(str, surface.faces.ravel().tolist()))}",
        f"        point3f[] points = {_rows(surface.vertices)}",
        f"        normal3f[] normals = {_rows(surface.normals)} (",
        '            interpolation = "vertex"',
        "        )",
        f"        color3f[] primvars:displayColor = {_rows([_linear(surface.rgba)])}",
        f"        matrix4d primvars:skel:geomBindTransform = {IDENTITY}",
        f"        int[] primvars:skel:jointIndices = {_array(map(str, skin.joints.tolist()))} (",
        f"            {vertex}",
        "        )",
        f"        float[] primvars:skel:jointWeights = {_array(['1'] * len(skin.joints))} (",
        f"            {vertex}",
        "        )",
        f"        rel skel:skeleton = </{name}/Skeleton>",
        f"        rel material:binding = </{name}/Materials/Material_{number}>",
        *keys,
        "    }",
    ]


def _material(rgba: tuple[float, float, float, float], scope: str, word: str) -> list[str]:
    return [
        f'        def Material "{word}"',
        "        {",
        f"            token outputs:surface.connect = <{scope}/{word}/Surface.outputs:surface>",
        '            def Shader "Surface"',
        "            {",
        '                uniform token info:id = "UsdPreviewSurface"',
        f"                color3f inputs:diffuseColor = {_row(_linear(rgba))}",
        f"                float inputs:opacity = {_number(rgba[3])}",
        "                float inputs:roughness = 0.7",
        "                token outputs:surface",
        "            }",
        "        }",
    ]


def identifiers(names: Iterable[str]) -> tuple[str, ...]:
    """Names as USD takes them: ASCII letters, digits and `_`, no digit first."""
    plain = ("".join(c if c.isascii() else "_" for c in name) for name in names)
    return unique_names(f"_{word}" if word[:1].isdigit() else word for word in plain)


def _linear(rgba: tuple[float, float, float, float]) -> list[float]:
    """USD takes linear colours; MuJoCo's are as a screen shows them."""
    return [max(c, 0.0) ** 2.2 for c in rgba[:3]]


def _shift(place: np.ndarray) -> str:
    return f"( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), {_row([*place, 1.0])} )"


def _rows(rows: Iterable[Iterable[float]]) -> str:
    return _array(map(_row, rows))


def _row(row: Iterable[float]) -> str:
    return f"({', '.join(map(_number, row))})"


def _quoted(words: Iterable[str]) -> str:
    return _array(f'"{word}"' for word in words)


def _array(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _number(value: float) -> str:
    return f"{value:.8g}"
