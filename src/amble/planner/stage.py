"""Stage: everything decided at one moment. Each stage of a motion is made from the one before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.geometry.turns import body_rates_from_ypr_rates, wrapped, ypr_from_matrix
from amble.plan.forward import Trajectory
from amble.plan.horizon import Start
from amble.plan.plan import BodyState, Plan
from amble.sketch.contact import Contact
from amble.sketch.sketch import Sketch
from amble.sketch.sketcher import Memory


@dataclass(frozen=True, eq=False)
class Stage:
    """A plan, the sketch it came from, and when the next one is due."""

    time: float  # [s] from which it holds
    due: float  # [s] when to plan again, if nothing happens
    sketch: Sketch
    plan: Plan
    memory: Memory  # of the sketcher
    trajectory: Trajectory | None = None  # what pushes made of the plan, if there were any
    pushed: float = -np.inf  # [s] when the body was last far from its sketch, or under a push
    failures: tuple[str, ...] = ()  # attempts that failed before this plan was found
    rung: str = ""  # how the plan was found, if not at the first attempt
    fallen: str = ""  # why there is no plan, if there is none

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Past, present and planned, by start."""
        return self.plan.contacts

    def state(self, time: float) -> BodyState:
        """The body at a time of this stage."""
        if self.trajectory is not None and time >= self.trajectory.time[0]:
            return self.trajectory.state(time)
        return self.plan.state(time)

    def start(self, time: float) -> Start:
        """What the next plan begins with."""
        ypr, rate = self.plan.turns(time)
        state = self.state(time)
        if self.trajectory is not None and time >= self.trajectory.time[0]:
            turned = ypr_from_matrix(state.R_w)
            turned[0] = ypr[0] + wrapped(turned[0] - ypr[0])
            ypr = turned
            E = body_rates_from_ypr_rates(ypr)
            rate = np.linalg.solve(E, state.R_w.T @ state.omega_w)
        cone = self.plan.cone_weights(time)
        return Start(time, state.com_w, state.velocity_w, ypr, rate, cone)
