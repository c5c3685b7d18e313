"""Cycles: the part of a motion that repeats best, closed so that it can go on for ever."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from amble.errors import InputError
from amble.tracking.flat_body import ROOT
from amble.tracking.motion import Motion
from amble.tracking.reference import Travel

SHORTEST, LONGEST = 0.4, 2.5  # [s] of a cycle that is looked for
CLOSE = np.radians(12)  # root mean square of joint angles between the ends of a cycle
SPEED = 0.1  # [s] weight of velocities among angles
LEAST_CYCLES = 1.5  # that a steady motion holds
STEADY, STEADY_SPEED = np.radians(9), 0.3  # change of joints, and of speed, from cycle to cycle
STRAIGHT = np.radians(12)  # turn of a cycle that is taken for straight


def find_cycle(motion: Motion, straight: bool | None = None) -> Motion:
    """The cycle of a motion: from mid-stance of the first foot to its next.

    `straight` says whether it goes straight on; by default that is so where it turns by less
    than `STRAIGHT`. It then heads along x.
    """
    start, length = _best(motion)
    q, contact = motion.q[start : start + length + 1], motion.contact[start : start + length]
    travel = _travel(q[0], q[-1])
    if straight or (straight is None and abs(travel.yaw) < STRAIGHT):
        travel = Travel(float(np.hypot(travel.dx, travel.dy)), 0.0, 0.0)
        q = _along_x(q)
    return at_mid_stance(
        replace(motion, q=_closed(q, travel), contact=contact, travel=travel, fixed=None)
    )


def repeats(motion: Motion) -> bool:
    """Whether all of the motion is one straight cycle again and again: a steady walk or run."""
    try:
        _, length = _best(motion)
    except InputError:
        return False
    q, T = motion.q, len(motion)
    if LEAST_CYCLES * length > T:
        return False
    away = np.sqrt(np.mean((q[length:, ROOT:] - q[:-length, ROOT:]) ** 2, axis=1))
    speed = np.linalg.norm(np.gradient(q[:, :2], motion.step, axis=0), axis=1)
    faster = np.abs(speed[length:] - speed[:-length]).max() / max(float(speed.mean()), 1e-6)
    turned = np.abs(q[length:, 3] - q[:-length, 3]).max()
    return bool(np.quantile(away, 0.9) < STEADY and faster < STEADY_SPEED and turned < STRAIGHT)


def at_mid_stance(motion: Motion) -> Motion:
    """The same cycle, begun in the middle of the first foot's time on its whole sole, or of its
    time on the ground."""
    contact, N = motion.contact[:, :4], len(motion)
    for on in (contact.all(axis=1), contact.any(axis=1)):
        if on.any() and not on.all():
            begins = np.flatnonzero(on & ~np.roll(on, 1))
            lengths = [int(np.argmin(np.roll(on, -int(b)))) for b in begins]
            longest = int(np.argmax(lengths))
            return begun_at(motion, int(begins[longest] + lengths[longest] // 2) % N)
    return begun_at(motion, 0)


def begun_at(motion: Motion, row: int) -> Motion:
    """The same cycle, begun at `row`, where x and y become 0."""
    q = np.array([motion.q_at(row + k) for k in range(len(motion))])
    q[:, :2] -= q[0, :2]
    travel = motion.travel
    if travel is not None and travel.yaw:
        step = motion.q_at(row + len(motion)) - motion.q_at(row)
        travel = Travel(float(step[0]), float(step[1]), travel.yaw)
    return replace(motion, q=q, contact=np.roll(motion.contact, -row, axis=0), travel=travel)


def smoothed(motion: Motion, cutoff: float = 8.0) -> Motion:
    """Without what is faster than `cutoff` [Hz]: a filter of fourth order, with no delay."""
    N = len(motion)
    if motion.periodic:
        rows = np.array([motion.q_at(k) for k in range(-N, 2 * N)])
    else:  # beyond its ends as seen in a mirror, so that the ends keep their velocities
        rows = np.concatenate(
            [2 * motion.q[:1] - motion.q[:0:-1], motion.q, 2 * motion.q[-1:] - motion.q[-2::-1]]
        )
    ramp = rows[0] + np.linspace(0, 1, len(rows))[:, None] * (rows[-1] - rows[0])
    spectrum = np.fft.rfft(rows - ramp, axis=0)
    rate = np.fft.rfftfreq(len(rows), motion.step)
    spectrum /= (1 + (rate / cutoff) ** 4)[:, None]
    calm = ramp + np.fft.irfft(spectrum, len(rows), axis=0)
    first = N if motion.periodic else N - 1
    return replace(motion, q=calm[first : first + N])


def _best(motion: Motion) -> tuple[int, int]:
    """First row and length of the part whose ends are most alike."""
    h, T = motion.step, len(motion)
    v = np.gradient(motion.q, h, axis=0)
    parts = np.concatenate([motion.q[:, 4:], SPEED * v[:, 2:]], axis=1)
    best: tuple[float, int, int] | None = None
    shortest, longest = round(SHORTEST / h), min(round(LONGEST / h), T - 1)
    for length in range(shortest, longest + 1):
        away = parts[length:] - parts[: T - length]
        distance = np.sqrt(np.mean(away**2, axis=1))
        for start in np.argsort(distance)[:3]:
            score = float(distance[start])
            if (best is None or score < best[0]) and _steps(motion, int(start), length):
                best = (score, int(start), length)
    if best is None:
        raise InputError(
            f"motion '{motion.name}' holds no cycle: no {SHORTEST:g} to {LONGEST:g} s in which "
            "each foot is lifted and put down, and the same pose comes again"
        )
    score, start, length = best
    ends = motion.q[start + length, ROOT:] - motion.q[start, ROOT:]
    if np.sqrt(np.mean(ends**2)) > CLOSE:
        raise InputError(
            f"motion '{motion.name}' holds no cycle: the best has joints that differ by "
            f"{np.degrees(np.sqrt(np.mean(ends**2))):.0f}° between its ends"
        )
    return start, length


def _steps(motion: Motion, start: int, length: int) -> bool:
    """Whether each foot lands exactly once, or as often as the other."""
    feet = motion.contact[start : start + length + 1].reshape(-1, 2, 4)
    on: np.ndarray = np.any(feet, axis=2)
    landings = np.sum(on[1:] & ~on[:-1], axis=0)
    return bool(np.all(landings == 1))


def _travel(first: np.ndarray, last: np.ndarray) -> Travel:
    yaw = float(last[3] - first[3])
    turned = Travel(0.0, 0.0, yaw).pose(first)
    dx, dy = last[:2] - turned[:2]
    return Travel(float(dx), float(dy), yaw)


def _along_x(q: np.ndarray) -> np.ndarray:
    """Turned so that the way from first to last pose goes along x."""
    dx, dy = q[-1, :2] - q[0, :2]
    heading = float(np.arctan2(dy, dx)) if np.hypot(dx, dy) > 0.1 else float(q[:, 3].mean())
    turned = Travel(0.0, 0.0, -heading).pose(q)
    turned[:, 3] -= 2 * np.pi * np.round(turned[:, 3].mean() / (2 * np.pi))
    return turned


def _closed(q: np.ndarray, travel: Travel) -> np.ndarray:
    """The rows without the last, with the gap to the next cycle spread over all of them."""
    gap = q[-1] - travel.pose(q[0])
    share = np.linspace(-0.5, 0.5, len(q))[:, None]
    return np.asarray((q - share * gap)[:-1])
