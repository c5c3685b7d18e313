"""The scene: a character on a terrain as one MuJoCo model with the library's simulation options."""

from __future__ import annotations

import mujoco

from amble.characters.character import GRAVITY, Character
from amble.errors import InputError
from amble.terrain.terrain import Terrain


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
    return model


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
