"""Scenery: a character on its ground under a sky, lit so that shape and contacts can be seen."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.terrain.terrain import Terrain

HORIZON_RGB = (0.86, 0.90, 0.94)
ZENITH_RGB = (0.45, 0.63, 0.82)
SUN = "amble_sun"
SUN_DIRECTION = (-0.5, 0.2, -1.0)  # shadows fall behind who walks along x, in sight of the camera


def build_scenery(
    character: Character, terrain: Terrain, width: int, height: int, size: float
) -> mujoco.MjModel:
    """The model to draw pictures of `width` × `height` [pixels] with.

    Its joints are the character's; `size` is the radius of what is looked at [m].
    """
    spec = character.spec()
    for light in list(spec.lights):
        spec.delete(light)
    for texture in list(spec.textures):
        if texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX:
            spec.delete(texture)
    terrain.add_to(spec)
    add_sky(spec)
    add_lights(spec)
    model = character.compile(spec)
    set_look(model, width, height, size)
    return model


def set_look(model: mujoco.MjModel, width: int, height: int, size: float) -> None:
    """Clear air near things of this `size` [m] and haze at the horizon; soft light, sharp shadows.

    MuJoCo takes most of these relative to the model's extent.
    """
    extent = model.stat.extent = 2 * size
    visual = model.vis
    visual.global_.offwidth, visual.global_.offheight = width, height
    visual.quality.offsamples = 0  # multisampling costs more than the larger picture it replaces
    # Near the border of the shadow map the ground casts shadows on itself: it lies out of sight.
    visual.map.shadowclip, visual.quality.shadowsize = 2.0, 1024
    visual.map.znear, visual.map.zfar = 0.02, max(100.0, 60 * size) / extent
    visual.map.fogstart, visual.map.fogend = (
        max(6.0, 4 * size) / extent,
        max(60.0, 40 * size) / extent,
    )
    visual.map.haze = 0.4
    visual.rgba.fog[:] = (*HORIZON_RGB, 1.0)
    visual.rgba.haze[:] = (*HORIZON_RGB, 1.0)
    visual.headlight.ambient[:] = 0.45
    visual.headlight.diffuse[:] = 0.22
    visual.headlight.specular[:] = 0.0


def move_sun(model: mujoco.MjModel, data: mujoco.MjData, target_w: np.ndarray, size: float) -> None:
    """Put the sun where its shadow map covers what is within about `size` [m] of `target_w`."""
    direction = np.array(SUN_DIRECTION) / np.linalg.norm(SUN_DIRECTION)
    data.light_xpos[model.light(SUN).id] = target_w - 3.0 * size * direction


def add_sky(spec: mujoco.MjSpec) -> None:
    """Light blue above, paler towards the horizon."""
    spec.add_texture(
        name="amble_sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=ZENITH_RGB,
        rgb2=HORIZON_RGB,
        width=256,
        height=1536,
    )


def add_lights(spec: mujoco.MjSpec) -> None:
    """A sun that casts shadows and a weak light from the other side."""
    kind = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    spec.worldbody.add_light(
        name=SUN,
        type=kind,
        dir=SUN_DIRECTION,
        castshadow=True,
        diffuse=(0.50, 0.49, 0.46),
        specular=(0.12, 0.12, 0.12),
    )
    spec.worldbody.add_light(
        name="amble_sky_light",
        type=kind,
        dir=(0.7, 0.5, -0.6),
        castshadow=False,
        diffuse=(0.12, 0.13, 0.16),
        specular=(0, 0, 0),
    )
