"""MuJoCoWorld: a character on a ground, simulated by MuJoCo."""

from __future__ import annotations

import logging
import math

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.characters.reshape import Scale
from amble.errors import InputError
from amble.geometry.rotations import matrix_from_quat, quat_from_rotvec, quat_multiply
from amble.motion.clip import Event
from amble.terrain.flat import Flat
from amble.terrain.terrain import Terrain
from amble.world.contacts import ContactReader
from amble.world.divergence import BlackBox, SimulationDiverged
from amble.world.placement import lay_feet_on_ground, noisy_joints, put_on_ground
from amble.world.pushes import PushSchedule
from amble.world.scene import build_scene
from amble.world.shape import ShapeHistory
from amble.world.stops import JointStops
from amble.world.world import ContactReport, Push

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_ABSURD_SPEED = 1e6  # [m/s, rad/s]
_ABSURD_TORQUE = 1e100  # [N m]

# By default MuJoCo prints its warnings and leaves a MUJOCO_LOG.TXT in the user's folder.
mujoco.set_mju_user_warning(logging.getLogger("amble.mujoco").info)


class MuJoCoWorld:
    """A character on a ground. The `World` protocol says what each method promises.

    Between calls `data` holds everything that MuJoCo derives from position and velocity; a step
    therefore runs the second half of MuJoCo's step, which needs the torque, and then the first half
    of the next.
    """

    def __init__(
        self,
        character: Character,
        terrain: Terrain | None = None,
        *,
        timestep: float = 0.001,
        friction: float = 1.0,
    ) -> None:
        """Build the scene; `timestep` in [s], `friction` the ground's sliding coefficient."""
        self.character = character
        self.terrain: Terrain = Flat() if terrain is None else terrain
        self.friction = friction
        self.model = build_scene(character, self.terrain, timestep=timestep, friction=friction)
        self.data = mujoco.MjData(self.model)

        self.log: list[Event] = []
        self._pushes = PushSchedule(self.model, self.data, self.log)
        self._shape = ShapeHistory(self.model, self.log)
        self._contacts = ContactReader(self.model, self.data, character)
        self._stops = JointStops(self.model, self.data, character)
        self._black_box = BlackBox(self.model)
        self._ground_force_sum_w = np.zeros(3)  # [N] over all physics steps
        # Views into MuJoCo's memory, bound once for the inner loop.
        self._torque = self.data.qfrc_applied[6:]
        self._root_constraint_force_w = self.data.qfrc_constraint[:3]
        self._qvel = self.data.qvel
        self.reset()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.data.time)

    @property
    def timestep(self) -> float:
        """One physics step [s]."""
        return float(self.model.opt.timestep)

    @property
    def ground_impulse_w(self) -> np.ndarray:
        """What the ground has given to the body since the reset, (3,) [N s].

        Exact: the constraint force on the root's translation is the sum over all contacts, since
        joint limits and closed loops act within the body.
        """
        return self._ground_force_sum_w * self.timestep

    @property
    def push_impulse_w(self) -> np.ndarray:
        """What pushes have given to the body since the reset, (3,) [N s]."""
        return self._pushes.impulse_w.copy()

    def reset(self, qpos: np.ndarray | None = None, qvel: np.ndarray | None = None) -> None:
        """Time zero, the character's own shape and the given state; no pushes left.

        The state is the rest pose by default, its soles laid on the ground.
        """
        model, data = self.model, self.data
        self._shape.clear()
        self._stops.fit()
        mujoco.mj_resetData(model, data)
        if qpos is None:
            data.qpos[:] = self.standing()
        else:
            data.qpos[:] = _checked("qpos", qpos, model.nq)
        if qvel is not None:
            data.qvel[:] = _checked("qvel", qvel, model.nv)
        self.log.clear()
        self._pushes.clear()
        self._ground_force_sum_w[:] = 0.0
        self._black_box.clear()
        self._solve_contacts()
        self._black_box.keep(model, data)

    def standing(self, at: tuple[float, float] = (0.0, 0.0), heading: float = 0.0) -> np.ndarray:
        """The rest pose (nq,) for `reset`, moved by `at` [m] and turned by `heading` [rad] about
        the vertical, its soles laid on the ground."""
        data, turn = mujoco.MjData(self.model), quat_from_rotvec((0.0, 0.0, heading))
        data.qpos[:] = self.character.rest_qpos()
        data.qpos[:3] = matrix_from_quat(turn) @ data.qpos[:3] + (*at, 0.0)
        data.qpos[3:7] = quat_multiply(turn, data.qpos[3:7])
        lay_feet_on_ground(self.model, data, self.character, self.terrain)
        put_on_ground(self.model, data, self._contacts.sites, self.terrain)
        return data.qpos.copy()

    def noisy_state(
        self, rng: np.random.Generator, deviation: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """A random state near rest, for `reset`: qpos (nq,) and qvel (nv,).

        Joint angles [rad] and joint velocities [rad/s] have this deviation; angles stay within
        their limits, and the lowest contact point is on the ground.
        """
        if not (math.isfinite(deviation) and deviation >= 0):
            raise InputError(f"noise is {deviation}; it must be a number that is not negative")
        data = mujoco.MjData(self.model)
        data.qpos[:] = noisy_joints(self.character, self.character.rest_qpos(), rng, deviation)
        data.qvel[6:] = deviation * rng.standard_normal(self.model.nv - 6)
        put_on_ground(self.model, data, self._contacts.sites, self.terrain)
        return data.qpos.copy(), data.qvel.copy()

    def step(self, torque: np.ndarray, steps: int = 1) -> None:
        """Advance `steps` physics steps under constant joint torques (nv − 6,) [N m]."""
        torque = np.asarray(torque, dtype=float)
        if torque.shape != self._torque.shape:
            wanted = len(self._torque)
            raise InputError(f"torque has shape {torque.shape}; {wanted} numbers are needed")
        if not torque.dot(torque) < _ABSURD_TORQUE**2:  # true for NaN
            self._refuse(torque)
        model, data, force_sum_w = self.model, self.data, self._ground_force_sum_w
        step1, step2 = mujoco.mj_step1, mujoco.mj_step2
        applied, stops = self._torque, self._stops
        pushed = self._pushes.begins_before(data.time + steps * model.opt.timestep)
        for remaining in range(steps - 1, -1, -1):
            if pushed:
                self._pushes.apply()
            applied[:] = torque
            stops.add(applied)
            step2(model, data)
            force_sum_w += self._root_constraint_force_w
            if not remaining:
                self._contacts.snapshot()  # the next line overwrites the contacts
            step1(model, data)
        if not self._qvel.dot(self._qvel) < _ABSURD_SPEED**2:  # true for NaN
            self._report_divergence()
        if data.time >= self._black_box.due:
            self._black_box.keep(model, data)

    def push(self, push: Push) -> None:
        """Schedule a push."""
        self._pushes.add(push, self.model.body(self.character.part(push.part)).id)

    def contacts(self) -> ContactReport:
        """Contact forces of the last physics step."""
        return self._contacts.report()

    def save(self) -> np.ndarray:
        """The whole state as one array: time, shape and pushes still to come are part of it."""
        state = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, state, _STATE)
        return np.concatenate(
            [
                state,
                self._ground_force_sum_w,
                self._pushes.impulse_w,
                self._contacts.pack(),
                [len(self._pushes.rows)],
                self._pushes.rows.ravel(),
                self._shape.rows.ravel(),
            ]
        )

    def restore(self, state: np.ndarray) -> None:
        """Back to a saved state; what follows is then bit for bit the same."""
        physics = mujoco.mj_stateSize(self.model, _STATE)
        report = 4 * len(self._contacts.sites) + 3
        ends = np.cumsum([physics, 3, 3, report, 1])
        if state.ndim != 1 or len(state) < ends[-1] or not np.isfinite(state).all():
            raise _foreign(state)
        integration, ground, pushed, contacts, count, rows = np.split(state, ends)
        pushes = int(count[0]) * self._pushes.rows.shape[1]
        if not 0 <= pushes <= len(rows) or (len(rows) - pushes) % self._shape.rows.shape[1]:
            raise _foreign(state)
        self._shape.restore(rows[pushes:].reshape(-1, self._shape.rows.shape[1]))
        self._stops.fit()
        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_setState(self.model, self.data, integration, _STATE)
        mujoco.mj_step1(self.model, self.data)
        self._ground_force_sum_w[:] = ground
        self._pushes.impulse_w[:] = pushed
        self._pushes.rows = rows[:pushes].reshape(-1, self._pushes.rows.shape[1]).copy()
        self._contacts.set_report(self._contacts.unpack(contacts))
        self._black_box.clear()
        pushes_begun = [e for e in self.log if e.kind == "push" and e.time < self.time]
        self.log[:] = sorted([*pushes_begun, *self._shape.events()], key=lambda e: e.time)

    def reshape(
        self, part: str, length: float = 1.0, girth: float = 1.0, mass: float | None = None
    ) -> None:
        """Scale a segment now, relative to its present size; the feet stay where they are.

        The root is shifted so that the contact points which carried the body in the last physics
        step (or all, when none did) keep their mean x and y, and the lowest of them its height over
        the ground: scaling left and right one after the other leaves both feet on it, and scaling
        one leg drives no foot into it. Velocities are kept.
        """
        model, data = self.model, self.data
        sites, touching = self._contacts.sites, self.contacts().touching
        support = sites[touching] if touching.any() else sites
        place, clearance = self._place_and_clearance(support)
        body = model.body(self.character.part(part)).id
        self._shape.scale(body, self.time, Scale(length, girth, mass))
        self._stops.fit()
        mujoco.mj_kinematics(model, data)
        data.qpos[:2] += place - self._place_and_clearance(support)[0]
        mujoco.mj_kinematics(model, data)
        data.qpos[2] += clearance - self._place_and_clearance(support)[1]
        mujoco.mj_step1(model, data)

    def _place_and_clearance(self, sites: np.ndarray) -> tuple[np.ndarray, float]:
        """Mean x, y of some sites and how high the lowest is above the ground [m]."""
        x, y, z = self.data.site_xpos[sites].T
        return np.array([x.mean(), y.mean()]), float(np.min(z - self.terrain.height(x, y)))

    def _solve_contacts(self) -> None:
        """Bring everything derived from the state up to date, contact forces included."""
        model, data = self.model, self.data
        mujoco.mj_step1(model, data)
        mujoco.mj_fwdActuation(model, data)
        mujoco.mj_fwdAcceleration(model, data)
        mujoco.mj_fwdConstraint(model, data)
        self._contacts.snapshot()

    def _refuse(self, torque: np.ndarray) -> None:
        """Raise: a torque is not a number; it has not entered the state."""
        dof = 6 + int(np.argmax(~(abs(torque) < _ABSURD_TORQUE)))
        joint = self.model.joint(self.model.dof_jntid[dof]).name
        reason = f"the torque of joint '{joint}' is {torque[dof - 6]}"
        raise SimulationDiverged(reason, self.time, self._black_box.evidence())

    def _report_divergence(self) -> None:
        """Raise: a speed is not finite or absurd."""
        self._black_box.keep(self.model, self.data)
        speed = np.nan_to_num(abs(self._qvel), nan=np.inf)
        joint = self.model.joint(self.model.dof_jntid[int(speed.argmax())]).name
        reason = f"the speed of joint '{joint}' is {self._qvel[int(speed.argmax())]:.3g}"
        raise SimulationDiverged(reason, self.time, self._black_box.evidence())


def _foreign(state: np.ndarray) -> InputError:
    return InputError(f"state has shape {state.shape}; it was saved from another world")


def _checked(name: str, values: np.ndarray, size: int) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    if values.shape != (size,) or not np.isfinite(values).all():
        raise InputError(f"{name} has shape {values.shape}; {size} finite numbers are needed")
    return values
