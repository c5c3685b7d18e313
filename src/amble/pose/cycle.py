"""Cycle: one stride of a clip as a function of its legs' phases (centroidal appendix E)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY, Character
from amble.errors import InputError
from amble.geometry.rotations import (
    matrix_from_quat,
    quat_conjugate,
    quat_from_rotvec,
    quat_multiply,
    rotvec_from_quat,
)
from amble.motion.clip import Clip
from amble.motion.trace import joint_angles
from amble.pose.weights import limb_dofs

HARMONICS = 6  # of the Fourier series, at most
FEWEST_FRAMES = 8  # of a stride
MOVING = 0.5  # of the clip's fastest stride: slower ones are starts and stops

NEEDED = "give a walk or run with at least two strides"


@dataclass(frozen=True, eq=False)
class Cycle:
    """A pose for every set of phases {ψ_i}: Σ_k a_k cos 2πkψ + b_k sin 2πkψ for each angle.

    A leg's joints go by that leg's phase. All others, and the root, go by all phases: the mean over
    the legs of the pose that each leg's phase alone would mean, which has no seam where legs are
    out of step.
    """

    coefficients: np.ndarray  # (nv − 3, 2K + 1): of the joints, and the root's rotation vector
    leg: np.ndarray  # (nv − 3,) whose phase counts; the number of legs for the mean of all
    offsets: np.ndarray  # (legs,) phase of each leg when the first leg's is 0
    speed: float  # [√(g L)] of the motion
    forwards: int  # 1, or −1 for a motion backwards
    stride: float  # [L] length of a stride

    def angles(self, phases: np.ndarray, gain: float = 1.0, way: float = 1.0) -> np.ndarray:
        """Angles (nv − 3,) [rad] at the phases (legs,) of the legs.

        `gain` exaggerates the motion about its mean. `way` is 1 for a motion as in the clip and −1
        for one the other way, in which the stride runs backwards.
        """
        K = self.coefficients.shape[1] // 2
        turns = 2 * np.pi * np.arange(1, K + 1)
        own = _waves(phases, turns, gain, way)
        all_legs = _waves(phases - self.offsets, turns, gain, way).mean(axis=0)
        basis = np.vstack([own, all_legs])  # (legs + 1, 2K + 1)
        return np.asarray(np.einsum("ij,ij->i", self.coefficients, basis[self.leg]))


def cycle_of(clip: Clip, character: Character, body: CentroidalBody) -> Cycle:
    """The steadiest stride of a clip; raises `InputError` when the clip does not fit or has none.

    Of all strides at speed it is the one whose ends are most alike. What they still differ by is
    taken out as a drift.
    """
    _check_fits(clip, character)
    middles = _middles(clip, body)
    start, end = _steadiest(clip, middles[0])
    frames = np.arange(start, end + 1)
    time = clip.time[frames]
    phases = np.array([_phase(times, time) for times in middles])  # (legs, n)
    offsets = np.array([_mean_turn(phase - phases[0]) for phase in phases])
    angles, speed, forwards = _poses(clip, frames)
    drift = np.outer(np.linspace(-0.5, 0.5, len(frames)), angles[-1] - angles[0])
    angles = (angles - drift)[:-1]  # the last frame is the first again
    phases = phases[:, :-1]

    K = min(HARMONICS, (len(frames) - 1) // 4)
    turns = 2 * np.pi * np.arange(1, K + 1)
    leg = np.full(character.dof - 3, len(body.legs))
    limbs = {limb.name: limb for limb in character.limbs}
    for i, each in enumerate(body.legs):
        leg[limb_dofs(character, limbs[each.name]) - 6] = i
    coefficients = np.empty((len(leg), 2 * K + 1))
    for i in range(len(body.legs) + 1):
        mine = leg == i
        if i < len(body.legs):
            basis = _waves(phases[i], turns)
        else:
            waves = [_waves(p - o, turns) for p, o in zip(phases, offsets, strict=True)]
            basis = np.mean(waves, axis=0)
        coefficients[mine] = np.linalg.lstsq(basis, angles[:, mine], rcond=None)[0].T
    length = clip.character.leg_length
    pace = math.sqrt(GRAVITY * length)
    seconds = float(time[-1] - time[0])
    return Cycle(coefficients, leg, offsets, speed / pace, forwards, speed * seconds / length)


def _waves(
    phases: np.ndarray, turns: np.ndarray, gain: float = 1.0, way: float = 1.0
) -> np.ndarray:
    """1, cos kψ, sin kψ (n, 2K + 1)."""
    angle = np.multiply.outer(phases, turns)
    ones = np.ones((len(phases), 1))
    return np.hstack([ones, gain * np.cos(angle), gain * way * np.sin(angle)])


def _check_fits(clip: Clip, character: Character) -> None:
    """Raise `InputError` unless the clip's body has the same joints and feet."""
    theirs, ours = clip.character, character
    if theirs.dof_names != ours.dof_names:
        other = sorted(set(theirs.dof_names) ^ set(ours.dof_names))
        what = f", such as '{other[0]}'" if other else ""
        raise InputError(
            f"is of '{theirs.name}', whose joints are not those of '{ours.name}'{what}; "
            "give a clip of the same body"
        )
    feet = [e.name for e in theirs.feet], [e.name for e in ours.feet]
    if feet[0] != feet[1]:
        raise InputError(
            f"has the feet {', '.join(feet[0])}; '{ours.name}' has {', '.join(feet[1])}"
        )


def _middles(clip: Clip, body: CentroidalBody) -> list[np.ndarray]:
    """Of each leg, the middles [s] of those contacts that begin and end within the clip."""
    found = []
    names = [e.name for e in clip.character.end_effectors for _ in e.sites]
    for leg in body.legs:
        mine = [k for k, name in enumerate(names) if name == leg.foot.name]
        down = clip.touching[:, mine].any(axis=1).astype(int)
        begins = np.flatnonzero(np.diff(down) == 1) + 1
        ends = np.flatnonzero(np.diff(down) == -1)
        ends = ends[ends >= begins[0]] if len(begins) else ends[:0]
        spans = zip(begins, ends, strict=False)
        middles = np.array([0.5 * (clip.time[a] + clip.time[b]) for a, b in spans])
        if len(middles) < 2:
            raise InputError(f"'{leg.foot.name}' steps {len(middles)} times; {NEEDED}")
        found.append(middles)
    return found


def _steadiest(clip: Clip, middles: np.ndarray) -> tuple[int, int]:
    """First and last frame of the stride of the first leg whose ends are most alike."""
    strides = []
    for begin, end in pairwise(middles):
        a, b = (int(np.argmin(np.abs(clip.time - t))) for t in (begin, end))
        if b - a < FEWEST_FRAMES:
            continue
        way = clip.qpos[b, :2] - clip.qpos[a, :2]
        speed = float(np.linalg.norm(way)) / (clip.time[b] - clip.time[a])
        poses = joint_angles(clip.character.model, clip.qpos[[a, b]])
        unlike = float(np.linalg.norm(poses[1] - poses[0]))
        turned = abs(_mean_turn((_yaws(clip, [b]) - _yaws(clip, [a])) / (2 * np.pi)))
        strides.append((unlike + 2 * np.pi * turned, speed, a, b))
    if not strides:
        raise InputError(f"has no stride of {FEWEST_FRAMES} frames or more; {NEEDED}")
    fastest = max(speed for _, speed, _, _ in strides)
    _, _, a, b = min(each for each in strides if each[1] >= MOVING * fastest)
    return a, b


def _phase(middles: np.ndarray, time: np.ndarray) -> np.ndarray:
    """ψ (n,), counted on over strides: linear between middles, and beyond them as next to them."""
    count = np.arange(len(middles), dtype=float)
    phase = np.interp(time, middles, count)
    first, last = middles[1] - middles[0], middles[-1] - middles[-2]
    phase = np.where(time < middles[0], (time - middles[0]) / first, phase)
    return np.where(time > middles[-1], count[-1] + (time - middles[-1]) / last, phase)


def _poses(clip: Clip, frames: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Angles (n, nv − 3) of joints and root, mean speed [m/s], and 1 or −1: forwards or not.

    The root's turn is against its mean facing, which turns evenly where the way is curved.
    """
    joints = joint_angles(clip.character.model, clip.qpos[frames])
    yaw = np.unwrap(_yaws(clip, frames))
    share = np.linspace(-0.5, 0.5, len(frames))
    facing = yaw[:-1].mean() + share * (yaw[-1] - yaw[0])
    heading = quat_from_rotvec(np.outer(facing, [0.0, 0.0, 1.0]))
    rest = clip.character.rest_qpos()[3:7]
    root = quat_multiply(clip.qpos[frames, 3:7], quat_conjugate(rest))
    turn = rotvec_from_quat(quat_multiply(quat_conjugate(heading), root))
    seconds = float(clip.time[frames[-1]] - clip.time[frames[0]])
    steps = np.diff(clip.qpos[frames, :2], axis=0)
    ahead = float(np.sum(steps[:, 0] * np.cos(facing[:-1]) + steps[:, 1] * np.sin(facing[:-1])))
    speed = float(np.linalg.norm(clip.qpos[frames[-1], :2] - clip.qpos[frames[0], :2])) / seconds
    return np.hstack([joints, turn]), speed, -1 if ahead < 0 else 1


def _yaws(clip: Clip, frames: np.ndarray | list[int]) -> np.ndarray:
    """Facing [rad] of the root, (n,)."""
    rest = clip.character.rest_qpos()[3:7]
    x_w = matrix_from_quat(quat_multiply(clip.qpos[frames, 3:7], quat_conjugate(rest)))[..., 0]
    return np.asarray(np.arctan2(x_w[..., 1], x_w[..., 0]))


def _mean_turn(turns: np.ndarray) -> float:
    """Mean of some phases, the short way round, within ±½."""
    angle = 2 * np.pi * turns
    return float(np.arctan2(np.sin(angle).mean(), np.cos(angle).mean())) / (2 * np.pi)
