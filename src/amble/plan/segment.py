"""One segment of a plan: what its two nodes must obey and what it costs, with exact derivatives.

The nodes' unknowns z = (q, q̇, λ): position and yaw, pitch, roll q, their rates, and four weights
λ ≥ 0 a contact point on the edges of its friction cone. All is in units of the body.

Forces are linear within a segment, so that the centre of mass is exactly a cubic,

    c₁ = c₀ + h ċ₀ + h²/6 (2 a₀ + a₁),   ċ₁ = ċ₀ + h/2 (a₀ + a₁),

and the angular momentum L = R I R⁻¹ω changes by the exact integral of Σ (p − c) × f over the first
half and the whole of the segment. Eq. 10 thus holds between the nodes as well as at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.plan.problem import EDGES, RESIDUALS, cone_edges, segment_parameters
from amble.plan.units import units_of
from amble.plan.weights import WEIGHT_NAMES


@dataclass(frozen=True, eq=False)
class Segment:
    """Functions of one segment; `free` is (z₀, z₁, p), `given` all else, as in `parameters`.

    motion     (free, given) → residuals (12), cost
    gradient   (free, given) → gradient of the cost
    jacobian   (free, given) → of the residuals
    hessian    (free, given, σ, μ) → upper triangle of σ cost + μ · residuals
    """

    node_size: int
    parameters: dict[str, int]  # name → size, in the order of `given`
    motion: ca.Function
    gradient: ca.Function
    jacobian: ca.Function
    hessian: ca.Function


@lru_cache(maxsize=16)
def segment_of(body: CentroidalBody, friction: float) -> Segment:
    """The segment functions of a body."""
    return _Writer(body, friction).write()


class _Writer:
    def __init__(self, body: CentroidalBody, friction: float) -> None:
        units = units_of(body)
        self.limbs = len(body.legs)
        self.along = [dx / units.length for leg in body.legs for dx in leg.effectors]
        self.limb_of = [i for i, leg in enumerate(body.legs) for _ in leg.effectors]
        self.inertia = ca.DM(body.inertia_b / (body.mass * units.length**2))
        # The residual of an angular momentum is divided by this: a rate, as the others are.
        self.largest = float(np.max(np.diag(body.inertia_b))) / (body.mass * units.length**2)
        self.edges = ca.DM(cone_edges(friction))

    def write(self) -> Segment:
        limbs, size = self.limbs, 12 + EDGES * len(self.along)
        z0, z1, p = ca.SX.sym("z0", size), ca.SX.sym("z1", size), ca.SX.sym("p", 2 * limbs)
        sizes = segment_parameters(limbs)
        given = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
        residual = self._residual(z0, z1, p, given)
        cost = self._cost(z0, z1, given)
        free, known = ca.vertcat(z0, z1, p), ca.vertcat(*given.values())
        scale, multiplier = ca.SX.sym("scale"), ca.SX.sym("multiplier", RESIDUALS)
        hessian, _ = ca.hessian(scale * cost + ca.dot(multiplier, residual), free)
        return Segment(
            node_size=size,
            parameters=sizes,
            motion=ca.Function("motion", [free, known], [residual, cost], {"cse": True}),
            gradient=ca.Function(
                "gradient", [free, known], [ca.gradient(cost, free)], {"cse": True}
            ),
            jacobian=ca.Function(
                "jacobian", [free, known], [ca.jacobian(residual, free)], {"cse": True}
            ),
            hessian=ca.Function(
                "hessian", [free, known, scale, multiplier], [ca.triu(hessian)], {"cse": True}
            ),
        )

    def _forces(self, z: ca.SX) -> list[ca.SX]:
        """Of each effector, in the frame of its foot."""
        count = len(self.along)
        return [self.edges @ z[12 + EDGES * e : 12 + EDGES * (e + 1)] for e in range(count)]

    def _load(self, z: ca.SX, p: ca.SX, given: dict[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
        """Total contact force and its moment about the origin, Σ f and Σ p × f."""
        force, moment = ca.SX.zeros(3), ca.SX.zeros(3)
        for e, local in enumerate(self._forces(z)):
            i = self.limb_of[e]
            R = ca.reshape(given["frame"][9 * i : 9 * i + 9], 3, 3)
            x, y = p[2 * i], p[2 * i + 1]
            a, b, c = ca.vertsplit(given["plane"][3 * i : 3 * i + 3])
            f = R @ local
            force += f
            moment += ca.cross(ca.vertcat(x, y, a + b * x + c * y) + self.along[e] * R[:, 0], f)
        return force, moment

    def _residual(self, z0: ca.SX, z1: ca.SX, p: ca.SX, given: dict[str, ca.SX]) -> ca.SX:
        h = given["h"]
        (F0, M0), (F1, M1) = self._load(z0, p, given), self._load(z1, p, given)
        up = ca.DM([0, 0, 1])
        a0, a1 = F0 - up, F1 - up
        c0, r0, dc0, dr0 = z0[:3], z0[3:6], z0[6:9], z0[9:12]
        c1, r1, dc1, dr1 = z1[:3], z1[3:6], z1[6:9], z1[9:12]
        middle = (r0 + r1) / 2 + h / 8 * (dr0 - dr1)
        middle_rate = 1.5 * (r1 - r0) / h - (dr0 + dr1) / 4

        def received(share: float) -> ca.SX:
            """∫ Σ (p − c) × f over this share of the segment; c is a cubic and f linear."""
            keys = ca.horzcat(c0, h * dc0, c1, h * dc1)
            fading, growing, c_fading, c_growing = _integrals(share)
            arms = ca.cross(keys @ c_fading, F0) + ca.cross(keys @ c_growing, F1)
            return h * (fading * M0 + growing * M1 - arms)

        L0 = self._angular_momentum(r0, dr0)
        return ca.vertcat(
            c1 - c0 - h * dc0 - h * h / 6 * (2 * a0 + a1),
            dc1 - dc0 - h / 2 * (a0 + a1),
            (self._angular_momentum(middle, middle_rate) - L0 - received(0.5)) / self.largest,
            (self._angular_momentum(r1, dr1) - L0 - received(1.0)) / self.largest,
        )

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

    def _cost(self, z0: ca.SX, z1: ca.SX, given: dict[str, ca.SX]) -> ca.SX:
        """Eq. 20 at the second node, and the forces' size and change."""
        w = {name: given["weights"][i] for i, name in enumerate(WEIGHT_NAMES)}
        each = ca.vertcat(
            w["position"], w["position"], w["height"], w["turn"], w["turn"], w["turn"]
        )
        error = z1[:12] - given["reference"]
        tracked = ca.dot(each, error[:6] ** 2) + w["rate"] * ca.dot(each, error[6:] ** 2)
        total = given["emphasis"] * tracked
        for f0, f1 in zip(self._forces(z0), self._forces(z1), strict=True):
            total += w["force"] * ca.sumsqr(f1) + w["smoothness"] * ca.sumsqr(f1 - f0)
        return total


@lru_cache(maxsize=4)
def _integrals(share: float) -> tuple[float, float, ca.DM, ca.DM]:
    """∫ (1 − u) du, ∫ u du, and ∫ (1 − u) H du, ∫ u H du of the four Hermite polynomials H(u)."""
    u, weight = np.polynomial.legendre.leggauss(4)
    u, weight = (u + 1) / 2 * share, weight / 2 * share
    H = np.array([2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, 3 * u**2 - 2 * u**3, u**3 - u**2])
    fading, growing = weight * (1 - u), weight * u
    return float(fading.sum()), float(growing.sum()), ca.DM(H @ fading), ca.DM(H @ growing)
