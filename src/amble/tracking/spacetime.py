"""Spacetime optimisation: the motion nearest to a capture that physics allows (tracking 3.2).

A Gauss–Newton method of sequential quadratic programs: constraints are linearised exactly (their
curvature is left out of the Hessian), and each sparse program is solved by PIQP, an interior
point method (Schwan, Jiang, Kuhn and Jones 2023).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from amble.characters.character import GRAVITY
from amble.errors import AmbleError, InputError
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.motion import Motion
from amble.tracking.reference import Reference
from amble.tracking.spacetime_cost import Objective, Weights
from amble.tracking.spacetime_rows import ConstraintRows, Layout, Unknowns

Progress = Callable[["Iteration"], None]


@dataclass(frozen=True)
class Settings:
    """What a reference must keep, and when the iterations end."""

    friction: float = 0.7  # less than the simulator's, so that some is left for control
    share: float = 0.35  # of a heel's or toe's load that each of its two corners carries at least:
    # a body that balances on the edges of its soles has no force left to regain its balance with
    spare: float = 0.03  # [rad] from the ends of joints' ranges: a straight knee is singular
    weights: Weights = field(default_factory=Weights)
    iterations: int = 40
    step: float = 1e-5  # [rad, m] largest change of a last iteration
    violation: float = 1e-7  # largest residual: forces relative to the body's weight, and [m]
    longest: float = 0.5  # [rad, m] change in one iteration


@dataclass(frozen=True)
class Iteration:
    """One iteration as it ends."""

    number: int
    cost: float
    violation: float
    step: float  # largest change of a pose [rad, m]


class SpacetimeFailed(AmbleError):
    """No consistent motion was found; `best` is the last iterate."""

    def __init__(self, message: str, best: Unknowns) -> None:
        super().__init__(message)
        self.best = best


def solve(
    body: FlatBody,
    motion: Motion,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Reference:
    """The consistent reference nearest to a motion; `progress` is called after every iteration."""
    settings = settings or Settings()
    piqp, sparse = _solvers()
    if motion.n != body.n:
        raise InputError(
            f"motion '{motion.name}' has {motion.n} coordinates; "
            f"'{body.character.name}' has {body.n}"
        )
    layout = Layout(motion)
    units = body.character.mass * GRAVITY
    rows = ConstraintRows(body, motion, layout, settings.friction, units, settings.share)
    objective = Objective(body, motion, layout, settings.weights)
    bounds = _Bounds(body, motion, layout, settings)
    x = _first_guess(motion)
    for number in range(1, settings.iterations + 1):
        A, G = rows.equalities(x), rows.inequalities(x)
        low, high = bounds.around(x)
        step, status = _quadratic_program(
            *(piqp, sparse, objective.hessian, objective.gradient(x), A, G, low, high)
        )
        if step is None:
            raise SpacetimeFailed(f"motion '{motion.name}': {status}", x)
        moved = np.abs(np.append(step, 0.0)[layout.q]).max()
        x = layout.after(x, min(1.0, settings.longest / max(moved, 1e-12)) * step)
        violation = rows.violation(x)
        if progress:
            progress(Iteration(number, objective.value(x), violation, float(moved)))
        if moved < settings.step and violation < settings.violation:
            return _reference(body, motion, rows, x)
    raise SpacetimeFailed(
        f"motion '{motion.name}': no consistent motion within {settings.iterations} iterations; "
        f"the residual is {violation:.1e} of the body's weight and poses still move by "
        f"{moved:.1e} rad",
        x,
    )


def _solvers() -> tuple[Any, Any]:
    try:
        import piqp
        from scipy import sparse
    except ImportError as error:
        raise InputError(
            "tracking optimises with PIQP and SciPy: install them by `pip install amble[tracking]`"
        ) from error
    return piqp, sparse


def _quadratic_program(
    piqp: Any,
    sparse: Any,
    H: Any,
    g: np.ndarray,
    A: Any,
    G: Any,
    low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray | None, str]:
    def matrix(rows: Any) -> Any:
        shape = (len(rows.right), len(g))
        return sparse.csc_matrix((rows.value, (rows.row, rows.column)), shape=shape)

    solver = piqp.SparseSolver()
    # Unknowns stand in the order of time: a factorisation by stages takes a fiftieth of the general
    # sparse one here.
    solver.settings.kkt_solver = piqp.sparse_multistage
    solver.settings.eps_abs, solver.settings.eps_rel = 1e-8, 1e-9
    solver.settings.max_iter = 100
    solver.setup(H, g, matrix(A), A.right, matrix(G), None, G.right, low, high)
    status = solver.solve()
    step = np.array(solver.result.x)
    if status not in (piqp.PIQP_SOLVED, piqp.PIQP_MAX_ITER_REACHED) or not np.isfinite(step).all():
        why = "its contacts, the joints' limits, the motors' strength and friction contradict"
        return None, f"{why} each other ({status})"
    return step, ""


class _Bounds:
    """Ranges of joints and torques as bounds of a step."""

    def __init__(self, body: FlatBody, motion: Motion, layout: Layout, settings: Settings) -> None:
        self._layout = layout
        low, high = body.limits.T.copy()
        room = np.minimum(settings.spare, 0.25 * (high - low))
        low, high = low + room, high - room
        self._low, self._high = np.tile(low, (len(motion), 1)), np.tile(high, (len(motion), 1))
        limit = body.torque_limits
        self._torque = np.where(limit > 0, limit, np.inf)

    def around(self, x: Unknowns) -> tuple[np.ndarray, np.ndarray]:
        layout = self._layout
        low, high = np.full((2, layout.size), [[-np.inf], [np.inf]])
        for columns, least, most in (
            (layout.q, self._low - x.q, self._high - x.q),
            (layout.torque, -self._torque - x.torque, self._torque - x.torque),
        ):
            used = columns >= 0
            low[columns[used]], high[columns[used]] = least[used], most[used]
        return low, high


def _first_guess(motion: Motion) -> Unknowns:
    N, n = motion.q.shape
    torque, force = np.zeros((N, n - ROOT)), np.zeros((N, CORNERS, 3))
    for row, end in ((0, 0), (N - 1, 1)):
        if not motion.periodic and motion.torque is not None:
            torque[row] = motion.torque[end]
        if not motion.periodic and motion.force_w is not None:
            force[row] = motion.force_w[end]
    return Unknowns(motion.q.copy(), torque, force)


def _reference(body: FlatBody, motion: Motion, rows: ConstraintRows, x: Unknowns) -> Reference:
    """The result, with torques that balance its joints to the last digit."""
    torque, force = x.torque.copy(), x.force_w.copy()
    torque[rows.layout.moved] = rows.inverse_dynamics(x).torque[:, ROOT:]
    if not motion.periodic:
        for end, inner in ((0, 1), (-1, -2)):
            if motion.torque is None:
                torque[end] = torque[inner]
            if motion.force_w is None:
                force[end] = force[inner] * motion.carries[end][:, None]
    return Reference(
        name=motion.name,
        character=body.character.name,
        step=motion.step,
        q=x.q,
        torque=torque,
        force_w=force,
        contact=motion.contact,
        travel=motion.travel,
    )
