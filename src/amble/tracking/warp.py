"""Warps: one walk or run at other speeds, with other strides, on other paths (tracking 5.2).

The root follows a bent and stretched path; each footstep moves with the path as it is in the
middle of its time on the ground, and the foot's way through the air with both of its ends. Legs
follow by inverse kinematics. What physics makes of it is up to spacetime optimisation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from amble.errors import InputError
from amble.geometry.splines import smooth_step
from amble.tracking.cycles import smoothed
from amble.tracking.dynamics import FlatDynamics
from amble.tracking.flat_body import ROOT, FlatBody
from amble.tracking.motion import Motion
from amble.tracking.reference import Reference, Travel

RAMP = 0.5  # [cycles] in which a turn's rate rises, and falls
LEAST, MOST = 0.4, 2.5  # times the speed and the stride of the clip
MOST_TURN = math.radians(60)  # of a cycle
ITERATIONS = 12
NEAR, LOWER = 1e-4, 1e-2  # weights of a leg's former angles, and of the root's height
SPARE = 0.1  # [rad] from the ends of the legs' ranges: nearly straight knees jump
HEIGHT = 2  # the root's z in q


@dataclass(frozen=True, eq=False)
class Path:
    """Planar frames along the way: places (K, 2) [m] and headings (K,) [rad]."""

    place: np.ndarray
    heading: np.ndarray

    def frame(self, k: int) -> Travel:
        return Travel(float(self.place[k, 0]), float(self.place[k, 1]), float(self.heading[k]))


def motion_of(reference: Reference) -> Motion:
    """A reference as a motion: what a warp of it is to look like."""
    r = reference
    return Motion(r.name, r.step, np.array(r.q), np.array(r.contact), r.travel)


def warped(
    body: FlatBody,
    motion: Motion,
    *,
    speed: float = 1.0,
    stride: float | None = None,
    angle: float = 0.0,
    cycles: int = 1,
    attached: bool = False,
    name: str = "",
) -> Motion:
    """A straight walk or run at `speed` times its speed, with strides `stride` times as long (by
    default the root of `speed`), that turns by `angle` [rad] (positive: left) in `cycles`.

    It begins and ends at the same moment of the walk's cycle, and is one cycle itself; with
    `attached` its first two rows are kept, so that it can follow the walk and be followed by it.
    """
    stride = math.sqrt(speed) if stride is None else stride
    for what, value in (("speed", speed), ("stride", stride)):
        if not LEAST <= value <= MOST:
            raise InputError(f"{what} × {value:g}; {LEAST:g} to {MOST:g} times are allowed")
    if cycles < 1:
        raise InputError(f"a turn in {cycles} cycles; at least 1 is needed")
    if attached and (speed, stride) != (1.0, 1.0):
        raise InputError("a walk of another speed or stride cannot keep the rows of the walk")
    if abs(angle) / cycles > MOST_TURN:
        raise InputError(
            f"a turn of {math.degrees(angle):.0f}° in {cycles} cycle(s); at most "
            f"{math.degrees(MOST_TURN):.0f}° a cycle are allowed"
        )
    _straight(motion)
    motion = _retimed(motion, max(round(len(motion) * stride / speed), 8))
    travel = _straight(motion)
    N = len(motion)
    K = cycles * N
    before = K // 2  # rows of straight walk before and after, for the feet's neighbouring steps
    rows = np.arange(-before, K + before + 1)
    share = _share(rows, K, min(RAMP, 0.5 * cycles) * N)
    straight = _path(0.0 * share, travel.dx / N, before)
    turned = _path(angle * share, stride * travel.dx / N, before)
    q = np.array([motion.q_at(int(k)) for k in rows])
    contact = motion.contact[rows % N]
    moves = [turned.frame(i).then(straight.frame(i).inverse()) for i in range(len(rows))]
    bent = np.array([move.pose(each) for move, each in zip(moves, q, strict=True)])
    wanted = _feet(body, q, contact, straight, turned)
    inner = slice(before, before + K)
    end = moves[before + K].then(Travel(travel.dx, 0.0, 0.0).times(cycles))
    cycle = smoothed(
        replace(
            motion,
            name=name or motion.name,
            q=_with_feet(body, bent[inner], wanted[inner]),
            contact=contact[inner],
            travel=Travel(end.dx, end.dy, float(angle)),
        )
    )
    if not attached:
        return cycle
    fixed = np.zeros(K, bool)
    fixed[:2] = True
    cycle.q[:2] = motion.q[:2]
    return replace(cycle, fixed=fixed)


def _retimed(motion: Motion, count: int) -> Motion:
    """The same cycle in `count` rows."""
    N, travel = len(motion), _straight(motion)
    if count == N:
        return motion
    from scipy.interpolate import CubicSpline

    rows = np.arange(-N, 2 * N + 1)
    q = np.array([motion.q_at(int(k)) for k in rows])
    share = np.arange(count) * N / count
    contact = motion.contact[np.round(share).astype(int) % N]
    return replace(motion, q=CubicSpline(rows, q)(share), contact=contact, travel=travel)


def _straight(motion: Motion) -> Travel:
    travel = motion.travel
    if travel is None:
        raise InputError(f"motion '{motion.name}' is no cycle; a cycle is needed to warp it")
    if abs(travel.yaw) > 1e-9 or abs(travel.dy) > 1e-9:
        raise InputError(f"motion '{motion.name}' does not go straight along x")
    return travel


def _share(rows: np.ndarray, count: int, ramp: float) -> np.ndarray:
    """Share of a turn done by each row: 0 until row 0 and 1 from row `count`, its rate a
    trapezoid with smooth ramps."""
    rate = np.array(
        [smooth_step(k / ramp) * smooth_step((count - k) / ramp) for k in range(count + 1)]
    )
    done = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))])
    done /= done[-1]
    return np.interp(rows, np.arange(count + 1), done)


def _path(heading: np.ndarray, advance: float, origin: int) -> Path:
    """The path with these headings, `advance` [m] a row; row `origin` is at zero."""
    middle = 0.5 * (heading[1:] + heading[:-1])
    steps = advance * np.stack([np.cos(middle), np.sin(middle)], axis=1)
    place = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return Path(place - place[origin], heading)


def _feet(
    body: FlatBody, q: np.ndarray, contact: np.ndarray, straight: Path, turned: Path
) -> np.ndarray:
    """Places (T, 8, 3) of the corners on the turned path."""
    T = len(q)
    before = np.array([body.corners_w(each) for each in q])
    after = before.copy()
    for foot in range(2):
        corners = slice(4 * foot, 4 * foot + 4)
        on: np.ndarray = np.any(contact[:, corners], axis=1)
        edges = np.flatnonzero(np.diff(on.astype(int))) + 1
        bounds = [0, *edges, T]
        spans = [(a, b) for a, b in pairwise(bounds) if on[a]]
        moves = [
            turned.frame((a + b) // 2).then(straight.frame((a + b) // 2).inverse())
            for a, b in spans
        ]
        for (a, b), move in zip(spans, moves, strict=True):
            after[a:b, corners] = _moved(before[a:b, corners], move)
        for i in range(len(spans) - 1):
            first, last = spans[i][1], spans[i + 1][0]
            for k in range(first, last):
                share = smooth_step((k - first + 1) / (last - first + 1))
                after[k, corners] = _between(before[k, corners], moves[i], moves[i + 1], share)
    return after


def _moved(points: np.ndarray, move: Travel) -> np.ndarray:
    moved = points.copy()
    moved[..., :2] = points[..., :2] @ move.matrix.T + [move.dx, move.dy]
    return moved


def _between(points: np.ndarray, first: Travel, last: Travel, share: float) -> np.ndarray:
    """A foot (4, 3) on the way between two moves: its middle moves straight, and it turns."""
    middle = points.mean(axis=0)
    place = (1 - share) * _moved(middle, first) + share * _moved(middle, last)
    turn = Travel(0.0, 0.0, (1 - share) * first.yaw + share * last.yaw)
    return np.asarray(place + _moved(points - middle, turn))


def _with_feet(body: FlatBody, q: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The poses (T, n) with the legs bent, and the root lowered where they are too short, so that
    the corners (T, 8, 3) are where they should be."""
    dynamics = FlatDynamics(body)
    J = dynamics.jacobians(q[0])
    legs = ROOT + np.flatnonzero(np.abs(J[:, :, ROOT:]).max(axis=(0, 1)) > 1e-9)
    moved = np.append(legs, HEIGHT)
    weight = np.append(np.full(len(legs), NEAR), LOWER)
    low, high = body.limits[moved].T
    low, high = low + SPARE, high - SPARE
    found = q.copy()
    for k in range(len(q)):
        pose = found[k]
        for _ in range(ITERATIONS):
            A = dynamics.jacobians(pose)[:, :, moved].reshape(-1, len(moved))
            e = (corners[k] - dynamics.points(pose)).ravel()
            H = A.T @ A + np.diag(weight)
            step = np.linalg.solve(H, A.T @ e + weight * (q[k, moved] - pose[moved]))
            pose[moved] = np.clip(pose[moved] + np.clip(step, -0.3, 0.3), low, high)
            if np.abs(step).max() < 1e-6:
                break
    return found
