"""Reach: where the centre of mass may be so that every standing leg reaches its foot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.pose.feet import FootState

SOFTNESS = 0.004  # of the leg's longest reach
SWEEPS = 3
SIDEWAYS = 0.15  # how readily the body gives way sideways, relative to downwards


def reachable_com(
    com_w: np.ndarray, hips_w: np.ndarray, body: CentroidalBody, feet: Sequence[FootState]
) -> np.ndarray:
    """The centre of mass (3,) nearest to `com_w` [m] that leaves no standing leg too long.

    `hips_w` (legs, 3) [m] are where the posed body has its hips when its centre of mass is there. A
    plan knows the legs of a rigid body; a posed one has its hips elsewhere by centimetres. Without
    this the spine would bend to make up for it.
    """
    shift = np.zeros(3)
    for _ in range(SWEEPS):
        for leg, foot, hip_w in zip(body.legs, feet, hips_w, strict=True):
            if foot.load == 0.0:
                continue
            away = hip_w + shift - foot.sole.ankle_w(leg)
            distance = math.sqrt(away @ away)
            k = SOFTNESS * leg.longest
            if distance < leg.longest - 6 * k:
                continue
            excess = k * math.log1p(math.exp((distance - leg.longest) / k))
            n = away / distance
            way = n * np.array([SIDEWAYS, SIDEWAYS, 1.0])
            shift -= foot.load * excess / max(float(way @ n), 0.1) * way
    return com_w + shift
