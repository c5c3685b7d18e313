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
    character: Character, terrain: Terrain, width: int, height: int
) -> mujoco.MjModel:
    """The model to draw pictures of this size [pixels] with; its joints are the character's."""
    spec = character.spec()
    for light in list(spec.lights):
        spec.delete(light)
    for texture in list(spec.textures):
        if texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX:
            spec.delete(texture)
    terrain.add_to(spec)
    _add_sky(spec)
    _add_lights(spec)
    model = spec.compile()

    extent = character.model.stat.extent
    model.stat.extent, model.stat.center[:] = extent, character.model.stat.center
    visual = model.vis
    visual.global_.offwidth, visual.global_.offheight = width, height
    visual.quality.offsamples = 0  # multisampling costs more than the larger picture it replaces
    visual.quality.shadowsize = 1024
    visual.map.znear, visual.map.zfar = 0.02, 100.0 / extent
    visual.map.shadowclip = 1.0
    visual.map.fogstart, visual.map.fogend = 6.0 / extent, 60.0 / extent
    visual.map.haze = 0.4
    visual.rgba.fog[:] = (*HORIZON_RGB, 1.0)
    visual.rgba.haze[:] = (*HORIZON_RGB, 1.0)
    visual.headlight.ambient[:] = 0.45
    visual.headlight.diffuse[:] = 0.22
    visual.headlight.specular[:] = 0.0
    return model


def move_sun(model: mujoco.MjModel, data: mujoco.MjData, target_w: np.ndarray, size: float) -> None:
    """Put the sun where its shadow map covers what is within about `size` [m] of `target_w`."""
    direction = np.array(SUN_DIRECTION) / np.linalg.norm(SUN_DIRECTION)
    data.light_xpos[model.light(SUN).id] = target_w - 3.0 * size * direction


def _add_sky(spec: mujoco.MjSpec) -> None:
    spec.add_texture(
        name="amble_sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=ZENITH_RGB,
        rgb2=HORIZON_RGB,
        width=256,
        height=1536,
    )


def _add_lights(spec: mujoco.MjSpec) -> None:
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
