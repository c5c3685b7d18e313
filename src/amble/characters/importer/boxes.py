"""Boxes for bodies that bring no shapes, as large as their inertia says."""

from __future__ import annotations

import mujoco
import numpy as np

SHOWN = 2  # MuJoCo draws the groups of shapes up to this one
GREY = (0.6, 0.6, 0.65, 1.0)


def show_something(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Links with shapes in hidden groups only, which collide and are not drawn, show them."""
    link_of = model.body_weldid[model.geom_bodyid]
    seen = set(link_of[model.geom_group <= SHOWN])
    for body in spec.bodies[1:]:
        if int(model.body_weldid[model.body(body.name).id]) not in seen:
            for geom in body.geoms:
                geom.group = 0


def add_boxes(spec: mujoco.MjSpec, model: mujoco.MjModel, collide: bool) -> None:
    """One box for each link of `spec`, compiled as `model`, that has mass and no shape.

    Moments I of a box with half sides h: I₁ = m/3 (h₂² + h₃²), and so on for the other axes.
    """
    shaped = set(model.body_weldid[model.geom_bodyid])
    size = float(model.stat.extent)
    for b in range(1, model.nbody):
        mass, moments = float(model.body_mass[b]), model.body_inertia[b]
        if mass <= 0 or int(model.body_weldid[b]) in shaped:
            continue
        half = np.sqrt(np.maximum(1.5 / mass * (moments.sum() - 2 * moments), 0.0))
        spec.body(model.body(b).name).add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=np.clip(half, 1e-3 * size, 0.25 * size),
            pos=model.body_ipos[b],
            quat=model.body_iquat[b],
            contype=int(collide),
            conaffinity=2 * int(collide),
            group=0,
            mass=0,
            rgba=GREY,
        )
