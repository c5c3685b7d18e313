"""Shape keys: how the surfaces of a body change with its size, as files of animation tell it.

A part that grows goes through a few shapes; between two of them every vertex moves on a straight
line. Files have the shapes' displacements, and for each frame how much of each counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import mujoco
import numpy as np

from amble.motion.clip import Clip
from amble.motion.surfaces import body_surfaces

TOLERANCE = 5e-4  # [m] by which a vertex may be off its line between two shapes
MOST_KEYS = 12  # of one part


@dataclass(frozen=True, eq=False)
class ShapeKeys:
    """K displacements of V vertices, and their weights, from 0 to 1, in T frames."""

    displacements: np.ndarray  # (K, V, 3) [m]
    weights: np.ndarray  # (T, K)


def shape_keys(clip: Clip) -> dict[int, ShapeKeys]:
    """Those of every MJCF body that changes its size, in its own frame, for all its surfaces."""
    reshaped = {clip.character.part(event.what) for event in clip.events_of("reshape")}
    bodies = [clip.character.model.body(name).id for name in sorted(reshaped)]
    shapes: dict[int, list[np.ndarray]] = {body: [] for body in bodies}
    times: dict[int, list[int]] = {body: [] for body in bodies}
    before: dict[int, bytes] = {}
    first = {body: _vertices(clip.character.model, body) for body in bodies}
    for frame in clip.frames():
        for body in bodies:
            size = _size(frame.model, body)
            if before.get(body) != size:
                before[body] = size
                shapes[body].append(_vertices(frame.model, body) - first[body])
                times[body].append(frame.index)
    found = {}
    for body in bodies:
        moved = np.array(shapes[body])
        if moved.size and np.abs(moved).max() > TOLERANCE:
            found[body] = _keys(moved, np.array(times[body]), len(clip))
    return found


def _keys(shapes: np.ndarray, times: np.ndarray, frames: int) -> ShapeKeys:
    """From all S shapes (S, V, 3), each from its frame on."""
    flat = shapes.reshape(len(shapes), -1)
    # Begin with no displacement, the last shape and the extremes; add where lines miss a shape.
    largest = int(np.abs(flat).max(axis=1).argmax())
    chosen = sorted({0, largest, len(flat) - 1})
    while True:
        share, error = _between(flat, chosen)
        worst = int(error.argmax())
        if error[worst] < TOLERANCE or len(chosen) > MOST_KEYS:
            break
        chosen = sorted({*chosen, worst})
    moved = [k for k in chosen if np.abs(flat[k]).max() > 0.0]
    columns = [chosen.index(k) for k in moved]
    of_frame = np.searchsorted(times, np.arange(frames), side="right") - 1
    weights = np.where(of_frame[:, None] < 0, 0.0, share[of_frame][:, columns])
    return ShapeKeys(shapes[moved], weights)


def _between(flat: np.ndarray, chosen: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """How much of each chosen shape the shapes between them are (S, K), and what is missed (S,)."""
    share, error = np.zeros((len(flat), len(chosen))), np.zeros(len(flat))
    for k, (a, b) in enumerate(pairwise(chosen)):
        line = flat[b] - flat[a]
        along = np.clip((flat[a : b + 1] - flat[a]) @ line / max(line @ line, 1e-300), 0.0, 1.0)
        share[a : b + 1] = 0.0
        share[a : b + 1, k], share[a : b + 1, k + 1] = 1.0 - along, along
        off = flat[a : b + 1] - flat[a] - along[:, None] * line
        error[a : b + 1] = np.abs(off).max(axis=1)
    if len(chosen) == 1:
        share[:, 0] = 1.0
    return share, error


def _vertices(model: mujoco.MjModel, body: int) -> np.ndarray:
    """All vertices of a body's surfaces (V, 3)."""
    return np.concatenate([surface.vertices for surface in body_surfaces(model, body)])


def _size(model: mujoco.MjModel, body: int) -> bytes:
    geoms = model.geom_bodyid == body
    return model.geom_size[geoms].tobytes() + model.geom_pos[geoms].tobytes()
