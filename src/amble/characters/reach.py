"""Reach: where a leg ends, and how long and how short its joints let it be."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import GRAVITY, EndEffector, Limb
from amble.characters.loops import Tie, ties

SAMPLES = 600  # random poses of a leg that show how far it reaches
SHANK = 0.2  # of the leg's length: a foot's body whose origin is further up begins at the knee
STEP = 0.01  # of the leg's length at rest, by which a leg with closed loops is stretched or bent
CLOSED = 1e-3  # of that length: gaps of loops that count as none
ITERATIONS, DAMPING = 20, 1e-6


def ankle_of(model: mujoco.MjModel, limb: Limb, foot: EndEffector) -> tuple[int, np.ndarray]:
    """The body and the point (3,) in its frame [m] at which a leg ends, above the sole.

    It is the origin of the foot's body. Where that is a whole shank, whose origin is the knee, it
    is the middle of the contact points.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    body = model.body(foot.body).id
    points_b = np.array([model.site(site).pos for site in foot.sites])
    middle_b = points_b.mean(axis=0)
    middle_w = data.xpos[body] + data.xmat[body].reshape(3, 3) @ middle_b
    length = np.linalg.norm(middle_w - data.body(limb.bodies[0]).xpos)
    if np.linalg.norm(middle_b) > SHANK * length:
        return body, middle_b
    return body, np.zeros(3)


def reach(model: mujoco.MjModel, limb: Limb, foot: EndEffector) -> tuple[float, float]:
    """Shortest and longest distance from hip to ankle within the joints' limits [m]."""
    leg = _Leg(model, limb, foot)
    return leg.followed() if leg.ties else leg.sampled()


class _Leg:
    """A leg whose hip stays where it is."""

    def __init__(self, model: mujoco.MjModel, limb: Limb, foot: EndEffector) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self.hip = model.body(limb.bodies[0]).id
        self.ankle, self.ankle_b = ankle_of(model, limb, foot)
        below = [b for b in range(model.nbody) if self.hip in _ancestors(model, b)]
        self.ties: tuple[Tie, ...] = tuple(
            tie for tie in ties(model) if all(b in below for b in tie.bodies)
        )
        chain = {model.body(name).id for name in limb.bodies} | (set(below) if self.ties else set())
        self.joints = [
            j
            for j in range(model.njnt)
            if model.jnt_bodyid[j] in chain - {self.hip} and not is_stiff(model, j)
        ]

    def distance(self) -> float:
        """From hip to ankle [m]."""
        mujoco.mj_kinematics(self.model, self.data)
        return float(np.linalg.norm(self._ankle_w() - self.data.xpos[self.hip]))

    def sampled(self) -> tuple[float, float]:
        """Random poses, the best of which are improved by ever smaller random steps."""
        rng = np.random.default_rng(0)
        model, data = self.model, self.data
        hinges = [j for j in self.joints if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_BALL]
        limits = np.array([_limits(model, j) for j in hinges]).reshape(-1, 2)
        address = [int(model.jnt_qposadr[j]) for j in hinges]

        def length(angles: np.ndarray) -> float:
            data.qpos[:] = model.qpos0
            data.qpos[address] = angles
            return self.distance()

        rest = length(model.qpos0[address])
        if not hinges:
            return rest, rest
        low, high = limits.T
        tried = [rng.uniform(low, high) for _ in range(SAMPLES)]
        lengths = [length(angles) for angles in tried]
        ends = []
        for sign, start in ((-1, int(np.argmin(lengths))), (1, int(np.argmax(lengths)))):
            best, best_length = tried[start], lengths[start]
            for step in np.geomspace(0.3, 1e-3, SAMPLES // 2):
                angles = np.clip(best + step * rng.standard_normal(len(best)), low, high)
                found = length(angles)
                if sign * found > sign * best_length:
                    best, best_length = angles, found
            ends.append(best_length)
        return ends[0], ends[1]

    def followed(self) -> tuple[float, float]:
        """From rest, stretched and bent step by step for as long as its loops stay closed."""
        model, data = self.model, self.data
        data.qpos[:] = model.qpos0
        rest = self.distance()
        ends = []
        for sign in (-1, 1):
            data.qpos[:] = model.qpos0
            length = rest
            step, tolerance = sign * STEP * rest, CLOSED * rest
            while length > 0.1 * rest and self._drawn_to(length + step, tolerance):
                length += step
            ends.append(length)
        return ends[0], ends[1]

    def _drawn_to(self, length: float, tolerance: float) -> bool:
        """Bring the leg to a length [m] by Gauss–Newton within the limits; whether it can be."""
        model, data = self.model, self.data
        dofs = [v for v in range(model.nv) if model.dof_jntid[v] in self.joints]
        limits = np.full((model.nv, 2), (-np.inf, np.inf))
        for j in self.joints:
            if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_BALL:
                limits[model.jnt_dofadr[j]] = _limits(model, j)
        angles = np.empty(model.nv)
        for _ in range(ITERATIONS):
            rows, residual = self._rows(length)
            if np.abs(residual).max() < tolerance:
                return True
            mujoco.mj_differentiatePos(model, angles, 1.0, model.qpos0, data.qpos)
            step = np.zeros(model.nv)
            free, left = list(dofs), residual
            for _ in range(4):  # joints that would pass a limit stop there
                J = rows[:, free]
                H = J.T @ J + DAMPING * np.eye(len(free))
                step[free] = np.linalg.solve(H, J.T @ left)
                inside = np.clip(angles + step, limits[:, 0], limits[:, 1]) - angles
                stopped = [v for v in free if inside[v] != step[v]]
                if not stopped:
                    break
                step[stopped] = inside[stopped]
                left = left - rows[:, stopped] @ step[stopped]
                free = [v for v in free if v not in stopped]
            mujoco.mj_integratePos(model, data.qpos, step, 1.0)
        return bool(np.abs(self._rows(length)[1]).max() < tolerance)

    def _rows(self, length: float) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian and what is missing [m]: gaps of the loops, and the leg's length."""
        model, data = self.model, self.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        rows, residual = [], []
        first, second = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        for tie in self.ties:
            for jacobian, b, point in zip((first, second), tie.bodies, tie.points_b, strict=True):
                at = data.xpos[b] + data.xmat[b].reshape(3, 3) @ point
                mujoco.mj_jac(model, data, jacobian, None, at, b)
            rows.append(first - second)
            residual.append(tie.gap(data))
        away = self._ankle_w() - data.xpos[self.hip]
        distance = float(np.linalg.norm(away))
        mujoco.mj_jac(model, data, first, None, self._ankle_w(), self.ankle)
        mujoco.mj_jac(model, data, second, None, data.xpos[self.hip], self.hip)
        rows.append((away / distance) @ (first - second)[None])
        residual.append(np.array([length - distance]))
        return np.vstack([np.atleast_2d(r) for r in rows]), np.concatenate(residual)

    def _ankle_w(self) -> np.ndarray:
        R = self.data.xmat[self.ankle].reshape(3, 3)
        return np.asarray(self.data.xpos[self.ankle] + R @ self.ankle_b)


def is_stiff(model: mujoco.MjModel, joint: int) -> bool:
    """Whether a joint is a spring that gives less than 1 rad when the body's weight pulls at it."""
    weight = GRAVITY * float(model.body_mass.sum())
    return float(model.jnt_stiffness[joint]) > weight * float(model.stat.extent)


def _ancestors(model: mujoco.MjModel, body: int) -> set[int]:
    found = {body}
    while body > 0:
        body = int(model.body_parentid[body])
        found.add(body)
    return found


def _limits(model: mujoco.MjModel, joint: int) -> tuple[float, float]:
    """Lowest and highest angle [rad], half a turn where a joint has no limit."""
    if not model.jnt_limited[joint]:
        return -np.pi, np.pi
    low, high = model.jnt_range[joint]
    return float(low), float(high)
