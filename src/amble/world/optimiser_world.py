"""OptimiserWorld: the controller's own accelerations, integrated at 100 Hz (features section 9).

A fast preview. The optimiser's x holds accelerations as well as torques: they need no forward
dynamics, so nothing is stiff and time steps may be ten times longer. What it leaves out: no contact
is simulated (the controller's contact tasks hold the feet), friction and torque limits are kept by
the controller's inequalities only, and nothing stops a hand or a leg that meets something.
"""

from __future__ import annotations

from typing import Protocol

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.errors import AmbleError, InputError
from amble.terrain.terrain import Terrain
from amble.world.mujoco_world import MuJoCoWorld
from amble.world.world import ContactReport


class Optimised(Protocol):
    """What the optimiser found for the present state: `WholeBody`."""

    acceleration: np.ndarray  # (nv,)
    contact_points: np.ndarray  # which of all contact points carry force
    forces_w: np.ndarray  # (points, 3) [N], the first rows in their order


class OptimiserWorld(MuJoCoWorld):
    """A character on a ground, moved as its controller's optimiser says: q̇ += q̈ Δt, q += q̇ Δt.

    Pushes act through the mass matrix, M q̈ = Jᵀ f, on top of that. Feet that come down lose their
    velocity in an inelastic impact, J q̇⁺ = 0 with the impulse Jᵀ Λ, since no acceleration can.
    """

    def __init__(
        self,
        character: Character,
        terrain: Terrain | None = None,
        *,
        timestep: float = 0.01,
        friction: float = 1.0,
    ) -> None:
        self._optimised: Optimised | None = None
        self._standing = np.zeros(0, int)
        super().__init__(character, terrain, timestep=timestep, friction=friction)

    def follow(self, optimised: Optimised) -> None:
        """Take accelerations and forces from this controller's optimiser."""
        self._optimised = optimised

    def reset(self, qpos: np.ndarray | None = None, qvel: np.ndarray | None = None) -> None:
        super().reset(qpos, qvel)
        self._standing = np.arange(len(self._contacts.sites))

    def step(self, torque: np.ndarray, steps: int = 1) -> None:
        """Advance under the accelerations that came with these torques."""
        found = self._optimised
        if found is None:
            raise AmbleError("an OptimiserWorld needs a controller: call `follow` first")
        if np.shape(torque) != self._torque.shape:
            raise InputError(f"torque has shape {np.shape(torque)}; {len(self._torque)} are needed")
        if not np.isfinite(torque).all():
            self._refuse(np.asarray(torque, float))
        model, data, dt = self.model, self.data, self.timestep
        for _ in range(steps):
            self._pushes.apply()
            data.qvel[:] += dt * (found.acceleration + self._pushed())
            impact = self._impact(found.contact_points)
            mujoco.mj_integratePos(model, data.qpos, data.qvel, dt)
            data.time += dt
            mujoco.mj_step1(model, data)
            force = np.zeros((len(self._contacts.sites), 3))
            force[found.contact_points] = found.forces_w[: len(found.contact_points)]
            self._ground_force_sum_w += force.sum(axis=0) + impact / dt
            touching = np.asarray(force.any(axis=1))
            self._contacts.set_report(ContactReport(touching, force, np.zeros(3)))
        if not self._qvel.dot(self._qvel) < 1e12:  # true for NaN
            self._report_divergence()
        if data.time >= self._black_box.due:
            self._black_box.keep(model, data)

    def _pushed(self) -> np.ndarray:
        """Acceleration (nv,) by the external forces of this step."""
        model, data = self.model, self.data
        force = np.zeros(model.nv)
        for body in np.flatnonzero(data.xfrc_applied.any(axis=1)):
            push = data.xfrc_applied[body]
            mujoco.mj_applyFT(model, data, push[:3], push[3:], data.xipos[body], int(body), force)
        acceleration = np.zeros(model.nv)
        if force.any():
            mujoco.mj_solveM(model, data, acceleration[None], force[None])
        return acceleration

    def _impact(self, points: np.ndarray) -> np.ndarray:
        """Stop points that have come down; the impulse (3,) [N s] that it takes."""
        landed = np.setdiff1d(points, self._standing)
        self._standing = np.array(points)
        if not len(landed):
            return np.zeros(3)
        model, data = self.model, self.data
        J = np.empty((len(points), 3, model.nv))
        for row, point in zip(J, points, strict=True):
            mujoco.mj_jacSite(model, data, row, None, self._contacts.sites[point])
        rows = J.reshape(-1, model.nv)
        answer = np.empty_like(rows)
        mujoco.mj_solveM(model, data, answer, rows)
        impulse = np.linalg.lstsq(rows @ answer.T, -rows @ data.qvel, rcond=1e-8)[0]
        data.qvel[:] += impulse @ answer
        return np.asarray(impulse.reshape(-1, 3).sum(axis=0))
