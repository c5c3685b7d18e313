"""How high a body can be asked to jump: by the strength of its legs, and by what its trunk bears.

Two estimates without a simulation, for the defaults of the jump scenarios.
"""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import GRAVITY, Character
from amble.control.squat import SquatPoses

SHARE = 0.56  # of the height that the greatest force would give to a body that need not balance
STEADY = 0.12  # a trunk with less moment of inertia than this share of the legs' is thrown about


def strongest_push(character: Character, depth: float) -> float:
    """Greatest vertical force [N] of both feet in a squat `depth` [m] deep, standing still.

    A force F on the middle of a sole needs the torques τ = Jᵀ F of its leg: F ≤ τmaxⱼ / |Jⱼ|.
    """
    model = character.model
    data = mujoco.MjData(model)
    data.qpos[:] = SquatPoses(character, model).at(depth)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    force, J = 0.0, np.empty((3, model.nv))
    for foot in character.feet:
        height = np.zeros(model.nv)
        for site in foot.sites:
            mujoco.mj_jacSite(model, data, J, None, model.site(site).id)
            height += J[2] / len(foot.sites)
        lever = np.abs(height[6:])
        driven = (character.torque_limits > 0) & (lever > 1e-6)
        force += float(np.min(character.torque_limits[driven] / lever[driven], initial=np.inf))
    return force


def strength_height(character: Character, crouch: float, take_off: float) -> float:
    """Apex over standing [m] that strength allows: a thrust from `crouch` [m] below standing to
    `take_off` over it with the greatest force, v²/2 = (F/m − g) s."""
    push = strongest_push(character, crouch / 2) / (character.mass * GRAVITY)
    return SHARE * (max(push - 1.0, 0.0) * (crouch + take_off) + take_off)


def trunk_share(character: Character) -> float:
    """Moment of inertia, about the lateral axis, of all but the legs over that of the legs about
    the centre of mass, at rest."""
    model = character.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    names = {name for limb in character.limbs if limb.kind == "leg" for name in limb.bodies}
    legs = np.array([model.body(k).name in names for k in range(model.nbody)])
    com = data.subtree_com[model.body(character.root).id]
    rest = ~legs & (model.body_mass > 0)
    trunk_com = model.body_mass[rest] @ data.xipos[rest] / model.body_mass[rest].sum()

    def about(bodies: np.ndarray, centre: np.ndarray) -> float:
        across = ((data.xipos[bodies] - centre)[:, [0, 2]] ** 2).sum(axis=1)
        turned = data.ximat[bodies].reshape(-1, 3, 3)[:, 1] ** 2
        return float(model.body_mass[bodies] @ across + (turned * model.body_inertia[bodies]).sum())

    return about(rest, trunk_com) / max(about(legs, com), 1e-9)


def default_height(character: Character, height: float, crouch: float, take_off: float) -> float:
    """`height` [m], or less where strength or a light trunk asks for it."""
    steady = min(trunk_share(character) / STEADY, 1.0)
    return steady * min(height, max(strength_height(character, crouch, take_off), 0.1 * height))
