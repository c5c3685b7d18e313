"""Strain: how far a plan goes beyond what looks like a body that copes.

A plan that obeys its rows may still lean, drop, stretch its legs or cross them further than a pose
can follow. Each is measured against what is still fine; the worst of them is the strain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.plan.horizon import Start
from amble.plan.plan import Plan
from amble.plan.units import units_of
from amble.sketch.contact import standing_sole
from amble.sketch.sketch import Sketch

UPRIGHT, UPRIGHT_MORE = math.radians(25), math.radians(8)  # lean, and beyond the start's
DROP, DROP_MORE = 0.16, 0.04  # [leg lengths] below the sketch, and beyond the start's
OVERREACH = 0.02  # [leg lengths] that a leg may be too short for its foot
CROSSED = math.radians(24)  # that a leg may point inwards
SAMPLES = 30  # of a horizon
BEGUN = 0.25  # [units of time] after the start, before which little can be changed


@dataclass(frozen=True)
class Strain:
    """The worst of a plan's excesses; up to 1 all is well."""

    value: float
    what: str


def leaning(plan: Plan, start: Start) -> Strain:
    """How far a plan leans."""
    upright = max(UPRIGHT, float(np.abs(start.ypr[1:]).max()) + UPRIGHT_MORE)
    lean = float(np.abs(plan.ypr[:, 1:]).max())
    return Strain(lean / upright, f"the body would lean by {math.degrees(lean):.0f}°")


def straining(body: CentroidalBody, plan: Plan, sketch: Sketch, start: Start) -> Strain:
    """How a plan strains a body that was pushed: all of it, beyond what the start has already."""
    length, begin = body.leg_length, plan.start + BEGUN * units_of(body).time
    reached = crossed = drop = 0.0
    for time in np.linspace(begin, plan.end, SAMPLES).tolist():
        state = plan.state(time)
        wished = float(np.interp(time, sketch.time, sketch.com_w[:, 2]))
        drop = max(drop, wished - float(state.com_w[2]))
        yaw = float(plan.turns(time)[0][0])
        left_w = np.array([-math.sin(yaw), math.cos(yaw), 0.0])
        for contact in plan.contacts:
            if contact.holds(time):
                leg = body.legs[contact.limb]
                hip_w = state.com_w + state.R_w @ leg.hip_b
                away_w = standing_sole(contact, leg, time).ankle_w(leg) - hip_w
                reached = max(reached, float(np.linalg.norm(away_w)) - leg.longest)
                inwards = -leg.side * float(away_w @ left_w)
                crossed = max(crossed, math.atan2(inwards, -float(away_w[2])))
    low = float(sketch.com_w[0, 2] - start.com_w[2]) + DROP_MORE * length
    return max(
        leaning(plan, start),
        Strain(drop / max(DROP * length, low), f"the body would drop by {drop:.2f} m"),
        Strain(reached / (OVERREACH * length), f"a leg is too short by {reached:.2f} m"),
        Strain(crossed / CROSSED, f"legs would cross by {math.degrees(crossed):.0f}°"),
        key=lambda each: each.value,
    )
