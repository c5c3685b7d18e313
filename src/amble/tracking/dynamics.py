"""Dynamics of a flat body and their exact derivatives, from the compiled core.

    τ = M(q) a + c(q, v) − Σ_i J_i(q)ᵀ λ_i

with forces λ_i [N] of the world on points fixed to the body. Written out by hand in C++ (see
`src/core/flat_dynamics.hpp` for the equations): a call takes microseconds, nothing is generated
or compiled when it runs, and the numbers can be checked against MuJoCo's one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from amble import _core
from amble.geometry.rotations import matrix_from_quat
from amble.tracking.flat_body import FlatBody

Point = tuple[str, Sequence[float] | np.ndarray]  # a body (MJCF) and a place in its frame [m]


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """Joint torques that a motion takes, and their derivatives; T rows where asked for T poses."""

    torque: np.ndarray  # (n,) τ, of the root as well [N m, N]
    by_q: np.ndarray  # (n, n) ∂τ/∂q
    by_v: np.ndarray  # (n, n) ∂τ/∂v
    by_a: np.ndarray  # (n, n) ∂τ/∂a = M


@dataclass(frozen=True, eq=False)
class Terms:
    """What a step of a simulation needs at one state, P points with it."""

    mass: np.ndarray  # (n, n) M
    bias: np.ndarray  # (n,) c
    places: np.ndarray  # (P, 3) [m]
    jacobians: np.ndarray  # (P, 3, n)


class FlatDynamics:
    """Dynamics of a flat body with P points that carry force: its eight corners by default.

    One object for one thread: calls share its workspace. Arrays that it returns are new.
    """

    def __init__(self, body: FlatBody, points: Sequence[Point] | None = None) -> None:
        points = corner_points(body) if points is None else points
        self.n, self.points_count = body.n, len(points)
        self._link_of, self._place_of = _links(body.model)
        self._core = _core.FlatDynamics(_tree(body.model, points))
        self._model = body.model

    def mass(self, q: np.ndarray) -> np.ndarray:
        """M (n, n) at q (n,), rotors included."""
        self._place(q)
        M = np.empty((self.n, self.n))
        self._core.mass_matrix(M)
        return M

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """c (n,): what the motion v takes at q with no acceleration; weight is part of it."""
        self._place(q)
        c = np.empty(self.n)
        self._core.bias(_floats(v), c)
        return c

    def points(self, q: np.ndarray) -> np.ndarray:
        """Places (P, 3) of the points in the world [m]."""
        self._place(q)
        places = np.empty((self.points_count, 3))
        self._core.points(places)
        return places

    def jacobians(self, q: np.ndarray) -> np.ndarray:
        """∂places/∂q (P, 3, n)."""
        self._place(q)
        J = np.empty((self.points_count, 3, self.n))
        self._core.jacobians(J)
        return J

    def drifts(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """J̇ v (P, 3) [m/s²]: accelerations of the points with a = 0."""
        self._place(q)
        drifts = np.empty((self.points_count, 3))
        self._core.drifts(_floats(v), drifts)
        return drifts

    def step_terms(self, q: np.ndarray, v: np.ndarray) -> Terms:
        """Mass, bias, points and their Jacobians at once."""
        n, P = self.n, self.points_count
        terms = Terms(np.empty((n, n)), np.empty(n), np.empty((P, 3)), np.empty((P, 3, n)))
        given = (terms.mass, terms.bias, terms.places, terms.jacobians)
        self._core.step_terms(_floats(q), _floats(v), *given)
        return terms

    def rotation(self, q: np.ndarray, body: str) -> np.ndarray:
        """Turn (3, 3) of a body (MJCF) in the world."""
        self._place(q)
        b, p, R = self._model.body(body).id, np.empty(3), np.empty((3, 3))
        self._core.link(int(self._link_of[b]), p, R)
        turned: np.ndarray = R @ self._place_of[b][0]
        return turned

    def turn_jacobian(self, q: np.ndarray, body: str) -> np.ndarray:
        """(3, n): angular velocity of a body (MJCF) in the world for each q̇."""
        self._place(q)
        J = np.empty((3, self.n))
        self._core.turn_jacobian(int(self._link_of[self._model.body(body).id]), J)
        return J

    def force_derivative(self, q: np.ndarray, force_w: np.ndarray) -> np.ndarray:
        """∂(Σ J_iᵀ λ_i)/∂q (n, n), symmetric, for forces λ (P, 3) that keep their direction."""
        self._place(q)
        H = np.zeros((self.n, self.n))
        self._core.add_force_derivative(_floats(force_w), 1.0, H)
        return H

    def inverse(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, force_w: np.ndarray | None = None
    ) -> InverseDynamics:
        """Inverse dynamics at q, v, a (n,) or (T, n) with forces (P, 3) or (T, P, 3)."""
        q, v, a = _floats(q), _floats(v), _floats(a)
        if q.ndim == 1:
            whole = self.inverse(q[None], v[None], a[None], _one_more(force_w))
            return InverseDynamics(whole.torque[0], whole.by_q[0], whole.by_v[0], whole.by_a[0])
        T, n = q.shape
        torque = np.empty((T, n))
        by_q, by_v, by_a = np.empty((3, T, n, n))
        J = np.empty((self.points_count, 3, n))
        force = None if force_w is None else _floats(force_w)
        for k in range(T):
            self._place(q[k])
            self._core.inverse(v[k], a[k], torque[k], by_q[k], by_v[k], by_a[k])
            if force is not None:
                self._core.add_force_derivative(force[k], -1.0, by_q[k])
                self._core.jacobians(J)
                torque[k] -= np.tensordot(force[k], J, axes=2)
        return InverseDynamics(torque, by_q, by_v, by_a)

    def _place(self, q: np.ndarray) -> None:
        self._core.place(_floats(q))


def corner_points(body: FlatBody) -> list[Point]:
    """The eight contact points, in the order of `FlatBody.corner_names`."""
    model = body.model
    return [
        (model.body(int(model.site_bodyid[site])).name, model.site_pos[site])
        for site in body.corners
    ]


def _floats(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=float)


def _one_more(array: np.ndarray | None) -> np.ndarray | None:
    return None if array is None else np.asarray(array)[None]


def _tree(model: mujoco.MjModel, points: Sequence[Point]) -> _core.FlatTree:
    """The links of a MuJoCo model of slides and hinges, one a coordinate; bodies without a joint
    of their own belong to the link that carries them."""
    n = model.nv
    link_of, place_of = _links(model)
    place, turn = np.zeros((n, 3)), np.tile(np.eye(3).ravel(), (n, 1))
    parent = np.empty(n, dtype=np.int32)
    for body in range(1, model.nbody):
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        for joint in range(first, first + count):
            parent[joint] = joint - 1
        if count:
            up = int(model.body_parentid[body])
            parent[first] = link_of[up]
            R, p = place_of[up]
            place[first] = p + R @ model.body_pos[body]
            turn[first] = (R @ matrix_from_quat(model.body_quat[body])).ravel()
    mass, com, inertia = _inertias(model, link_of, place_of)
    tree = _core.FlatTree()
    tree.parent = parent
    tree.slides = (model.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE).astype(np.int32)
    tree.place, tree.turn = place, turn
    tree.anchor, tree.axis = model.jnt_pos.copy(), model.jnt_axis.copy()
    tree.mass, tree.com, tree.inertia = mass, com, inertia
    tree.armature, tree.gravity = model.dof_armature.copy(), np.array(model.opt.gravity)
    bodies = [model.body(name).id for name, _ in points]
    tree.point_link = np.array([link_of[body] for body in bodies], dtype=np.int32)
    places = [
        place_of[body][1] + place_of[body][0] @ np.asarray(at, dtype=float)
        for body, (_, at) in zip(bodies, points, strict=True)
    ]
    tree.point_place = np.array(places).reshape(-1, 3)
    return tree


def _links(model: mujoco.MjModel) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """For every body the link (−1: the world) it belongs to, and turn and place in its frame."""
    link_of = np.full(model.nbody, -1)
    place_of = [(np.eye(3), np.zeros(3))]
    for body in range(1, model.nbody):
        up = int(model.body_parentid[body])
        if model.body_jntnum[body]:
            link_of[body] = model.body_jntadr[body] + model.body_jntnum[body] - 1
            place_of.append((np.eye(3), np.zeros(3)))
        else:
            R, p = place_of[up]
            link_of[body] = link_of[up]
            own = R @ matrix_from_quat(model.body_quat[body])
            place_of.append((own, p + R @ model.body_pos[body]))
    return link_of, place_of


def _inertias(
    model: mujoco.MjModel, link_of: np.ndarray, place_of: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass (n,), centre of mass (n, 3) and inertia about it (n, 9) of every link."""
    n = model.nv
    mass, com, inertia = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for link in range(n):
        parts = []
        for body in np.flatnonzero(link_of == link):
            R, p = place_of[body]
            axes = R @ matrix_from_quat(model.body_iquat[body])
            own = axes @ np.diag(model.body_inertia[body]) @ axes.T
            parts.append((float(model.body_mass[body]), p + R @ model.body_ipos[body], own))
        mass[link] = sum(m for m, _, _ in parts)
        if mass[link] > 0:
            com[link] = sum(m * c for m, c, _ in parts) / mass[link]
        for m, c, own in parts:
            away = c - com[link]
            inertia[link] += own + m * (away @ away * np.eye(3) - np.outer(away, away))
    return mass, com, inertia.reshape(n, 9)
