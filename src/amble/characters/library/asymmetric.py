"""A person with unequal limbs: a test of controllers that must not assume symmetry.

An adult (see `humanoid`) with a long left arm, a heavy right arm, and a right leg that is shorter
and thicker; the left knee is bent more at rest, so that both feet are flat on the ground.
"""

from __future__ import annotations

from dataclasses import replace

from amble.characters.anthropometry import winter
from amble.characters.builder import build
from amble.characters.character import Character
from amble.characters.library.human_body import human_blueprint

LONG_ARM = 1.35
THICK_ARM = 1.35  # girth
SHORT_LEG = 0.93
THICK_LEG = 1.20  # girth


def asymmetric(height: float = 1.77, mass: float = 78.0) -> Character:
    """An adult with unequal limbs, as tall [m] and as heavy [kg] as said in all."""
    usual = winter(1.77, 78.0)
    # At the same density a limb's mass goes with its length and the square of its girth.
    left = replace(
        usual,
        upper_arm=LONG_ARM * usual.upper_arm,
        forearm=LONG_ARM * usual.forearm,
        upper_arm_mass=LONG_ARM * usual.upper_arm_mass,
        forearm_mass=LONG_ARM * usual.forearm_mass,
    )
    right = replace(
        usual,
        thigh=SHORT_LEG * usual.thigh,
        shank=SHORT_LEG * usual.shank,
        thigh_radius=THICK_LEG * usual.thigh_radius,
        shank_radius=THICK_LEG * usual.shank_radius,
        thigh_mass=SHORT_LEG * THICK_LEG**2 * usual.thigh_mass,
        shank_mass=SHORT_LEG * THICK_LEG**2 * usual.shank_mass,
        upper_arm_radius=THICK_ARM * usual.upper_arm_radius,
        forearm_radius=THICK_ARM * usual.forearm_radius,
        upper_arm_mass=THICK_ARM**2 * usual.upper_arm_mass,
        forearm_mass=THICK_ARM**2 * usual.forearm_mass,
    )
    blueprint = human_blueprint("asymmetric", left, right, source=__doc__ or "")
    return build(blueprint.recolored({"shirt": "orange", "trousers": "brown"}), height, mass)
