"""A standing pose: feet flat on one level, knees a little bent, centre of mass above the feet.

Small damped least-squares problems with the base held still; closed loops take part through
MuJoCo's own equality rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

EXTENSION = 0.92  # of the greatest reach of the legs: knees bent, yet upright
EXTENSION_OF_MANY = 0.75  # the same on more than two legs, which crouch to have room for steps
LEVEL = 5e-4  # [m] feet count as level below this
STANCE_WIDTH = 0.1  # of a biped's reach: how far its feet stand aside of its hips
CENTRED = 0.1  # of the width between the feet: how far the centre of mass may be aside
KNEE = (0.25, 0.8)  # where along a leg, from the hip, a knee may be
STRAIGHT = 0.15  # [rad] from straight: what a knee is bent by at least
LIMIT_MARGIN = 0.02  # of a joint's range, kept free at either end


@dataclass(frozen=True)
class Foot:
    """A body with its contact points (k, 3) in its frame [m]; `hip` is the leg's first joint."""

    body: int
    points_b: np.ndarray
    hip: int


class Stance:
    """The feet of a model, and where they are in a pose."""

    def __init__(self, model: mujoco.MjModel, feet: list[Foot]) -> None:
        self.model, self.feet = model, feet
        model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.data = mujoco.MjData(model)

    def update(self, qpos: np.ndarray) -> None:
        self.data.qpos[:] = qpos
        mujoco.mj_fwdPosition(self.model, self.data)

    def points_w(self, foot: Foot) -> np.ndarray:
        """Contact points in the world (k, 3) [m]."""
        frame = self.data.xmat[foot.body].reshape(3, 3)
        return foot.points_b @ frame.T + self.data.xpos[foot.body]

    def centres(self) -> np.ndarray:
        """The middle of each foot (feet, 3) [m]."""
        return np.array([self.points_w(foot).mean(axis=0) for foot in self.feet])

    def heights(self) -> np.ndarray:
        """Height of every contact point [m]."""
        return np.concatenate([self.points_w(foot)[:, 2] for foot in self.feet])

    def com(self) -> np.ndarray:
        return self.data.subtree_com[1]

    def loop_error(self) -> float:
        """How far the closed loops are open [m]."""
        rows = self.data.ne
        return float(np.abs(self.data.efc_pos[:rows]).max()) if rows else 0.0


def within_limits(model: mujoco.MjModel, qpos: np.ndarray, margin: float = 0.0) -> np.ndarray:
    """The same pose, with limited hinges and slides that are outside their range brought inside by
    the share `margin` of it."""
    qpos = qpos.copy()
    for j in _scalar_joints(model):
        if model.jnt_limited[j]:
            low, high = model.jnt_range[j]
            adr = model.jnt_qposadr[j]
            if not low <= qpos[adr] <= high:
                gap = margin * (high - low)
                qpos[adr] = np.clip(qpos[adr], low + gap, high - gap)
    return qpos


def level(stance: Stance, qpos: np.ndarray, ground: float, centres: np.ndarray) -> np.ndarray:
    """Bring every contact point to the height `ground`, the feet near `centres` (feet, ≥2) [m]."""
    model = stance.model
    prefer = qpos.copy()
    difference = np.empty(model.nv)
    for iteration in range(120):
        stance.update(qpos)
        # Pulls towards the first pose and the wished places fade: the feet end exactly level.
        pull = 1e-3 * max(0.0, 1.0 - iteration / 80) ** 2
        near = 0.1 if iteration < 80 else 0.01
        rows, errors = [], []
        for foot, centre in zip(stance.feet, centres, strict=True):
            points = stance.points_w(foot)
            jacobians = np.array([_point_jacobian(stance, foot.body, p) for p in points])
            rows += [jacobians[:, 2], near * jacobians.mean(axis=0)[:2]]
            errors += [ground - points[:, 2], near * (centre[:2] - points.mean(axis=0)[:2])]
        if stance.data.ne:
            rows.append(stance.data.efc_J.reshape(-1, model.nv)[: stance.data.ne])
            errors.append(-stance.data.efc_pos[: stance.data.ne])
        J, error = np.concatenate(rows)[:, 6:], np.concatenate(errors)
        mujoco.mj_differentiatePos(model, difference, 1.0, qpos, prefer)
        step = _step(J, error, pull, difference[6:])
        blocked = leaves_limits(model, qpos, step)
        J[:, blocked[6:]] = 0.0
        step = np.where(blocked, 0.0, _step(J, error, pull, difference[6:]))
        step *= min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-12))
        mujoco.mj_integratePos(model, qpos, step, 1.0)
        qpos = within_limits(model, qpos)
    stance.update(qpos)
    return qpos


def _step(J: np.ndarray, error: np.ndarray, pull: float, difference: np.ndarray) -> np.ndarray:
    """Damped least-squares step of all degrees of freedom (nv,), the base's six at rest."""
    H = J.T @ J + (pull + 1e-7) * np.eye(J.shape[1])
    return np.concatenate([np.zeros(6), np.linalg.solve(H, J.T @ error + pull * difference)])


def leaves_limits(model: mujoco.MjModel, qpos: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Which degrees of freedom (nv,) stand at a limit that the step would cross."""
    blocked = np.zeros(model.nv, dtype=bool)
    for j in _scalar_joints(model):
        low, high = model.jnt_range[j]
        dof, q = model.jnt_dofadr[j], qpos[model.jnt_qposadr[j]]
        crosses = (q <= low and step[dof] < 0) or (q >= high and step[dof] > 0)
        blocked[dof] = model.jnt_limited[j] and crosses
    return blocked


def stand(
    stance: Stance, qpos: np.ndarray, tallest: float = EXTENSION
) -> tuple[np.ndarray, float | None]:
    """A standing pose near `qpos`, for a model that brings none, and the extension of its legs.

    The extension is None, and the pose the one given, where the feet do not come level.
    """
    stance.update(qpos)
    hips = np.array([stance.data.xanchor[foot.hip] for foot in stance.feet])
    centres = stance.centres()
    reach = _reach(stance, qpos)
    if len(stance.feet) <= 2:  # more legs may well sprawl
        aside = STANCE_WIDTH * reach
        centres[:, 1] = hips[:, 1] + np.clip(centres[:, 1] - hips[:, 1], -aside, aside)
    bent = _bend(stance, qpos)
    for extension in (tallest, *(e for e in (0.85, 0.75, 0.65, 0.5) if e < tallest)):
        ground = float((hips[:, 2] - extension * reach).max())
        pose = level(stance, bent, ground, centres)
        for _ in range(3):
            # Feet move together until the centre of mass is above their middle.
            shift = stance.com()[:2] - stance.centres()[:, :2].mean(axis=0)
            if abs(shift[1]) < CENTRED * np.ptp(stance.centres()[:, 1]):
                shift[1] = 0.0  # a small arm on one side is no reason to stand crooked
            pose = level(stance, pose, ground, stance.centres()[:, :2] + shift)
        if np.abs(stance.heights() - ground).max() < LEVEL and stance.loop_error() < LEVEL:
            return pose, extension
    stance.update(qpos)
    return qpos, None


def stands_already(stance: Stance, qpos: np.ndarray) -> bool:
    """Feet level to 1 cm, centre of mass above them, legs neither stretched nor folded."""
    stance.update(qpos)
    if np.ptp(stance.heights()) > 0.01 or stance.loop_error() > 0.01:
        return False
    points = np.concatenate([stance.points_w(foot) for foot in stance.feet])
    low, high = points[:, :2].min(axis=0) - 0.01, points[:, :2].max(axis=0) + 0.01
    above = bool(np.all((low < stance.com()[:2]) & (stance.com()[:2] < high)))
    hips = np.array([stance.data.xanchor[foot.hip] for foot in stance.feet])
    extension = (hips[:, 2] - stance.centres()[:, 2]) / np.maximum(_reach(stance, qpos), 1e-6)
    stance.update(qpos)
    if not above or not np.all((extension > 0.5) & (extension < 0.98)):
        return False
    stretched = any(_knee_is_straight(stance, qpos, foot) for foot in stance.feet)
    stance.update(qpos)
    return not stretched


def _knee_is_straight(stance: Stance, qpos: np.ndarray, foot: Foot) -> bool:
    """Whether the one knee of a leg could bend both ways, and either way shortens the leg."""
    model, data = stance.model, stance.data
    stance.update(qpos)
    hip = data.xanchor[foot.hip].copy()
    length = float(np.linalg.norm(stance.points_w(foot).mean(axis=0) - hip))
    low, high = KNEE[0] * length, KNEE[1] * length
    chain = _joints_above(model, foot)
    knees = [j for j in chain if low < np.linalg.norm(data.xanchor[j] - hip) < high]
    if len(knees) != 1:
        return False
    for angle in (-STRAIGHT, STRAIGHT):
        pose = qpos.copy()
        pose[model.jnt_qposadr[knees[0]]] += angle
        stance.update(pose)
        there = float(np.linalg.norm(stance.points_w(foot).mean(axis=0) - hip))
        if there > length or not np.array_equal(within_limits(model, pose), pose):
            return False
    return True


def _reach(stance: Stance, qpos: np.ndarray) -> np.ndarray:
    """How far below its hip each foot gets [m]: in this pose, or the best of random ones."""
    model = stance.model
    rng = np.random.default_rng(0)
    best = np.zeros(len(stance.feet))
    joints = _scalar_joints(model)
    ranges = np.where(model.jnt_limited[:, None], model.jnt_range, [-1.5, 1.5])
    for sample in range(400):
        pose = qpos.copy()
        for j in joints if sample else []:
            pose[model.jnt_qposadr[j]] = rng.uniform(*ranges[j])
        stance.data.qpos[:] = pose
        mujoco.mj_kinematics(model, stance.data)
        hips = np.array([stance.data.xanchor[foot.hip][2] for foot in stance.feet])
        best = np.maximum(best, hips - stance.centres()[:, 2])
    return best


def _bend(stance: Stance, qpos: np.ndarray) -> np.ndarray:
    """Leave the singular straight leg: limited joints move towards the middle of their range.

    Where no limit tells, the lateral joint nearest the middle of the leg bends the foot back.
    """
    model, data = stance.model, stance.data
    stance.update(qpos)
    bent = qpos.copy()
    for foot in stance.feet:
        chain = _joints_above(model, foot)
        sole = stance.points_w(foot).mean(axis=0)
        told = False
        for j in chain:
            low, high = model.jnt_range[j]
            adr = model.jnt_qposadr[j]
            off_centre = (low + high) / 2 - qpos[adr]
            # Roll and yaw of the hip turn the leg, and do not bend it.
            from_hip = np.linalg.norm(data.xanchor[j] - data.xanchor[chain[0]])
            reach = np.linalg.norm(sole - data.xanchor[chain[0]])
            if from_hip < 0.25 * reach and abs(data.xaxis[j][1]) < 0.7:
                continue
            if model.jnt_limited[j] and abs(off_centre) > 0.25 * (high - low):
                bent[adr] += np.clip(off_centre, -0.3, 0.3)
                told = True
        lateral = [j for j in chain if abs(data.xaxis[j][1]) > 0.7]
        if not told and len(lateral) > 1:
            middle = (data.xanchor[chain[0]] + sole) / 2
            knee = min(lateral, key=lambda j: float(np.linalg.norm(data.xanchor[j] - middle)))
            back = -np.sign(np.cross(data.xaxis[knee], sole - data.xanchor[knee])[0]) or 1.0
            bent[model.jnt_qposadr[knee]] += 0.4 * back
    return within_limits(model, bent, LIMIT_MARGIN)


def _joints_above(model: mujoco.MjModel, foot: Foot) -> list[int]:
    """Hinges from the hip to the foot."""
    joints: list[int] = []
    body = foot.body
    while body > 1:
        first = model.body_jntadr[body]
        joints = [*range(first, first + model.body_jntnum[body]), *joints]
        if foot.hip in joints:
            break
        body = int(model.body_parentid[body])
    return [j for j in joints if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]


def _scalar_joints(model: mujoco.MjModel) -> np.ndarray:
    return np.flatnonzero(model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE))


def _point_jacobian(stance: Stance, body: int, point_w: np.ndarray) -> np.ndarray:
    jacobian = np.empty((3, stance.model.nv))
    mujoco.mj_jac(stance.model, stance.data, jacobian, None, point_w, body)
    return jacobian
