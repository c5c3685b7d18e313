"""The nonlinear program of a plan (section 5.1, app. D), as one parametric solver.

A single rigid body is pushed by its contacts. At N + 1 nodes the unknowns are its position and
yaw, pitch, roll q, their rates q̇, and four weights λ ≥ 0 a contact point on the edges of its
friction cone; footholds p are unknown too. All is in units of the body (`plan.units`).

Forces are linear between nodes, so that the centre of mass is exactly a cubic,

    c_{k+1} = c_k + h ċ_k + h²/6 (2 a_k + a_{k+1}),   ċ_{k+1} = ċ_k + h/2 (a_k + a_{k+1}),

and the angular momentum L = R I R⁻¹ω changes by the exact integral of Σ (p − c) × f over half and
whole segments. Eq. 10 thus holds between the nodes as well as at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import casadi as ca
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.plan.units import units_of
from amble.plan.weights import WEIGHT_NAMES

EDGES = 4  # of a linearised friction cone
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
    "nlp_scaling_method": "none",
    "mumps_permuting_scaling": 0,
    "mumps_scaling": 0,
    "mumps_pivot_order": 0,
    "fast_step_computation": "yes",
}


@dataclass(frozen=True)
class Row:
    """What an inequality row is about."""

    kind: str  # "force rate" or "leg length"
    which: int  # effector, or limb
    node: int


@dataclass(frozen=True, eq=False)
class Problem:
    """A solver for any horizon of one body with N segments and J contacts a limb.

    Unknowns: footholds (limbs, J, 2), then for each node q (6), q̇ (6) and λ (effectors, 4).
    """

    solver: ca.Function
    segments: int
    slots: int  # J
    limbs: int
    effector_limb: tuple[int, ...]  # of each effector
    equalities: int  # rows of g that are zero; the inequalities follow
    rows: tuple[Row, ...]
    parameter_shapes: dict[str, tuple[int, int]]

    @cached_property
    def row_table(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each inequality: whether it is a force rate, its effector or limb, its node."""
        rate = np.array([row.kind == "force rate" for row in self.rows])
        which, node = np.array([[row.which, row.node] for row in self.rows]).T
        return rate, which, node

    @property
    def node_size(self) -> int:
        """Unknowns a node."""
        return 12 + EDGES * len(self.effector_limb)

    @property
    def foothold_size(self) -> int:
        """Unknowns before the first node."""
        return 2 * self.limbs * self.slots


@lru_cache(maxsize=64)
def problem_for(body: CentroidalBody, segments: int, slots: int, friction: float) -> Problem:
    """The solver of a body; built once for a number of segments and contacts a limb."""
    return _Builder(body, segments, slots, friction).build()


class _Builder:
    def __init__(self, body: CentroidalBody, segments: int, slots: int, friction: float) -> None:
        units = units_of(body)
        self.N, self.J, self.limbs = segments, slots, len(body.legs)
        self.along = [dx / units.length for leg in body.legs for dx in leg.effectors]
        self.limb_of = [i for i, leg in enumerate(body.legs) for _ in leg.effectors]
        self.inertia = ca.DM(body.inertia_b / (body.mass * units.length**2))
        self.inertia_scale = float(np.max(np.diag(body.inertia_b))) / (body.mass * units.length**2)
        edge = friction / np.sqrt(2)
        self.cone = ca.DM(
            [[edge, edge, -edge, -edge], [edge, -edge, edge, -edge], [1, 1, 1, 1]]
        )
        self.parameters: dict[str, ca.SX] = {}

    def parameter(self, name: str, rows: int, columns: int = 1) -> ca.SX:
        self.parameters[name] = ca.SX.sym(name, rows, columns)
        return self.parameters[name]

    def build(self) -> Problem:
        N = self.N
        self._declare()
        force, moment = zip(*(self._load(k) for k in range(N + 1)), strict=True)
        acceleration = [f - ca.DM([0, 0, 1]) for f in force]
        equal = [g for k in range(N) for g in self._dynamics(k, acceleration, force, moment)]
        inequal, rows = self._inequalities()
        variables = [ca.vec(p) for limb in self.p for p in limb]
        for k in range(N + 1):
            variables += [self.q[k], self.dq[k], *self.weights[k]]
        given = ca.vertcat(*(ca.vec(each) for each in self.parameters.values()))
        program = {
            "x": ca.vertcat(*variables),
            "p": given,
            "f": self._objective(),
            "g": ca.vertcat(*equal, *inequal),
        }
        options: dict[str, Any] = {"print_time": False, "error_on_fail": False, "ipopt": IPOPT}
        options |= {"calc_lam_p": False, "calc_multipliers": False}
        return Problem(
            solver=ca.nlpsol("plan", "ipopt", program, options),
            segments=N,
            slots=self.J,
            limbs=self.limbs,
            effector_limb=tuple(self.limb_of),
            equalities=sum(g.numel() for g in equal),
            rows=tuple(rows),
            parameter_shapes={name: each.shape for name, each in self.parameters.items()},
        )

    def _declare(self) -> None:
        N, J, limbs, E = self.N, self.J, self.limbs, len(self.along)
        nodes = range(N + 1)
        self.q = [ca.SX.sym(f"q{k}", 6) for k in nodes]
        self.dq = [ca.SX.sym(f"dq{k}", 6) for k in nodes]
        self.weights = [[ca.SX.sym(f"w{k}_{e}", EDGES) for e in range(E)] for k in nodes]
        self.f = [[self.cone @ w for w in node] for node in self.weights]
        self.p = [[ca.SX.sym(f"p{i}_{j}", 2) for j in range(J)] for i in range(limbs)]
        self.h = self.parameter("h", N)  # lengths of the segments
        self.on = self.parameter("on", limbs * J, N + 1)  # which contact a limb is in: 0 or 1
        self.frame = self.parameter("frame", 9, limbs * J)  # of the foot, by columns
        self.plane = self.parameter("plane", limbs * J, 3)  # z = a + b x + c y
        self.p0 = self.parameter("p0", limbs * J, 2)
        self.q0 = self.parameter("q0", 6, N + 1)  # the sketch
        self.dq0 = self.parameter("dq0", 6, N + 1)
        self.hip = self.parameter("hip", 3 * limbs, N + 1)  # from the centre of mass, less the ankle
        w = self.parameter("weights", len(WEIGHT_NAMES))
        self.w = {name: w[i] for i, name in enumerate(WEIGHT_NAMES)}

    def _foothold(self, limb: int, slot: int) -> ca.SX:
        row, (x, y) = limb * self.J + slot, ca.vertsplit(self.p[limb][slot])
        return ca.vertcat(x, y, self.plane[row, 0] + self.plane[row, 1] * x + self.plane[row, 2] * y)

    def _load(self, node: int) -> tuple[ca.SX, ca.SX]:
        """Total contact force and its moment about the origin, Σ f and Σ p × f."""
        force, moment = ca.SX.zeros(3), ca.SX.zeros(3)
        for e, (limb, along) in enumerate(zip(self.limb_of, self.along, strict=True)):
            R, point = ca.SX.zeros(3, 3), ca.SX.zeros(3)
            for j in range(self.J):
                row = limb * self.J + j
                frame = ca.reshape(self.frame[:, row], 3, 3)
                R += self.on[row, node] * frame
                point += self.on[row, node] * (self._foothold(limb, j) + along * frame[:, 0])
            f = R @ self.f[node][e]
            force += f
            moment += ca.cross(point, f)
        return force, moment

    def _dynamics(
        self, k: int, a: list[ca.SX], force: tuple[ca.SX, ...], moment: tuple[ca.SX, ...]
    ) -> list[ca.SX]:
        h, q, dq = self.h[k], self.q, self.dq
        c, dc, c1, dc1 = q[k][:3], dq[k][:3], q[k + 1][:3], dq[k + 1][:3]
        r, dr, r1, dr1 = q[k][3:], dq[k][3:], q[k + 1][3:], dq[k + 1][3:]
        middle = (r + r1) / 2 + h / 8 * (dr - dr1)
        middle_rate = 1.5 * (r1 - r) / h - (dr + dr1) / 4

        def received(share: float) -> ca.SX:
            """∫ Σ (p − c) × f over this share of the segment; c is a cubic and f linear."""
            keys = ca.horzcat(c, h * dc, c1, h * dc1)
            fading, growing, c_fading, c_growing = _integrals(share)
            arms = ca.cross(keys @ c_fading, force[k]) + ca.cross(keys @ c_growing, force[k + 1])
            return h * (fading * moment[k] + growing * moment[k + 1] - arms)

        L = self._angular_momentum(r, dr)
        scale = 1 / self.inertia_scale  # the residual of a rate, as the others are
        return [
            c1 - c - h * dc - h * h / 6 * (2 * a[k] + a[k + 1]),
            dc1 - dc - h / 2 * (a[k] + a[k + 1]),
            scale * (self._angular_momentum(middle, middle_rate) - L - received(0.5)),
            scale * (self._angular_momentum(r1, dr1) - L - received(1.0)),
        ]

    def _angular_momentum(self, ypr: ca.SX, rate: ca.SX) -> ca.SX:
        """L = R I E ẏ, with E from `geometry.turns.body_rates_from_ypr_rates`."""
        y, p, r = ca.vertsplit(ypr)
        cy, sy, cp, sp, cr, sr = (g(v) for v in (y, p, r) for g in (ca.cos, ca.sin))
        R = ca.vertcat(
            ca.horzcat(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            ca.horzcat(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            ca.horzcat(-sp, cp * sr, cp * cr),
        )
        E = ca.vertcat(
            ca.horzcat(-sp, 0, 1), ca.horzcat(cp * sr, cr, 0), ca.horzcat(cp * cr, -sr, 0)
        )
        return R @ (self.inertia @ (E @ rate))

    def _inequalities(self) -> tuple[list[ca.SX], list[Row]]:
        """Eq. 13 for normal forces, and eq. 14 as the distance from hip to ankle, squared."""
        effectors = range(len(self.along))
        terms, rows = [], []
        for k in range(self.N + 1):
            for e in effectors:
                normal = ca.sum1(self.weights[k][e])
                if k < self.N:
                    terms.append(ca.sum1(self.weights[k + 1][e]) - normal)
                    rows.append(Row("force rate", e, k))
            for i in range(self.limbs):
                slots = range(self.J)
                on = sum(self.on[i * self.J + j, k] for j in slots)
                foot = sum(self.on[i * self.J + j, k] * self._foothold(i, j) for j in slots)
                leg = on * (self.q[k][:3] + self.hip[3 * i : 3 * i + 3, k]) - foot
                terms.append(ca.dot(leg, leg))
                rows.append(Row("leg length", i, k))
        return terms, rows

    def _objective(self) -> ca.SX:
        w, total = self.w, ca.SX(0)
        each = ca.vertcat(
            w["position"], w["position"], w["height"], w["turn"], w["turn"], w["turn"]
        )
        for k in range(self.N + 1):
            error, rate_error = self.q[k] - self.q0[:, k], self.dq[k] - self.dq0[:, k]
            tracked = ca.dot(each * error, error) + w["rate"] * ca.dot(each * rate_error, rate_error)
            total += (w["terminal"] if k == self.N else 1) * tracked
            for e in range(len(self.along)):
                total += w["force"] * ca.sumsqr(self.f[k][e])
                if k < self.N:
                    total += w["smoothness"] * ca.sumsqr(self.f[k + 1][e] - self.f[k][e])
        for i in range(self.limbs):
            for j in range(self.J):
                total += w["foothold"] * ca.sumsqr(self.p[i][j] - self.p0[i * self.J + j, :].T)
        return total


@lru_cache(maxsize=4)
def _integrals(share: float) -> tuple[float, float, ca.DM, ca.DM]:
    """∫ (1 − u) du, ∫ u du, and ∫ (1 − u) H du, ∫ u H du of the four Hermite polynomials H(u)."""
    u, weight = np.polynomial.legendre.leggauss(4)
    u, weight = (u + 1) / 2 * share, weight / 2 * share
    H = np.array(
        [
            2 * u**3 - 3 * u**2 + 1,
            u**3 - 2 * u**2 + u,
            3 * u**2 - 2 * u**3,
            u**3 - u**2,
        ]
    )
    fading, growing = weight * (1 - u), weight * u
    return float(fading.sum()), float(growing.sum()), ca.DM(H @ fading), ca.DM(H @ growing)
