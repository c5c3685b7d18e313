"""The terms of one step of the simulated body, computed once for control and contact.

    q⁺ = q + h v        M(q⁺) (v⁺ − v)/h + c(q⁺, v) = Sᵀ τ + Σ J_i(q⁺)ᵀ λ_i        (tracking eq. 16)

Points are the eight corners of the feet, and behind them the places whose acceleration contact
adaptation keeps: the trunk's centre of mass and the two shoulders (table 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from amble.tracking.dynamics import FlatDynamics, Point, corner_points
from amble.tracking.flat_body import CORNERS, FlatBody
from amble.tracking.reference import Travel


@dataclass(frozen=True, eq=False)
class StepTerms:
    """Everything at q⁺."""

    step: float  # h [s]
    q: np.ndarray  # (n,) q⁺
    v: np.ndarray  # (n,) before the step
    inverse_mass: np.ndarray  # (n, n) M⁻¹
    bias: np.ndarray  # (n,) c
    corners_w: np.ndarray  # (8, 3) [m]
    J: np.ndarray  # (24, n) of the corners
    J_places: np.ndarray  # (3 P, n) of the trunk and the shoulders

    @property
    def free_velocity(self) -> np.ndarray:
        """v⁺ (n,) without torque and contact."""
        velocity: np.ndarray = self.v - self.step * (self.inverse_mass @ self.bias)
        return velocity

    def turned_back(self, frame: Travel, q: np.ndarray, v: np.ndarray) -> StepTerms:
        """The terms seen from a frame, in which the state is (q, v)."""
        R = frame.matrix
        turn = np.eye(3)
        turn[:2, :2] = R
        Mi, bias = self.inverse_mass.copy(), self.bias.copy()
        Mi[:2] = R.T @ Mi[:2]
        Mi[:, :2] = Mi[:, :2] @ R
        bias[:2] = R.T @ bias[:2]
        J = (turn.T @ self.J.reshape(-1, 3, len(q))).reshape(self.J.shape)
        J[:, :2] = J[:, :2] @ R
        return replace(self, q=q + self.step * v, v=v, inverse_mass=Mi, bias=bias, J=J)


class StepMaker:
    """Makes the terms of a body's steps; one object for one thread."""

    def __init__(self, body: FlatBody, step: float) -> None:
        self.body, self.step = body, step
        self.dynamics = FlatDynamics(body, [*corner_points(body), *places(body)])

    def terms(self, q: np.ndarray, v: np.ndarray) -> StepTerms:
        """Terms of the step from (q, v)."""
        after = q + self.step * v
        found = self.dynamics.step_terms(after, v)
        n, rows = self.body.n, found.jacobians.reshape(-1, self.body.n)
        return StepTerms(
            step=self.step,
            q=after,
            v=v,
            inverse_mass=np.linalg.inv(found.mass),
            bias=found.bias,
            corners_w=found.places[:CORNERS],
            J=rows[: 3 * CORNERS],
            J_places=rows[3 * CORNERS :].reshape(-1, n),
        )

    def moved_corners(self, terms: StepTerms) -> np.ndarray:
        """Corners (8, 3) [m] a step later, were the velocity still v."""
        return self.dynamics.points(terms.q + self.step * terms.v)[:CORNERS]


def places(body: FlatBody) -> list[Point]:
    """The trunk's centre of mass and the places of the shoulder joints."""
    model, character = body.model, body.character
    trunk = character.parts.get("thorax", character.root)
    found: list[Point] = [(trunk, model.body(trunk).ipos)]
    for limb in character.limbs:
        if limb.kind == "arm":
            upper = limb.bodies[0]
            found.append((upper, model.jnt_pos[model.body(upper).jntadr[0]]))
    return found
