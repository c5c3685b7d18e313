"""Retargeting: a captured skeleton's motion on another body, by inverse kinematics.

Directions of bones, turns of pelvis, chest and feet, and the path of the hips carry over; lengths
are the body's own, and ways are scaled by the length of the legs. Times stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from amble import _core
from amble.errors import InputError
from amble.geometry.rotations import matrix_from_quat, quat_from_matrix, rotvec_from_quat
from amble.geometry.turns import about_z
from amble.motion.skeleton import SkeletonMotion
from amble.tracking.dynamics import FlatDynamics, Point
from amble.tracking.flat_body import FlatBody
from amble.tracking.joint_names import SIDES, JointMap, match_joints

LIMBS = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
SEGMENTS = {  # words of the body's parts whose joint plays each role
    "hip": "thigh",
    "knee": "shank",
    "ankle": "foot",
    "shoulder": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
}
MOST_TOE_OUT = np.radians(25)  # of a foot in the skeleton's rest pose
STANDING_SHARE = 0.15  # of all frames, those in which a foot moves least: it is taken for flat
HIPS, BONES, PELVIS, CHEST, FEET = 100.0, 1.0, 1.0, 0.5, 0.5  # weights
REST, PREVIOUS = 1e-4, 1e-3  # towards the rest pose, and towards the pose before
ITERATIONS, FIRST_ITERATIONS = 4, 40
LARGEST = 0.4  # [rad] change of a joint in one iteration


@dataclass(frozen=True, eq=False)
class Targets:
    """What each frame asks for, in the world: x forward at rest, z up."""

    hips: np.ndarray  # (T, 3) middle of the hip joints, scaled to the body [m]
    bones: dict[tuple[str, str], np.ndarray]  # (role, role) of both ends → unit vectors (T, 3)
    turns: dict[str, np.ndarray]  # body's part → turn away from rest (T, 3, 3)


def retargeted(
    body: FlatBody,
    motion: SkeletonMotion,
    names: Mapping[str, str] | None = None,
    where: str = "skeleton",
) -> np.ndarray:
    """Flat q (T, n) of the body that does what the skeleton does."""
    joints = match_joints(motion.skeleton, names, where)
    return _follow(body, _targets(body, motion, joints, where))


def _targets(body: FlatBody, motion: SkeletonMotion, joints: JointMap, where: str) -> Targets:
    """Directions, turns and hips of a skeleton that stands upright in its rest pose."""
    roles, rest = joints.roles, motion.skeleton.rest_w
    leg = _leg_length(motion, roles)
    up = np.mean([rest[roles[f"{s}_hip"]] - rest[roles[f"{s}_ankle"]] for s in SIDES], axis=0)
    if up[2] < 0.7 * np.linalg.norm(up):
        raise InputError(
            f"{where}: the legs do not hang down in the skeleton's rest pose; say which axis of "
            "the file points up"
        )
    across = rest[roles["left_hip"]] - rest[roles["right_hip"]]
    F = about_z(-float(np.arctan2(-across[0], across[1])))  # turns the rest pose to look along x
    places = motion.places_w @ F.T
    turns_w = F @ matrix_from_quat(motion.quats_w) @ F.T
    bones = {}
    for first, second in LIMBS:
        for side in SIDES:
            ends = (f"{side}_{first}", f"{side}_{second}")
            if all(end in roles for end in ends):
                way = places[:, roles[ends[1]]] - places[:, roles[ends[0]]]
                bones[ends] = way / np.linalg.norm(way, axis=1, keepdims=True)
    turns = {"pelvis": turns_w[:, joints.root]}
    if joints.chest != joints.root:
        turns["thorax"] = turns_w[:, joints.chest]
    for side in SIDES:
        turns[f"{side}_foot"] = _foot_turns(side, places, turns_w, rest @ F.T, roles, motion.fps)
    middle = 0.5 * (places[:, roles["left_hip"]] + places[:, roles["right_hip"]])
    return Targets(middle * (_own_leg_length(body) / leg), bones, turns)


def _leg_length(motion: SkeletonMotion, roles: Mapping[str, int]) -> float:
    """Hip to ankle along the bones, the mean of both sides, in the file's metres."""
    lengths = []
    for side in SIDES:
        ends = [motion.places_w[:, roles[f"{side}_{part}"]] for part in ("hip", "knee", "ankle")]
        lengths.append(sum(np.linalg.norm(b - a, axis=1).mean() for a, b in pairwise(ends)))
    return float(np.mean(lengths))


def _foot_turns(
    side: str,
    places: np.ndarray,
    turns_w: np.ndarray,
    rest: np.ndarray,
    roles: Mapping[str, int],
    fps: float,
) -> np.ndarray:
    """Turns (T, 3, 3) of a sole: along its toes, and flat where the foot stands still."""
    ankle = roles[f"{side}_ankle"]
    toe = roles.get(f"{side}_toe")
    out = 0.0
    tracked = [ankle]
    if toe is not None:
        along = rest[toe] - rest[ankle]
        if np.hypot(along[0], along[1]) > 0.2 * np.linalg.norm(along):
            angle = float(np.arctan2(along[1], along[0]))
            out = angle if abs(angle) < MOST_TOE_OUT else 0.0
        tracked.append(toe)
    R = turns_w[:, ankle] @ about_z(out)
    speed = sum(
        np.linalg.norm(np.gradient(places[:, joint], 1 / fps, axis=0), axis=1) for joint in tracked
    )
    standing = speed <= np.quantile(speed, STANDING_SHARE)
    up = R[standing, 2, :].mean(axis=0)  # the world's vertical as the standing foot sees it
    return np.asarray(R @ _tilt(up / np.linalg.norm(up)))


def _tilt(up: np.ndarray) -> np.ndarray:
    """The least turn that takes z to `up`."""
    axis = np.cross([0.0, 0.0, 1.0], up)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + K + K @ K / (1 + up[2]))


def _own_leg_length(body: FlatBody) -> float:
    """Hip to ankle along the bones of the body, as of a skeleton."""
    ends = FlatDynamics(body, _joint_points(body, ["hip", "knee", "ankle"])[0])
    p = ends.points(body.flat(body.character.rest_qpos())).reshape(2, 3, 3)
    return float(np.linalg.norm(np.diff(p, axis=1), axis=2).sum(axis=1).mean())


def _joint_points(body: FlatBody, parts: list[str]) -> tuple[list[Point], list[str]]:
    """The joints' places on the body that play these roles, left ones first, and the roles."""
    points: list[Point] = []
    roles: list[str] = []
    for side in SIDES:
        for part in parts:
            segment = f"{side}_{SEGMENTS[part]}"
            if segment not in body.character.parts:
                continue
            name = body.character.parts[segment]
            b = body.model.body(name)
            at = body.model.jnt_pos[b.jntadr[0]] if b.jntnum[0] else np.zeros(3)
            points.append((name, np.array(at)))
            roles.append(f"{side}_{part}")
    return points, roles


def _follow(body: FlatBody, targets: Targets) -> np.ndarray:
    """Gauss–Newton inverse kinematics within the joints' ranges, frame after frame."""
    points, roles = _joint_points(body, list(SEGMENTS))
    dynamics = FlatDynamics(body, points)
    at = {role: i for i, role in enumerate(roles)}
    bones = {ends: way for ends, way in targets.bones.items() if all(e in at for e in ends)}
    rest = body.flat(body.character.rest_qpos())
    parts = {p: body.character.parts[p] for p in targets.turns if p in body.character.parts}
    upright = {part: dynamics.rotation(rest, name) for part, name in parts.items()}
    weights = {"pelvis": PELVIS, "thorax": CHEST}
    low, high = body.limits.T
    box, steady = _core.BoxSolver(), np.full(body.n, REST + PREVIOUS)
    steady[:6] = 1e-9
    q = rest.copy()
    q[:3] += targets.hips[0] - _hips(dynamics.points(rest), at)
    R = targets.turns["pelvis"][0]
    q[3] = np.arctan2(R[1, 0], R[0, 0])
    found = np.empty((len(targets.hips), body.n))
    for t in range(len(found)):
        before = q.copy()
        for _ in range(ITERATIONS if t else FIRST_ITERATIONS):
            rows, errors = [], []
            p, J = dynamics.points(q), dynamics.jacobians(q)
            rows.append(HIPS * 0.5 * (J[at["left_hip"]] + J[at["right_hip"]]))
            errors.append(HIPS * (targets.hips[t] - _hips(p, at)))
            for (first, second), way in bones.items():
                i, j = at[first], at[second]
                length = np.linalg.norm(p[j] - p[i])
                rows.append(BONES * (J[j] - J[i]) / length)
                errors.append(BONES * (way[t] - (p[j] - p[i]) / length))
            for part, name in parts.items():
                turn = targets.turns[part][t] @ upright[part]
                off = turn @ dynamics.rotation(q, name).T
                weight = weights.get(part, FEET)
                rows.append(weight * dynamics.turn_jacobian(q, name))
                errors.append(weight * rotvec_from_quat(quat_from_matrix(off)))
            A, e = np.concatenate(rows), np.concatenate(errors)
            g = A.T @ e + REST * _joints_only(rest - q) + PREVIOUS * _joints_only(before - q)
            H = A.T @ A + np.diag(steady)
            step = np.empty(body.n)
            box.solve(
                H, g, np.maximum(low - q, -LARGEST * 5), np.minimum(high - q, LARGEST * 5), step
            )
            q = q + step * min(1.0, LARGEST / max(np.abs(step[3:]).max(), 1e-12))
        found[t] = q
    return found


def _hips(points: np.ndarray, at: Mapping[str, int]) -> np.ndarray:
    return np.asarray(0.5 * (points[at["left_hip"]] + points[at["right_hip"]]))


def _joints_only(away: np.ndarray) -> np.ndarray:
    away = away.copy()
    away[:6] = 0.0
    return away
