"""Reach: where the centre of mass may be so that every standing leg reaches its foot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from amble.characters.centroidal import CentroidalBody, Leg
from amble.characters.character import GRAVITY
from amble.geometry.splines import smooth_step
from amble.plan.plan import BodyState
from amble.pose.feet import FootState
from amble.pose.swing import soft_excess

SOFTNESS = 0.002  # of the leg's longest reach
SWEEPS = 3
SIDEWAYS = 0.15  # how readily the body gives way sideways, relative to downwards
HEEL_LIFTS = 0.3  # [rad] by which a heel lifts before the body gives way
FORESIGHT = 0.12  # [s] before landing, and after lift-off, in which the body gives way already


def _heel_gives(leg: Leg, foot: FootState, x: float, y: float, z: float) -> float:
    """By how much a standing leg is longer whose foot rolls over its toe [m]; (x, y, z) [m] is the
    hip from the ankle."""
    if foot.pivot <= 0 or len(leg.effectors) < 2:
        return 0.0
    (ax, _, ux), (ay, _, uy), (az, _, uz) = foot.sole.R_w.tolist()
    ahead, up = ax * x + ay * y + az * z, ux * x + uy * y + uz * z
    slope = (leg.ankle_height * ahead + foot.pivot * up) / math.sqrt(x * x + y * y + z * z)
    return HEEL_LIFTS * max(slope, 0.0)


def reachable_com(
    state: BodyState, hips_w: np.ndarray, body: CentroidalBody, feet: Sequence[FootState]
) -> np.ndarray:
    """The centre of mass (3,) nearest to the planned one [m] that leaves no leg too long.

    `hips_w` (legs, 3) [m] are where the posed body has its hips when its centre of mass is as
    planned. A plan knows the legs of a rigid body; a posed one has its hips elsewhere, by
    centimetres. Feet in the air count by where they land, or lifted off.
    """
    # Plain numbers: numpy takes ten times longer for vectors as short as these.
    falling = not any(foot.standing for foot in feet)
    vx, vy, vz = state.velocity_w.tolist()
    places = []
    for leg, foot, (hx, hy, hz) in zip(body.legs, feet, hips_w.tolist(), strict=True):
        t = foot.until_ground
        if abs(t) >= FORESIGHT:
            continue
        ax, ay, az = foot.ground_ankle_w.tolist()
        x, y, z = hx + t * vx - ax, hy + t * vy - ay, hz + t * vz - az
        if falling:
            z -= 0.5 * GRAVITY * t * t
        longest = leg.longest + (_heel_gives(leg, foot, x, y, z) if foot.standing else 0.0)
        places.append((longest, x, y, z, 1 - smooth_step(abs(t) / FORESIGHT)))
    dx = dy = dz = 0.0
    for _ in range(SWEEPS):
        for longest, x, y, z, share in places:
            ax, ay, az = x + dx, y + dy, z + dz
            distance = math.sqrt(ax * ax + ay * ay + az * az)
            k = SOFTNESS * longest
            if distance < longest - 6 * k:
                continue
            excess = soft_excess(distance, longest, k)
            nx, ny, nz = ax / distance, ay / distance, az / distance
            way = SIDEWAYS * (nx * nx + ny * ny) + nz * nz
            give = share * excess / max(way, 0.1)
            dx -= give * SIDEWAYS * nx
            dy -= give * SIDEWAYS * ny
            dz -= give * nz
    return state.com_w + np.array([dx, dy, dz])
