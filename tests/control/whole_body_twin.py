"""The reduced problem of `WholeBody` in plain numpy, from the features: the twin of whole_body.hpp.

Unknowns x = [q̈_a, λ, ρ] (n,): joint accelerations, weights of the friction cones' generators,
forces of joints at their limits. With Q (nv, n) the generalised force of each unknown, forces being
counted in units of the body's mass,

    M q̈ + h = [0; τ] + Q x                                             (eq. 22–24, 27)

whose first six rows give the root's acceleration and the others the torques: neither is unknown.
"""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np

from amble.control.whole_body import WholeBody
from amble.features.com import AngularMomentum, Com
from amble.features.contact import friction_cone
from amble.features.feature import Feature, Kind
from amble.features.frame import Orientation, Position, PositionFromCom
from amble.features.posture import Posture, Torque
from amble.features.state import BodyState
from amble.geometry.rotations import rotvec_from_quat

FREE = 1e30
TOUCHING = 0.01  # [rad] from its limit a joint touches its stop
SHORTEST = 0.06  # [s] a target objective never counts on less time
SOON = 0.02  # [s] in which a joint that is too fast must have slowed down
FAR, HARDEST = -60.0, 300.0  # [rad/s²] limits that ask for less are left out; none asks for more


def problem(body: WholeBody, time: float) -> tuple[np.ndarray, ...]:
    """What `WholeBody.problem` returns: A, b, levels, D, lo, hi, weight, target, lower, upper."""
    twin = Twin(body)
    levels = body.tasks.levels
    rows = [twin.task(t, time) for t in range(levels[-1])]
    A = np.array([row for row, _ in rows]).reshape(-1, twin.n)
    b = np.array([right for _, right in rows])
    return (A, b, levels, *twin.inequalities(), *twin.unknowns())


class Twin:
    """The maps from x to accelerations and features, at the present state of a `WholeBody`."""

    def __init__(self, body: WholeBody) -> None:
        self.body = body
        self.state = BodyState(body.model, body.data, body.model.body(body.character.root).id)
        M, h, unit = self.state.mass_matrix, self.state.bias, self.state.mass
        nv, self.na, self.nl = len(M), len(M) - 6, 4 * len(body.contact_points)
        self.points = [point_feature(body, int(k)) for k in body.contact_points]
        at = [point.value(self.state) for point in self.points]
        normals = [body.terrain.normal(p[0], p[1]) for p in at]
        self.cones = [friction_cone(normal, body.friction) for normal in normals]
        self.G, self.least, self.distance = limit_rows(body)
        self.n = self.na + self.nl + len(self.G)
        # No more than half of what the greatest accelerations allow.
        _, _, lower, upper = (values[: self.na] for values in self.unknowns())
        reach = np.maximum(self.G * lower, self.G * upper).sum(axis=1)
        self.least = np.minimum(self.least, np.where(reach > 0, 0.5, 2) * reach)

        generators = [
            V.T @ point.jacobian(self.state)
            for V, point in zip(self.cones, self.points, strict=True)
        ]
        Q = np.zeros((nv, self.n))
        Q[:, self.na : self.na + self.nl] = unit * np.vstack([np.empty((0, nv)), *generators]).T
        Q[6:, self.na + self.nl :] = unit * self.G.T
        # q̈ = W x + w₀; its first six rows from M_bb q̈_b = Q_b x − h_b − M_ba q̈_a
        W, w0 = np.zeros((nv, self.n)), np.zeros(nv)
        W[6:, : self.na] = np.eye(self.na)
        W[:6] = np.linalg.solve(M[:6, :6], Q[:6] - M[:6, 6:] @ W[6:])
        w0[:6] = np.linalg.solve(M[:6, :6], -h[:6])
        self.Q, self.W, self.w0 = Q, W, w0

    def feature(self, y: Feature) -> tuple[np.ndarray, np.ndarray]:
        """dʳy/dtʳ = J q̈ + drift as rows · x + known: (dim, n) and (dim,)."""
        J, drift = y.jacobian(self.state), y.drift(self.state)
        rows = J @ self.W
        if y.order == 0:  # the unknown forces act on a torque directly
            pushed = [y.drift(replace(self.state, force=Q)) - drift for Q in self.Q.T]
            rows = rows + np.column_stack(pushed)
        return rows, J @ self.w0 + drift

    def task(self, t: int, time: float) -> tuple[np.ndarray, float]:
        """Row t of the task table: weight · dʳy/dtʳ = weight · desired."""
        tasks = self.body.tasks
        kind, index, axis, _, slot = (int(value) for value in tasks.ints[t])
        y = task_feature(self.body, Kind(kind), index)
        rows, known = self.feature(y)
        weight, *_ = tasks.reals[t]
        if kind == Kind.TORQUE:  # eq. 15
            return weight * rows[0], weight * (tasks.reals[t, 5] - known[0])
        value = y.value(self.state)
        error = -value if kind != Kind.ORIENTATION else y.difference(tasks.rotations[slot], value)
        rate = y.jacobian(self.state) @ self.body.data.qvel if y.order == 2 else np.zeros(3)
        desired = self.desired(t, time, error[axis], rate[axis])
        return weight * rows[axis], weight * (desired - known[axis])

    def desired(self, t: int, time: float, error: float, rate: float) -> float:
        """The acceleration (of momenta, the rate) that a row asks for, within its limit."""
        _, kp, kv, reference, velocity, acceleration, deadline, limit = self.body.tasks.reals[t]
        error = error + reference
        if self.body.tasks.ints[t, 3] == 0:  # setpoint, eq. 4 and 9
            wish = kp * error + kv * (velocity - rate) + acceleration
        else:  # target, eq. 6–7 corrected: ÿ(t) = (1 − t/T) a + (t/T) b, at t = 0
            T = max(deadline - time, SHORTEST)
            error += velocity * (T - (deadline - time))
            system = np.array([[T**2 / 3, T**2 / 6], [T / 2, T / 2]])
            wish = np.linalg.solve(system, (error - rate * T, velocity - rate))[0]
        return float(np.clip(wish, -limit, limit))

    def inequalities(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """D, lo, hi: torques, joint limits and, where asked for, non-penetration."""
        torque, torque0 = self.feature(Torque(tuple(range(self.na))))
        rate, fastest = self.body.data.qvel[6:], self.body.posture.most_speed
        drives = np.clip(2 - 2 * abs(rate) / fastest, 0, 1)  # what a motor can do at this speed
        most, least = np.where(rate > 0, drives, 1), np.where(rate < 0, drives, 1)
        most, least = most * self.body.torque_limits, least * self.body.torque_limits
        limits = np.hstack([self.G, np.zeros((len(self.G), self.n - self.na))])  # eq. 27
        D, lo = [torque, limits], [-least - torque0, self.least]
        hi = [most - torque0, np.full(len(self.G), FREE)]
        if self.body.contacts.non_penetration:  # Vᵀ (J_c q̈ + J̇_c q̇) ≥ 0, eq. 26
            for V, point in zip(self.cones, self.points, strict=True):
                rows, known = self.feature(point)
                D.append(V.T @ rows)
                lo.append(-V.T @ known)
                hi.append(np.full(4, FREE))
        return np.vstack(D), np.concatenate(lo), np.concatenate(hi)

    def unknowns(self) -> tuple[np.ndarray, ...]:
        """weight, target, lower, upper (n,): posture and greatest accelerations for q̈_a; forces
        that are small and only push (eq. 25)."""
        body, posture, unit = self.body, Posture(self.body.model), self.state.mass
        error = posture.difference(body.posture_reference, posture.value(self.state))
        rate = body.data.qvel[6:]
        weight = np.full(self.n, unit * body.posture.force_weight)
        weight[: self.na] = body.posture_weight
        weight[self.na + self.nl :] = unit * body.posture.limit_weight
        target, lower, upper = np.zeros(self.n), np.zeros(self.n), np.full(self.n, FREE)
        target[: self.na] = body.posture_kp * error - body.posture_kv * rate
        # |q̇| below the greatest speed soon, |q̈| below the greatest acceleration
        speed, most = body.posture.most_speed, body.most_acceleration
        lower[: self.na] = np.clip((-speed - rate) / SOON, -most, most)
        upper[: self.na] = np.clip((speed - rate) / SOON, -most, most)
        upper[self.na + self.nl :][self.distance > TOUCHING] = 0  # stops that are not touched
        return weight, target, lower, upper


def point_feature(body: WholeBody, k: int) -> Position:
    """Contact point k of all end effectors'."""
    site = body.model.site(body.site_names[k])
    return Position(int(site.bodyid[0]), tuple(site.pos))


def task_feature(body: WholeBody, kind: Kind, index: int) -> Feature:
    """The feature that a row of the task table is about."""
    if kind in (Kind.POINT, Kind.POINT_FROM_COM):
        point = point_feature(body, index)
        return point if kind == Kind.POINT else PositionFromCom(point.body, point.point_b)
    features = {Kind.COM: Com(), Kind.MOMENTUM: AngularMomentum(), Kind.TORQUE: Torque((index,))}
    return features.get(kind) or Orientation(index)


def limit_rows(body: WholeBody) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """G (limits, na) and the least G q̈_a that keeps the distance d ≥ 0: d̈ ≥ −k d − c ḋ, where
    ḋ = G q̇ and d̈ = G q̈ + Ġ q̇; the distances d."""
    stiffness, damping = body.posture.limit_stiffness, body.posture.limit_damping
    angles = joint_angles(body.model, body.data.qpos)
    rates, rate = angle_rates(body.model, angles), body.data.qvel[6:]
    step = 1e-5 * rates @ rate
    ends = [angle_rates(body.model, angles + side * step) @ rate for side in (1, -1)]
    drifts = (ends[0] - ends[1]) / 2e-5
    rows, least, distances = [np.empty((0, len(angles)))], [], []
    bounds = body.character.joint_limits
    for dof, (angle, row, drift, pair) in enumerate(
        zip(angles, rates, drifts, bounds, strict=True)
    ):
        for sign, bound in zip((1, -1), pair, strict=True):
            g, distance = sign * row, sign * (angle - bound)
            needed = -stiffness * distance - damping * g @ rate - sign * drift
            if needed > FAR:
                rows.append(g[None])
                least.append(min(needed, HARDEST))
                distances.append(distance)
        if dof >= 2 and np.isfinite(body.posture.cone[dof - 2]):  # |φ| ≤ cone, after its last limit
            part = slice(dof - 2, dof + 1)
            phi, omega, speed = angles[part], rate[part], rates[part, part] @ rate[part]
            length = float(np.linalg.norm(phi))
            if length < 0.1:
                continue
            axis = phi / length
            drift = (speed - axis * (axis @ speed)) / length @ omega
            needed = -stiffness * (body.posture.cone[dof - 2] - length) + damping * axis @ omega
            if needed + drift > FAR:
                rows.append(np.zeros((1, len(angles))))
                rows[-1][0, part] = -axis
                least.append(min(needed + drift, HARDEST))
                distances.append(body.posture.cone[dof - 2] - length)
    return np.vstack(rows), np.array(least), np.array(distances)


def joint_angles(model: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """Angles (na,) of the actuated degrees of freedom; a ball joint's are its rotation vector φ."""
    angles = []
    for q, kind in zip(model.jnt_qposadr[1:], model.jnt_type[1:], strict=True):
        ball = kind == mujoco.mjtJoint.mjJNT_BALL
        angles.append(rotvec_from_quat(qpos[q : q + 4]) if ball else qpos[q : q + 1])
    return np.concatenate(angles)


def angle_rates(model: mujoco.MjModel, angles: np.ndarray) -> np.ndarray:
    """(na, na) that takes q̇_a to the rates of `joint_angles`: ω = J(φ) φ̇ for a ball joint, with

    J = 1 − (1 − cos θ)/θ² φ̂ + (θ − sin θ)/θ³ φ̂²,  θ = |φ|,  φ̂ v = φ × v,  ω in its own frame.
    """
    rates = np.eye(len(angles))
    for dof in model.jnt_dofadr[model.jnt_type == mujoco.mjtJoint.mjJNT_BALL] - 6:
        phi = angles[dof : dof + 3]
        theta = max(float(np.linalg.norm(phi)), 1e-4)
        hat = np.cross(np.eye(3), phi)
        J = np.eye(3) - (1 - math.cos(theta)) / theta**2 * hat
        J += (theta - math.sin(theta)) / theta**3 * hat @ hat
        rates[dof : dof + 3, dof : dof + 3] = np.linalg.inv(J)
    return rates
