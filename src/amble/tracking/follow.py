"""From a file of motion capture to a consistent reference: the first half of `amble track`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from amble.errors import InputError
from amble.motion.clip import Clip
from amble.tracking.cache import cached_solve
from amble.tracking.capture import SHORTEST, read_capture
from amble.tracking.cycles import find_cycle, repeats
from amble.tracking.flat_body import ROOT, FlatBody
from amble.tracking.from_clip import motion_from_clip
from amble.tracking.motion import Motion
from amble.tracking.reference import Reference
from amble.tracking.spacetime import Progress, Settings


@dataclass(frozen=True, eq=False)
class Followed:
    """A capture on the body, and the reference that was made of it."""

    motion: Motion
    reference: Reference

    @property
    def joint_deviation_deg(self) -> float:
        """Mean deviation of the reference's joints from the capture."""
        away = np.abs(self.reference.q[:, ROOT:] - self.motion.q[:, ROOT:])
        return float(np.degrees(away.mean()))

    @property
    def root_deviation_mm(self) -> float:
        """Mean distance of the reference's root from the capture's."""
        away = np.linalg.norm(self.reference.q[:, :3] - self.motion.q[:, :3], axis=1)
        return float(1e3 * away.mean())


def motion_of_file(
    body: FlatBody,
    path: str | Path,
    *,
    cycle: bool | None = None,
    names: Mapping[str, str] | None = None,
    up: str | None = None,
    skip: int | None = None,
) -> Motion:
    """The motion in a .bvh file, or in a clip (.npz) of the body itself.

    `cycle` says whether to take the cycle that repeats best, or all of it; by default the cycle of
    a steady walk or run, and all of anything else.
    """
    path = Path(path)
    if path.suffix.lower() == ".npz":
        motion = motion_from_clip(body, Clip.load(path), path.stem)
        if motion.seconds < SHORTEST:
            raise InputError(f"{path}: lasts {motion.seconds:.2f} s, shorter than a step")
        if not motion.contact.any():
            raise InputError(f"{path}: no foot ever stands on the ground")
    elif path.suffix.lower() == ".bvh":
        motion = read_capture(body, path, names=names, up=up, skip=skip)
    else:
        raise InputError(f"{path}: motion is read from .bvh, or from .npz clips of the same body")
    if cycle or (cycle is None and repeats(motion)):
        try:
            return find_cycle(motion)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    return motion


def followed(
    body: FlatBody,
    motion: Motion,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Followed:
    """The reference nearest to the motion, from the cache if it was solved before."""
    return Followed(motion, cached_solve(body, motion, settings, progress))
