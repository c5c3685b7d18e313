"""Which motion comes next: a value function over (controller, phase, heading error) (5.5).

With the heading error e, the motion m that ends and the motion b that may follow it,

    V(m, e) = min_b  c(m, b) + ∫ |e − ψ_b(t)| ρᵗ dt + ρ^{T_b} V(b, e − ψ_b(T_b))

over those b that have followed m in simulation: ψ_b is how far b has turned, T_b how long it takes,
and c what its transition costs. The value within a motion is what is left of its integral, and the
value at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from amble.errors import InputError
from amble.tracking.controllers import RUN, STAND, WALK, Controllers
from amble.tracking.library import TURNS
from amble.tracking.motion_graph import MotionGraph
from amble.tracking.performance import Performance
from amble.tracking.regulator import Regulator

MOTIONS = (WALK, *(f"turn-{degrees}{side}" for degrees in TURNS for side in ("", "-right")))
GRID = 5.0  # [degrees] of heading error
DISCOUNT = 0.8  # ρ, a second
STRAIN = 0.5  # [rad s] for one unit of tracking cost
STRAIGHT_ON = np.radians(15.0)  # heading error within which a body that may run does
SETTLED_RUN = 3  # cycles after which a run is steady enough to become a walk
FOLLOWED_BY = {"stop": STAND, "walk-to-run": RUN}  # all others by the walk
ENOUGH = 1e-6  # [rad s] by which the last sweep changed a value


class ValueFunction:
    """The least cost to go, by value iteration over a grid of heading errors."""

    def __init__(self, graph: MotionGraph) -> None:
        self.graph = graph
        count = round(360 / GRID)
        self._errors = np.radians(GRID) * np.arange(count)
        motions = range(len(graph.names))
        if not graph.held.any(axis=1).all():
            alone = graph.names[int(np.argmin(graph.held.any(axis=1)))]
            raise InputError(f"no motion of the repertoire can follow '{alone}'")
        running = np.array([[self._running(b, e, 0) for e in self._errors] for b in motions])
        after = [(self._errors - graph.turn(b)) for b in motions]
        fade = np.array([DISCOUNT ** graph.seconds(b) for b in motions])
        self._values = np.zeros((len(graph.names), count))
        change = np.inf
        while change > ENOUGH:
            ahead = np.array([self._at(b, after[b]) for b in motions])
            whole = running + fade[:, None] * ahead  # (b, e)
            cost = np.where(graph.held, STRAIN * graph.cost, np.inf)  # (m, b)
            values = np.min(cost[:, :, None] + whole[None], axis=1)
            change = float(np.abs(values - self._values).max())
            self._values = values

    def value(self, motion: int, row: int, error: float) -> float:
        """Cost to go in a row of a motion, with the heading error [rad] that it began with."""
        left = self.graph.seconds(motion) - row * self.graph.step
        end = float(self._at(motion, np.array([error - self.graph.turn(motion)]))[0])
        return self._running(motion, error, row) + DISCOUNT**left * end

    def next(self, motion: int, error: float) -> int:
        """The best motion after this one has ended with a heading error [rad]."""
        graph = self.graph
        costs = [
            STRAIN * graph.cost[motion, b] + self.value(b, 0, error)
            if graph.held[motion, b]
            else np.inf
            for b in range(len(graph.names))
        ]
        return int(np.argmin(costs))

    def _running(self, motion: int, error: float, row: int) -> float:
        """∫ |e − ψ| ρᵗ dt from a row of a motion to its end."""
        away = np.abs(wrapped(error - self.graph.progress[motion][row:]))
        time = np.arange(len(away)) * self.graph.step
        return float(self.graph.step * (away[:-1] * DISCOUNT ** time[:-1]).sum())

    def _at(self, motion: int, errors: np.ndarray) -> np.ndarray:
        """Values after a motion at any errors, linear between those of the grid."""
        count = len(self._errors)
        place = np.mod(errors, 2 * np.pi) / np.radians(GRID)
        low = np.floor(place).astype(int)
        share, row = place - low, self._values[motion]
        found: np.ndarray = (1 - share) * row[low % count] + share * row[(low + 1) % count]
        return found


class Steering:
    """Chooses the motions of a performance by what is wished: a heading, and whether to walk, or to
    run where the way is straight; a run turns back into the walk before it turns or stops."""

    def __init__(
        self, controllers: Controllers, values: Callable[[], ValueFunction], walking: bool = True
    ) -> None:
        """`values` is asked for when the first choice is due."""
        self.heading = 0.0  # [rad]
        self.walking = walking
        self.running = False
        self.current = WALK if walking else STAND
        self.chosen: list[str] = [self.current]
        self._controllers, self._make_values = controllers, values

    @cached_property
    def _values(self) -> ValueFunction:
        return self._make_values()

    @property
    def first(self) -> Regulator:
        """The controller to begin with."""
        return self._regulator(self.current)

    def choose(self, performance: Performance) -> Regulator:
        """The next controller, at the end of a motion."""
        self.current = self._next(performance)
        self.chosen.append(self.current)
        return self._regulator(self.current)

    def _next(self, performance: Performance) -> str:
        """What follows the motion that has just ended."""
        error = float(wrapped(np.array(self.heading - performance.frame.yaw)))
        run = self.walking and self.running and abs(error) < STRAIGHT_ON
        match self.current:
            case "stand" | "stop":
                return "start" if self.walking else STAND
            case "start" | "run-to-walk":
                return WALK
            case "walk-to-run":
                return RUN
            case "run":
                settled = self.chosen[-SETTLED_RUN:].count(RUN) == SETTLED_RUN
                return RUN if run or not settled else "run-to-walk"
            case "walk" if run or not self.walking:
                return "walk-to-run" if run else "stop"
            case _ if not self.walking:
                return WALK
        names = self._values.graph.names
        return names[self._values.next(names.index(self.current), error)]

    def _regulator(self, name: str) -> Regulator:
        if name in (STAND, RUN):
            return self._controllers.cyclic(name)
        return self._controllers.leading_to(name, FOLLOWED_BY.get(name, WALK))


def wrapped(angle: np.ndarray) -> np.ndarray:
    """Angles in [−π, π)."""
    turned: np.ndarray = np.mod(angle + np.pi, 2 * np.pi) - np.pi
    return turned
