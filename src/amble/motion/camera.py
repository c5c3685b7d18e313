"""A camera that follows a character smoothly and keeps all of it in the picture."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from amble.motion.clip import Clip
from amble.terrain.terrain import Terrain

FIELD_OF_VIEW = 45.0  # [deg] upright, MuJoCo's default
FILLED = 0.86  # share of the picture that the body may fill, each way
HIDDEN_GROUP = 3  # geoms of this group and above are not drawn
CLEARANCE = 0.08  # of the camera over the ground, relative to its distance
STEEPER = 6.0  # [deg] by which the camera looks down more where the ground is in its way


@dataclass(frozen=True)
class View:
    """From where to look; `distance` is chosen so that the body fits where it is None.

    Where the ground would hide the body, the camera goes higher than `elevation` says.
    """

    azimuth: float = 125.0  # [deg] counter-clockwise from x: the direction in which one looks
    elevation: float = -12.0  # [deg]
    distance: float | None = None  # [m]
    smoothing: float = 0.6  # [s] half the time over which the camera averages


@dataclass(frozen=True)
class Framing:
    """Where the camera is in every frame of a clip."""

    targets_w: np.ndarray  # (T, 3) what it looks at [m]
    distance: float  # [m] from there
    azimuth: float  # [deg]
    elevation: float  # [deg]
    size: float  # [m] radius of a sphere that holds the body in any frame

    def place(self, camera: mujoco.MjvCamera, index: int) -> None:
        """Put `camera` where it is in the frame of this index."""
        camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        camera.lookat[:] = self.targets_w[index]
        camera.azimuth, camera.elevation = self.azimuth, self.elevation
        camera.distance = self.distance


def frame_clip(clip: Clip, view: View, aspect: float) -> Framing:
    """The camera for a picture of this `aspect` (width over height) of every frame of the clip.

    It looks at the middle of the body, smoothed over time, from one distance: near enough that the
    body fills the picture in one frame, and far enough that it fits in all.
    """
    elevation = view.elevation
    while True:
        axes = _axes(view.azimuth, elevation)
        outward = _outward(axes, aspect)  # (4, 3)
        reach = _reach(clip, np.concatenate([np.eye(3), -np.eye(3), outward]))
        high, low = reach[:, :3], -reach[:, 3:6]
        targets_w = _smoothed((low + high) / 2, round(view.smoothing * clip.fps))
        # A point r is in sight from distance d where outward · r ≤ d, for each side of the picture.
        fitting = float((reach[:, 6:] - targets_w @ outward.T).max())
        distance = fitting if view.distance is None else view.distance
        feet_w = np.column_stack([targets_w[:, :2], low[:, 2]])
        seen = _sees(clip.terrain, targets_w - distance * axes[0], feet_w, distance)
        if seen or elevation - STEEPER < -80:
            size = float(np.linalg.norm(high - low, axis=1).max()) / 2
            return Framing(targets_w, distance, view.azimuth, elevation, size)
        elevation -= STEEPER


def _axes(azimuth: float, elevation: float) -> np.ndarray:
    """Unit vectors along the line of sight, to the right and upwards in the picture, (3, 3)."""
    a, e = np.deg2rad([azimuth, elevation])
    forward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([np.sin(a), -np.cos(a), 0.0])
    return np.stack([forward, right, np.cross(right, forward)])


def _outward(axes: np.ndarray, aspect: float) -> np.ndarray:
    """Normals (4, 3) of the sides of the pyramid in sight: right, left, top and bottom.

    A point at r from what the camera looks at, and d + forward · r before it, is within the side
    `s` where s · r ≤ tan (d + forward · r); divided by the tangent this is outward · r ≤ d.
    """
    forward, right, up = axes
    upright = FILLED * np.tan(np.deg2rad(FIELD_OF_VIEW / 2))
    sides = ((right, upright * aspect), (up, upright))
    return np.stack([sign * s / tan - forward for s, tan in sides for sign in (1.0, -1.0)])


def _reach(clip: Clip, directions: np.ndarray) -> np.ndarray:
    """How far the body reaches along each of D directions (D, 3), in every frame: (T, D)."""
    reach = np.empty((len(clip), len(directions)))
    for frame in clip.frames():
        model, data = frame.model, frame.data
        drawn = (model.geom_bodyid > 0) & (model.geom_group < HIDDEN_GROUP)
        if not drawn.any():
            drawn = model.geom_bodyid > 0
        R_wg = data.geom_xmat[drawn].reshape(-1, 3, 3)
        center, half = model.geom_aabb[drawn, :3], model.geom_aabb[drawn, 3:]
        along = directions @ R_wg  # (geoms, D, 3), the directions in each geom's frame
        place = data.geom_xpos[drawn] @ directions.T
        boxes = place + np.einsum("gdk,gk->gd", along, center)
        boxes += np.einsum("gdk,gk->gd", np.abs(along), half)
        reach[frame.index] = boxes.max(axis=0)
    return reach


def _smoothed(path: np.ndarray, half: int) -> np.ndarray:
    """A path (T, 3) averaged over a symmetric window of 2 · `half` + 1 frames.

    It neither lags nor hurries; a straight steady motion is followed exactly, also at its ends.
    """
    half = min(half, len(path) - 1)
    window = np.hanning(2 * half + 3)[1:-1]
    window /= window.sum()
    # Beyond its ends the motion goes on as a point reflection of itself.
    padded = np.pad(path, ((half, half), (0, 0)), mode="reflect", reflect_type="odd")
    return np.stack([np.convolve(axis, window, mode="valid") for axis in padded.T], axis=1)


def _sees(terrain: Terrain, eyes_w: np.ndarray, feet_w: np.ndarray, distance: float) -> bool:
    """Whether the ground leaves the way free from the camera (T, 3) to the body's feet (T, 3)."""
    some = np.linspace(0, len(eyes_w) - 1, min(len(eyes_w), 25)).astype(int)
    way = np.linspace(0.0, 0.85, 35)[:, None]
    x, y, z = (
        eye + way * (foot - eye) for eye, foot in zip(eyes_w[some].T, feet_w[some].T, strict=True)
    )
    return bool((z - terrain.height(x, y) > CLEARANCE * distance * (1 - way)).all())
