"""How ground behaves and looks in the simulator: one place for contact parameters and material."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

MATERIAL = "ground"
_EVERY_BIT = 2**31 - 1  # touches anything that collides at all, also in imported models


def add_ground_geom(spec: mujoco.MjSpec, kind: mujoco.mjtGeom, **shape: Any) -> None:
    """Add a static geom to the world with the ground's contact parameters and material.

    Priority 1 makes the ground's friction and stiffness win over those of any body. Soft enough to
    integrate at 1 ms, hard enough that a standing person sinks in by less than a millimetre.
    """
    if MATERIAL not in (material.name for material in spec.materials):
        _add_material(spec)
    settings: dict[str, Any] = {
        "pos": np.zeros(3),
        "quat": np.array([1.0, 0.0, 0.0, 0.0]),
        "contype": _EVERY_BIT,
        "conaffinity": _EVERY_BIT,
        "condim": 3,
        "priority": 1,
        "friction": [1.0, 0.005, 0.0001],
        "solref": [0.005, 1.0],
        "solimp": [0.9, 0.95, 0.001, 0.5, 2.0],
        "margin": 0.0,
        "gap": 0.0,
        "group": 0,
        "rgba": [1.0, 1.0, 1.0, 1.0],
        "material": MATERIAL,
    }
    spec.worldbody.add_geom(type=kind, **(settings | shape))


def _add_material(spec: mujoco.MjSpec) -> None:
    """A light checker of 1 m squares with thin lines between them."""
    spec.add_texture(
        name=MATERIAL,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.84, 0.86, 0.87],
        rgb2=[0.77, 0.80, 0.82],
        mark=mujoco.mjtMark.mjMARK_EDGE,
        markrgb=[0.66, 0.70, 0.73],
        width=512,
        height=512,
    )
    textures = [""] * mujoco.mjtTextureRole.mjNTEXROLE
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = MATERIAL
    spec.add_material(
        name=MATERIAL,
        textures=textures,
        texuniform=True,
        texrepeat=[0.5, 0.5],  # the texture shows two squares each way
        specular=0.1,
        shininess=0.1,
        reflectance=0.0,
    )
