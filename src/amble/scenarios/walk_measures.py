"""What nobody asked a walk for: arm swing, counter-rotation, heel-off, angular momentum.

Published of people: arms and trunk take up most of the legs' angular momentum about the vertical,
so that about 80 % of the segments' cancels (Herr and Popovic 2008); pelvis and thorax turn together
in slow walks and more and more against each other in fast ones, with the thorax against the legs in
both (Huang et al. 2010); the heel leaves the ground at 31 %, the toes at 62 % of the cycle (Perry
and Burnfield 2010).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from amble.motion.clip import Clip
from amble.motion.differences import rates
from amble.motion.trace import trace

WARM_UP = 3.5  # [s] that do not count: starting and speeding up
LEAST = 2.0  # [s] of walking that say something
LIFTED = 0.01  # [m] that a heel or toe is up, for a human
SIDES = ("left", "right")


@dataclass(frozen=True)
class Gait:
    """Angles [deg] and angular momenta [kg m²/s] over T frames of steady walking."""

    time: np.ndarray  # (T,) [s]
    shoulders: np.ndarray  # (T, 2) upper arms forward of the thorax, left and right
    hips: np.ndarray  # (T, 2) thighs forward of the pelvis, left and right
    pelvis_yaw: np.ndarray  # (T,) about the vertical, without the turning of the whole walk
    thorax_yaw: np.ndarray  # (T,)
    momentum: np.ndarray  # (T,) about the vertical through the COM, of the whole body
    legs_momentum: np.ndarray  # (T,) of the legs alone


def measure_gait(clip: Clip) -> dict[str, Any]:
    """Measures of a walk, ready for JSON; none of a clip too short or of a body without arms.

    `arm_leg_correlation`: of shoulder with opposite hip, mean of both sides. `trunk_correlation`:
    of the yaw of pelvis and thorax; negative is against each other. `heel_before_toe_s`: how long a
    heel is up before its toes follow, median. `vertical_momentum_ratio`: rms of the whole body's
    angular momentum about the vertical over that of the legs alone.
    """
    found: dict[str, Any] = {}
    leads = list(_heel_leads(clip, trace(clip).points_w))
    if leads:
        found["heel_before_toe_s"] = float(np.median(leads))
    gait = gait_of(clip)
    if gait is None:
        return found
    pairs = [(gait.shoulders[:, side], gait.hips[:, 1 - side]) for side in (0, 1)]
    found["arm_leg_correlation"] = float(np.mean([_correlation(a, b) for a, b in pairs]))
    found["arm_swing_deg"] = _range(gait.shoulders[:, 0])
    found["hip_swing_deg"] = _range(gait.hips[:, 0])
    found["pelvis_yaw_deg"] = _range(gait.pelvis_yaw)
    found["thorax_yaw_deg"] = _range(gait.thorax_yaw)
    found["trunk_correlation"] = _correlation(gait.pelvis_yaw, gait.thorax_yaw)
    legs = float(np.std(gait.legs_momentum))
    found["vertical_momentum_ratio"] = float(np.std(gait.momentum)) / max(legs, 1e-9)
    return found


def gait_of(clip: Clip) -> Gait | None:
    """Angles and momenta of the steady part of a walk, of a body with arms and a thorax."""
    parts = clip.character.parts
    names = ["pelvis", "thorax", *(f"{s}_{p}" for p in ("upper_arm", "thigh") for s in SIDES)]
    first = int(np.searchsorted(clip.time, clip.time[0] + WARM_UP))
    if any(name not in parts for name in names) or clip.time[-1] - WARM_UP < LEAST:
        return None
    model = clip.character.model
    pelvis, thorax, *limbs = (model.body(parts[name]).id for name in names)
    legs = [model.body(m.bodies[0]).id for m in clip.character.limbs if m.kind == "leg"]
    root = model.body(clip.character.root).id
    moved = rates(model, clip.time, clip.qpos)
    angles, yaws, momenta = [], [], []
    for frame in clip.frames():
        if frame.index < first:
            continue
        data = frame.data
        data.qvel[:] = moved.velocity[frame.index]
        mujoco.mj_comVel(frame.model, data)
        mujoco.mj_subtreeVel(frame.model, data)
        R = {b: data.xmat[b].reshape(3, 3) for b in (pelvis, thorax, *limbs)}
        trunks = (thorax, thorax, pelvis, pelvis)
        angles.append([_forward(R[t], R[b]) for t, b in zip(trunks, limbs, strict=True)])
        yaws.append([np.arctan2(R[b][1, 0], R[b][0, 0]) for b in (pelvis, thorax)])
        of_legs = sum(_momentum_about(frame.model, data, leg, root) for leg in legs)
        momenta.append([data.subtree_angmom[root, 2], of_legs])
    degrees, yaw, momentum = np.rad2deg(angles), np.unwrap(yaws, axis=0), np.array(momenta)
    time = clip.time[first:]
    pelvis_yaw, thorax_yaw = (np.rad2deg(_level(time, y)) for y in yaw.T)
    return Gait(time, degrees[:, :2], degrees[:, 2:], pelvis_yaw, thorax_yaw, *momentum.T)


def _forward(trunk: np.ndarray, limb: np.ndarray) -> float:
    """How far a limb that hangs at rest points forward of its trunk [rad]."""
    down = trunk.T @ -limb[:, 2]
    return float(np.arctan2(down[0], -down[2]))


def _momentum_about(model: mujoco.MjModel, data: mujoco.MjData, body: int, root: int) -> float:
    """Vertical angular momentum of a subtree about the COM of the whole body."""
    away = data.subtree_com[body] - data.subtree_com[root]
    speed = data.subtree_linvel[body] - data.subtree_linvel[root]
    moved = float(model.body_subtreemass[body]) * (away[0] * speed[1] - away[1] * speed[0])
    return float(data.subtree_angmom[body, 2]) + moved


def _level(time: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Without the mean over two steps, so that the heading of the walk does not count."""
    window = max(3, round(1.06 / max(time[1] - time[0], 1e-6)) | 1)
    padded = np.pad(angle, window // 2, mode="reflect", reflect_type="odd")
    return angle - np.convolve(padded, np.ones(window) / window, mode="valid")


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    spread = float(np.std(a) * np.std(b))
    return float(np.mean((a - a.mean()) * (b - b.mean()))) / spread if spread > 1e-12 else 0.0


def _range(values: np.ndarray) -> float:
    """Without the rarest 2 % at either end."""
    return float(np.subtract(*np.percentile(values, [98, 2])))


def _heel_leads(clip: Clip, points_w: np.ndarray) -> Iterator[float]:
    """For each lift-off of steady walking: how long before the toes the heel had left [s]."""
    height = points_w[..., 2] - clip.terrain.height(points_w[..., 0], points_w[..., 1])
    up = height > LIFTED * clip.character.com_height
    names = clip.point_names
    for foot in clip.character.feet:
        points = [names.index(site) for site in foot.sites]
        half = len(points) // 2
        if half == 0:
            continue
        heel, toes = up[:, points[:half]].all(axis=1), up[:, points[half:]].all(axis=1)
        for k in np.flatnonzero(~toes[:-1] & toes[1:]):
            before = np.flatnonzero(~heel[: k + 1])
            if clip.time[k] - clip.time[0] >= WARM_UP and len(before):
                yield float(clip.time[k] - clip.time[before[-1]])
