"""From a sketch to a plan: grid, numbers, solver, and a look at what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.plan.compiled import solve_compiled
from amble.plan.grid import make_grid
from amble.plan.horizon import Horizon, Start, limb_slots, make_horizon
from amble.plan.plan import Plan
from amble.plan.problem import EDGES, RESIDUALS, Answer, cone_edges
from amble.plan.units import units_of
from amble.plan.weights import Limits, Weights
from amble.sketch.contact import Contact
from amble.sketch.sketch import Sketch

SIZES = (10, 14, 18, 22, 28, 36)  # segments
SPACING = 0.45  # [units of time] between nodes, at most
CONTACT_NODES = 4  # segments of the shortest contact, at least
WORST_LEAN = 1.0  # [rad] from the sketch, that still counts as a plan
ALLOWED = 1e-3  # violation of a row, in units of the body


@dataclass(frozen=True, eq=False)
class Attempt:
    """What one solve gave: a plan, and why it is none if it is not."""

    plan: Plan
    failure: str  # empty: the plan is good
    iterations: int


def solve(
    body: CentroidalBody,
    sketch: Sketch,
    start: Start,
    seconds: float,
    weights: Weights,
    limits: Limits,
    previous: Plan | None = None,
) -> Attempt:
    """Plan `seconds` from `start`."""
    units = units_of(body)
    shortest = _shortest_contact(sketch.contacts, start.time, start.time + seconds)
    limits = _for_contacts(limits, shortest, units.time)
    spacing = min(SPACING * units.time, shortest / CONTACT_NODES)
    grid = make_grid(start.time, seconds, sketch.contacts, SIZES, spacing)
    horizon = make_horizon(body, sketch, grid, start, weights, limits, previous)
    answer = solve_compiled(horizon)
    failure = _failure(horizon, answer)
    plan = _plan(body, horizon, grid.contacts, answer.x, limits)
    return Attempt(plan, failure, answer.iterations)


def _failure(horizon: Horizon, answer: Answer) -> str:
    """Why an answer is no plan; empty if it is one."""
    failure = _worst_row(horizon, answer.g) or _worst_lean(horizon, answer.x)
    # Out of iterations, but every row holds and the body stands: good enough to go on.
    if not failure and not answer.usable:
        failure = f"the solver gave up: {answer.status}"
    return failure


def _shortest_contact(contacts: Sequence[Contact], start: float, end: float) -> float:
    """Of those in a horizon [s]."""
    within = [c.seconds for c in contacts if c.start < end and c.end > start]
    return max(min(within, default=np.inf), 0.05)


def _for_contacts(limits: Limits, shortest: float, unit: float) -> Limits:
    """Short contacts need forces that rise faster: a run's 300 weights/s against a walk's 60."""
    rate = float(np.clip(30.0 / shortest, 60.0, 300.0)) * unit
    return replace(limits, force_rate=max(limits.force_rate, rate))


def _plan(
    body: CentroidalBody,
    horizon: Horizon,
    contacts: Sequence[Contact],
    x: np.ndarray,
    limits: Limits,
) -> Plan:
    problem, frame = horizon.problem, horizon.frame
    footholds = x[: problem.foothold_size].reshape(problem.limbs, problem.slots, 2)
    nodes = x[problem.foothold_size :].reshape(len(horizon.time), problem.node_size)
    E = len(problem.effector_limb)
    cone = nodes[:, 12:].reshape(-1, E, EDGES) * frame.units.force
    planned = {}
    force_w = np.zeros((len(horizon.time), E, 3))
    edges = cone_edges(limits.friction)
    for i, j, contact in limb_slots(horizon):
        moved = (
            contact
            if contact.fixed
            else contact.moved(_on_plane(horizon, contact, footholds[i, j]))
        )
        planned[id(contact)] = moved
        on = (horizon.time >= contact.start - 1e-6) & (horizon.time <= contact.end + 1e-6)
        R_w = contact.R_flat_w
        for e, limb in enumerate(problem.effector_limb):
            if limb == i:
                force_w[on, e] = cone[on, e] @ (R_w @ edges).T
    return Plan(
        time=horizon.time,
        com_w=frame.world(nodes[:, :3]),
        velocity_w=nodes[:, 6:9] * frame.units.speed @ frame.R_w.T,
        ypr=nodes[:, 3:6] + [frame.yaw, 0.0, 0.0],
        ypr_rate=nodes[:, 9:12] / frame.units.time,
        cone=cone,
        force_w=force_w,
        contacts=tuple(planned.get(id(c), c) for c in contacts),
    )


def _on_plane(horizon: Horizon, contact: Contact, foothold: np.ndarray) -> np.ndarray:
    """The planned place of a foot in the world, on the plane that stands for the ground there."""
    frame = horizon.frame
    xy = frame.world(np.array([*foothold, 0.0]))[:2]
    slope = -contact.normal_w[:2] / contact.normal_w[2]
    return np.array([*xy, contact.position_w[2] + slope @ (xy - contact.position_w[:2])])


def _worst_row(horizon: Horizon, g: np.ndarray) -> str:
    """The row that is violated most, in words; empty if all hold."""
    problem = horizon.problem
    excess = np.maximum(horizon.lbg - g, g - horizon.ubg)
    excess[np.isnan(excess)] = np.inf
    worst = int(np.argmax(excess))
    if excess[worst] <= ALLOWED:
        return ""
    motion, rates, _ = problem.row_counts
    by = f"{excess[worst]:.2g}"
    if worst < motion:
        time = horizon.time[worst // RESIDUALS]
        return f"the equation of motion cannot be met at {time:.2f} s (off by {by})"
    if worst < motion + rates:
        node, effector = divmod(worst - motion, len(problem.effector_limb))
        kind, limb = "force rate", problem.effector_limb[effector]
    else:
        node, limb = divmod(worst - motion - rates, problem.limbs)
        kind = "leg length"
    time = horizon.time[node + 1]
    return f"{kind} of {problem.body.legs[limb].name} at {time:.2f} s is out of bounds by {by}"


def _worst_lean(horizon: Horizon, x: np.ndarray) -> str:
    """What a solver calls solved may still lie on its side."""
    problem = horizon.problem
    nodes = x[problem.foothold_size :].reshape(-1, problem.node_size)
    if not np.isfinite(nodes).all():
        return "the solver returned no numbers"
    lean = float(np.abs(nodes[:, 4:6]).max())
    if lean <= WORST_LEAN:
        return ""
    return f"the body would lean by {np.rad2deg(lean):.0f}°"
