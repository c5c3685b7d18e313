"""A plan by IPOPT: the independent reference that the compiled solver is measured against.

Needs CasADi (`pip install amble[reference]`). Where the compiled solver gives up, IPOPT did so too
in each of 56 cases among 1,700 plans, only later: it is no second try.

The nonlinear program (section 5.1, app. D) is segments in a row, as one solver. Its Jacobian and
Hessian are put together from those of a segment: written down for the whole problem at once they
would take a second to build, instead of a tenth.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from amble.plan.problem import EDGES, RESIDUALS, Answer, Problem
from amble.plan.segment import Segment, segment_of
from amble.plan.weights import WEIGHT_NAMES

if TYPE_CHECKING:
    from amble.plan.horizon import Horizon

IPOPT = {
    "print_level": 0,
    "sb": "yes",
    "tol": 1e-4,
    "constr_viol_tol": 1e-5,
    "dual_inf_tol": 1e-2,
    "compl_inf_tol": 1e-3,
    "acceptable_tol": 1e-3,
    "acceptable_iter": 4,
    "max_iter": 120,
    "mu_init": 1e-2,
    "constr_mult_init_max": 0.0,
    "nlp_scaling_method": "none",
    "mumps_permuting_scaling": 0,
    "mumps_scaling": 0,
    "mumps_pivot_order": 0,
    "fast_step_computation": "yes",
}


def solve_with_ipopt(horizon: Horizon) -> Answer:
    """Solve a horizon; the solver of its size is built the first time."""
    solver = ipopt_solver(horizon.problem)
    result = solver(
        x0=horizon.x0,
        p=horizon.p,
        lbx=horizon.lbx,
        ubx=horizon.ubx,
        lbg=horizon.lbg,
        ubg=horizon.ubg,
    )
    stats = solver.stats()
    status = str(stats["return_status"])
    usable = ("Maximum_Iterations_Exceeded", "Solved_To_Acceptable_Level")
    return Answer(
        x=np.array(result["x"]).ravel(),
        g=np.array(result["g"]).ravel(),
        cost=float(result["f"]),
        status=status,
        usable=bool(stats["success"]) or status in usable,
        iterations=int(stats["iter_count"]),
    )


@lru_cache(maxsize=64)
def ipopt_solver(problem: Problem) -> ca.Function:
    """The solver of every horizon of a problem."""
    return _Builder(problem).build()


class _Builder:
    def __init__(self, problem: Problem) -> None:
        self.N, self.J, self.limbs = problem.segments, problem.slots, problem.limbs
        self.E = len(problem.effector_limb)
        self.segment: Segment = segment_of(problem.body, problem.friction)
        self.n = self.segment.node_size
        self.first = problem.foothold_size  # unknown of the first node
        self.shapes = problem.parameter_shapes

    def build(self) -> ca.Function:
        N, rows = self.N, self.limbs * self.J
        self.given = {name: ca.MX.sym(name, *shape) for name, shape in self.shapes.items()}
        x = ca.MX.sym("x", self.first + self.n * (N + 1))
        p = ca.vertcat(*(ca.vec(each) for each in self.given.values()))
        self.feet = ca.reshape(x[: self.first], 2, rows)
        self.Z = ca.reshape(x[self.first :], self.n, N + 1)
        free, known = self._arguments()

        residual, cost = self.segment.motion.map(N)(free, known)
        legs, legs_jacobian = self._legs()
        normal = ca.vertcat(*(ca.sum1(self._weights(e)) for e in range(self.E)))  # (E, N + 1)
        g = ca.vertcat(ca.vec(residual), ca.vec(normal[:, 1:] - normal[:, :-1]), ca.vec(legs))
        off = self.feet - self.given["p0"]
        w = self.given["weights"][WEIGHT_NAMES.index("foothold")]
        f = ca.sum2(cost) + w * ca.sumsqr(off)

        gradient = self._gradient(free, known, 2 * w * ca.vec(off))
        jacobian = self._jacobian(free, known, legs_jacobian)
        scale, multiplier = ca.MX.sym("scale"), ca.MX.sym("multiplier", g.numel())
        hessian = self._hessian(free, known, scale, multiplier, 2 * w)
        names = {"x": x, "p": p, "f": f, "g": g}
        derivatives = {
            "grad_f": ca.Function("grad_f", [x, p], [f, gradient]),
            "jac_g": ca.Function("jac_g", [x, p], [g, jacobian]),
            "hess_lag": ca.Function("hess_lag", [x, p, scale, multiplier], [hessian]),
        }
        options: dict[str, Any] = {"print_time": False, "error_on_fail": False, "ipopt": IPOPT}
        options |= {"calc_lam_p": False, "calc_multipliers": False, **derivatives}
        return ca.nlpsol("plan", "ipopt", names, options)

    def _arguments(self) -> tuple[ca.MX, ca.MX]:
        """Columns (z₀, z₁, p) and given values of all segments."""
        free = ca.vertcat(self.Z[:, :-1], self.Z[:, 1:], self._standing("on"))
        known = [
            ca.repmat(self.given[name], 1, self.N) if name == "weights" else self.given[name]
            for name in self.segment.parameters
        ]
        return free, ca.vertcat(*known)

    def _standing(self, which: str) -> ca.MX:
        """Place (2 limbs, N) of each limb's foot, selected among its slots."""
        rows = []
        for i in range(self.limbs):
            for axis in range(2):
                slots = range(i * self.J, (i + 1) * self.J)
                rows.append(sum(self.given[which][r, :] * self.feet[axis, r] for r in slots))
        return ca.vertcat(*rows)

    def _weights(self, effector: int) -> ca.MX:
        start = 12 + EDGES * effector
        return self.Z[start : start + EDGES, :]

    def _legs(self) -> tuple[ca.MX, list[tuple[ca.MX, ca.MX]]]:
        """Squared leg lengths (limbs, N), eq. 14, and for each limb 2 × the leg (3, N) and its part
        along the plane (2, N): derivatives by centre of mass and by foothold."""
        places, rows, derivatives = self._standing("at"), [], []
        for i in range(self.limbs):
            on = ca.sum1(self.given["at"][i * self.J : (i + 1) * self.J, :])
            x, y = places[2 * i, :], places[2 * i + 1, :]
            plane = self.given["ground"][3 * i : 3 * i + 3, :]
            z = plane[0, :] + plane[1, :] * x + plane[2, :] * y
            hip = self.given["hip"][3 * i : 3 * i + 3, :]
            leg = ca.repmat(on, 3, 1) * self.Z[:3, 1:] + hip - ca.vertcat(x, y, z)
            rows.append(ca.sum1(leg**2))
            by_com = 2 * ca.repmat(on, 3, 1) * leg
            by_place = -2 * (leg[:2, :] + plane[1:, :] * ca.repmat(leg[2, :], 2, 1))
            derivatives.append((by_com, by_place))
        return ca.vertcat(*rows), derivatives

    def _gradient(self, free: ca.MX, known: ca.MX, by_foothold: ca.MX) -> ca.MX:
        """Of the objective; a segment's cost does not depend on the footholds."""
        each = self.segment.gradient.map(self.N)(free, known)  # (2 n + 2 limbs, N)
        zero = ca.MX.zeros(self.n, 1)
        nodes = ca.horzcat(each[: self.n, :], zero) + ca.horzcat(zero, each[self.n : 2 * self.n, :])
        return ca.vertcat(by_foothold, ca.vec(nodes))

    def _jacobian(self, free: ca.MX, known: ca.MX, legs: list[tuple[ca.MX, ca.MX]]) -> ca.MX:
        N, E, limbs = self.N, self.E, self.limbs
        segments = np.arange(N)
        gather = _Gather((RESIDUALS + E + limbs) * N, self.first + self.n * (N + 1))
        self._add_segments(gather, self.segment.jacobian, (free, known), hessian=False)
        row = RESIDUALS * N
        for e in range(E):
            for sign, node in ((-1.0, segments), (1.0, segments + 1)):
                weights = self.first + self.n * node + 12 + EDGES * e + np.arange(EDGES)[:, None]
                gather.add(sign * ca.DM.ones(EDGES, N), row + E * segments + e, weights)
        row += E * N
        for i, (by_com, by_place) in enumerate(legs):
            rows = row + limbs * segments + i
            com = self.first + self.n * (segments + 1) + np.arange(3)[:, None]
            gather.add(by_com, rows, com)
            for slot in range(i * self.J, (i + 1) * self.J):
                at = ca.repmat(self.given["at"][slot, :], 2, 1)
                gather.add(by_place * at, rows, 2 * slot + np.arange(2)[:, None])
        return gather.matrix()

    def _hessian(
        self, free: ca.MX, known: ca.MX, scale: ca.MX, multiplier: ca.MX, foothold: ca.MX
    ) -> ca.MX:
        """Upper triangle of the Lagrangian's."""
        N, total = self.N, self.first + self.n * (self.N + 1)
        gather = _Gather(total, total)
        by_motion = ca.reshape(multiplier[: RESIDUALS * N], RESIDUALS, N)
        arguments = (free, known, ca.repmat(scale, 1, N), by_motion)
        self._add_segments(gather, self.segment.hessian, arguments, hessian=True)
        places = np.arange(self.first)
        gather.add(ca.repmat(scale * foothold, 1, self.first), places, places)
        of_legs = ca.reshape(multiplier[-self.limbs * N :], self.limbs, N)
        for i in range(self.limbs):
            self._add_leg_hessian(gather, i, of_legs[i, :])
        return gather.matrix()

    def _add_segments(
        self, gather: _Gather, function: ca.Function, arguments: tuple[ca.MX, ...], hessian: bool
    ) -> None:
        """One block a segment. Its last columns are the places of the feet: each stands for the
        slot of its limb that is on, and for the others with a zero."""
        N, nodes = self.N, 2 * self.n
        pattern = function.sparsity_out(0)
        rows, columns = (np.array(each) for each in pattern.get_triplet())
        blocks = function.map(N)(*arguments)
        table = ca.reshape(ca.MX(ca.Sparsity.dense(pattern.nnz() * N, 1), blocks.nz[:]), -1, N)
        shift = self.n * np.arange(N)
        row_of = (
            self.first + rows[:, None] + shift
            if hessian
            else rows[:, None] + RESIDUALS * np.arange(N)
        )
        column_of = self.first + columns[:, None] + shift
        inner = np.flatnonzero(columns < nodes)
        gather.add(table[inner.tolist(), :], row_of[inner], column_of[inner])
        outer = np.flatnonzero(columns >= nodes)
        limb, axis = np.divmod(columns[outer] - nodes, 2)
        for j in range(self.J):
            slot = limb * self.J + j
            values = table[outer.tolist(), :] * self.given["on"][slot.tolist(), :]
            place = np.broadcast_to((2 * slot + axis)[:, None], (len(outer), N))
            # Footholds come first among the unknowns, so that the upper triangle has them as rows.
            if hessian:
                gather.add(values, place, row_of[outer])
            else:
                gather.add(values, row_of[outer], place)

    def _add_leg_hessian(self, gather: _Gather, i: int, multiplier: ca.MX) -> None:
        """Of μ |on c + hip − (x, y, a + b x + c y)|²: constant but for the plane's slopes."""
        nodes = self.first + self.n * (np.arange(self.N) + 1)
        plane = self.given["ground"][3 * i : 3 * i + 3, :]
        slopes = (plane[1, :], plane[2, :])
        on = ca.sum1(self.given["at"][i * self.J : (i + 1) * self.J, :])
        com = nodes + np.arange(3)[:, None]
        gather.add(ca.repmat(2 * on * multiplier, 3, 1), com, com)
        for slot in range(i * self.J, (i + 1) * self.J):
            at = self.given["at"][slot, :] * multiplier
            for a in range(2):
                place = 2 * slot + a
                gather.add(-2 * at, place, nodes + a)
                gather.add(-2 * at * slopes[a], place, nodes + 2)
                for b in range(a, 2):
                    both = slopes[a] * slopes[b] + (1.0 if a == b else 0.0)
                    gather.add(2 * at * both, np.full(self.N, place), 2 * slot + b)


class _Gather:
    """Collects entries of a sparse matrix, some of them sums of several."""

    def __init__(self, rows: int, columns: int) -> None:
        self._shape = (rows, columns)
        self._values: list[ca.MX] = []
        self._places: list[np.ndarray] = []  # (2, entries) row and column of each value

    def add(self, values: ca.MX | ca.DM, rows: ArrayLike, columns: ArrayLike) -> None:
        """Entries of a dense matrix of values, at rows and columns of the same shape."""
        self._values.append(ca.vec(ca.densify(values)))
        places = np.broadcast_arrays(np.atleast_2d(rows), np.atleast_2d(columns))
        self._places.append(np.stack([each.ravel(order="F") for each in places]))

    def matrix(self) -> ca.MX:
        """The matrix, with entries at the same place added up."""
        rows, columns = np.hstack(self._places)
        sparsity = ca.Sparsity.triplet(*self._shape, rows.tolist(), columns.tolist())
        # Position of every entry among the non-zeros, which run down the columns.
        keys = columns.astype(np.int64) * self._shape[0] + rows
        places = np.searchsorted(np.unique(keys), keys)
        count = len(places)
        add = ca.DM.triplet(
            places.tolist(), list(range(count)), ca.DM.ones(count), sparsity.nnz(), count
        )
        return ca.MX(sparsity, ca.densify(add @ ca.vertcat(*self._values)))
