"""Toes, tails and other parts that carry nothing, turned until they are out of the ground."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.importer.anatomy import Links
from amble.characters.importer.standing import Foot, leaves_limits, within_limits

CLEARANCE = 0.002  # of the height of the centre of mass
STEPS = 60
DOWN = np.array([0.0, 0.0, -1.0])


def lift(links: Links, feet: list[Foot], qpos: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The pose with all but the feet above z = 0, by joints that carry no foot; and the links for
    which these are not enough."""
    model, data = links.model, links.data
    standing = {int(model.body_weldid[foot.body]) for foot in feet}
    others = [b for b in links.all if b not in standing and links.collides(b)]
    free = np.ones(model.nv, dtype=bool)
    free[:6] = False
    for foot in feet:
        for b in links.path(int(model.body_weldid[foot.body])):
            free[model.body_dofadr[b] : model.body_dofadr[b] + model.body_dofnum[b]] = False
    qpos = qpos.copy()
    for _ in range(STEPS):
        _pose(links, qpos)
        clearance = CLEARANCE * float(data.subtree_com[1][2])
        low = [(b, point) for b in others if (point := _lowest(links, b))[2] < 0.9 * clearance]
        rows = np.array([_rise(links, b, point) for b, point in low]).reshape(-1, model.nv) * free
        movable = np.abs(rows).max(axis=1, initial=0.0) > 1e-9
        if not movable.any():
            break
        step = _step(rows[movable], np.array([clearance - p[2] for _, p in low])[movable])
        blocked = leaves_limits(model, qpos, step)
        rows[:, blocked] = 0.0
        step = _step(rows[movable], np.array([clearance - p[2] for _, p in low])[movable])
        step *= min(1.0, 0.2 / max(float(np.abs(step).max()), 1e-12))
        mujoco.mj_integratePos(model, qpos, step, 1.0)
        qpos = within_limits(model, qpos)
    _pose(links, qpos)
    tolerance = CLEARANCE * float(data.subtree_com[1][2])
    return qpos, [model.body(b).name for b in others if _lowest(links, b)[2] < -tolerance]


def _pose(links: Links, qpos: np.ndarray) -> None:
    links.data.qpos[:] = qpos
    mujoco.mj_kinematics(links.model, links.data)
    mujoco.mj_comPos(links.model, links.data)


def _lowest(links: Links, link: int) -> np.ndarray:
    points = links.surface(link, DOWN)
    return points[int(np.argmin(points[:, 2]))]


def _rise(links: Links, link: int, point: np.ndarray) -> np.ndarray:
    """How fast a point of a link rises with each degree of freedom (nv,)."""
    jacobian = np.empty((3, links.model.nv))
    mujoco.mj_jac(links.model, links.data, jacobian, None, point, link)
    return jacobian[2]


def _step(J: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Damped least squares (nv,), through the small matrix J Jᵀ."""
    H = J @ J.T
    return J.T @ np.linalg.solve(H + (1e-4 * np.trace(H) + 1e-12) * np.eye(len(H)), error)
