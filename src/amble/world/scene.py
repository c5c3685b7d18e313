"""The scene: a character on a terrain as one MuJoCo model with the library's simulation options."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import GRAVITY, Character
from amble.errors import InputError
from amble.terrain.terrain import Terrain

LEG_FRICTION = 0.3  # of a leg that rubs against another
_BODY_BIT, _FIRST_LEG_BIT, _MOST_LEGS = 1, 4, 28


def build_scene(
    character: Character, terrain: Terrain, *, timestep: float, friction: float
) -> mujoco.MjModel:
    """Compile the character on its ground. The character's own options and motors are ignored."""
    if not 0 < timestep <= 0.02:
        raise InputError(f"timestep is {timestep} s; it must be positive and at most 0.02 s")
    if not 0 <= friction < 10:
        raise InputError(f"friction is {friction}; it must be between 0 and 10")
    spec = character.spec()
    terrain.add_to(spec)
    _set_options(spec.option, timestep)
    # The body sets the scale for cameras and clipping planes, not the endless ground.
    spec.stat.extent = character.model.stat.extent
    spec.stat.center = character.model.stat.center
    model = character.compile(spec)
    if model.njnt == 0 or model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
        raise InputError(f"character '{character.name}': its first joint must be a free joint")
    on_ground = model.geom_bodyid == 0
    model.geom_friction[on_ground, 0] = friction
    model.geom_priority[~on_ground] = 0  # so that the ground's contact parameters always win
    _let_legs_collide(model, character)
    return model


def _let_legs_collide(model: mujoco.MjModel, character: Character) -> None:
    """Shanks and feet meet those of other legs; thighs, which touch where they begin, do not.

    Each leg has a bit of its own, which all other legs look out for.
    """
    legs = [limb.bodies[1:] for limb in character.limbs if limb.kind == "leg"][:_MOST_LEGS]
    bits = [_FIRST_LEG_BIT << k for k in range(len(legs))]
    for names, bit in zip(legs, bits, strict=True):
        bodies = np.array([model.body(name).id for name in names], int)
        of_leg = np.isin(model.geom_bodyid, bodies) & (model.geom_contype & _BODY_BIT > 0)
        others = sum(bits) - bit
        model.geom_contype[of_leg] |= bit
        model.geom_conaffinity[of_leg] |= others
        model.geom_friction[of_leg, 0] = LEG_FRICTION
        model.body_contype[bodies] |= bit  # what MuJoCo asks first
        model.body_conaffinity[bodies] |= others


def _set_options(option: mujoco.MjOption, timestep: float) -> None:
    option.timestep = timestep
    option.gravity = [0.0, 0.0, -GRAVITY]
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    option.impratio = 30.0  # friction stiffer than the ground, or who stands on a slope creeps down
    option.wind = [0.0, 0.0, 0.0]
    option.density = 0.0
    option.viscosity = 0.0
    # Without the automatic reset a diverged state stays, so that the guard sees it.
    option.disableflags = int(
        mujoco.mjtDisableBit.mjDSBL_ACTUATION | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    )
