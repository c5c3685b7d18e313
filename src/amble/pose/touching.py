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
    down: list[bool] = []
    for limb, leg in enumerate(body.legs):
        now = [c for c in contacts if c.limb == limb and c.holds(time)]
        for place in range(len(leg.effectors)):
            if not now:
                down.append(False)
            elif len(leg.effectors) == 1:
                down.append(True)
            elif place == 0:
                down.append(time <= now[-1].heel_off or now[-1].push_off <= 0)
            else:
                down.append(time >= now[-1].flat or now[-1].strike <= 0)
    return np.array([*down, False])[effector_of_point(character, body)]


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
    owner = effector_of_point(character, body)
    down = touching(character, body, contacts, time)
    forces = np.vstack([effector_forces, np.zeros(3)])
    start = 0
    for leg in body.legs:
        mine = range(start, start + len(leg.effectors))
        start += len(leg.effectors)
        lifted = [e for e in mine if not down[owner == e].any()]
        standing = [e for e in mine if e not in lifted]
        for e in lifted:
            for other in standing:
                forces[other] += forces[e] / len(standing)
            forces[e] = 0.0
    count = np.bincount(owner[owner >= 0], minlength=len(forces)).astype(float)
    return (forces / np.maximum(count, 1.0)[:, None])[owner]
