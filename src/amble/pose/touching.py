"""Which contact points touch the ground, and the share of the planned forces that each carries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.sketch.contact import Contact


@lru_cache(maxsize=64)
def effector_of_point(character: Character, body: CentroidalBody) -> np.ndarray:
    """The effector (P,) that each contact point belongs to; −1 for hands and the like.

    Effectors are those of all legs in order; a point belongs to the nearest along its foot.
    """
    model = character.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    com = data.subtree_com[model.body(character.root).id]
    owner = []
    starts = np.cumsum([0] + [len(leg.effectors) for leg in body.legs])
    legs = {leg.foot.name: i for i, leg in enumerate(body.legs)}
    for effector in character.end_effectors:
        i = legs.get(effector.name)
        for site in effector.sites:
            if i is None:
                owner.append(-1)
                continue
            leg = body.legs[i]
            along = data.site(site).xpos[0] - com[0] - leg.reference_b[0]
            nearest = int(np.argmin([abs(along - place) for place in leg.effectors]))
            owner.append(int(starts[i]) + nearest)
    return np.array(owner, dtype=int)


def touching(
    character: Character, body: CentroidalBody, contacts: Sequence[Contact], time: float
) -> np.ndarray:
    """Which contact points (P,), in the order of `Clip.point_names`, touch the ground.

    The heel from touchdown until it lifts, the toe from when the foot is flat until lift-off; a
    foot that lands without rolling is down at once.
    """
    down = _effectors_down(body, contacts, time)
    return np.array([*down, False])[effector_of_point(character, body)]


def _effectors_down(body: CentroidalBody, contacts: Sequence[Contact], time: float) -> list[bool]:
    """Which effectors (E,) are on the ground."""
    standing: dict[int, Contact] = {c.limb: c for c in contacts if c.start <= time <= c.end}
    down: list[bool] = []
    for limb, leg in enumerate(body.legs):
        now = standing.get(limb)
        if now is None:
            down += [False] * len(leg.effectors)
        elif len(leg.effectors) == 1:
            down.append(True)
        else:
            down.append(time <= now.heel_off or now.push_off <= 0)
            down += [time >= now.flat or now.strike <= 0] * (len(leg.effectors) - 1)
    return down


@lru_cache(maxsize=64)
def _shares(character: Character, body: CentroidalBody) -> np.ndarray:
    """What each effector, and a last one for hands, gives to one of its points (E + 1, 1)."""
    owner = effector_of_point(character, body)
    effectors = sum(len(leg.effectors) for leg in body.legs)
    count = np.bincount(owner[owner >= 0], minlength=effectors + 1)
    return 1.0 / np.maximum(count, 1.0)[:, None]


def point_forces(
    character: Character,
    body: CentroidalBody,
    contacts: Sequence[Contact],
    time: float,
    effector_forces: np.ndarray,
) -> np.ndarray:
    """Forces (P, 3) [N] at the contact points: each effector's (E, 3) shared equally by its points.

    What an effector carries while its points are in the air (a plan may let go a little late) goes
    to the other end of the same foot.
    """
    down = _effectors_down(body, contacts, time)
    forces = np.zeros((len(down) + 1, 3))
    forces[:-1] = effector_forces
    start = 0
    for leg in body.legs:
        mine = range(start, start + len(leg.effectors))
        start += len(leg.effectors)
        lifted = [e for e in mine if not down[e]]
        standing = [e for e in mine if down[e]]
        for e in lifted:
            for other in standing:
                forces[other] += forces[e] / len(standing)
            forces[e] = 0.0
    return (forces * _shares(character, body))[effector_of_point(character, body)]
