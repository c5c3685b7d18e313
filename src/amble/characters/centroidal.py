"""A character seen as one rigid body on legs: what planning needs to know (centroidal A, D)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np

from amble.characters.character import Character, EndEffector, Limb
from amble.characters.reach import ankle_of, reach
from amble.errors import InputError

NARROW = 1e-3  # [m] half the width of a sole, below which it is an edge
STRAIGHTEST, MOST_BENT = 0.991, 1.10  # of the longest and shortest reach, that a plan may use


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg of the rigid body. Positions are at rest, from the centre of mass, body frame [m].

    The foot's *reference point* lies on the sole under the ankle, which is the origin of the foot's
    MJCF body. `effectors` are the places along the foot, from the reference point, at which
    the ground pushes: heel and toe of a sole or an edge, or the reference point itself.
    """

    name: str
    foot: EndEffector
    side: int  # 1 left, −1 right, 0 middle
    hip_b: np.ndarray  # (3,)
    reference_b: np.ndarray  # (3,)
    ankle_height: float  # [m] of the ankle above the reference point
    effectors: tuple[float, ...]  # [m] from hind to fore
    half_width: float  # [m] of the sole; 0 for an edge or a point
    longest: float  # [m] from hip to ankle, that a plan may ask for
    shortest: float  # [m]
    turns: bool = True  # whether it can turn its foot about the vertical


@dataclass(frozen=True, eq=False)
class CentroidalBody:
    """Mass, inertia and legs of a character in its rest pose, in a frame at its centre of mass."""

    name: str
    mass: float  # [kg]
    inertia_b: np.ndarray  # (3, 3) about the centre of mass [kg m²]
    height: float  # [m] of the centre of mass above the ground, at rest
    legs: tuple[Leg, ...]

    @property
    def leg_length(self) -> float:
        """The length that sets the pace: mean height of the hips above the ground [m]."""
        return float(np.mean([leg.hip_b[2] + self.height for leg in self.legs]))


@lru_cache(maxsize=8)  # each keeps its model, about a megabyte
def centroidal_body(character: Character) -> CentroidalBody:
    """The rigid body of a character; raises `InputError` when it has no legs to stand on."""
    model = character.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    limbs = [limb for limb in character.limbs if limb.kind == "leg" and limb.end_effector]
    if not limbs:
        raise InputError(f"character '{character.name}': has no legs; planned motion needs them")
    com = data.subtree_com[model.body(character.root).id].copy()
    feet = {foot.name: foot for foot in character.end_effectors}
    legs = tuple(_leg(model, data, com, limb, feet[str(limb.end_effector)]) for limb in limbs)
    return CentroidalBody(
        name=character.name,
        mass=character.mass,
        inertia_b=_centroidal_inertia(model, data, com),
        height=float(com[2]),
        legs=legs,
    )


def _centroidal_inertia(model: mujoco.MjModel, data: mujoco.MjData, com: np.ndarray) -> np.ndarray:
    """Inertia of all bodies together about `com`: Σ R I Rᵀ + m (r·r 1 − r rᵀ)."""
    total = np.zeros((3, 3))
    for b in range(1, model.nbody):
        R = data.ximat[b].reshape(3, 3)
        r = data.xipos[b] - com
        total += R @ np.diag(model.body_inertia[b]) @ R.T
        total += model.body_mass[b] * (r @ r * np.eye(3) - np.outer(r, r))
    return total


def _leg(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    com: np.ndarray,
    limb: Limb,
    foot: EndEffector,
) -> Leg:
    hip = data.body(limb.bodies[0]).xpos.copy()
    ankle_body, ankle_b = ankle_of(model, limb, foot)
    ankle = data.xpos[ankle_body] + data.xmat[ankle_body].reshape(3, 3) @ ankle_b
    points = np.array([data.site(site).xpos for site in foot.sites])
    reference = np.array([ankle[0], ankle[1], points[:, 2].mean()])
    if len(points) == 1:
        reference = points[0].copy()
    along = points[:, 0] - reference[0]
    heel, toe = float(along.min()), float(along.max())
    effectors = (heel, toe) if toe - heel > 1e-3 else (0.0,)
    shortest, longest = reach(model, limb, foot)
    half_width = float(np.ptp(points[:, 1]) / 2)
    side = float(hip[1] - com[1])
    return Leg(
        name=limb.name,
        foot=foot,
        side=0 if abs(side) < 1e-3 else (1 if side > 0 else -1),
        hip_b=hip - com,
        reference_b=reference - com,
        ankle_height=float(ankle[2] - reference[2]),
        effectors=effectors,
        half_width=half_width if half_width > NARROW else 0.0,
        longest=STRAIGHTEST * longest,
        shortest=MOST_BENT * shortest,
        turns=_turns(model, data, limb),
    )


def _turns(model: mujoco.MjModel, data: mujoco.MjData, limb: Limb) -> bool:
    """Whether a leg has a ball joint, or a hinge nearer to the vertical than to the level."""
    bodies = {model.body(name).id for name in limb.bodies}
    for j in range(model.njnt):
        if model.jnt_bodyid[j] not in bodies:
            continue
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL or abs(data.xaxis[j, 2]) > np.sqrt(0.5):
            return True
    return False
