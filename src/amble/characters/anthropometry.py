"""Anthropometry: the lengths, widths and masses of a human body.

Adult: D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th ed. (2009), figure 4.1
(lengths, after Drillis and Contini 1966) and table 4.1 (masses, after Dempster 1955).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np


@dataclass(frozen=True)
class Anthropometry:
    """Sizes of one human body [m] and masses of its segments [kg]; both sides alike.

    Radii are those of round limbs of the same girth. Heights are above the hip joints.
    """

    height: float

    thigh: float  # hip to knee
    shank: float  # knee to ankle
    ankle: float  # ankle to ground
    foot: float  # heel to toe
    foot_width: float
    hip_side: float  # hip joint from the middle plane
    thigh_radius: float
    shank_radius: float

    lumbar: float  # L4–L5
    thoracic: float  # T12–L1
    neck: float  # C7–T1
    vertex: float  # top of the head
    shoulder: float
    shoulder_side: float
    hip_width: float
    waist_width: float
    chest_width: float
    chest_depth: float
    head_width: float
    head_length: float  # front to back
    head_height: float  # chin to vertex

    upper_arm: float
    forearm: float
    hand: float
    upper_arm_radius: float
    forearm_radius: float

    thigh_mass: float
    shank_mass: float
    foot_mass: float
    pelvis_mass: float
    abdomen_mass: float
    thorax_mass: float
    head_mass: float  # with the neck
    upper_arm_mass: float
    forearm_mass: float
    hand_mass: float

    @property
    def mass(self) -> float:
        """Of the whole body [kg]."""
        trunk = self.pelvis_mass + self.abdomen_mass + self.thorax_mass + self.head_mass
        leg = self.thigh_mass + self.shank_mass + self.foot_mass
        arm = self.upper_arm_mass + self.forearm_mass + self.hand_mass
        return trunk + 2 * (leg + arm)

    def scaled(self, length: float = 1.0, mass: float = 1.0) -> Anthropometry:
        """All lengths times `length`, all masses times `mass`."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        factors = {name: mass if name.endswith("_mass") else length for name in values}
        return replace(self, **{name: value * factors[name] for name, value in values.items()})


@dataclass(frozen=True)
class LegRest:
    """Angles about y of a leg that stands [rad]; they sum to 0. Hip and ankle bend negatively."""

    hip: float
    knee: float
    ankle: float


def leg_rest(thigh: float, shank: float, drop: float, forward: float) -> LegRest:
    """The angles that put the ankle `drop` below and `forward` of the hip [m], the foot level."""
    reach = math.hypot(drop, forward)
    cosine = (reach**2 - thigh**2 - shank**2) / (2 * thigh * shank)
    knee = math.acos(float(np.clip(cosine, -1.0, 1.0)))
    hip = -math.atan2(forward, drop) - math.atan2(
        shank * math.sin(knee), thigh + shank * math.cos(knee)
    )
    return LegRest(hip, knee, -hip - knee)


def leg_drop(thigh: float, shank: float, knee: float, forward: float) -> float:
    """How far the ankle is below the hip [m], the knee bent by `knee` [rad], `forward` as above."""
    reach_squared = thigh**2 + shank**2 + 2 * thigh * shank * math.cos(knee)
    return math.sqrt(reach_squared - forward**2)


def winter(height: float, mass: float) -> Anthropometry:
    """An adult of the given height [m] and mass [kg] in Winter's proportions.

    Girths and widths that Winter does not give are near the 50th percentile of A. R. Tilley, The
    Measure of Man and Woman (1993); joint centres lie inside the breadths of figure 4.1.
    """
    unit = Anthropometry(
        height=1.0,
        thigh=0.245,
        shank=0.246,
        ankle=0.039,
        foot=0.152,
        foot_width=0.055,
        hip_side=0.050,
        thigh_radius=0.043,
        shank_radius=0.031,
        lumbar=0.058,
        thoracic=0.158,
        neck=0.307,
        vertex=0.470,
        shoulder=0.288,
        shoulder_side=0.108,
        hip_width=0.191,
        waist_width=0.166,
        chest_width=0.180,
        chest_depth=0.130,
        head_width=0.087,
        head_length=0.111,
        head_height=0.130,
        upper_arm=0.186,
        forearm=0.146,
        hand=0.108,
        upper_arm_radius=0.0265,
        forearm_radius=0.0225,
        thigh_mass=0.100,
        shank_mass=0.0465,
        foot_mass=0.0145,
        pelvis_mass=0.142,
        abdomen_mass=0.139,
        thorax_mass=0.216,
        head_mass=0.081,
        upper_arm_mass=0.028,
        forearm_mass=0.016,
        hand_mass=0.006,
    )
    return unit.scaled(length=height, mass=mass)
