"""Turns about the axes of a frame, and the yaw, pitch and roll that make up an orientation.

R = R_z(yaw) R_y(pitch) R_x(roll): x forward, y left, z up. A positive pitch lowers the front.
"""

from __future__ import annotations

import math

import numpy as np


def about_x(angle: float) -> np.ndarray:
    """Rotation matrix about x [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def about_y(angle: float) -> np.ndarray:
    """Rotation matrix about y [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def about_z(angle: float) -> np.ndarray:
    """Rotation matrix about z [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def matrix_from_ypr(ypr: np.ndarray) -> np.ndarray:
    """Rotation matrix (3, 3) of yaw, pitch, roll [rad]."""
    # Plain numbers: numpy takes ten times longer for vectors as short as these.
    yaw, pitch, roll = ypr.tolist()
    cy, cp, cr = math.cos(yaw), math.cos(pitch), math.cos(roll)
    sy, sp, sr = math.sin(yaw), math.sin(pitch), math.sin(roll)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def ypr_from_matrix(R: np.ndarray) -> np.ndarray:
    """Yaw, pitch, roll (3,) [rad] of a rotation matrix; yaw and roll within ±π."""
    return np.array(
        [
            math.atan2(R[1, 0], R[0, 0]),
            math.atan2(-R[2, 0], math.hypot(R[2, 1], R[2, 2])),
            math.atan2(R[2, 1], R[2, 2]),
        ]
    )


def body_rates_from_ypr_rates(ypr: np.ndarray) -> np.ndarray:
    """The matrix E (3, 3) that turns rates of yaw, pitch, roll into ω_b, the body's own frame."""
    _, pitch, roll = ypr.tolist()
    cp, cr, sp, sr = math.cos(pitch), math.cos(roll), math.sin(pitch), math.sin(roll)
    return np.array([[-sp, 0.0, 1.0], [cp * sr, cr, 0.0], [cp * cr, -sr, 0.0]])


def wrapped(angle: float) -> float:
    """The same direction within [−π, π)."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


def ground_frame(normal_w: np.ndarray, yaw: float) -> np.ndarray:
    """Orientation (3, 3) of something flat on a plane with this normal that points along `yaw`."""
    # Plain numbers: numpy takes ten times longer for vectors as short as these.
    nx, ny, nz = normal_w.tolist()
    c, s = math.cos(yaw), math.sin(yaw)
    out = c * nx + s * ny
    x, y, z = c - out * nx, s - out * ny, -out * nz
    length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    return np.array(
        [
            [x, ny * z - nz * y, nx],
            [y, nz * x - nx * z, ny],
            [z, nx * y - ny * x, nz],
        ]
    )
