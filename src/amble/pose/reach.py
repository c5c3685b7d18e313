"""Reach: where the centre of mass may be so that every standing leg reaches its foot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY
from amble.geometry.splines import smooth_step
from amble.plan.plan import BodyState
from amble.pose.feet import FootState

SOFTNESS = 0.002  # of the leg's longest reach
SWEEPS = 3
SIDEWAYS = 0.15  # how readily the body gives way sideways, relative to downwards
FORESIGHT = 0.12  # [s] before landing, and after lift-off, in which the body gives way already


def reachable_com(
    state: BodyState, hips_w: np.ndarray, body: CentroidalBody, feet: Sequence[FootState]
) -> np.ndarray:
    """The centre of mass (3,) nearest to the planned one [m] that leaves no leg too long.

    `hips_w` (legs, 3) [m] are where the posed body has its hips when its centre of mass is as
    planned. A plan knows the legs of a rigid body; a posed one has its hips elsewhere, by
    centimetres. Feet in the air count by where they land, or lifted off.
    """
    shift = np.zeros(3)
    falling = not any(foot.standing for foot in feet)
    places = []
    for leg, foot, hip_w in zip(body.legs, feet, hips_w, strict=True):
        t = foot.until_ground
        if abs(t) >= FORESIGHT:
            continue
        hip_then = hip_w + t * state.velocity_w
        if falling:
            hip_then[2] -= 0.5 * GRAVITY * t * t
        places.append((leg, hip_then - foot.ground_ankle_w, 1 - smooth_step(abs(t) / FORESIGHT)))
    for _ in range(SWEEPS):
        for leg, away_w, share in places:
            away = away_w + shift
            distance = math.sqrt(away @ away)
            k = SOFTNESS * leg.longest
            if distance < leg.longest - 6 * k:
                continue
            excess = k * math.log1p(math.exp((distance - leg.longest) / k))
            n = away / distance
            way = n * np.array([SIDEWAYS, SIDEWAYS, 1.0])
            shift -= share * excess / max(float(way @ n), 0.1) * way
    return state.com_w + shift
