"""A camera that follows a character smoothly."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.motion.clip import Clip
from amble.motion.trace import Trace


@dataclass(frozen=True)
class View:
    """From where to look; `distance` is chosen by the body's size where it is None."""

    azimuth: float = 125.0  # [deg] counter-clockwise from x: the direction in which one looks
    elevation: float = -12.0  # [deg]
    distance: float | None = None  # [m]
    smoothing: float = 0.6  # [s] half the time over which the camera averages


def camera_targets(clip: Clip, seen: Trace, view: View) -> np.ndarray:
    """Where the camera looks in every frame, (T, 3) [m]: the centre of mass, smoothed over time.

    A symmetric window, so that the camera neither lags nor hurries; a straight steady motion is
    followed exactly, also at the clip's ends.
    """
    half = min(round(view.smoothing * clip.fps), len(clip) - 1)
    window = np.hanning(2 * half + 3)[1:-1]
    window /= window.sum()
    # Beyond its ends the motion goes on as a point reflection of itself.
    padded = np.pad(seen.com_w, ((half, half), (0, 0)), mode="reflect", reflect_type="odd")
    return np.stack([np.convolve(axis, window, mode="valid") for axis in padded.T], axis=1)


def body_size(clip: Clip) -> float:
    """Radius of a sphere about the resting body's middle that holds all its geoms [m]."""
    model = clip.character.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    visible = (model.geom_bodyid > 0) & (model.geom_group < 3)
    centre, reach = data.geom_xpos[visible], model.geom_rbound[visible, None]
    if not len(centre):
        return float(model.stat.extent) / 2
    low, high = (centre - reach).min(axis=0), (centre + reach).max(axis=0)
    return float(np.linalg.norm(high - low)) / 2


def place_camera(
    camera: mujoco.MjvCamera, target_w: np.ndarray, size: float, view: View, aspect: float
) -> None:
    """Aim `camera` at `target_w` from far enough to see a body of this `size` whole."""
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE
    camera.lookat[:] = target_w
    camera.azimuth, camera.elevation = view.azimuth, view.elevation
    # Twice the size spans the 45° of the upright field of view; narrow pictures need more.
    fitting = 0.95 * size / np.tan(np.deg2rad(22.5)) / min(aspect, 1.0)
    camera.distance = view.distance if view.distance is not None else fitting
