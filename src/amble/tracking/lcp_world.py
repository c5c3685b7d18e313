"""LcpWorld: rigid contact by complementarity at the reference's own rate (tracking 4.2, App. A).

The paper's simulator: one linear complementarity problem a step finds contact forces and, where a
controller answers to contact, its torques with them (`answer`).
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.errors import InputError
from amble.terrain.terrain import Terrain
from amble.tracking.adaptation import Policy
from amble.tracking.contact_step import ContactSettings, ContactStepper, Stepped
from amble.tracking.flat_body import FlatBody
from amble.tracking.motion import STEP
from amble.tracking.step_terms import StepMaker, StepTerms
from amble.world.mujoco_world import MuJoCoWorld
from amble.world.world import ContactReport


class LcpWorld(MuJoCoWorld):
    """A character on two feet on a ground; only the corners of its feet touch.

    Nothing else meets the ground or the body itself, there is no damping, and the stops of joints
    are rigid. `data` shows the state to whoever reads it.
    """

    def __init__(
        self,
        character: Character,
        terrain: Terrain | None = None,
        *,
        timestep: float = STEP,
        friction: float = 1.0,
        curvature: bool = True,
    ) -> None:
        """`curvature` counts the turning of feet within a step (see `contact_step`)."""
        self.body = FlatBody(character)
        self._q, self._v = np.zeros((2, self.body.n))
        self._maker = StepMaker(self.body, timestep)
        self._stepped: Stepped | None = None
        self.unsolved = 0
        """Steps since the reset for which no contact forces were found."""
        super().__init__(character, terrain, timestep=timestep, friction=friction)
        settings = ContactSettings(friction, curvature)
        self._stepper = ContactStepper(self._maker, self.terrain, settings)
        sites = [site for end in character.end_effectors for site in end.sites]
        self._columns = np.array([sites.index(site) for site in self.body.corner_names])
        self._flat_data = mujoco.MjData(self.body.model)

    @property
    def flat_state(self) -> tuple[np.ndarray, np.ndarray]:
        """The state as flat q and v (n,)."""
        return self._q.copy(), self._v.copy()

    def reset(self, qpos: np.ndarray | None = None, qvel: np.ndarray | None = None) -> None:
        super().reset(qpos, qvel)
        self._take_state()

    def reset_flat(self, q: np.ndarray, v: np.ndarray) -> None:
        """Reset to flat q and v (n,)."""
        self.reset(self.body.qpos(q), self.body.qvel(q, v))
        self._q, self._v = np.array(q, dtype=float), np.array(v, dtype=float)

    def answer(self, policy: Callable[[StepTerms], Policy]) -> Stepped:
        """Solve the next step under a policy; `step` then takes it. Its torque is what acts."""
        terms = self._maker.terms(self._q, self._v)
        self._stepped = self._stepper.step(terms, policy(terms), self._pushed())
        return self._stepped

    def step(self, torque: np.ndarray, steps: int = 1) -> None:
        """Advance under constant joint torques (nv − 6,) [N m]; a step that was answered to
        contact already is taken as it was solved."""
        if np.shape(torque) != self._torque.shape:
            raise InputError(f"torque has shape {np.shape(torque)}; {len(self._torque)} are needed")
        if not np.isfinite(torque).all():
            self._refuse(np.asarray(torque, float))
        for _ in range(steps):
            stepped, self._stepped = self._stepped, None
            if stepped is None:
                stepped = self.answer(lambda terms: Policy(self._flat_torque(torque)))
                self._stepped = None
            self._take(stepped, torque)
        if not self._qvel.dot(self._qvel) < 1e12:  # true for NaN
            self._report_divergence()
        if self.data.time >= self._black_box.due:
            self._black_box.keep(self.model, self.data)

    def save(self) -> np.ndarray:
        return np.concatenate([super().save(), self._q, self._v])

    def restore(self, state: np.ndarray) -> None:
        n = self.body.n
        if np.ndim(state) != 1 or len(state) < 2 * n:
            raise InputError(f"state has shape {np.shape(state)}; it was saved from another world")
        super().restore(state[: -2 * n])
        self._q, self._v = state[-2 * n : -n].copy(), state[-n:].copy()
        self._stepped = None

    def reshape(
        self, part: str, length: float = 1.0, girth: float = 1.0, mass: float | None = None
    ) -> None:
        """Not here: raises `InputError`."""
        raise InputError(f"'{part}' cannot grow in the world 'lcp'; reshape the character before")

    def own_torque(self, torque: np.ndarray) -> np.ndarray:
        """Torques (nv − 6,) of the character's joints for flat ones (n − 6,), of equal power."""
        return self.body.own_torque(self._q, torque)

    def _flat_torque(self, torque: np.ndarray) -> np.ndarray:
        return self.body.flat_torque(self._q, np.asarray(torque, float))

    def _take_state(self) -> None:
        self._q = self.body.flat(self.data.qpos)
        self._v = self.body.flat_velocity(self._q, self.data.qvel)
        self._stepped = None
        self.unsolved = 0

    def _take(self, stepped: Stepped, torque: np.ndarray) -> None:
        model, data = self.model, self.data
        self.unsolved += not stepped.solved
        self._q, self._v = stepped.q, stepped.v
        data.qpos[:] = self.body.qpos(self._q)
        data.qvel[:] = self.body.qvel(self._q, self._v)
        data.qfrc_applied[6:] = torque
        data.time += self.timestep
        force = np.zeros((len(self._contacts.sites), 3))
        np.add.at(force, self._columns, stepped.force_w)  # a narrow foot's points stand twice
        self._ground_force_sum_w += force.sum(axis=0)
        touching = np.asarray(force.any(axis=1))
        if np.isfinite(self._qvel).all():
            mujoco.mj_step1(model, data)
        self._contacts.set_report(ContactReport(touching, force, np.zeros(3)))

    def _pushed(self) -> np.ndarray | None:
        """Generalised force (n,) of the pushes of the next step."""
        if not self._pushes.begins_before(self.time + self.timestep):
            return None
        self._pushes.apply()
        pushed = np.flatnonzero(self.data.xfrc_applied.any(axis=1))
        if not len(pushed):
            return None
        flat, data, force = self.body.model, self._flat_data, np.zeros(self.body.n)
        data.qpos[:] = self._q
        mujoco.mj_kinematics(flat, data)
        mujoco.mj_comPos(flat, data)
        for index in pushed:
            push, body = self.data.xfrc_applied[index], flat.body(self.model.body(index).name).id
            mujoco.mj_applyFT(flat, data, push[:3], push[3:], data.xipos[body], body, force)
        return force
