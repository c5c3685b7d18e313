"""Motions from clips of the body itself: planned walks, simulations, other programs' animations."""

from __future__ import annotations

import numpy as np

from amble.errors import InputError
from amble.motion.clip import Clip
from amble.tracking.contacts import detect_contacts
from amble.tracking.flat_body import FlatBody
from amble.tracking.motion import STEP, Motion


def motion_from_clip(body: FlatBody, clip: Clip, name: str = "", step: float = STEP) -> Motion:
    """The clip's poses, `step` apart, with its contacts if it has any, and else those found."""
    if clip.character.name != body.character.name or clip.qpos.shape[1] != body.character.model.nq:
        raise InputError(
            f"clip '{clip.scenario}' is of '{clip.character.name}'; one of "
            f"'{body.character.name}' is needed"
        )
    name = name or clip.scenario
    q = resampled(body.flat(clip.qpos), 1 / clip.fps, step)
    if clip.touching.any():
        columns = [clip.point_names.index(site) for site in body.corner_names]
        rows = np.round(np.arange(len(q)) * step * clip.fps).astype(int)
        contact = clip.touching[np.minimum(rows, len(clip) - 1)][:, columns]
        contact = paired(contact)
    else:
        contact = detect_contacts(body, q, step)
    return Motion(name, step, q, contact)


def paired(contact: np.ndarray) -> np.ndarray:
    """Both corners of a heel or toe stand where one does: a foot stands on edges, not corners."""
    pairs = contact.reshape(len(contact), 4, 2).any(axis=2)
    return np.repeat(pairs, 2, axis=1)


def resampled(q: np.ndarray, given: float, step: float) -> np.ndarray:
    """Rows (T, n) that are `given` [s] apart, by cubic splines at a `step`."""
    if abs(given - step) < 1e-9 * step:
        return np.array(q, dtype=float)
    from scipy.interpolate import CubicSpline

    time = np.arange(len(q)) * given
    count = int(np.floor(time[-1] / step + 1e-9)) + 1
    rows: np.ndarray = CubicSpline(time, q)(np.arange(count) * step)
    return rows
