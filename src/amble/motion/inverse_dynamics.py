"""Inverse dynamics: the torques that a sequence of poses and contact forces needs."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.character import GRAVITY, Character
from amble.errors import InputError
from amble.motion.differences import rates


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """What moves a body through T poses, in MuJoCo's layout of `qvel`.

    The root has no motor: `root_wrench` is what its six equations of motion still lack, zero for a
    motion that obeys Newton and Euler. Its force is in the world frame, its torque about the root's
    origin in the root's own frame.
    """

    qvel: np.ndarray  # (T, nv) by differences of the poses
    torque: np.ndarray  # (T, nv − 6) what the motors deliver [N m]; [N] for a slide
    root_wrench: np.ndarray  # (T, 6) force [N], torque [N m]


def inverse_dynamics(
    character: Character,
    time: np.ndarray,
    qpos: np.ndarray,
    contact_force_w: np.ndarray,
    *,
    external_force_w: np.ndarray | None = None,
    external_part: str | None = None,
) -> InverseDynamics:
    """[root_wrench; torque] = M q̈ + h − Jᵀ f for poses `qpos` (T, nq) at `time` (T,) [s].

    h holds Coriolis and gravity forces less the passive ones of the joints, springs and damping, so
    that the torque is the motors' own. f are the ground's forces `contact_force_w` (T, P, 3) [N] at
    the contact points, in the order of `character.end_effectors`, and `external_force_w` (T, 3) [N]
    at the centre of mass of `external_part`, the root by default. Forces within closed loops and at
    joint limits are left out: a motor would deliver them. q̇ and q̈ are central differences.
    """
    T = len(time)
    points = sum(len(e.sites) for e in character.end_effectors)
    _check_shape("qpos", qpos, (T, character.model.nq))
    _check_shape("contact_force_w", contact_force_w, (T, points, 3))
    model = _free_of_constraints(character)
    data = mujoco.MjData(model)
    moved = rates(model, time, qpos)
    loads = [_Load(model, e.body, e.sites) for e in character.end_effectors]
    splits = np.cumsum([len(load.sites) for load in loads])[:-1]
    forces_w = np.split(np.asarray(contact_force_w, dtype=float), splits, axis=1)
    rows = [load.rows(each) for load, each in zip(loads, forces_w, strict=True)]
    if external_force_w is not None:
        _check_shape("external_force_w", external_force_w, (T, 3))
        part = character.part(external_part) if external_part else character.root
        loads.append(_Load(model, part, ()))
        rows.append(loads[-1].rows(np.asarray(external_force_w, dtype=float)[:, None]))

    needed, applied = np.empty((T, model.nv)), np.zeros((T, model.nv))
    for k in range(T):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos[k], moved.velocity[k], moved.acceleration[k]
        mujoco.mj_inverse(model, data)
        needed[k] = data.qfrc_inverse
        for load, (loaded, force_w, lever) in zip(loads, rows, strict=True):
            if loaded[k]:
                load.apply(model, data, force_w[k], lever[k], applied[k])
    needed -= applied
    return InverseDynamics(moved.velocity, needed[:, 6:], needed[:, :6])


class _Load:
    """Forces at some sites of one body, or at its centre of mass, gathered to one wrench."""

    def __init__(self, model: mujoco.MjModel, body: str, sites: tuple[str, ...]) -> None:
        self.body = model.body(body).id
        self.sites = [model.site(site).id for site in sites]
        self._nothing = np.zeros(3)

    def rows(self, force_w: np.ndarray) -> tuple[list[bool], np.ndarray, np.ndarray]:
        """For each frame of (T, n, 3): whether there is a force at all; the sum; and the matrix
        (3, 3 n) that the points' positions, one after another, are multiplied with to give the
        torque Σ p × f about the world's origin."""
        x, y, z = np.moveaxis(force_w, -1, 0)
        zero = np.zeros_like(x)
        lever = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]])  # (3, 3, T, n)
        T, n = x.shape
        lever = np.ascontiguousarray(lever.transpose(2, 0, 3, 1)).reshape(T, 3, 3 * n)
        loaded: list[bool] = np.any(force_w, axis=(1, 2)).tolist()
        return loaded, force_w.sum(axis=1), lever

    def apply(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        force_w: np.ndarray,
        lever: np.ndarray,
        target: np.ndarray,
    ) -> None:
        """Add the generalised force of one frame to `target` (nv,)."""
        points = data.site_xpos[self.sites].ravel() if self.sites else data.xipos[self.body]
        torque_w = lever @ points
        mujoco.mj_applyFT(model, data, force_w, torque_w, self._nothing, self.body, target)


def _free_of_constraints(character: Character) -> mujoco.MjModel:
    """A copy under plain gravity in which nothing but motors, springs and damping acts."""
    model = copy.copy(character.model)
    model.opt.gravity[:] = (0.0, 0.0, -GRAVITY)
    model.opt.wind[:] = 0.0
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.enableflags = 0
    model.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    return model


def _check_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if np.shape(array) != shape:
        raise InputError(f"inverse dynamics: {name} has shape {np.shape(array)}; expected {shape}")
