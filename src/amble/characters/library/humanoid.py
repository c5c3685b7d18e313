"""A person: 35 degrees of freedom, in Winter's proportions (see `anthropometry` and `human_body`).

Default size: an average North American man, 1.77 m in shoes and 78 kg (Najjar and Rowland 1987, US
men of 18–74 years: 1.755 m unshod, 78.1 kg).
"""

from __future__ import annotations

from amble.characters.anthropometry import winter
from amble.characters.builder import build, positive
from amble.characters.character import Character
from amble.characters.library.human_body import human_blueprint


def humanoid(height: float = 1.77, mass: float = 78.0) -> Character:
    """An adult of the given stature [m] and mass [kg]."""
    where = "character 'humanoid'"
    size = winter(positive("height", height, where), positive("mass", mass, where))
    return build(human_blueprint("humanoid", size, source=__doc__ or ""))
