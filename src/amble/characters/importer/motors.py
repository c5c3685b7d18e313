"""How strong the joints are: from the motors of the model, else from its size."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.character import GRAVITY

LEG_STRENGTH = 0.4  # of weight × leg length: 0.36 for a human hip, 0.33 for ANYmal's joints
OTHER_STRENGTH = 0.15
NO_LIMIT = 20.0  # of weight × leg length: stronger than any motor


def motor_torques(model: mujoco.MjModel) -> dict[str, np.ndarray] | None:
    """Greatest torque [N m] or force [N] of each degree of freedom, by joint name.

    0 where no motor drives a joint, inf where one does without a limit; None for a model without
    any motors. Joint limits on motor force (`actfrcrange`, effort in URDF) count as motors.
    """
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    moment = np.zeros((model.nu, model.nv))
    if model.nu:
        mujoco.mju_sparse2dense(
            moment, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind
        )
    # inf · 0 must be 0: a motor without limit drives only what it is attached to.
    drives = np.abs(moment) > 1e-9
    force = np.array([_greatest_force(model, i) for i in range(model.nu)])
    torque = np.where(drives, np.abs(moment) * np.where(drives, force[:, None], 0.0), 0.0).sum(
        axis=0
    )
    capped = False
    if not model.nu:
        torque[:] = np.inf  # URDF cannot say that a joint has no motor
    for j in range(model.njnt):
        if model.jnt_actfrclimited[j] and model.jnt_actfrcrange[j].any():
            cap = np.abs(model.jnt_actfrcrange[j]).max()
            dof = model.jnt_dofadr[j]
            torque[dof] = min(torque[dof], cap)
            capped = True
    if not model.nu and not capped:
        return None
    return {model.joint(j).name: torque[_dofs(model, j)] for j in range(model.njnt)}


def torque_limits(
    model: mujoco.MjModel,
    motors: dict[str, np.ndarray] | None,
    leg_joints: set[int],
    leg_length: float,
    notes: list[str],
) -> np.ndarray:
    """Limits (nv − 6,) of the body alone; what is not given follows from weight and leg length."""
    weight = float(model.body_mass.sum()) * GRAVITY
    limits = np.full(model.nv, np.inf)
    guessed = []
    for j in range(1, model.njnt):
        name, dofs = model.joint(j).name, _dofs(model, j)
        if motors is not None:
            limits[dofs] = motors[name]
        if not np.isfinite(limits[dofs]).all():
            slide = model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE
            strength = LEG_STRENGTH if j in leg_joints else OTHER_STRENGTH
            limits[dofs] = 5 * strength * weight if slide else strength * weight * leg_length
            guessed.append(name)
    unit = weight * leg_length
    turning = model.jnt_type[model.dof_jntid] != mujoco.mjtJoint.mjJNT_SLIDE
    strongest = float(limits[6:][turning[6:]].max(initial=0.0))
    if strongest > NO_LIMIT * unit:
        notes.append(
            f"torque limits as in the model, yet {strongest:.4g} N m is {strongest / unit:.0f} × "
            "weight × leg length and no real limit; see [torque_limits]"
        )
    if guessed:
        which = "all joints" if len(guessed) == model.njnt - 1 else ", ".join(guessed)
        notes.append(
            f"torque limits guessed for {which}: {LEG_STRENGTH} (legs) and {OTHER_STRENGTH} "
            "(others) × weight × leg length; the model gives none"
        )
    return limits[6:]


def joint_limits(model: mujoco.MjModel) -> np.ndarray:
    """Lowest and highest angle (nv − 6, 2) [rad] or displacement [m]; ±inf where free."""
    limits = np.tile([-np.inf, np.inf], (model.nv, 1))
    for j in range(1, model.njnt):
        if not model.jnt_limited[j]:
            continue
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL:
            limits[_dofs(model, j)] = [-model.jnt_range[j][1], model.jnt_range[j][1]]
        else:
            limits[_dofs(model, j)] = model.jnt_range[j]
    return limits[6:]


def _greatest_force(model: mujoco.MjModel, i: int) -> float:
    """Of one actuator, before its gear; inf where nothing bounds it."""
    if model.actuator_forcelimited[i]:
        return float(np.abs(model.actuator_forcerange[i]).max())
    if model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_MUSCLE:
        peak = model.actuator_gainprm[i][2]
        return float(peak) if peak > 0 else np.inf
    is_motor = model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_NONE
    if is_motor and model.actuator_ctrllimited[i]:
        gain = abs(model.actuator_gainprm[i][0])
        return float(gain * np.abs(model.actuator_ctrlrange[i]).max())
    return np.inf


def _dofs(model: mujoco.MjModel, j: int) -> slice:
    widths = {mujoco.mjtJoint.mjJNT_FREE: 6, mujoco.mjtJoint.mjJNT_BALL: 3}
    start = int(model.jnt_dofadr[j])
    return slice(start, start + widths.get(mujoco.mjtJoint(model.jnt_type[j]), 1))
