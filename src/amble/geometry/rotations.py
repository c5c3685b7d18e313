"""Rotations as unit quaternions (w, x, y, z), matrices and rotation vectors [rad]; vectorised."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def quat_from_rotvec(rotvec: ArrayLike) -> np.ndarray:
    """Quaternion (..., 4) of a rotation vector (..., 3) [rad]."""
    rotvec = np.asarray(rotvec, dtype=float)
    angle = np.linalg.norm(rotvec, axis=-1, keepdims=True)
    # sin(a/2)/a through sinc, which is smooth at zero.
    return np.concatenate([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * rotvec], axis=-1)


def rotvec_from_quat(quat: ArrayLike) -> np.ndarray:
    """Rotation vector (..., 3) [rad] of a unit quaternion (..., 4), of length at most π."""
    quat = np.asarray(quat, dtype=float)
    quat = np.where(quat[..., :1] < 0, -quat, quat)
    sine = np.linalg.norm(quat[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, quat[..., :1])
    tiny = sine < 1e-12
    return np.where(tiny, 2.0, angle / np.where(tiny, 1.0, sine)) * quat[..., 1:]


def quat_multiply(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """The rotation that does `b` first, then `a`; (..., 4)."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    scalar = aw * bw - np.sum(av * bv, axis=-1, keepdims=True)
    return np.concatenate([scalar, aw * bv + bw * av + np.cross(av, bv)], axis=-1)


def quat_conjugate(quat: ArrayLike) -> np.ndarray:
    """The inverse rotation of a unit quaternion (..., 4)."""
    return np.asarray(quat, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])


def matrix_from_quat(quat: ArrayLike) -> np.ndarray:
    """Rotation matrix (..., 3, 3) of a unit quaternion (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quat, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quat_from_matrix(matrix: ArrayLike) -> np.ndarray:
    """Unit quaternion (..., 4), w ≥ 0, of a rotation matrix (..., 3, 3).

    It is the dominant eigenvector of a symmetric 4×4 matrix (Bar-Itzhack 2000): no special cases.
    """
    R = np.asarray(matrix, dtype=float)
    trace = np.trace(R, axis1=-2, axis2=-1)
    K = np.empty(R.shape[:-2] + (4, 4))
    K[..., 0, 0] = trace
    K[..., 1:, 1:] = R + np.swapaxes(R, -1, -2) - trace[..., None, None] * np.eye(3)
    twist = np.stack(
        [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1
    )
    K[..., 0, 1:] = K[..., 1:, 0] = twist
    quat = np.linalg.eigh(K)[1][..., -1]
    return np.where(quat[..., :1] < 0, -quat, quat)


def rotate(quat: ArrayLike, vector: ArrayLike) -> np.ndarray:
    """The vector (..., 3) turned by the quaternion (..., 4)."""
    return np.einsum("...ij,...j->...i", matrix_from_quat(quat), np.asarray(vector, dtype=float))
