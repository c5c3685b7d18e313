"""Velocities and accelerations of a sequence of poses, by differences between frames."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np


class Rates(NamedTuple):
    """Rates at the T frames, in MuJoCo's layout of `qvel`."""

    velocity: np.ndarray  # (T, nv)
    acceleration: np.ndarray  # (T, nv)


def interval_velocity(model: mujoco.MjModel, time: np.ndarray, qpos: np.ndarray) -> np.ndarray:
    """Mean velocity over each of the T − 1 intervals between frames, (T − 1, nv).

    It leads from one pose exactly to the next. That of a ball joint, and of the root's rotation, is
    in the child's own frame, as in `qvel`.
    """
    velocity = np.empty((len(qpos) - 1, model.nv))
    poses = np.ascontiguousarray(qpos, dtype=float)
    for row, h, now, then in zip(
        velocity, np.diff(time).tolist(), poses[:-1], poses[1:], strict=True
    ):
        mujoco.mj_differentiatePos(model, row, h, now, then)
    return velocity


def rates(model: mujoco.MjModel, time: np.ndarray, qpos: np.ndarray) -> Rates:
    """Central differences at every frame; exact for accelerations that are constant.

    At the first and last frame the acceleration is that of the neighbour. A single pose is at rest,
    and two are in steady motion.
    """
    T = len(qpos)
    if T < 2:
        return Rates(np.zeros((T, model.nv)), np.zeros((T, model.nv)))
    between = interval_velocity(model, time, qpos)
    h = np.diff(time)[:, None]
    acceleration = np.zeros((T, model.nv))
    if T > 2:
        acceleration[1:-1] = np.diff(between, axis=0) / ((h[1:] + h[:-1]) / 2)
        acceleration[0], acceleration[-1] = acceleration[1], acceleration[-2]
    # From the middle of the interval before a frame to the frame; from the first one backwards.
    velocity = np.vstack([between[:1], between])
    velocity += np.vstack([-h[:1], h]) / 2 * acceleration
    return Rates(velocity, acceleration)
