"""The controller: look-ahead and contact adaptation along a tracked motion, in either physics.

In `LcpWorld` one complementarity problem a step finds torques and contact forces together. In
MuJoCo the same problem is solved for the torques alone, which are then held over the physics steps
up to the next row of the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from amble.tracking.adaptation import ContactAdaptation, Policy
from amble.tracking.contact_step import ContactSettings, ContactStepper, Stepped
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.lcp_world import LcpWorld
from amble.tracking.performance import Performance
from amble.tracking.regulator import Prediction
from amble.tracking.step_terms import StepMaker, StepTerms
from amble.world.mujoco_world import MuJoCoWorld

CARRIES = 10.0  # [N] under a foot that stands


@dataclass
class Counts:
    """How often contact was solved for, and how often it could not be."""

    solves: int = 0
    failures: int = 0
    fallbacks: int = 0


class Plant(Protocol):
    """What a tracker acts on."""

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Flat q and v (n,)."""

    def answer(self, policy: _Asked) -> Stepped:
        """Torques and contact forces under a policy."""

    def motors(self, torque: np.ndarray) -> np.ndarray:
        """What motors must give (nv − 6,) [N m] for these torques at the character's joints."""


class Tracker:
    """Torques that keep a body in a motion; asked once a row of its reference."""

    def __init__(
        self, world: MuJoCoWorld, performance: Performance, gamma: float, curvature: bool = True
    ) -> None:
        """For a world whose steps divide those of the reference."""
        self.period = performance.regulator.reference.step
        self.performance = performance
        self.parameters: Any = None  # of whoever steers it
        self.statistics = Counts()
        self.costs: list[float] = []  # eq. 18 a step, without its leading 1/2N
        self._world = world
        self.body = world.body if isinstance(world, LcpWorld) else FlatBody(world.character)
        self._adaptation = ContactAdaptation(self.body, gamma)
        self._plant: Plant = (
            _LcpPlant(world)
            if isinstance(world, LcpWorld)
            else _MuJoCoPlant(world, self.body, self.period, curvature)
        )
        self._started = False
        self._force = np.zeros((CORNERS, 3))

    @property
    def gamma(self) -> float:
        """The adaptation parameter γ of eq. 17."""
        return self._adaptation.gamma

    @gamma.setter
    def gamma(self, gamma: float) -> None:
        if gamma != self.gamma:
            self._adaptation = ContactAdaptation(self.body, gamma)

    def torque(self, time: float) -> np.ndarray:
        """Joint torques (nv − 6,) [N m] of the character for the step that begins now."""
        q, v = self._plant.state()
        if self._started:
            self.performance.advance(*self._under_feet(q), q)
        self._started = True
        stepped = self._plant.answer(_Asked(self, q, v))
        self._force = stepped.force_w
        self.statistics.solves += 1
        self.statistics.failures += not stepped.solved
        self._note_cost(q, v, stepped)
        return self._plant.motors(self.body.own_torque(q, stepped.torque))

    def policy(self, q: np.ndarray, v: np.ndarray, terms: StepTerms) -> Policy:
        """The policy of a step from (q, v) in the world."""
        performance = self.performance
        here, rate = performance.local(q, v)
        local = terms.turned_back(performance.frame, here, rate)
        predicted = performance.regulator.predict(performance.row, here, rate, local)
        force_w = performance.frame.vector(predicted.force_w)
        return self._adaptation.policy(terms, Prediction(predicted.torque, force_w))

    def _under_feet(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which feet carry (2,), and how high the ground under them is (2,) [m]."""
        load = self._force[:, 2].reshape(2, -1)
        places = self.body.corners_w(q)
        ground = self._world.terrain.height(places[:, 0], places[:, 1]).reshape(2, -1)
        return load.sum(axis=1) > CARRIES, np.where(load > 0, ground, -np.inf).max(axis=1)

    def _note_cost(self, q: np.ndarray, v: np.ndarray, stepped: Stepped) -> None:
        performance = self.performance
        regulator, row = performance.regulator, performance.row
        here, rate = performance.local(q, v)
        weights = regulator.weights
        away = np.append(here - regulator.q(row), rate - regulator.v(row))
        change = stepped.torque - regulator.torque(row)
        self.costs.append(
            float(
                weights.state @ away**2
                + weights.torque_change @ change**2
                + weights.torque @ stepped.torque**2
            )
        )


class _Asked:
    """A tracker's policy for one state."""

    def __init__(self, tracker: Tracker, q: np.ndarray, v: np.ndarray) -> None:
        self._tracker, self._q, self._v = tracker, q, v

    def __call__(self, terms: StepTerms) -> Policy:
        return self._tracker.policy(self._q, self._v, terms)


class _LcpPlant:
    def __init__(self, world: LcpWorld) -> None:
        self._world = world

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        return self._world.flat_state

    def answer(self, policy: _Asked) -> Stepped:
        return self._world.answer(policy)

    def motors(self, torque: np.ndarray) -> np.ndarray:
        return torque


class _MuJoCoPlant:
    """Contact as the controller expects it, at the reference's rate."""

    def __init__(self, world: MuJoCoWorld, body: FlatBody, step: float, curvature: bool) -> None:
        self._world, self._body = world, body
        self._maker = StepMaker(body, step)
        settings = ContactSettings(world.friction, curvature)
        self._stepper = ContactStepper(self._maker, world.terrain, settings)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        q = self._body.flat(self._world.data.qpos)
        return q, self._body.flat_velocity(q, self._world.data.qvel)

    def answer(self, policy: _Asked) -> Stepped:
        terms = self._maker.terms(*self.state())
        return self._stepper.step(terms, policy(terms))

    def motors(self, torque: np.ndarray) -> np.ndarray:
        """Joints are damped there, and are not in the flat body."""
        damping = self._world.model.dof_damping[ROOT:]
        return np.asarray(torque + damping * self._world.data.qvel[ROOT:])
