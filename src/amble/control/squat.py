"""How a body squats: the pose nearest to rest with its soles where they are and its COM lower.

The trunk may pitch and the legs bend easily, spine, neck and arms hardly: a person leans forward
from the hips, as ankles that bend no further demand. Damped Gauss–Newton on

    ‖soles − soles at rest‖² + ‖COM − (COM at rest − depth ẑ)‖² + Σ wᵢ² (qᵢ − rest)²

within the joints' limits; poses are kept on a grid of depths, and blended in between.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.geometry.rotations import rotvec_from_quat

GRID = 0.05  # [m] from one depth to the next, for a human
DEEPEST = 0.6  # of the COM's height; deeper than that no pose is sought
STEPS = 30
SPARE = 0.05  # [rad] joints stay away from their limits by this
ENOUGH = 1e-3  # [rad] steps shorter than this end it
LONGEST = 0.2  # [rad] step
MODERATE = 0.02  # weight of the step itself
FIRM = 100.0  # [1/m] soles and COM against joints, for a human
SOON = 0.5  # [rad] from rest, limits of ankles that are near
LEG, ANKLE, ROOT, REST = 0.1, 0.4, 0.3, 1.5  # weights of joints and of the root's turning


class SquatPoses:
    """Poses of one body by how far its centre of mass is below its place at rest."""

    def __init__(self, character: Character, model: mujoco.MjModel) -> None:
        self._character, self._model = character, model
        self._size = character.com_height
        self._root = model.body(character.root).id
        sites = [site for foot in character.feet for site in foot.sites]
        self._sites = np.array([model.site(name).id for name in sites], int)
        self._weight = np.full(model.nv, REST)
        self._weight[:3], self._weight[3:6] = 0.0, ROOT
        self._weight[6 + leg_dofs(model, character)] = LEG
        for (
            foot
        ) in character.feet:  # ankles that soon bend no further: the hips help from the start
            body = model.body(foot.body)
            dofs = np.arange(body.dofadr[0], body.dofadr[0] + body.dofnum[0])
            near = np.abs(character.joint_limits[dofs - 6]).min(axis=1) < SOON
            self._weight[dofs[near]] = ANKLE
        self._moves = np.ones(model.nv, bool)
        self._moves[6:] = character.torque_limits != 0
        # Loops that must stay closed and joints on springs are more than these rows say.
        self._rigid = bool(model.neq or model.jnt_stiffness.any())
        self.renew()

    def renew(self) -> None:
        """The body has another shape: forget all poses."""
        self._poses: list[np.ndarray] = [self._character.rest_qpos()]

    def at(self, depth: float) -> np.ndarray:
        """qpos (nq,) with the COM `depth` [m] below its place at rest."""
        share = min(max(depth, 0.0), DEEPEST * self._size) / (GRID * self._size)
        if self._rigid or not len(self._sites) or share == 0.0:
            return self._poses[0]
        below = math.ceil(share)
        while len(self._poses) <= below:
            self._poses.append(self._solve(len(self._poses) * GRID * self._size))
        upper, lower = self._poses[below - 1], self._poses[below]
        step, pose = np.empty(self._model.nv), upper.copy()
        mujoco.mj_differentiatePos(self._model, step, 1.0, upper, lower)
        mujoco.mj_integratePos(self._model, pose, step, share - (below - 1))
        return pose

    def _solve(self, depth: float) -> np.ndarray:
        model, data, rest = self._model, mujoco.MjData(self._model), self._poses[0]
        data.qpos[:] = rest
        soles, com = self._state(data)
        com = com - (0.0, 0.0, depth)
        data.qpos[:] = self._poses[-1]
        J_point, J_com = np.empty((3, model.nv)), np.empty((3, model.nv))
        away, firm = np.empty(model.nv), FIRM / self._size
        for _ in range(STEPS):
            soles_now, com_now = self._state(data)
            rows = [np.diag(self._weight)]
            for site in self._sites:
                mujoco.mj_jacSite(model, data, J_point, None, site)
                rows.append(firm * J_point)
            mujoco.mj_jacSubtreeCom(model, data, J_com, self._root)
            rows.append(firm * J_com)
            mujoco.mj_differentiatePos(model, away, 1.0, rest, data.qpos)
            missed = np.concatenate([(soles - soles_now).ravel(), com - com_now])
            excess = self._excess(data.qpos)
            A = np.vstack([*rows, np.diag(FIRM * (excess != 0)), MODERATE * np.eye(model.nv)])
            b = [-self._weight * away, firm * missed, -FIRM * excess, np.zeros(model.nv)]
            step = np.zeros(model.nv)
            found = np.linalg.lstsq(A[:, self._moves], np.concatenate(b), rcond=None)[0]
            step[self._moves] = found * min(1.0, LONGEST / np.abs(found).max())
            mujoco.mj_integratePos(model, data.qpos, step, 1.0)
            if np.abs(step).max() < ENOUGH:
                break
        return data.qpos.copy()

    def _state(self, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
        mujoco.mj_kinematics(self._model, data)
        mujoco.mj_comPos(self._model, data)
        return data.site_xpos[self._sites].copy(), data.subtree_com[self._root].copy()

    def _excess(self, qpos: np.ndarray) -> np.ndarray:
        """How far each degree of freedom is beyond its limits, or within a little of them (nv,)."""
        model, (low, high) = self._model, self._character.joint_limits.T
        excess = np.zeros(model.nv)
        for joint in range(1, model.njnt):
            q, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint] - 6
            ball = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL
            part = slice(dof, dof + 3 if ball else dof + 1)
            angles = rotvec_from_quat(qpos[q : q + 4]) if ball else qpos[q : q + 1]
            inside = np.clip(
                angles, np.minimum(low[part] + SPARE, 0), np.maximum(high[part] - SPARE, 0)
            )
            excess[6 + part.start : 6 + part.stop] = angles - inside
        return excess


def leg_dofs(model: mujoco.MjModel, character: Character) -> np.ndarray:
    """Places of the legs' degrees of freedom among the actuated ones."""
    dofs: list[int] = []
    for limb in character.limbs:
        if limb.kind == "leg":
            for name in limb.bodies:
                first, count = model.body(name).dofadr[0] - 6, model.body(name).dofnum[0]
                dofs += range(first, first + count)
    return np.array(dofs, int)
