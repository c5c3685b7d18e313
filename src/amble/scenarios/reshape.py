"""Limbs that grow while the body stands on them (features section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from amble.characters.character import Character
from amble.world.simulate import Action
from amble.world.world import World

STEP = 0.02  # [s] between two small steps of growth


def groups(character: Character) -> list[tuple[str, ...]]:
    """Parts that grow together: limb by limb, but all legs at once, to stay on the ground.

    Hands, feet and head keep their size.
    """
    words = {body: word for word, body in character.parts.items()}
    tips = {effector.body for effector in character.end_effectors} | {character.parts.get("head")}
    legs = tuple(b for limb in character.limbs if limb.kind == "leg" for b in limb.bodies)
    others = [limb.bodies for limb in character.limbs if limb.kind in ("arm", "neck", "tail")]
    together = [[words.get(b, b) for b in bodies if b not in tips] for bodies in (*others, legs)]
    return [tuple(parts) for parts in together if parts]


def growth(
    world: World, parts: Iterable[str], factor: float, start: float, seconds: float
) -> Iterator[Action]:
    """Small steps that multiply the length of `parts` by `factor` in `seconds` from `start` on.

    Only the length grows, and the mass with it; girth stays.
    """
    steps = max(1, round(seconds / STEP))
    each = factor ** (1 / steps)
    for part in parts:
        for step in range(steps):
            yield start + step * seconds / steps, partial(world.reshape, part, length=each)
