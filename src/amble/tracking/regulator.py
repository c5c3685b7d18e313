"""The look-ahead policy: a quadratic regulator over joint torques *and* ground forces (3.3–3.4).

Around a reference x̄ = (q̄, v̄), ū = (τ̄, λ̄) the step x⁺ = f(x, u) is linear with A, B and defect
d. With N = R + P, and K for S_{k+1} − S_{k+1} B (N + Bᵀ S_{k+1} B)⁻¹ Bᵀ S_{k+1}, which is the
paper's [S_{k+1}⁻¹ + B N⁻¹ Bᵀ]⁻¹ without an inverse of S, sweep backwards

    S_k = Q + Aᵀ K A
    s_k = Aᵀ (s_{k+1} + S_{k+1} d − S_{k+1} B (N + BᵀS_{k+1}B)⁻¹ [Bᵀ(S_{k+1} d + s_{k+1}) + P ū])

A cycle is swept several times; S goes from its beginning to the end of the cycle before it turned
by the cycle's travel, so that every row is in the frame of its own cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.errors import InputError
from amble.tracking.dynamics import FlatDynamics
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.reference import Reference, Travel
from amble.tracking.step_terms import StepTerms
from amble.tracking.weights import LookAheadWeights, look_ahead_weights

LAWS = ("nqr", "lqr")
EFFORTS = ("change", "whole")
_PAIRS = np.repeat(np.eye(4), 2, axis=0)  # (8, 4): corners that a heel or toe is the middle of


@dataclass(frozen=True)
class LookAhead:
    """How far ahead, and with what, the regulator looks."""

    law: str = "nqr"  # "nqr": the nonlinear law, eq. 11; "lqr": the linear one, eq. 10
    points: int = 4  # of predicted force a foot; the paper has 2, the middles of heel and toe
    effort: str = "change"  # what P costs: "change" of the reference's torques and forces, as R
    # does, so that the reference itself is the best there is; "whole", as in the paper: all of
    # them, which draws the body away from a reference that takes effort
    place: float = 0.1  # times the cost of where the root is, table 2's "location"
    soles: float = 0.0  # [1/m²] cost of the height of each corner of a foot over the reference's
    cycles: int = 3  # swept at least, of a reference that is a cycle,
    seconds: float = 3.0  # and as many more as this takes: standing has short ones

    def __post_init__(self) -> None:
        if self.effort not in EFFORTS:
            raise InputError(f"effort '{self.effort}' is unknown; give {' or '.join(EFFORTS)}")
        if self.law not in LAWS:
            raise InputError(f"the law '{self.law}' is unknown; give {' or '.join(LAWS)}")
        if self.points not in (2, 4):
            raise InputError(f"{self.points} points of force a foot; 2 or 4 are possible")
        if self.cycles < 1:
            raise InputError(f"a sweep over {self.cycles} cycles; at least 1 is needed")


PAPER = LookAhead(points=2, effort="whole", place=1.0, cycles=2, seconds=0.0)


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the regulator would do: torques, and the ground forces that it counts on."""

    torque: np.ndarray  # τ̃ (n − 6,) [N m]
    force_w: np.ndarray  # λ̃ (8, 3) [N], at the corners


class Regulator:
    """The policy along one reference; states of row k are in the frame of the reference.

    `steps` of them can be made from row 0 on. A cycle leads from its last row to its row 0, moved
    by its travel; a motion with ends leads into row 0 of `following`, whose look-ahead it takes
    over: its last two rows are rows 0 and 1 there.
    """

    def __init__(
        self,
        body: FlatBody,
        reference: Reference,
        settings: LookAhead | None = None,
        following: Regulator | None = None,
    ) -> None:
        if reference.character != body.character.name or reference.q.shape[1] != body.n:
            raise InputError(
                f"reference '{reference.name}' is of '{reference.character}', not of "
                f"'{body.character.name}'"
            )
        self.body, self.reference = body, reference
        self.settings = settings or LookAhead()
        self.weights: LookAheadWeights = look_ahead_weights(body, self.settings.place)
        self.steps = len(reference) if reference.periodic else len(reference) - 2
        self.exit = _exit(reference, following)
        n = self.n = body.n
        rows = range(self.steps + 1)
        self._x = np.array([np.append(reference.q_at(k), reference.v_at(k)) for k in rows])
        self._torque = np.array([reference.u_at(k)[0] for k in rows])
        self._force = np.array([reference.u_at(k)[1] for k in rows])
        carries = reference.carries
        allowed: np.ndarray = np.array([carries[(k + 1) % len(reference)] for k in rows])
        if self.settings.points == 2:
            self._force = np.einsum("kci,cp->kpi", self._force, _PAIRS)
            allowed = np.any(allowed.reshape(len(allowed), 4, 2), axis=2)
        self._mask = np.repeat(allowed, 3, axis=1)  # forces that the schedule allows
        points = allowed.shape[1]
        self._R = np.concatenate([self.weights.torque_change, np.zeros(3 * points)])
        # Two corners that share a force cost as much as the force at their middle.
        force = self.weights.force * (4 * points / CORNERS / 2)
        self._P = np.concatenate([self.weights.torque, np.full(3 * points, force)])
        if self.settings.effort == "change":
            self._R, self._P = self._R + self._P, np.zeros_like(self._P)
        self._S = np.empty((self.steps + 1, 2 * n, 2 * n))
        self._s = np.empty((self.steps + 1, 2 * n))
        self._linear = _Linear(self, FlatDynamics(body))
        self._sweep(following)

    def q(self, k: int) -> np.ndarray:
        """Reference pose (n,) of row k, 0 ≤ k ≤ steps."""
        q: np.ndarray = self._x[k, : self.n]
        return q

    def v(self, k: int) -> np.ndarray:
        """Reference velocity (n,) of row k."""
        v: np.ndarray = self._x[k, self.n :]
        return v

    def torque(self, k: int) -> np.ndarray:
        """Reference torques τ̄ (n − 6,) of the step from row k."""
        torque: np.ndarray = self._torque[k]
        return torque

    def cost(self, k: int, q: np.ndarray, v: np.ndarray) -> float:
        """The look-ahead's cost-to-go of a state at row k: ξᵀ S ξ / 2 + s·ξ, of x̄ zero."""
        xi = np.append(q, v) - self._x[k]
        return float(0.5 * xi @ self._S[k] @ xi + self._s[k] @ xi)

    def predict(self, k: int, q: np.ndarray, v: np.ndarray, terms: StepTerms) -> Prediction:
        """Torques and forces for the step from (q, v) at row k, of which `terms` are those."""
        if self.settings.law == "lqr":
            u = self._linear_law(k, q, v)
        else:
            u = self._nonlinear_law(k, terms)
        torque, force = u[: self.n - ROOT], (u[self.n - ROOT :] * self._mask[k]).reshape(-1, 3)
        return Prediction(torque, force if len(force) == CORNERS else 0.5 * _PAIRS @ force)

    def _nonlinear_law(self, k: int, terms: StepTerms) -> np.ndarray:
        """eq. 11: ũ = (N + ĜᵀSĜ)⁻¹ [R ū − Ĝᵀ(s + S(ĥ(x) − x̄_{k+1}))] at the true state.

        Forces enter velocities only, so that only the lower rows of Ĝ are not zero.
        """
        n = self.n
        S, s = self._S[k + 1], self._s[k + 1]
        G = self.inputs(k, terms.step * terms.inverse_mass, terms.J)
        away = np.concatenate([terms.q, terms.free_velocity]) - self._x[k + 1]
        right = self._R * self._u(k) - G.T @ (s[n:] + S[n:] @ away)
        H = G.T @ S[n:, n:] @ G
        H[np.diag_indices_from(H)] += self._R + self._P
        u: np.ndarray = np.linalg.solve(H, right)
        return u

    def _linear_law(self, k: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """eq. 10: ν = −(N + BᵀSB)⁻¹ [P ū + Bᵀ(s + S(d + A ξ))], u = ū + ν."""
        A, B, d = self._linear.at(k)
        S, s, u = self._S[k + 1], self._s[k + 1], self._u(k)
        xi = np.append(q, v) - self._x[k]
        H = B.T @ S @ B
        H[np.diag_indices_from(H)] += self._R + self._P
        change = np.linalg.solve(H, self._P * u + B.T @ (s + S @ (d + A @ xi)))
        turned: np.ndarray = u - change
        return turned

    def inputs(self, k: int, inverse_mass: np.ndarray, J: np.ndarray) -> np.ndarray:
        """What torques and allowed forces do to v⁺ (n, n − 6 + 3 points), from h M⁻¹."""
        n = self.n
        if self.settings.points == 2:
            J = 0.5 * J.reshape(4, 2, 3, n).sum(axis=1).reshape(-1, n)
        G = np.empty((n, n - ROOT + len(J)))
        G[:, : n - ROOT] = inverse_mass[:, ROOT:]
        G[:, n - ROOT :] = (inverse_mass @ J.T) * self._mask[k]
        return G

    def _u(self, k: int) -> np.ndarray:
        return np.concatenate([self._torque[k], self._force[k].ravel()])

    def _state_cost(self, k: int) -> np.ndarray:
        """Q of row k (2 n, 2 n)."""
        Q = np.diag(self.weights.state)
        if self.settings.soles:
            heights = self._linear.dynamics.jacobians(self.q(k))[:, 2]
            Q[: self.n, : self.n] += self.settings.soles * heights.T @ heights
        return Q

    @property
    def _cycles(self) -> int:
        return max(self.settings.cycles, round(self.settings.seconds / self.reference.seconds))

    def _sweep(self, following: Regulator | None) -> None:
        """Riccati, backwards; the last state costs Q, or what `following` makes of it."""
        periodic = self.reference.periodic and following is None
        Q = [self._state_cost(k) for k in range(self.steps + 1)]
        S, s = Q[-1], np.zeros(2 * self.n)
        turn = _state_turn(self.exit, self.n)
        if following is not None:
            S, s = turn @ following._S[0] @ turn.T, turn @ following._s[0]
        for cycle in range(self._cycles if periodic else 1):
            if cycle:
                S, s = turn @ S @ turn.T, turn @ s
            self._S[-1], self._s[-1] = S, s
            for k in range(self.steps - 1, -1, -1):
                A, B, d = self._linear.at(k)
                SB = S @ B
                H = B.T @ SB
                H[np.diag_indices_from(H)] += self._R + self._P
                right = np.column_stack([SB.T, self._P * self._u(k) + B.T @ s])
                gain = np.linalg.solve(H, right)
                s = A.T @ (s + S @ d - SB @ (gain[:, :-1] @ d + gain[:, -1]))
                S = Q[k] + A.T @ (S - SB @ gain[:, :-1]) @ A
                S = 0.5 * (S + S.T)
                self._S[k], self._s[k] = S, s


class _Linear:
    """A, B and d of eq. 8 at every row, made when first asked for."""

    def __init__(self, regulator: Regulator, dynamics: FlatDynamics) -> None:
        self._of, self.dynamics = regulator, dynamics
        self._rows: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def at(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if k not in self._rows:
            self._rows[k] = self._linearised(k)
        return self._rows[k]

    def _linearised(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q⁺ = q + h v and v⁺ = v + h a(q⁺, v): ∂a/∂(q, v) = −M⁻¹ ∂(inverse dynamics)/∂(q, v)."""
        of, n, h = self._of, self._of.n, self._of.reference.step
        v, torque = of.v(k), of.torque(k)
        after = of.q(k) + h * v
        force = of._force[k] * of._mask[k].reshape(-1, 3)
        if len(force) != CORNERS:
            force = 0.5 * _PAIRS @ force
        J = self.dynamics.jacobians(after).reshape(-1, n)
        pull = np.concatenate([np.zeros(ROOT), torque]) + J.T @ force.ravel()
        Mi = np.linalg.inv(self.dynamics.mass(after))
        a = Mi @ (pull - self.dynamics.bias(after, v))
        found = self.dynamics.inverse(after, v, a, force)
        a_q, a_v = -Mi @ found.by_q, -Mi @ found.by_v
        A = np.eye(2 * n)
        A[:n, n:] = h * np.eye(n)
        A[n:, :n] = h * a_q
        A[n:, n:] += h * (a_v + h * a_q)
        B = np.zeros((2 * n, len(of._R)))
        B[n:] = of.inputs(k, h * Mi, J)
        return A, B, np.append(after, v + h * a) - of._x[k + 1]


def _exit(reference: Reference, following: Regulator | None) -> Travel:
    """From the frame of the reference to that of what comes after its last step."""
    if reference.travel is not None:
        return reference.travel
    if following is None:
        return Travel(0.0, 0.0, 0.0)
    end, begin = reference.q[len(reference) - 2], following.q(0)
    yaw = float(end[3] - begin[3])
    turned = Travel(0.0, 0.0, yaw).matrix @ begin[:2]
    return Travel(float(end[0] - turned[0]), float(end[1] - turned[1]), yaw)


def _state_turn(travel: Travel, n: int) -> np.ndarray:
    """Turns a state's x and y, of place and velocity, by the travel's yaw."""
    turn = np.eye(2 * n)
    turn[:2, :2] = turn[n : n + 2, n : n + 2] = travel.matrix
    return turn
