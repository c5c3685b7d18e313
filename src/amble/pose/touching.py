"""Which contact points touch the ground, and the share of the planned forces that each carries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import mujoco
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import Character
from amble.sketch.contact import Contact
from amble.terrain.terrain import Terrain

LIFTED = 0.011  # of the leg's length: an effector this far above the ground touches no more


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


def lifted(
    character: Character, body: CentroidalBody, soles_w: np.ndarray, terrain: Terrain
) -> np.ndarray:
    """Which effectors of posed feet are above the ground (T, E), all their points of it.

    `soles_w` (T, n, 3) [m] are the contact points of all legs' feet, one foot after another.
    """
    x, y, z = np.moveaxis(soles_w, -1, 0)
    up = z - terrain.height(x, y) > LIFTED * body.leg_length
    sites = [site for effector in character.end_effectors for site in effector.sites]
    order = [sites.index(site) for leg in body.legs for site in leg.foot.sites]
    owner = effector_of_point(character, body)[order]
    effectors = range(sum(len(leg.effectors) for leg in body.legs))
    return np.stack([up[:, owner == e].all(axis=1) for e in effectors], axis=1)


def touching(
    character: Character,
    body: CentroidalBody,
    contacts: Sequence[Contact],
    times: np.ndarray,
    up: np.ndarray,
) -> np.ndarray:
    """Which contact points touch the ground at T times: (T, P), in the order of `Clip.point_names`.

    The heel from touchdown until it lifts, the toe from when the foot is flat until lift-off; a
    foot that lands without rolling is down at once. An effector that the pose has `up` (T, E) does
    not touch, as long as the other end of its foot does.
    """
    down = _effectors_down(body, contacts, times, up)
    hands = np.zeros((len(times), 1), dtype=bool)
    return np.hstack([down, hands])[:, effector_of_point(character, body)]


def _effectors_down(
    body: CentroidalBody, contacts: Sequence[Contact], times: np.ndarray, up: np.ndarray
) -> np.ndarray:
    """Which effectors are on the ground (T, E)."""
    starts = np.cumsum([0] + [len(leg.effectors) for leg in body.legs])
    down = np.zeros((len(times), starts[-1]), dtype=bool)
    for c in contacts:
        holds = (c.start <= times) & (times <= c.end)
        if not holds.any():
            continue
        heel, end = starts[c.limb], starts[c.limb + 1]
        if end - heel == 1:
            down[holds, heel] = True
        else:
            down[holds, heel] = (times[holds] <= c.heel_off) | (c.push_off <= 0)
            toe = (times[holds] >= c.flat) | (c.strike <= 0)
            down[holds, heel + 1 : end] = toe[:, None]
    for first, last in pairwise(starts):
        really = down[:, first:last] & ~up[:, first:last]
        stands = really.any(axis=1)
        down[stands, first:last] = really[stands]
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
    times: np.ndarray,
    up: np.ndarray,
    effector_forces: np.ndarray,
) -> np.ndarray:
    """Forces (T, P, 3) [N] at the contact points at T times: each effector's (T, E, 3) shared
    equally by its points.

    What an effector carries while its points are in the air (a plan may let go a little late, and
    a pose may lift a heel early) goes to the other end of the same foot.
    """
    down = _effectors_down(body, contacts, times, up)
    forces = np.zeros((len(times), down.shape[1] + 1, 3))
    start = 0
    for leg in body.legs:
        mine = slice(start, start + len(leg.effectors))
        start = mine.stop
        on, force = down[:, mine, None], effector_forces[:, mine]
        others = np.maximum(on.sum(axis=1, keepdims=True), 1)
        moved = np.where(on, 0.0, force).sum(axis=1, keepdims=True) / others
        forces[:, mine] = np.where(on, force + moved, 0.0)
    return (forces * _shares(character, body))[:, effector_of_point(character, body)]
