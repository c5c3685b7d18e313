"""One criterion of a fall, for the running simulation and for the recorded clip."""

from __future__ import annotations

from typing import TypeVar

import mujoco
import numpy as np

from amble.characters.character import Character

FALLEN_HEIGHT = 0.4
"""Fallen when the centre of mass is lower than this share of its height at rest."""

FALLEN_LOAD = 0.05
"""Fallen when parts without contact points carry more than this share of the weight."""

FloatOrArray = TypeVar("FloatOrArray", float, np.ndarray)


def has_fallen(
    com_height: FloatOrArray,
    rest_height: FloatOrArray,
    other_load: FloatOrArray,
    weight: FloatOrArray,
) -> FloatOrArray:
    """Whether a body has fallen; takes numbers (well under a µs) or arrays of equal shape.

    `com_height` is the height of the centre of mass above the ground beneath it [m], `rest_height`
    that of the rest pose (`rest_com_height`) [m], `other_load` the upward ground force on all parts
    that have no contact points [N]: the trunk, the head or a knee, but not a foot, nor a hand that
    is an end effector. `weight` is m·g [N].
    """
    return (com_height < FALLEN_HEIGHT * rest_height) | (other_load > FALLEN_LOAD * weight)


def rest_com_height(character: Character, model: mujoco.MjModel | None = None) -> float:
    """Height of the centre of mass above the lowest foot point in the rest pose [m].

    Pass the `model` that was reshaped when it differs from the character's own.
    """
    model = character.model if model is None else model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    feet = character.feet or character.end_effectors
    soles = [data.site(site).xpos[2] for foot in feet for site in foot.sites]
    com = data.subtree_com[model.body(character.root).id][2]
    return float(com - min(soles, default=0.0))
