"""BVH files: motion of a skeleton, read and written."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from amble.errors import InputError
from amble.geometry.rotations import (
    matrix_from_quat,
    quat_from_rotvec,
    quat_multiply,
)
from amble.motion.axes import turn_from_file
from amble.motion.bvh_text import POSITIONS, ROTATIONS, BvhJoint, parse_bvh
from amble.motion.clip import Clip
from amble.motion.clip_skeleton import clip_skeleton
from amble.motion.files import replacing
from amble.motion.skeleton import Skeleton, SkeletonMotion, smooth_signs, unique_names

SMALLEST, TALLEST = 0.02, 12.0  # [m] of skeletons that are taken as they are
ORDER = ("Zrotation", "Xrotation", "Yrotation")  # singular where a joint tips sideways by 90°


def read_bvh(
    path: str | Path,
    *,
    scale: float = 1.0,
    up: str = "y",
    forward: str | None = None,
    skip: int = 0,
) -> SkeletonMotion:
    """The motion in a BVH file, in metres, x forward and z up.

    `scale` is the length of the file's unit [m], for example 0.01 for centimetres. `up` and
    `forward` name the file's axes (x, y, z, -x, -y, -z); forward is z where y is up, and x where z
    is up. The first `skip` frames, such as an added T-pose, are left out. Channels may stand in any
    order, and every joint may have channels of position, which take the place of its OFFSET.
    """
    path = Path(path)
    if not (np.isfinite(scale) and scale > 0):
        raise InputError(f"{path}: scale is {scale:g}; metres per unit, a number > 0, are needed")
    R_wf = turn_from_file(up, forward)
    text = parse_bvh(path)
    if not 0 <= skip < len(text.rows):
        raise InputError(f"{path}: skip is {skip}; 0 to {len(text.rows) - 1} is allowed")
    rows, first = text.rows[skip:], 0
    places, quats = [], []
    for joint in text.joints:
        channels = joint.channels or ()
        place, quat = _pose(joint, rows[:, first : first + len(channels)])
        first += len(channels)
        places.append(scale * place @ R_wf.T)
        quats.append(quat)
    # A turn about a file's axis is one about the world's axis on which that lies.
    turned = np.stack(quats, axis=1)
    turned[..., 1:] = turned[..., 1:] @ R_wf.T
    moved = np.stack(places, axis=1)
    skeleton = _skeleton(text.joints, moved, scale, R_wf)
    if not SMALLEST <= skeleton.size <= TALLEST:
        raise InputError(
            f"{path}: the skeleton is {skeleton.size:.3g} m large; give as scale the metres of "
            f"the file's unit (0.01 for centimetres): {SMALLEST:g} to {TALLEST:g} m are allowed"
        )
    return SkeletonMotion(skeleton, _fps(text.frame_time), moved, smooth_signs(turned))


def write_bvh(clip: Clip, path: str | Path) -> None:
    """Write a clip's skeleton and its motion: metres, y up, z forward."""
    write_bvh_motion(clip_skeleton(clip), path)


def write_bvh_motion(motion: SkeletonMotion, path: str | Path) -> None:
    """Write the motion of a skeleton: metres, y up, z forward."""
    skeleton, R_fw = motion.skeleton, turn_from_file("y", "z").T
    names = unique_names(skeleton.names, allowed="-.:")
    offsets, tips = skeleton.offsets @ R_fw.T, skeleton.tips @ R_fw.T
    lines, order = ["HIERARCHY"], []
    # Depth first, as braces ask; the order of the columns follows.
    stack: list[tuple[int, int]] = [(0, 0)]
    while stack:
        joint, depth = stack.pop()
        if joint < 0:
            lines.append("\t" * depth + "}")
            continue
        order.append(joint)
        indent = "\t" * depth
        lines += [f"{indent}{'JOINT' if depth else 'ROOT'} {names[joint]}", indent + "{"]
        # Programs differ in whether a root's OFFSET adds to its channels; zero suits all.
        offset = offsets[joint] if joint else np.zeros(3)
        lines.append(f"{indent}\tOFFSET {_text(offset)}")
        channels = (*POSITIONS, *ORDER) if motion.moving[joint] else ORDER
        lines.append(f"{indent}\tCHANNELS {len(channels)} {' '.join(channels)}")
        if np.isfinite(tips[joint]).all():
            inner = [f"\tOFFSET {_text(tips[joint])}"]
            lines += [f"{indent}\t{line}" for line in ("End Site", "{", *inner, "}")]
        stack.append((-1, depth))
        stack += [(child, depth + 1) for child in reversed(skeleton.children[joint])]
    columns = []
    for joint in order:
        if motion.moving[joint]:
            columns.append(motion.places[:, joint] @ R_fw.T)
        quat = motion.quats[:, joint].copy()
        quat[:, 1:] = quat[:, 1:] @ R_fw.T
        columns.append(_angles_zxy(matrix_from_quat(quat)))
    lines += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {1 / motion.fps:.10g}"]
    lines += [_text(row) for row in np.concatenate(columns, axis=1)]
    with replacing(Path(path)) as unfinished:
        unfinished.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _fps(frame_time: float) -> float:
    """Frames a second; whole where the file has rounded the time, as in 0.0083333."""
    fps = 1.0 / frame_time
    return float(round(fps)) if abs(fps - round(fps)) < 1e-4 * fps else fps


def _pose(joint: BvhJoint, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (T, 3) and turns (T, 4) of a joint in its parent, from its channels (T, C)."""
    place = np.tile(np.array(joint.offset, dtype=float), (len(values), 1))
    quat = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), 1))
    for name, column in zip(joint.channels or (), values.T, strict=True):
        if name in POSITIONS:
            place[:, POSITIONS.index(name)] = column
        else:
            axis = np.eye(3)[ROTATIONS.index(name)]
            quat = quat_multiply(quat, quat_from_rotvec(np.radians(column)[:, None] * axis))
    return place, quat


def _skeleton(
    joints: tuple[BvhJoint, ...], places: np.ndarray, scale: float, R_wf: np.ndarray
) -> Skeleton:
    """The tree; joints that channels put elsewhere for good have that as their offset."""
    offsets = np.array([joint.offset for joint in joints], dtype=float) * scale @ R_wf.T
    still = np.ptp(places, axis=0).max(axis=1) < 1e-6
    still[0] = False
    offsets[still] = places[0, still]
    tips = [joint.end if joint.end is not None else (np.nan,) * 3 for joint in joints]
    return Skeleton(
        names=unique_names((joint.name for joint in joints), allowed="-.:"),
        parents=tuple(joint.parent for joint in joints),
        offsets=offsets,
        tips=np.array(tips, dtype=float) * scale @ R_wf.T,
    )


def _angles_zxy(R: np.ndarray) -> np.ndarray:
    """Angles (T, 3) [deg], without jumps, with R = Rz(a) Rx(b) Ry(c)."""
    b = np.arcsin(np.clip(R[:, 2, 1], -1, 1))
    a = np.arctan2(-R[:, 0, 1], R[:, 1, 1])
    c = np.arctan2(-R[:, 2, 0], R[:, 2, 2])
    upright = np.hypot(R[:, 0, 1], R[:, 1, 1]) < 1e-6  # there only a ± c is determined
    a[upright], c[upright] = np.arctan2(R[upright, 1, 0], R[upright, 0, 0]), 0.0
    degrees: np.ndarray = np.degrees(np.unwrap(np.stack([a, b, c], axis=1), axis=0))
    return degrees


def _text(row: np.ndarray) -> str:
    return " ".join(f"{value:.6f}" for value in row)
