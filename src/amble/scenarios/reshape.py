"""Limbs that grow while the body stands on them (features section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from amble.characters.character import Character
from amble.characters.reshape import Scale
from amble.world.simulate import Action
from amble.world.world import World

STEP = 0.02  # [s] between two small steps of growth
SECONDS = 1.0  # [s] that a part takes to its new size


def groups(character: Character) -> list[tuple[str, ...]]:
    """Parts that grow together: limb by limb, but all legs at once, to stay on the ground.

    Hands, feet and head keep their size.
    """
    words = {body: word for word, body in character.parts.items()}
    tips = {effector.body for effector in character.end_effectors} | {character.parts.get("head")}
    legs = tuple(b for limb in character.limbs if limb.kind == "leg" for b in limb.bodies)
    others = [limb.bodies for limb in character.limbs if limb.kind in ("arm", "neck")]
    together = [[words.get(b, b) for b in bodies if b not in tips] for bodies in (*others, legs)]
    return [tuple(parts) for parts in together if parts]


def growth(
    world: World,
    parts: Iterable[str],
    scale: Scale | float,
    start: float,
    seconds: float = SECONDS,
) -> Iterator[Action]:
    """Small steps that scale `parts` as said in `seconds` from `start` on.

    A number scales the length alone; the mass goes with it, and girth stays.
    """
    wanted = scale if isinstance(scale, Scale) else Scale(length=scale)
    steps = max(1, round(seconds / STEP))
    length, girth = (factor ** (1 / steps) for factor in (wanted.length, wanted.girth))
    mass = None if wanted.mass is None else wanted.mass ** (1 / steps)
    for part in parts:
        for step in range(steps):
            small = partial(world.reshape, part, length=length, girth=girth, mass=mass)
            yield start + step * seconds / steps, small
