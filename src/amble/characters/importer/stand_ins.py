"""Small files for large ones, while the importer only asks where the body's surface is.

Textures and meshes for the eye take most of the time that MuJoCo needs to compile a real robot, and
an import compiles it several times.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import mujoco
import numpy as np

from amble.characters.importer.meshes import binary_stl
from amble.characters.importer.read import Draft
from amble.characters.importer.soles import shapes_of

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
ROUNDING = 1e-5  # of a moment of inertia: what text may lose of it
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
OBJ = "\n".join(
    [*(f"v {x} {y} {z}" for x, y, z in TETRAHEDRON), *(f"f {a} {b} {c}" for a, b, c in FACES + 1)]
)


def hide_textures(draft: Draft) -> None:
    """Grey squares for pictures."""
    for texture in draft.spec.textures:
        if Path(texture.file).suffix.lower() == ".png" and texture.file in draft.assets:
            rows, columns = texture.gridsize  # of the squares that a cube is unfolded into
            draft.stand_ins[texture.file] = _grey_png(int(columns), int(rows))


def fix_inertias(draft: Draft, model: mujoco.MjModel) -> None:
    """What the bodies weigh, as compiled, whatever happens to their shapes from now on."""
    compiler = draft.spec.compiler
    compiler.inertiafromgeom = 0
    compiler.settotalmass = -1
    for body in draft.spec.bodies[1:]:
        b = model.body(body.name).id
        body.explicitinertial = True
        body.fullinertia = [np.nan] * 6
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        inertia = model.body_inertia[b]
        if inertia.sum() - 2 * inertia.max() < ROUNDING * inertia.max():  # a thin rod or a plate
            inertia = inertia + ROUNDING * inertia.max()
        body.mass, body.inertia = model.body_mass[b], inertia
        body.ipos, body.iquat = model.body_ipos[b], model.body_iquat[b]


def hide_looks(draft: Draft, model: mujoco.MjModel) -> None:
    """Tetrahedra for meshes that only the eye meets, on links that collide with other shapes."""
    links = [int(b) for b in np.unique(model.body_weldid)]
    felt = {int(model.geom_dataid[g]) for link in links for g in shapes_of(model, link)}
    files: dict[str, bool] = {}
    for mesh in draft.spec.meshes:
        is_felt = model.mesh(mesh.name).id in felt
        files[mesh.file] = files.get(mesh.file, False) or is_felt
    small = {".obj": OBJ.encode(), ".stl": binary_stl(TETRAHEDRON[FACES])}
    for file, is_felt in files.items():
        if not is_felt and file in draft.assets and Path(file).suffix.lower() in small:
            draft.stand_ins[file] = small[Path(file).suffix.lower()]


def _grey_png(width: int, height: int) -> bytes:
    def chunk(tag: bytes, content: bytes) -> bytes:
        checked = tag + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\x80\x80\x80" * width) * height
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
