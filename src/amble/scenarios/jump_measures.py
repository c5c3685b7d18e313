"""What jumps in a clip achieved, from the motion alone: heights, turn, distance, landing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from amble.motion.clip import Clip
from amble.motion.trace import Trace, trace

AIRBORNE = 0.06  # [s] without any touch that count as a flight
STILL_SECONDS = 3.0
STILL_SPEED = 0.05  # [m/s] of the COM, for a human
STILL_SLIP = 0.01  # [m] of any sole point, for a human


@dataclass(frozen=True)
class Flight:
    """One flight between two touches of the ground."""

    take_off_s: float
    landing_s: float
    apex_m: float  # highest COM over its height when standing
    spread_deg: float  # largest angle between the two feet as seen from the COM, over that at rest


def measure_jumps(clip: Clip) -> dict[str, Any]:
    """Measures of all jumps of a clip, ready for JSON.

    `twist_deg` is the turn of the feet about the vertical, `jump_distance_m` the way of their
    middle over the ground along the first heading, from the first frame to the last.
    """
    seen = trace(clip)
    flights = list(_flights(clip, seen))
    soles = [k for foot in _feet(clip) for k in foot]
    middle = seen.points_w[[0, -1]][:, soles, :2].mean(axis=1)
    return {
        "jumps": [asdict(flight) for flight in flights],
        "twist_deg": _turn_deg(seen, soles),
        "jump_distance_m": float(np.dot(middle[1] - middle[0], _facing(seen))),
        "still_s": still_seconds(clip, seen),
    }


def still_seconds(clip: Clip, seen: Trace) -> float:
    """How long the body has stood still at the end: all feet on the ground and staying where they
    are, and the COM slower than 5 cm/s for a human [s]."""
    size = seen.rest_height[-1]
    feet = _feet(clip)
    speed = np.linalg.norm(np.gradient(seen.com_w, clip.time, axis=0), axis=1)
    soles = seen.points_w[:, [k for foot in feet for k in foot]]
    moved = np.linalg.norm(soles - soles[-1], axis=-1).max(axis=1)
    standing = np.array([clip.touching[:, foot].any(axis=1) for foot in feet]).all(axis=0)
    still = standing & (speed < STILL_SPEED * size) & (moved < STILL_SLIP * size)
    restless = np.flatnonzero(~still)
    first = restless[-1] + 1 if len(restless) else 0
    return float(clip.time[-1] - clip.time[first]) if first < len(clip) else 0.0


def _flights(clip: Clip, seen: Trace) -> Iterator[Flight]:
    aloft = np.concatenate([[False], ~clip.touching.any(axis=1), [False]])
    starts = np.flatnonzero(aloft[1:] & ~aloft[:-1])
    ends = np.flatnonzero(~aloft[1:] & aloft[:-1])
    for start, end in zip(starts, ends, strict=True):
        if (end - start) / clip.fps < AIRBORNE or end >= len(clip):
            continue
        frames = slice(start, end)
        x, y, z = seen.com_w[frames].T
        rise = z - clip.terrain.height(x, y) - seen.rest_height[frames]
        spread = _spread(clip, seen)
        opened = float(spread[frames].max() - spread[0])
        yield Flight(float(clip.time[start]), float(clip.time[end]), float(rise.max()), opened)


def _feet(clip: Clip) -> list[list[int]]:
    """Places of each foot's points."""
    names = clip.point_names
    return [[names.index(site) for site in foot.sites] for foot in clip.character.feet]


def _spread(clip: Clip, seen: Trace) -> np.ndarray:
    """Angle between the directions to the first two feet, from the COM (T,) [deg]."""
    feet = _feet(clip)[:2]
    left, right = (seen.points_w[:, foot].mean(axis=1) - seen.com_w for foot in feet)
    cosine = (left * right).sum(axis=1)
    cosine /= np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.rad2deg(np.arccos(np.clip(cosine, -1, 1)))


def _turn_deg(seen: Trace, soles: list[int]) -> float:
    """How far the soles have turned about the vertical, whole turns included [deg]."""
    plane = seen.points_w[:, soles, :2]
    plane = plane - plane.mean(axis=1, keepdims=True)
    first = plane[0]
    cross = (first[:, 0] * plane[..., 1] - first[:, 1] * plane[..., 0]).sum(axis=1)
    turn = np.unwrap(np.arctan2(cross, (first * plane).sum(axis=(1, 2))))
    return float(np.rad2deg(turn[-1]))


def _facing(seen: Trace) -> np.ndarray:
    """Unit vector (2,) that the root faces at first."""
    forward = seen.root_R_w[0, :2, 0]
    return np.asarray(forward / np.linalg.norm(forward))
