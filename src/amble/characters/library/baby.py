"""A child of one year that has learnt to stand: short legs, round limbs, and a big, heavy head.

Stature and mass: WHO Child Growth Standards (2006), boys of 12 months, median 75.7 cm and 9.6 kg;
head circumference 46 cm. Lengths and girths: Snyder et al., Anthropometry of Infants, Children, and
Youths to Age 18 (UM-HSRI-77-17, 1977). Shares of mass: after the regressions of Jensen (1989) and
of Schneider and Zernicke (1992). All are rounded, and interpolated where the tables leave gaps.
"""

from __future__ import annotations

from amble.characters.anthropometry import Anthropometry
from amble.characters.builder import build, positive
from amble.characters.character import Character
from amble.characters.library.human_body import human_blueprint

# By stature and by body mass.
INFANT = Anthropometry(
    height=1.0,
    thigh=0.190,
    shank=0.175,
    ankle=0.045,
    foot=0.160,
    foot_width=0.070,
    hip_side=0.058,
    thigh_radius=0.052,
    shank_radius=0.038,
    lumbar=0.070,
    thoracic=0.175,
    neck=0.345,
    vertex=0.590,
    shoulder=0.308,
    shoulder_side=0.112,
    hip_width=0.215,
    waist_width=0.215,
    chest_width=0.205,
    chest_depth=0.165,
    head_width=0.175,
    head_length=0.210,
    head_height=0.235,
    upper_arm=0.155,
    forearm=0.125,
    hand=0.120,
    upper_arm_radius=0.031,
    forearm_radius=0.027,
    thigh_mass=0.066,
    shank_mass=0.033,
    foot_mass=0.013,
    pelvis_mass=0.120,
    abdomen_mass=0.130,
    thorax_mass=0.200,
    head_mass=0.220,
    upper_arm_mass=0.029,
    forearm_mass=0.016,
    hand_mass=0.008,
)


def baby(height: float = 0.757, mass: float = 9.6) -> Character:
    """A one-year-old of the given stature [m] and mass [kg]."""
    where = "character 'baby'"
    size = INFANT.scaled(positive("height", height, where), positive("mass", mass, where))
    blueprint = human_blueprint("baby", size, source=__doc__ or "")
    return build(blueprint.recolored({"shirt": "yellow", "trousers": "cream", "hair": "brown"}))
