"""Independent checks of references: MuJoCo's inverse dynamics, row by row."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.tracking.flat_body import FlatBody
from amble.tracking.reference import Reference


def rows_with_motion(reference: Reference) -> range:
    """Rows whose neighbours belong to the reference."""
    N = len(reference)
    return range(N) if reference.periodic else range(1, N - 1)


def equation_residual(body: FlatBody, reference: Reference) -> np.ndarray:
    """|M a + c − Sᵀτ − Σ Jᵀλ| of every row [N, N m], by MuJoCo."""
    model, h, worst = body.model, reference.step, []
    data = mujoco.MjData(model)
    for k in rows_with_motion(reference):
        before, here, after = (reference.q_at(k + i) for i in (-1, 0, 1))
        data.qpos[:], data.qvel[:] = here, (here - before) / h
        mujoco.mj_forward(model, data)
        data.qacc[:] = (after - 2 * here + before) / h**2
        left = np.empty(model.nv)
        mujoco.mj_rne(model, data, 1, left)
        left += model.dof_armature * data.qacc
        left[6:] -= reference.torque[k]
        J = np.empty((3, model.nv))
        for site, force in zip(body.corners, reference.force_w[k], strict=True):
            mujoco.mj_jacSite(model, data, J, None, site)
            left -= J.T @ force
        worst.append(np.abs(left).max())
    return np.array(worst)


def friction_excess(reference: Reference, friction: float) -> float:
    """Largest part of a force outside the cone [N], and largest pull."""
    sideways = np.linalg.norm(reference.force_w[..., :2], axis=-1)
    down = reference.force_w[..., 2]
    return float(max((sideways - friction * down).max(), (-down).max()))


def sole_heights(body: FlatBody, reference: Reference) -> tuple[np.ndarray, float]:
    """Heights [m] of the points on the ground, and the lowest of all."""
    places = np.array([body.corners_w(q) for q in reference.q])
    return places[reference.contact, 2], float(places[..., 2].min())


def slip(body: FlatBody, reference: Reference) -> float:
    """Largest way [m] of a point on the ground in one step."""
    most = 0.0
    for k in range(len(reference) - (not reference.periodic)):
        stays = reference.contact_at(k) & reference.contact_at(k + 1)
        moved = body.corners_w(reference.q_at(k + 1)) - body.corners_w(reference.q_at(k))
        most = max(most, float(np.abs(moved[stays]).max(initial=0.0)))
    return most
