"""Captured clips: a BVH file of any skeleton becomes a motion of a body, with its contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from amble.errors import InputError
from amble.motion.bvh import read_bvh
from amble.motion.skeleton import SkeletonMotion
from amble.tracking.contacts import detect_contacts, floor_height
from amble.tracking.cycles import smoothed
from amble.tracking.flat_body import FlatBody
from amble.tracking.from_clip import resampled
from amble.tracking.joint_names import match_joints
from amble.tracking.motion import STEP, Motion
from amble.tracking.retarget import retargeted

UNITS = (1.0, 0.01, 0.001)  # metres, centimetres, millimetres: any does, sizes are the body's
SHORTEST = 0.35  # [s] of a step
CUTOFF = 8.0  # [Hz]
LEAP, LEAP_WITHIN = 0.2, 5  # of the skeleton's size, in one of so many first frames


def read_capture(
    body: FlatBody,
    path: str | Path,
    *,
    names: Mapping[str, str] | None = None,
    up: str | None = None,
    skip: int | None = None,
    step: float = STEP,
) -> Motion:
    """The motion of a BVH file on a body.

    `names` says which joint is a part that is not found by its name ({"left_knee": "LeftLeg"}),
    `up` which axis of the file points up (y or z, by default the one along the legs), and `skip`
    how many frames are left out at the start (by default those before a leap, as from an added
    T-pose).
    """
    skeleton = _skeleton_motion(Path(path), up, names)
    if skip is None:
        skip = _added_poses(skeleton)
    if not 0 <= skip < len(skeleton):
        raise InputError(f"{path}: skip is {skip}; 0 to {len(skeleton) - 1} is allowed")
    part = SkeletonMotion(
        skeleton.skeleton, skeleton.fps, skeleton.places[skip:], skeleton.quats[skip:]
    )
    if (len(part) - 1) / part.fps < SHORTEST:
        raise InputError(
            f"{path}: lasts {(len(part) - 1) / part.fps:.2f} s, shorter than a step; "
            f"at least {SHORTEST:g} s are needed"
        )
    q = resampled(retargeted(body, part, names, str(path)), 1 / part.fps, step)
    return grounded(body, Path(path).stem, q, step, str(path))


def grounded(body: FlatBody, name: str, q: np.ndarray, step: float, where: str) -> Motion:
    """Poses without jitter, on a floor at zero that is found from the feet, with contacts."""
    calm = smoothed(Motion(name, step, q, np.zeros((len(q), 8), bool)), CUTOFF).q
    points = np.array([body.midpoints_w(each) for each in calm])
    calm = calm.copy()
    calm[:, 2] -= floor_height(points, step)
    calm[:, :2] -= calm[0, :2]
    contact = detect_contacts(body, calm, step)
    if not contact.any():
        raise InputError(
            f"{where}: no foot ever stands on a ground; a clip with contacts is needed"
        )
    return Motion(name, step, calm, contact)


def _skeleton_motion(path: Path, up: str | None, names: Mapping[str, str] | None) -> SkeletonMotion:
    """The file in whatever unit gives a skeleton a possible size."""
    for unit in UNITS:
        try:
            motion = read_bvh(path, scale=unit, up=up or "y")
        except InputError as error:
            if "the skeleton is" not in str(error) or unit == UNITS[-1]:
                raise
            continue
        break
    if up is None:
        roles, rest = match_joints(motion.skeleton, names, str(path)).roles, motion.skeleton.rest_w
        leg = rest[roles["left_hip"]] - rest[roles["left_ankle"]]
        if abs(leg[2]) < 0.7 * np.linalg.norm(leg):
            return _skeleton_motion(path, "z", names)
    return motion


def _added_poses(motion: SkeletonMotion) -> int:
    """How many of the first frames stand before a leap that no body can make."""
    if len(motion) < 3 * LEAP_WITHIN:
        return 0
    steps = np.linalg.norm(np.diff(motion.places_w, axis=0), axis=2).max(axis=1)
    usual = np.median(steps[LEAP_WITHIN : 3 * LEAP_WITHIN])
    leaps = np.flatnonzero(steps[:LEAP_WITHIN] > max(10 * usual, LEAP * motion.skeleton.size))
    return int(leaps[-1]) + 1 if len(leaps) else 0


def cut(motion: Motion, start: int, stop: int) -> Motion:
    """Rows from `start` to before `stop`."""
    return replace(motion, q=motion.q[start:stop], contact=motion.contact[start:stop])
