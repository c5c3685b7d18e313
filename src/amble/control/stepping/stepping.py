"""Stepping (stepping paper): a biped steps where it is told to, and where it must not to fall."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import mujoco

from amble.characters.character import GRAVITY, Character
from amble.control.stepping.footprints import Footprint
from amble.control.stepping.footwork import Footwork
from amble.control.stepping.objectives import FootworkObjectives
from amble.control.stepping.parameters import SteppingParameters
from amble.control.stepping.reach import check_sequence
from amble.control.stepping.supervisor import PENDULUMS, Momenta
from amble.control.walking.objectives import Objectives
from amble.control.walking.pendulum import StepPlanner
from amble.control.walking.steps import Stepper
from amble.control.walking.walk import Walk
from amble.motion.clip import Event
from amble.terrain.terrain import Terrain


class Stepping(Walk):
    """Stands and steps; a `Controller`. `footwork` shows what it is about to do."""

    def __init__(
        self,
        character: Character,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        terrain: Terrain,
        parameters: SteppingParameters | None = None,
        footprints: Iterable[Footprint] = (),
    ) -> None:
        super().__init__(character, model, data, terrain, parameters or SteppingParameters())
        self.asked = 0  # footprints
        self.events: list[Event] = []
        self.direct(*footprints)

    @property
    def footwork(self) -> Footwork:
        """The state machine."""
        return cast(Footwork, self.stepper)

    def direct(self, *footprints: Footprint) -> None:
        """Step there, one after another, after the footprints that are still to come.

        Raises `InputError` with the reason for the first that cannot be reached.
        """
        work = self.footwork
        asked = [*([work.step.footprint] if work.step else []), *work.queue, *footprints]
        check_sequence(asked, work.feet, work.shape, work.terrain)
        work.queue.extend(footprints)
        self.asked += len(footprints)
        self.events += [self._event(footprint) for footprint in footprints]

    def _event(self, footprint: Footprint) -> Event:
        """For those who draw it."""
        shape, terrain = self.footwork.shape, self.footwork.terrain
        values = {
            "x": footprint.x,
            "y": footprint.y,
            "z": float(terrain.height(footprint.x, footprint.y)),
            "yaw": footprint.yaw,
            "length": 2 * shape.half_length,
            "width": 2 * shape.half_width,
        }
        return Event(float(self.body.data.time), "footprint", footprint.foot, values)

    @property
    def watched(self) -> Mapping[str, tuple[float, float]]:
        """The divergent component of motion, and the rule's point that must stay in the support."""
        xi, point = self.stepper.body.xi, self.footwork.supervisor.now(self.footwork.momenta)
        places = {"divergent component": xi, "supervisor's point": point}
        return {name: (place.real, place.imag) for name, place in places.items()}

    def _new_stepper(self, planner: StepPlanner, size: float) -> Stepper:
        return Footwork(self.soles, planner, size, self.body.terrain)

    def _new_objectives(self) -> Objectives:
        return FootworkObjectives(self.body, self.footwork)

    def _measure(self) -> None:
        super()._measure()
        body, flat, work = self.body, self.stepper.body, self.footwork
        ground = (self.soles[0].ground + self.soles[1].ground) / 2
        Lx, Ly, _ = body.momentum_w.tolist()
        load = float(body.forces_w[: len(body.contact_points), 2].sum())
        weight = body.mass * GRAVITY
        work.momenta = Momenta(
            com=flat.com,
            height=float(body.com_w[2]) - ground,
            linear=body.mass * flat.velocity,
            angular=complex(Lx, Ly),
            load=load if body.statistics.solves else weight,
            weight=weight,
        )
        parameters = cast(SteppingParameters, self.parameters)
        work.supervise(parameters, GRAVITY)
        if parameters.rule in PENDULUMS:
            flat.xi = flat.com + flat.velocity / self.stepper.planner.omega
