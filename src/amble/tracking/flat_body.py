"""A character as a flat list of joints with one degree of freedom each (tracking section 5.1).

Then q̇ = v, positions are plain numbers that can be added, and dynamics differentiate without
quaternions. In the order of the character's own joints:

    root        x, y, z [m] of its origin in the world, then turns about z, y, x (yaw, pitch, roll)
    ball joint  turns about y, x, z: singular where a limb points straight to the side
    hinge       as it is

Turns of a triple follow one another about moving axes: R = R_z R_y R_x, and R_y R_x R_z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.errors import InputError
from amble.geometry.euler import matrix_from_angles, unwrapped_angles
from amble.geometry.rotations import matrix_from_quat, quat_from_matrix

ROOT = 6  # coordinates of the root
ROOT_ORDER, BALL_ORDER = "zyx", "yxz"
ROOT_NAMES = ("root_px", "root_py", "root_pz", "root_z", "root_y", "root_x")
CORNERS = 8  # contact points of two feet
_FREE, _BALL = mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL
_SLIDE, _HINGE = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
_FROM_BODIES = ("mass", "inertia", "pos", "quat", "ipos", "iquat")


@dataclass(frozen=True)
class _Joint:
    """A joint of the character: where it stands in qpos, in qvel and in flat q."""

    kind: int
    qpos: int
    dof: int
    flat: int


class FlatBody:
    """The flat twin of a character on two feet: n coordinates, the first six of the root.

    `model` is a MuJoCo model of its own with nq = nv = n; bodies and sites are those of the
    character, in the same order. It has the character's rotor inertia, but no damping, springs,
    limits, actuators or contacts: joint torques are the whole torque at a joint.
    """

    def __init__(self, character: Character) -> None:
        if len(character.feet) != 2:
            raise InputError(
                f"character '{character.name}' has {len(character.feet)} feet; tracking needs two"
            )
        if character.model.neq:
            raise InputError(
                f"character '{character.name}' has closed loops or couplings of joints; "
                "tracking needs a tree of joints"
            )
        self.character = character
        self._joints = _joints(character)
        self.names = self._names()
        self.n = len(self.names)
        self.model = _flat_model(character, self._joints, self.names)

    @cached_property
    def actuated(self) -> np.ndarray:
        """Indices (n − 6,) of the coordinates that joint torques act on, in the torques' order."""
        return np.arange(ROOT, self.n)

    @cached_property
    def limits(self) -> np.ndarray:
        """Lowest and highest q (n, 2); ±∞ for the root."""
        own = self.character.joint_limits
        limits = np.tile([-np.inf, np.inf], (self.n, 1))
        for joint in self._joints[1:]:
            row = joint.dof - ROOT
            for i, axis in enumerate(_axes_of(joint)):
                limits[joint.flat + i] = own[row + axis]
        return limits

    @cached_property
    def torque_limits(self) -> np.ndarray:
        """Largest joint torques (n − 6,) [N m]."""
        largest = np.zeros(self.n - ROOT)
        for joint in self._joints[1:]:
            for i, axis in enumerate(_axes_of(joint)):
                largest[joint.flat - ROOT + i] = self.character.torque_limits[
                    joint.dof - ROOT + axis
                ]
        return largest

    @cached_property
    def corner_names(self) -> tuple[str, ...]:
        """Sites of the contact points (8,), foot by foot: heel left and right, toe left and right.

        The feet stand in the character's order, the left one first in the library. A narrow foot
        has one point at heel and toe, which then stands here twice.
        """
        names: list[str] = []
        for foot in self.character.feet:
            if len(foot.sites) == 4:
                names += foot.sites
            elif len(foot.sites) == 2:
                names += [foot.sites[0], foot.sites[0], foot.sites[1], foot.sites[1]]
            else:
                raise InputError(
                    f"foot '{foot.name}' has {len(foot.sites)} contact point(s); tracking needs "
                    "heel and toe, or four corners"
                )
        return tuple(names)

    @cached_property
    def corners(self) -> np.ndarray:
        """Site numbers (8,) of `corner_names`."""
        return np.array([self.model.site(name).id for name in self.corner_names])

    @cached_property
    def foot_bodies(self) -> tuple[int, int]:
        """Body numbers of the two feet."""
        first, second = (self.model.body(foot.body).id for foot in self.character.feet)
        return first, second

    def corners_w(self, q: np.ndarray) -> np.ndarray:
        """Places (8, 3) of the contact points at q (n,) [m]."""
        data = self._data
        data.qpos[:] = q
        mujoco.mj_kinematics(self.model, data)
        return np.array(data.site_xpos[self.corners])

    def midpoints_w(self, q: np.ndarray) -> np.ndarray:
        """The paper's contact points (4, 3) [m]: heel and toe of each foot (section 3.3)."""
        points: np.ndarray = self.corners_w(q).reshape(4, 2, 3).mean(axis=1)
        return points

    def flat(self, qpos: np.ndarray) -> np.ndarray:
        """Flat q (T, n), without jumps, of the character's qpos (T, nq); or one (n,) of one."""
        qpos = np.asarray(qpos, dtype=float)
        rows = np.atleast_2d(qpos)
        q = np.empty((len(rows), self.n))
        for joint in self._joints:
            at, to = joint.qpos, joint.flat
            if joint.kind == _FREE:
                q[:, to : to + 3] = rows[:, at : at + 3]
                R = matrix_from_quat(_unit(rows[:, at + 3 : at + 7]))
                q[:, to + 3 : to + 6] = unwrapped_angles(R, ROOT_ORDER)
            elif joint.kind == _BALL:
                R = matrix_from_quat(_unit(rows[:, at : at + 4]))
                q[:, to : to + 3] = unwrapped_angles(R, BALL_ORDER)
            else:
                q[:, to] = rows[:, at]
        return q if qpos.ndim > 1 else q[0]

    def qpos(self, q: np.ndarray) -> np.ndarray:
        """The character's qpos (T, nq) of flat q (T, n); or one (nq,) of one."""
        q = np.asarray(q, dtype=float)
        rows = np.atleast_2d(q)
        qpos = np.empty((len(rows), self.character.model.nq))
        for joint in self._joints:
            at, to = joint.flat, joint.qpos
            if joint.kind == _FREE:
                qpos[:, to : to + 3] = rows[:, at : at + 3]
                R = matrix_from_angles(rows[:, at + 3 : at + 6], ROOT_ORDER)
                qpos[:, to + 3 : to + 7] = quat_from_matrix(R)
            elif joint.kind == _BALL:
                R = matrix_from_angles(rows[:, at : at + 3], BALL_ORDER)
                qpos[:, to : to + 4] = quat_from_matrix(R)
            else:
                qpos[:, to] = rows[:, at]
        return qpos if q.ndim > 1 else qpos[0]

    def qvel(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The character's qvel (T, nv) of flat q and v (T, n); or one (nv,) of one of each."""
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        rows, rates = np.atleast_2d(q), np.atleast_2d(v)
        qvel = np.empty((len(rows), self.character.model.nv))
        for joint in self._joints:
            at, to = joint.flat, joint.dof
            if joint.kind == _FREE:
                qvel[:, to : to + 3] = rates[:, at : at + 3]
                turn = slice(at + 3, at + 6)
                qvel[:, to + 3 : to + 6] = _spin(rows[:, turn], rates[:, turn], ROOT_ORDER)
            elif joint.kind == _BALL:
                turn = slice(at, at + 3)
                qvel[:, to : to + 3] = _spin(rows[:, turn], rates[:, turn], BALL_ORDER)
            else:
                qvel[:, to] = rates[:, at]
        return qvel if q.ndim > 1 else qvel[0]

    def flat_velocity(self, q: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Flat v (T, n) of the character's qvel (T, nv) at flat q (T, n); or one of one of each."""
        q, qvel = np.asarray(q, dtype=float), np.asarray(qvel, dtype=float)
        rows, rates = np.atleast_2d(q), np.atleast_2d(qvel)
        v = np.empty((len(rows), self.n))
        for joint in self._joints:
            at, to = joint.dof, joint.flat
            if joint.kind == _FREE:
                v[:, to : to + 3] = rates[:, at : at + 3]
                at, to = at + 3, to + 3
            if joint.kind in (_FREE, _BALL):
                order = ROOT_ORDER if joint.kind == _FREE else BALL_ORDER
                columns = _spin_columns(rows[:, to : to + 3], order)
                spin = rates[:, at : at + 3, None]
                v[:, to : to + 3] = np.linalg.solve(columns, spin)[..., 0]
            else:
                v[:, to] = rates[:, at]
        return v if q.ndim > 1 else v[0]

    def flat_torque(self, q: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Flat torques (n − 6,) of equal power for those (nv − 6,) of the character's joints at
        flat q (n,): τ = Eᵀ τ_own where the character's velocities are E v."""
        torque = np.array(own, dtype=float)
        for at, to, columns in self._turns_at(q):
            torque[at : at + 3] = columns.T @ own[to : to + 3]
        return torque

    def own_torque(self, q: np.ndarray, torque: np.ndarray) -> np.ndarray:
        """The inverse of `flat_torque`."""
        own = np.array(torque, dtype=float)
        for at, to, columns in self._turns_at(q):
            own[to : to + 3] = np.linalg.solve(columns.T, torque[at : at + 3])
        return own

    def _turns_at(self, q: np.ndarray) -> list[tuple[int, int, np.ndarray]]:
        """Of every ball joint: where it stands in flat and own torques, and its block of E."""
        balls = [joint for joint in self._joints[1:] if joint.kind == _BALL]
        if not balls:
            return []
        angles = np.array([q[joint.flat : joint.flat + 3] for joint in balls])
        columns = _spin_columns(angles, BALL_ORDER)
        return [
            (joint.flat - ROOT, joint.dof - ROOT, block)
            for joint, block in zip(balls, columns, strict=True)
        ]

    @cached_property
    def _data(self) -> mujoco.MjData:
        return mujoco.MjData(self.model)

    def _names(self) -> tuple[str, ...]:
        names = list(ROOT_NAMES)
        for j, joint in enumerate(self._joints[1:], start=1):
            name = self.character.model.joint(j).name
            if joint.kind == _BALL:
                names += [f"{name}_{axis}" for axis in BALL_ORDER]
            else:
                names.append(name)
        return tuple(names)


def _joints(character: Character) -> tuple[_Joint, ...]:
    model, flat, joints = character.model, 0, []
    for j in range(model.njnt):
        kind = int(model.jnt_type[j])
        joints.append(_Joint(kind, int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), flat))
        flat += {int(_FREE): 6, int(_BALL): 3}.get(kind, 1)
    return tuple(joints)


def _axes_of(joint: _Joint) -> tuple[int, ...]:
    """Which of the joint's own degrees of freedom each flat coordinate turns about."""
    return tuple("xyz".index(axis) for axis in BALL_ORDER) if joint.kind == _BALL else (0,)


def _flat_model(
    character: Character, joints: tuple[_Joint, ...], names: tuple[str, ...]
) -> mujoco.MjModel:
    own, spec = character.model, character.spec()
    for each in [*spec.actuators, *spec.sensors, *spec.tendons, *spec.keys, *spec.excludes]:
        spec.delete(each)
    for body in spec.bodies:
        for old in list(body.joints):
            spec.delete(old)
    for j, joint in enumerate(joints):
        body = spec.body(own.body(int(own.jnt_bodyid[j])).name)
        for i, (kind, axis) in enumerate(_pieces(joint, own.jnt_axis[j])):
            # A slide among turns keeps its place by the joint's, which is set below.
            body.add_joint(name=names[joint.flat + i], type=kind, axis=axis)
    model = spec.compile()
    # Of the compiled body, in which a changed shape is already contained.
    for field in _FROM_BODIES:
        getattr(model, f"body_{field}")[:] = getattr(own, f"body_{field}")
    model.site_pos[:], model.site_quat[:] = own.site_pos, own.site_quat
    model.geom_pos[:], model.geom_quat[:] = own.geom_pos, own.geom_quat
    model.geom_size[:] = own.geom_size
    root = model.body(character.root).id
    model.body_pos[root], model.body_quat[root] = 0.0, (1.0, 0.0, 0.0, 0.0)
    model.dof_armature[:] = 0.0
    for j, joint in enumerate(joints):
        count = len(_pieces(joint, own.jnt_axis[j]))
        model.jnt_pos[joint.flat : joint.flat + count] = own.jnt_pos[j] if joint.flat else 0.0
        if joint.flat:
            model.dof_armature[joint.flat : joint.flat + count] = own.dof_armature[joint.dof]
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    model.jnt_stiffness[:] = 0.0
    model.jnt_limited[:] = 0
    model.geom_contype[:] = model.geom_conaffinity[:] = 0
    model.qpos0[:] = model.qpos_spring[:] = 0.0
    model.opt.gravity[:] = own.opt.gravity
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def _pieces(joint: _Joint, axis: np.ndarray) -> list[tuple[mujoco.mjtJoint, np.ndarray]]:
    """Kind and axis of each flat joint that a joint becomes."""
    turns = {
        int(_FREE): [*((_SLIDE, e) for e in np.eye(3)), *_turns(ROOT_ORDER)],
        int(_BALL): _turns(BALL_ORDER),
    }
    return turns.get(joint.kind) or [(mujoco.mjtJoint(joint.kind), np.array(axis))]


def _turns(order: str) -> list[tuple[mujoco.mjtJoint, np.ndarray]]:
    return [(_HINGE, np.eye(3)["xyz".index(letter)]) for letter in order]


def _unit(quat: np.ndarray) -> np.ndarray:
    unit: np.ndarray = quat / np.linalg.norm(quat, axis=-1, keepdims=True)
    return unit


def _spin_columns(angles: np.ndarray, order: str) -> np.ndarray:
    """The matrices (T, 3, 3) that turn rates of the angles (T, 3) into ω in the child's frame."""
    a, b, c = ("xyz".index(letter) for letter in order)
    columns = np.empty((len(angles), 3, 3))
    zero = np.zeros(len(angles))
    # R = R_a R_b R_c: the child sees the first axis through (R_b R_c)ᵀ and the second through R_cᵀ.
    last = matrix_from_angles(_only(2, angles[:, 2], zero), order)
    both = matrix_from_angles(np.stack([zero, angles[:, 1], angles[:, 2]], axis=1), order)
    columns[:, :, 0], columns[:, :, 1] = both[:, a, :], last[:, b, :]
    columns[:, :, 2] = np.eye(3)[c]
    return columns


def _only(which: int, angle: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return np.stack([angle if i == which else zero for i in range(3)], axis=1)


def _spin(angles: np.ndarray, rates: np.ndarray, order: str) -> np.ndarray:
    spin: np.ndarray = np.einsum("tij,tj->ti", _spin_columns(angles, order), rates)
    return spin
