"""Weights of the terms of centroidal eq. 23."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.character import Character, Limb
from amble.characters.reach import is_stiff

# Of w_r [1/rad²]: what should stay as posed weighs more, what may follow the feet weighs less.
ROOT_PLACE, ROOT_TURN = 1e-4, 5.0
LIMBS = {"leg": 0.02, "spine": 0.06, "neck": 0.5, "arm": 0.04, "tail": 0.05}
SWINGING_ARM = 0.015  # the shoulder's forward swing gives way first
OTHER = 0.05
SPRING = 50.0  # stiff springs stay at rest
VELOCITY = 0.004  # w_v relative to w_r [s²]
LEG_SMOOTHNESS = 8e-4  # w_v of legs, against their velocity in the frame before


@dataclass(frozen=True, eq=False)
class IkWeights:
    """The weights; those of velocities hold at 60 frames a second."""

    pose: np.ndarray  # (nv,) w_r of each degree of freedom
    velocity: np.ndarray  # (nv,) w_v
    stance: float = 1e6  # i_k of a standing foot [1/m²]
    swing: float = 3e3  # of one in the air, which yields to joint limits before the body does
    stance_turn: float = 2e3  # of a standing sole's turn [1/rad²]
    stance_pitch: float = 40.0  # of a heel too high: it lifts before the body gives way
    swing_turn: float = 10.0  # of one in the air
    com: float = 1e4  # w_g, its linear part [1/m²]: the feet win where both cannot be
    reach: float = 3e4  # of legs longer than they may be [1/m²]
    configuration: float = 0.02  # w_g, its angular part [1/rad²]
    momentum: float = 1e-3  # w_m, angular [s²]; its linear part follows from the centre of mass
    push: float = 0.05  # w_p [s²/m²]
    loop: float = 1e6  # of a closed loop that opens [1/m²]

    @classmethod
    def of(cls, character: Character) -> IkWeights:
        """Weights that suit a character, by the kind of its limbs."""
        pose = np.full(character.dof, OTHER)
        pose[:3], pose[3:6] = ROOT_PLACE, ROOT_TURN
        for limb in character.limbs:
            dofs = limb_dofs(character, limb)
            pose[dofs] = LIMBS[limb.kind]
            if limb.kind == "arm" and len(dofs):
                names = [character.dof_names[d - 6] for d in dofs]
                pose[[d for d, n in zip(dofs, names, strict=True) if n.endswith("shoulder_y")]] = (
                    SWINGING_ARM
                )
        pose[_spring_dofs(character)] = SPRING
        velocity = VELOCITY * pose
        velocity[:3] = 0.0
        velocity[leg_dofs(character)] = LEG_SMOOTHNESS
        return cls(pose, velocity)


def limb_dofs(character: Character, limb: Limb) -> np.ndarray:
    """Degrees of freedom of a limb's joints, counted with the root's six.

    To a leg belongs what hangs on it, such as rods that drive it.
    """
    model = character.model
    bodies = {model.body(name).id for name in limb.bodies}
    if limb.kind == "leg":
        for b in range(model.nbody):  # parents come before their children
            if model.body_parentid[b] in bodies:
                bodies.add(b)
    return np.array([v for v in range(6, model.nv) if model.dof_bodyid[v] in bodies], dtype=int)


def leg_dofs(character: Character) -> np.ndarray:
    """Degrees of freedom of all legs that follow the feet: all but stiff springs."""
    legs = [limb_dofs(character, limb) for limb in character.limbs if limb.kind == "leg"]
    found = np.concatenate(legs) if legs else np.zeros(0, dtype=int)
    return found[~np.isin(found, _spring_dofs(character))]


def _spring_dofs(character: Character) -> np.ndarray:
    """Degrees of freedom of springs that give little under the body's weight."""
    model = character.model
    stiff = [v for v in range(6, model.nv) if is_stiff(model, int(model.dof_jntid[v]))]
    return np.array(stiff, dtype=int)


def leg_positions(character: Character) -> np.ndarray:
    """Entries of qpos that belong to the joints of legs."""
    model = character.model
    joints = {int(model.dof_jntid[v]) for v in leg_dofs(character)}
    found: list[int] = []
    for j in sorted(joints):
        size = 4 if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL else 1
        found += range(model.jnt_qposadr[j], model.jnt_qposadr[j] + size)
    return np.array(found, dtype=int)
