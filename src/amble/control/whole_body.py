"""WholeBody: from prioritised tasks to joint torques, compiled (features sections 3, 7, 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from amble import _core
from amble.characters.character import GRAVITY, Character
from amble.control.tasks import MOST_LEVELS, TaskTable
from amble.errors import AmbleError
from amble.features.contact import friction_cone
from amble.terrain.terrain import Terrain

_RESERVE = 0.8  # share of the ground's friction that is counted on
MOST_ACCELERATION = 50.0  # of any joint, in g/z with the COM's height z
_STATUS = ("solved", "infeasible", "too many iterations")


class SolveInfo(NamedTuple):
    """How one solve went."""

    status: str  # solved, infeasible, too many iterations
    level: int  # where it stopped, −1 if it did not
    constraint: str  # which constraint could not be met
    iterations: int
    active: int  # inequalities active at the solution
    fallback: bool  # Algorithm 1 was needed

    @property
    def solved(self) -> bool:
        return self.status == "solved"

    @property
    def reason(self) -> str:
        """Why it was not solved, in words."""
        return f"level {self.level + 1}: {self.constraint} cannot be met ({self.status})"


@dataclass
class Statistics:
    """Counts over a run."""

    solves: int = 0
    fallbacks: int = 0
    failures: int = 0
    worst: SolveInfo | None = None  # the last that failed


class WholeBody:
    """The prioritised controller of one character: its task table, its contacts, its posture.

    `update` reads the state, which the views (`com_w`, `points_w`, …) then hold; `solve` gives
    torques.
    """

    def __init__(
        self,
        character: Character,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        terrain: Terrain,
        *,
        friction: float | None = None,
        force_weight: float = 1e-3,
        limit_weight: float = 1e-2,
        non_penetration: bool = False,
        origins: Sequence[str] = (),
    ) -> None:
        """`origins` names bodies whose origins are points for tasks, after the contact points."""
        self.character, self.model, self.data, self.terrain = character, model, data, terrain
        self.friction = _RESERVE * _ground_friction(model) if friction is None else friction
        self.tasks = TaskTable()
        self.statistics = Statistics()
        self.site_names = tuple(s for e in character.end_effectors for s in e.sites)
        self.sites = np.array([model.site(name).id for name in self.site_names])
        self._origins = tuple(origins)
        bodies = [model.body(name).id for name in self._origins]
        self._local = np.vstack([model.site_pos[self.sites], np.zeros((len(bodies), 3))])
        na = model.nv - 6
        self.posture = _core.Posture()
        self.posture_weight = np.ones(na)
        self.posture_kp, self.posture_kv = np.zeros(na), np.zeros(na)
        self.posture_reference = data.qpos.copy()
        self.torque_limits = np.ascontiguousarray(character.torque_limits, float)
        self.posture.weight = self.posture_weight
        self.posture.stiffness, self.posture.damping = self.posture_kp, self.posture_kv
        self.posture.reference = self.posture_reference
        self.posture.limits = np.ascontiguousarray(character.joint_limits, float)
        self.posture.cone = _cones(model)
        self.posture.torque_limits = self.torque_limits
        self.posture.force_weight, self.posture.limit_weight = force_weight, limit_weight
        self.posture.limit_stiffness, self.posture.limit_damping = 400.0, 40.0
        frequency2 = GRAVITY / character.com_height  # of the body as a pendulum: bodies of any size
        #: greatest acceleration of each joint (na,) [rad/s²]
        self.most_acceleration = np.full(na, MOST_ACCELERATION * frequency2)
        self.posture.most_acceleration = self.most_acceleration
        self.posture.most_speed = 10 * math.sqrt(frequency2)
        self.contacts = _core.Contacts()
        self.contacts.non_penetration = non_penetration
        self.contact_points = np.zeros(0, np.int32)
        self._core = _core.WholeBody(
            _arrays(model, data, character.root),
            _mechanism(model),
            np.array([*model.site_bodyid[self.sites], *bodies], np.int32),
            self._local,
            self.tasks.ints,
            self.tasks.reals,
            self.tasks.rotations,
        )
        views = self._core.views()
        self.com_w: np.ndarray = views["com"]
        self.com_velocity_w: np.ndarray = views["com_velocity"]
        self.momentum_w: np.ndarray = views["momentum"]
        self.points_w: np.ndarray = views["point_position"]
        self.point_velocities_w: np.ndarray = views["point_velocity"]
        self.views: dict[str, np.ndarray] = views
        self.torque = np.zeros(na)
        self.acceleration = np.zeros(model.nv)
        self.forces_w = np.zeros((len(self.sites), 3))
        self.residual = np.zeros(MOST_LEVELS)
        self.use_contacts(np.arange(0))

    @property
    def mass(self) -> float:
        """Total mass at the last `update` [kg]."""
        return self._core.mass

    def update(self) -> None:
        """Read the present state, and the contact points of a model that may have grown."""
        self._local[: len(self.sites)] = self.model.site_pos[self.sites]
        self._core.update()

    def origin_of(self, body: str) -> int:
        """Index among the points of a body's origin."""
        return len(self.sites) + self._origins.index(body)

    def use_contacts(self, points: np.ndarray) -> None:
        """Points that may carry force from now on, with the friction cones of the ground below."""
        points = np.asarray(points, np.int32)
        known = np.arange(len(self.sites))
        if not np.isin(points, known).all() or len(np.unique(points)) < len(points):
            raise AmbleError(f"contact points {points} must be different ones of {known}")
        self.contact_points = points
        self.contacts.point = self.contact_points
        xy = self.points_w[self.contact_points, :2]
        normals = self.terrain.normal(xy[:, 0], xy[:, 1])
        cones = [friction_cone(normal, self.friction).ravel() for normal in normals]
        self.contacts.cone = np.array(cones).reshape(-1, 12)

    def assemble(self, time: float) -> None:
        """Write down the problem of the tasks at `time`, for `problem` to show."""
        self._core.assemble(time, self.tasks.levels, self.contacts, self.posture)

    def solve(self, time: float, algorithm1_only: bool = False) -> SolveInfo:
        """Torques for the tasks at `time`, in `torque`. Where not even the first level has a
        solution, the body goes limp: torques that only slow its joints."""
        self.assemble(time)
        status, level, constraint, iterations, active, fallback = self._core.solve(
            self.contacts,
            self.posture,
            algorithm1_only,
            self.torque,
            self.acceleration,
            self.forces_w,
            self.residual,
        )
        name = self._constraint_name(constraint) if status else ""
        info = SolveInfo(_STATUS[status], level, name, iterations, active, bool(fallback))
        self.statistics.solves += 1
        self.statistics.fallbacks += info.fallback
        if not info.solved:
            self.statistics.failures += 1
            self.statistics.worst = info
            if info.level <= 0:
                self._yield()
        return info

    def _yield(self) -> None:
        """Damping that would stop each joint alone in 0.1 s, within its torque limit."""
        inertia = self.model.dof_M0[6:]
        slow = -inertia * self.data.qvel[6:] / 0.1
        np.clip(slow, -self.torque_limits, self.torque_limits, out=self.torque)

    def problem(self) -> tuple[np.ndarray, ...]:
        """The assembled problem of the core, to study it: A, b, levels, D, lo, hi, weight, target,
        lower, upper."""
        A, b, level, *rest = self._core.problem()
        return (A, b, np.array(level, np.int32), *rest)

    def _constraint_name(self, index: int) -> str:
        """What inequality `index` of the problem is about: the rows of D, then the unknowns."""
        dofs = self.character.dof_names
        points = [self.site_names[k] for k in self.contact_points for _ in range(4)]
        limited = [dofs[k] for k in self._core.limited()]
        names = [f"torque limit of {dof}" for dof in dofs]
        names += [f"joint limit of {dof}" for dof in limited]
        if self.contacts.non_penetration:
            names += [f"non-penetration of {point}" for point in points]
        names += [f"greatest acceleration of {dof}" for dof in dofs]
        names += [f"friction cone of {point}" for point in points]
        names += [f"joint-limit force of {dof}" for dof in limited]
        return names[index] if index < len(names) else "a closed loop"


def _ground_friction(model: mujoco.MjModel) -> float:
    """The least sliding friction of anything that is fixed to the world."""
    return float(model.geom_friction[model.geom_bodyid == 0, 0].min(initial=1.0))


def _cones(model: mujoco.MjModel) -> np.ndarray:
    """Greatest whole angle (na,) [rad] of ball joints, at their first degree of freedom."""
    cones = np.full(model.nv - 6, np.inf)
    for joint in range(1, model.njnt):
        ball = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL
        if ball and model.jnt_limited[joint]:
            cones[model.jnt_dofadr[joint] - 6] = model.jnt_range[joint, 1]
    return cones


def _mechanism(model: mujoco.MjModel) -> _core.Mechanism:
    """Loops that pin two bodies together at a point, and joints that a spring acts on."""
    connect = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_BODY
    loops = [
        k
        for k in range(model.neq)
        if (model.eq_type[k], model.eq_objtype[k]) == connect and model.eq_active0[k]
    ]
    mechanism = _core.Mechanism()
    pairs = np.column_stack([model.eq_obj1id[loops], model.eq_obj2id[loops]])
    mechanism.loop = np.ascontiguousarray(pairs, np.int32)
    mechanism.anchor = np.ascontiguousarray(model.eq_data[loops, :6])
    mechanism.spring = (model.jnt_stiffness[model.dof_jntid[6:]] > 0).astype(np.int32)
    return mechanism


def _arrays(model: mujoco.MjModel, data: mujoco.MjData, root: str) -> _core.MuJoCoArrays:
    """Views of MuJoCo's memory under MuJoCo's names."""
    arrays = _core.MuJoCoArrays()
    for name in ("body_parentid", "body_dofadr", "body_dofnum", "M_rownnz", "M_rowadr", "M_colind"):
        setattr(arrays, name, getattr(model, name))
    for name in ("jnt_type", "jnt_qposadr", "jnt_dofadr", "body_mass"):
        setattr(arrays, name, getattr(model, name))
    arrays.gravity = model.opt.gravity
    for name in ("qpos", "qvel", "M", "qfrc_bias", "qfrc_passive"):
        setattr(arrays, name, getattr(data, name))
    for name in ("cdof", "cdof_dot", "cvel", "xpos", "xmat", "subtree_com"):
        setattr(arrays, name, getattr(data, name))
    arrays.root = model.body(root).id
    return arrays
