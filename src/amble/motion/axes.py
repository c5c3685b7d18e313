"""Axes of other programs: which of a file's axes point up and forward."""

from __future__ import annotations

import numpy as np

from amble.errors import InputError, UnknownName

DIRECTIONS = {
    f"{sign}{axis}": (-1.0 if sign else 1.0) * np.eye(3)[k]
    for k, axis in enumerate("xyz")
    for sign in ("", "-")
}
FORWARD = {"y": "z", "z": "x"}  # the usual forward axis by the upward one


def turn_from_file(up: str = "y", forward: str | None = None) -> np.ndarray:
    """The rotation R (3, 3) with world = R · file; in the world, x is forward and z up."""
    for word in (up, *([forward] if forward is not None else [])):
        if word not in DIRECTIONS:
            raise UnknownName("axis", word, DIRECTIONS)
    if forward is None:
        forward = FORWARD.get(up.removeprefix("-"), "z")
    z, x = DIRECTIONS[up], DIRECTIONS[forward]
    if abs(z @ x) > 0.5:
        raise InputError(f"axes: up is {up} and forward is {forward}; they must be different axes")
    return np.stack([x, np.cross(z, x), z])
