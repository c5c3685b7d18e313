"""Closed loops: points of two bodies that a model holds together."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.geometry.rotations import matrix_from_quat

APART = 0.1  # [m] between the three points that stand for a weld
FRAME = APART * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True, eq=False)
class Tie:
    """Two points that should be in one place."""

    bodies: tuple[int, int]
    points_b: np.ndarray  # (2, 3), each in the frame of its body [m]

    def gap(self, data: mujoco.MjData) -> np.ndarray:
        """From the first point to the second (3,) [m], in the world."""
        first, second = (
            data.xpos[b] + data.xmat[b].reshape(3, 3) @ point
            for b, point in zip(self.bodies, self.points_b, strict=True)
        )
        return np.asarray(second - first)


def ties(model: mujoco.MjModel) -> tuple[Tie, ...]:
    """The active `connect` and `weld` constraints between bodies; a weld gives three points."""
    found: list[Tie] = []
    for e in range(model.neq):
        connect = model.eq_type[e] == mujoco.mjtEq.mjEQ_CONNECT
        weld = model.eq_type[e] == mujoco.mjtEq.mjEQ_WELD
        if not (connect or weld) or not model.eq_active0[e]:
            continue
        objects = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
            a, b = (int(model.site_bodyid[site]) for site in objects)
            own = FRAME if weld else FRAME[:1]
            first, second = (
                model.site_pos[s] + own @ matrix_from_quat(model.site_quat[s]).T for s in objects
            )
        elif weld:
            a, b = objects
            second = model.eq_data[e, :3] + FRAME
            first = model.eq_data[e, 3:6] + second @ matrix_from_quat(model.eq_data[e, 6:10]).T
        else:
            a, b = objects
            first, second = model.eq_data[e, None, :3], model.eq_data[e, None, 3:6]
        if a > 0 and b > 0:
            found += [Tie((a, b), np.array(pair)) for pair in zip(first, second, strict=True)]
    return tuple(found)
