"""Transitions: between standing and the walk, and between the walk and the run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from amble.errors import InputError
from amble.geometry.splines import smooth_step
from amble.tracking.flat_body import ROOT, FlatBody
from amble.tracking.generated import planned_change
from amble.tracking.motion import Motion
from amble.tracking.reference import Reference, Travel

JOIN = 0.4  # [s] over which poses are drawn to those of the motion before or after
SOONEST = 1.5  # [s] in which a walk becomes a run, or a run a walk
REST = 0.5  # [s] on both feet at the end of a stop


def start_motion(body: FlatBody, stand: Reference, walk: Reference, speed: float) -> Motion:
    """A planned start that leaves `stand` and ends on row 1 of the walk's third cycle or so."""
    planned, _ = planned_change(body, speed, 0.0)
    cycle = len(walk)
    begin = _first_step(planned) - round(REST / planned.step)
    last = _nearest(planned, walk, begin + cycle, begin + 3 * cycle)
    part = _part(planned, max(begin, 0), last + 2, "start")
    here = Travel(part.q[0, 0] - stand.q[0, 0], part.q[0, 1] - stand.q[0, 1], 0.0).inverse()
    part = replace(part, q=here.pose(part.q))
    return joined(part, (stand, 0), (walk, 0))


def stop_motion(body: FlatBody, stand: Reference, walk: Reference, speed: float) -> Motion:
    """A planned stop that begins with row 0 of the walk and ends as `stand`."""
    planned, told = planned_change(body, speed, 0.0)
    first = _nearest(planned, walk, told - 2 * len(walk), told + len(walk) // 4)
    both = planned.contact.all(axis=1)
    moving = np.flatnonzero(~both)
    last = min(int(moving[-1]) + round(REST / planned.step), len(planned) - 1)
    part = _part(planned, first, last + 1, "stop")
    here = Travel(part.q[0, 0] - walk.q[0, 0], part.q[0, 1] - walk.q[0, 1], 0.0).inverse()
    return joined(replace(part, q=here.pose(part.q)), (walk, 0), (stand, 0), body)


def change_motion(
    body: FlatBody,
    before: tuple[Reference, float],
    after: tuple[Reference, float],
    name: str,
) -> Motion:
    """A planned change of speed from row 0 of one cycle to row 0 of another, with their speeds
    [m/s]."""
    (one, slow), (other, fast) = before, after
    planned, told = planned_change(body, slow, fast)
    first = _nearest(planned, one, told - 2 * len(one), told + len(one) // 4)
    soon = first + round(SOONEST / planned.step)
    last = _nearest(planned, other, soon, len(planned) - 2, pick=0)
    part = _part(planned, first, last + 2, name)
    here = Travel(part.q[0, 0] - one.q[0, 0], part.q[0, 1] - one.q[0, 1], 0.0).inverse()
    return joined(replace(part, q=here.pose(part.q)), (one, 0), (other, 0))


def joined(
    motion: Motion,
    start: tuple[Reference, int],
    end: tuple[Reference, int],
    body: FlatBody | None = None,
) -> Motion:
    """The motion with its first two rows from `start` (a reference and a row of it) and its last
    two from `end`, wherever that is then.

    With `body` the end is a stance: it is put where the foot that landed first stands.
    """
    before, first = start
    after, last = end
    N = len(motion)
    heads = np.array([before.q_at(first + k) for k in range(2)])
    tails = np.array([after.q_at(last + k) for k in range(2)])
    place = _place(motion, tails, body)
    tails = place.pose(tails)
    q, rows = motion.q.copy(), round(JOIN / motion.step)
    for k in range(N):
        q[k] += (1 - smooth_step(k / rows)) * (heads[0] - motion.q[0])
        q[k] += (1 - smooth_step((N - 2 - k) / rows)) * (tails[0] - motion.q[N - 2])
    q[:2], q[-2:] = heads, tails
    fixed = np.zeros(N, bool)
    fixed[[0, 1, N - 2, N - 1]] = True
    contact = motion.contact.copy()
    contact[:2] = [before.contact_at(first + k) for k in range(2)]
    contact[-2:] = [after.contact_at(last + k) for k in range(2)]
    controls = [before.u_at(first - 1), after.u_at(last)]
    forces = np.array([controls[0][1], place.vector(controls[1][1])])
    return replace(
        motion,
        q=q,
        contact=contact,
        fixed=fixed,
        torque=np.array([torque for torque, _ in controls]),
        force_w=forces,
    )


def _place(motion: Motion, tails: np.ndarray, body: FlatBody | None) -> Travel:
    """Where the motion after it begins: at its root's place, or on the foot that is there first."""
    if body is None:
        away = motion.q[-2, :2] - tails[0, :2]
        return Travel(float(away[0]), float(away[1]), 0.0)
    feet: np.ndarray = np.any(motion.contact.reshape(len(motion), 2, 4), axis=2)
    landed = [int(np.flatnonzero(~feet[:, foot]).max(initial=-1)) for foot in range(2)]
    foot = int(np.argmin(landed))
    points = slice(2 * foot, 2 * foot + 2)
    stands = body.midpoints_w(motion.q[-2])[points, :2].mean(axis=0)
    would = body.midpoints_w(tails[0])[points, :2].mean(axis=0)
    return Travel(float(stands[0] - would[0]), float(stands[1] - would[1]), 0.0)


def _part(motion: Motion, first: int, stop: int, name: str) -> Motion:
    return Motion(name, motion.step, motion.q[first:stop], motion.contact[first:stop])


def _first_step(motion: Motion) -> int:
    """Row in which a foot first begins to leave the ground."""
    off = np.flatnonzero(~motion.contact.all(axis=1))
    if not len(off):
        raise InputError(f"motion '{motion.name}' never takes a step")
    return int(off[0])


def _nearest(motion: Motion, cycle: Reference, first: int, stop: int, pick: int = -1) -> int:
    """The row whose pose is nearest to the cycle's row 0 and that stands on the same points."""
    rows = np.arange(max(first, 0), min(stop, len(motion) - 2))
    same = (motion.contact[rows] == cycle.contact[0]).all(axis=1)
    if not same.any():
        raise InputError(f"motion '{motion.name}' never stands as the cycle does")
    rows = rows[same]
    away = np.abs(motion.q[rows, ROOT:] - cycle.q[0, ROOT:]).sum(axis=1)
    # Of those that are nearly as near usually the last: the gait is steadier there.
    return int(rows[np.flatnonzero(away < 1.2 * away.min() + 0.05)[pick]])
