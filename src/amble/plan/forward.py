"""Forward dynamics of the rigid body (section 5.2): what external forces make of a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY
from amble.geometry.rotations import (
    matrix_from_quat,
    quat_from_matrix,
    quat_from_rotvec,
    rotvec_from_quat,
)
from amble.plan.plan import BodyState, Plan
from amble.sketch.contact import Contact

STEP = 1 / 480  # [s]

External = Callable[[float, BodyState], tuple[np.ndarray, np.ndarray]]
"""Force (3,) [N] and moment about the centre of mass (3,) [N m] of what pushes, at a time."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The body's real way: plan forces and external ones, integrated. Samples every `STEP`."""

    time: np.ndarray  # (K,) [s]
    states: tuple[BodyState, ...]

    @property
    def end(self) -> float:
        """[s]"""
        return float(self.time[-1])

    def state(self, time: float) -> BodyState:
        """The body at a time, between two samples."""
        k = int(np.clip(np.searchsorted(self.time, time) - 1, 0, len(self.time) - 2))
        a, b = self.states[k], self.states[k + 1]
        u = float(np.clip((time - self.time[k]) / (self.time[k + 1] - self.time[k]), 0, 1))
        turn = rotvec_from_quat(quat_from_matrix(a.R_w.T @ b.R_w))
        return BodyState(
            a.com_w + u * (b.com_w - a.com_w),
            a.velocity_w + u * (b.velocity_w - a.velocity_w),
            a.R_w @ matrix_from_quat(quat_from_rotvec(u * turn)),
            a.omega_w + u * (b.omega_w - a.omega_w),
        )


def integrate(
    body: CentroidalBody,
    plan: Plan,
    start: BodyState,
    begin: float,
    end: float,
    external: External | None = None,
    step: float = STEP,
) -> Trajectory:
    """Move the body from `start` by the plan's contact forces, at their planned places, and more.

    The midpoint rule for the position and the angular momentum; the contacts do not change.
    """
    count = max(1, round((end - begin) / step))
    h = (end - begin) / count
    inverse = np.linalg.inv(body.inertia_b)
    c, v, R = start.com_w, start.velocity_w, start.R_w
    L = R @ body.inertia_b @ R.T @ start.omega_w
    states, times = [start], [begin]
    for k in range(count):
        middle = begin + (k + 0.5) * h
        c_middle = c + 0.5 * h * v
        force, moment = contact_wrench(body, plan, middle, c_middle)
        if external is not None:
            f, m = external(middle, states[-1])
            force, moment = force + f, moment + m
        a = force / body.mass - np.array([0.0, 0.0, GRAVITY])
        omega = R @ inverse @ R.T @ (L + 0.5 * h * moment)
        R_middle = matrix_from_quat(quat_from_rotvec(0.5 * h * omega)) @ R
        omega = R_middle @ inverse @ R_middle.T @ (L + 0.5 * h * moment)
        R = matrix_from_quat(quat_from_rotvec(h * omega)) @ R
        c = c + h * v + 0.5 * h * h * a
        v = v + h * a
        L = L + h * moment
        states.append(BodyState(c, v, R, R @ inverse @ R.T @ L))
        times.append(begin + (k + 1) * h)
    return Trajectory(np.array(times), tuple(states))


def contact_wrench(
    body: CentroidalBody, plan: Plan, time: float, com_w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the planned contact forces [N] and their moment about a point [N m], each (3,)."""
    forces = plan.force(time)
    points = effector_points(body, plan.contacts, time)
    return forces.sum(axis=0), np.cross(points - com_w, forces).sum(axis=0)


def effector_points(body: CentroidalBody, contacts: Sequence[Contact], time: float) -> np.ndarray:
    """Where the ground pushes at each effector (E, 3) [m]; the origin for feet in the air."""
    points = []
    for i, leg in enumerate(body.legs):
        contact = next((c for c in contacts if c.limb == i and c.holds(time)), None)
        for along in leg.effectors:
            if contact is None:
                points.append(np.zeros(3))
            else:
                forward = contact.R_flat_w[:, 0]
                points.append(contact.position_w + along * forward)
    return np.array(points)
