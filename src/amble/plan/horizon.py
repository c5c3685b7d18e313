"""Horizon: one problem in numbers, as the solver takes it.

The plan's own frame has its origin on the ground under the start and x along the facing there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import CentroidalBody, Leg
from amble.geometry.turns import about_z, matrix_from_ypr
from amble.plan.grid import Grid
from amble.plan.plan import Plan
from amble.plan.problem import EDGES, Problem
from amble.plan.units import Units, units_of
from amble.plan.weights import Limits, Weights
from amble.sketch.contact import Contact, standing_sole
from amble.sketch.sketch import Sketch

HAIR = 1e-6  # [s]


@dataclass(frozen=True, eq=False)
class Start:
    """The state a plan begins with."""

    time: float  # [s]
    com_w: np.ndarray  # (3,) [m]
    velocity_w: np.ndarray  # (3,) [m/s]
    ypr: np.ndarray  # (3,) [rad]
    ypr_rate: np.ndarray  # (3,) [rad/s]
    cone: np.ndarray | None = None  # (E, 4) [N] present forces, which a plan carries on; else free


@dataclass(frozen=True, eq=False)
class Frame:
    """The plan's own frame and units."""

    origin_w: np.ndarray  # (3,) [m]
    yaw: float  # [rad]
    units: Units

    @property
    def R_w(self) -> np.ndarray:
        """Turns its vectors into the world's."""
        return about_z(self.yaw)

    def place(self, points_w: np.ndarray) -> np.ndarray:
        """Positions (..., 3) from the world."""
        return (points_w - self.origin_w) @ self.R_w / self.units.length

    def world(self, points: np.ndarray) -> np.ndarray:
        """Positions (..., 3) back in the world."""
        return points * self.units.length @ self.R_w.T + self.origin_w


@dataclass(frozen=True, eq=False)
class Horizon:
    """Parameters, bounds and first guess of one solve."""

    problem: Problem
    frame: Frame
    time: np.ndarray  # (N + 1,) [s]
    slots: tuple[tuple[Contact, ...], ...]  # the contacts of each limb
    parameters: dict[str, np.ndarray]  # as in `Problem.parameter_shapes`
    lbx: np.ndarray
    ubx: np.ndarray
    lbg: np.ndarray
    ubg: np.ndarray
    x0: np.ndarray

    @property
    def p(self) -> np.ndarray:
        """All parameters in a row, as IPOPT takes them."""
        return np.concatenate([each.ravel(order="F") for each in self.parameters.values()])


def make_horizon(
    body: CentroidalBody,
    sketch: Sketch,
    grid: Grid,
    start: Start,
    weights: Weights,
    limits: Limits,
    previous: Plan | None = None,
) -> Horizon:
    """The problem of a grid; `previous` gives the first guess where it reaches."""
    return _Numbers(body, sketch, grid, start, weights, limits).horizon(previous)


class _Numbers:
    def __init__(
        self,
        body: CentroidalBody,
        sketch: Sketch,
        grid: Grid,
        start: Start,
        weights: Weights,
        limits: Limits,
    ) -> None:
        self.body, self.sketch, self.start = body, sketch, start
        self.weights, self.limits = weights, limits
        self.time = grid.time
        first, last = self.time[0] + HAIR, self.time[-1] - HAIR
        self.slots = tuple(
            tuple(c for c in grid.contacts if c.limb == i and c.end > first and c.start < last)
            for i in range(len(body.legs))
        )
        slots = max(2, max(len(each) for each in self.slots))
        N = len(self.time) - 1
        self.problem = Problem(body, N, slots, limits.friction)
        units = units_of(body)
        origin = np.array([start.com_w[0], start.com_w[1], sketch.com_w[0, 2] - body.height])
        self.frame = Frame(origin, float(start.ypr[0]), units)
        self.active = self._active()

    def horizon(self, previous: Plan | None) -> Horizon:
        parameters = self._parameters()
        lbx, ubx, x0 = self._unknowns(parameters, previous)
        lbg, ubg = self._rows()
        return Horizon(
            problem=self.problem,
            frame=self.frame,
            time=self.time,
            slots=self.slots,
            parameters=parameters,
            lbx=lbx,
            ubx=ubx,
            lbg=lbg,
            ubg=ubg,
            x0=x0,
        )

    def _reference(self) -> tuple[np.ndarray, np.ndarray]:
        """The sketch at the nodes: q0 and its rate (6, N + 1), in the plan's frame and units."""
        sketch, units = self.sketch, self.frame.units
        samples = np.hstack([sketch.com_w, sketch.velocity_w, sketch.ypr, sketch.ypr_rate])
        k = np.searchsorted(sketch.time, self.time, side="right") - 1
        k = np.clip(k, 0, len(sketch.time) - 2)
        u = (self.time - sketch.time[k]) / (sketch.time[k + 1] - sketch.time[k])
        u = np.clip(u, 0.0, 1.0)[:, None]
        at_nodes = samples[k] + u * (samples[k + 1] - samples[k])
        com = self.frame.place(at_nodes[:, :3])
        velocity = at_nodes[:, 3:6] @ self.frame.R_w / units.speed
        ypr = at_nodes[:, 6:9] - [self.frame.yaw, 0.0, 0.0]
        rate = at_nodes[:, 9:] * units.time
        return np.hstack([com, ypr]).T, np.hstack([velocity, rate]).T

    def _parameters(self) -> dict[str, np.ndarray]:
        problem, units, R = self.problem, self.frame.units, self.frame.R_w
        N, slots = problem.segments, problem.slots
        q0, dq0 = self._reference()
        values = {name: np.zeros(shape) for name, shape in problem.parameter_shapes.items()}
        values["h"][0] = np.diff(self.time) / units.time
        values["reference"][:] = np.vstack([q0, dq0])[:, 1:]
        values["emphasis"][0] = [*np.ones(N - 1), self.weights.terminal]
        values["weights"][:, 0] = self.weights.as_vector()
        turns = np.array([matrix_from_ypr(ypr) for ypr in q0[3:, 1:].T])
        for i, contacts in enumerate(self.slots):
            leg = self.body.legs[i]
            three = slice(3 * i, 3 * i + 3)
            for j, contact in enumerate(contacts):
                row = i * slots + j
                at = self._holds(contact)
                on = at[:-1] & at[1:]
                place = self.frame.place(contact.position_w)
                normal = R.T @ contact.normal_w
                slope = -normal[:2] / normal[2]
                plane = np.array([place[2] - slope @ place[:2], *slope])
                frame = (R.T @ contact.R_flat_w).ravel(order="F")
                values["on"][row, on], values["at"][row, at[1:]] = 1.0, 1.0
                values["frame"][9 * i : 9 * i + 9, on] = frame[:, None]
                values["plane"][three, on] = plane[:, None]
                values["ground"][three, at[1:]] = plane[:, None]
                values["p0"][:, row] = place[:2]
                nodes = np.flatnonzero(at[1:])
                if not nodes.size:
                    continue
                times = self.time[nodes + 1].tolist()
                ankles_w = np.array([standing_sole(contact, leg, t).ankle_w(leg) for t in times])
                hips = turns[nodes] @ leg.hip_b - (ankles_w - contact.position_w) @ R
                values["hip"][three, nodes] = hips.T / units.length
        self.reference = q0, dq0
        return values

    def _holds(self, contact: Contact) -> np.ndarray:
        """At which nodes the foot is on the ground (N + 1,)."""
        return (self.time >= contact.start - HAIR) & (self.time <= contact.end + HAIR)

    def _active(self) -> np.ndarray:
        """Where each effector may push (E, N + 1): inside its contact, not at its ends."""
        active = []
        for leg, contacts in zip(self.body.legs, self.slots, strict=True):
            for e in range(len(leg.effectors)):
                hind, fore = e == 0, e == len(leg.effectors) - 1
                inside = np.zeros(len(self.time), dtype=bool)
                for contact in contacts:
                    begin = contact.start if hind else contact.flat
                    end = contact.end if fore else contact.heel_off
                    inside |= (self.time > begin + HAIR) & (self.time < end - HAIR)
                active.append(inside)
        return np.array(active)

    def _unknowns(
        self, parameters: dict[str, np.ndarray], previous: Plan | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Lower and upper bounds and first guess of all unknowns."""
        problem, units = self.problem, self.frame.units
        footholds, nodes = problem.foothold_size, len(self.time)
        E = len(problem.effector_limb)
        guess = np.zeros((nodes, problem.node_size))
        low = np.full_like(guess, -np.inf)
        high = np.full_like(guess, np.inf)
        guess[:, :6], guess[:, 6:12] = (each.T for each in self.reference)
        low[:, 2] = guess[:, 2] - self.limits.sink
        low[:, 12:] = 0.0
        high[:, 12:] = np.repeat(np.where(self.active.T, self.limits.force, 0.0), EDGES, axis=1)
        guess[:, 12:] = np.repeat(self._guessed_load(), EDGES, axis=1)
        if previous is not None:
            self._follow(previous, guess)
        start = self.start
        velocity = start.velocity_w @ self.frame.R_w / units.speed
        guess[0, :3] = self.frame.place(start.com_w)
        guess[0, 3:6] = start.ypr - [self.frame.yaw, 0.0, 0.0]
        guess[0, 6:12] = [*velocity, *(start.ypr_rate * units.time)]
        if start.cone is not None:
            # A force that the contacts no longer allow is let go.
            present = np.where(self.active[:, :1], start.cone / units.force, 0.0)
            guess[0, 12:] = np.clip(present.reshape(E * EDGES), 0.0, high[0, 12:])
            low[0], high[0] = guess[0], guess[0]
        low[0, :12], high[0, :12] = guess[0, :12], guess[0, :12]

        p0 = parameters["p0"].T
        room = np.zeros(len(p0))
        for i, contacts in enumerate(self.slots):
            for j, contact in enumerate(contacts):
                if not contact.fixed:
                    free = contact.freedom * self.limits.freedom / units.length
                    room[i * problem.slots + j] = free
        low_p, high_p = (p0 + sign * room[:, None] for sign in (-1, 1))
        join = [(low_p, low), (high_p, high), (p0, guess)]
        lbx, ubx, x0 = (np.concatenate([a.ravel(), b.ravel()]) for a, b in join)
        if len(lbx) != footholds + nodes * problem.node_size:
            raise ValueError("the numbers of a plan do not fit its problem")
        return lbx, ubx, x0

    def _guessed_load(self) -> np.ndarray:
        """A share of the weight for every active effector (N + 1, E), greater where some time is
        flight."""
        count = self.active.sum(axis=0)
        grounded = np.trapezoid((count > 0).astype(float), self.time)
        share = max(grounded / (self.time[-1] - self.time[0]), 0.15)
        each = min(1 / share, self.limits.force) / np.maximum(count, 1) / EDGES
        return np.where(self.active, each, 0.0).T

    def _follow(self, previous: Plan, guess: np.ndarray) -> None:
        """Begin where the previous plan already knows the way."""
        units = self.frame.units
        for k, time in enumerate(self.time):
            if time > previous.end:
                break
            cone = previous.cone_weights(float(time)) / units.force
            guess[k, 12:] = np.where(self.active[:, k, None], cone, 0.0).ravel()

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of all rows of g."""
        problem, units = self.problem, self.frame.units
        motion, rates, _ = problem.row_counts
        most = self.limits.force_rate * np.diff(self.time) / units.time
        rate = np.repeat(most, rates // problem.segments)
        reach = np.full((problem.segments, problem.limbs), np.inf)
        fold = np.full_like(reach, -np.inf)
        for i, (leg, contacts) in enumerate(zip(self.body.legs, self.slots, strict=True)):
            for contact in contacts:
                at = self._holds(contact)[1:]
                reach[at, i] = (self._longest(leg, contact)[at] / units.length) ** 2
                fold[at, i] = (leg.shortest / units.length) ** 2
        zero = np.zeros(motion)
        low = np.concatenate([zero, -rate, fold.ravel()])
        high = np.concatenate([zero, rate, reach.ravel()])
        return low, high

    def _longest(self, leg: Leg, contact: Contact) -> np.ndarray:
        """How long a leg may be at the nodes after the first (N,) [m].

        A push can throw the body off a foot faster than any force brings it back: no plan would
        hold. For `Limits.stretch` such a leg may be as long as the body, coasting, makes it.
        """
        longest = np.full(len(self.time) - 1, leg.longest)
        start, yields = self.start, self.limits.stretch * self.frame.units.time
        if yields <= 0 or not contact.holds(start.time):
            return longest
        hip_w = start.com_w + matrix_from_ypr(start.ypr) @ leg.hip_b
        for k, time in enumerate(self.time[1:]):
            coasted = min(time - start.time, yields)
            ankle_w = standing_sole(contact, leg, float(time)).ankle_w(leg)
            reached = np.linalg.norm(hip_w + coasted * start.velocity_w - ankle_w)
            fades = float(np.clip(2 - (time - start.time) / yields, 0, 1))
            longest[k] += fades * max(0.0, float(reached) - leg.longest)
        return longest


def limb_slots(horizon: Horizon) -> Sequence[tuple[int, int, Contact]]:
    """All contacts of a horizon with their limb and slot."""
    return [
        (i, j, contact)
        for i, contacts in enumerate(horizon.slots)
        for j, contact in enumerate(contacts)
    ]
