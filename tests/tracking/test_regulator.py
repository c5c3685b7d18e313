"""The look-ahead policy: Riccati against the whole problem at once, and its two laws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from amble.errors import InputError
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.reference import Reference, Travel
from amble.tracking.regulator import PAPER, LookAhead, Regulator
from amble.tracking.step_terms import StepMaker

ROWS = 6


@pytest.fixture(scope="module")
def reference(body: FlatBody) -> Reference:
    """A few poses near one another with forces that do not quite fit: d ≠ 0 in every step."""
    rng = np.random.default_rng(3)
    q = np.tile(body.flat(body.character.rest_qpos()), (ROWS, 1))
    q += np.cumsum(0.002 * rng.normal(size=q.shape), axis=0)
    contact = np.ones((ROWS, CORNERS), bool)
    contact[3:, 4:] = False
    force = np.where(contact[..., None], rng.normal(size=(ROWS, CORNERS, 3)) * 20 + [0, 0, 90], 0)
    torque = rng.normal(size=(ROWS, body.n - ROOT)) * 10
    travel = Travel(0.1, 0.02, 0.3)
    return Reference("short", body.character.name, 1 / 120, q, torque, force, contact, travel)


def whole_problem(regulator: Regulator, xi: np.ndarray) -> tuple[float, np.ndarray]:
    """Least cost of eq. 8 over all controls at once from ξ at row 0, and the first ν."""
    n, m = 2 * regulator.n, len(regulator._R)
    K = regulator.steps
    Q, R, P = np.diag(regulator.weights.state), np.diag(regulator._R), np.diag(regulator._P)
    ahead, into = xi, np.zeros((n, K * m))  # ξ_k = ahead + into ν
    H, g, constant = np.zeros((K * m, K * m)), np.zeros(K * m), 0.0
    for k in range(K + 1):
        if k:  # the state at row 0 costs the same whatever is done
            H += into.T @ Q @ into
            g += into.T @ Q @ ahead
        constant += 0.5 * ahead @ Q @ ahead
        if k == K:
            break
        A, B, d = regulator._linear.at(k)
        own, u = slice(k * m, (k + 1) * m), regulator._u(k)
        H[own, own] += R + P
        g[own] += P @ u
        constant += 0.5 * u @ P @ u
        ahead, into = A @ ahead + d, A @ into
        into[:, own] += B
    nu = -np.linalg.solve(H, g)
    return constant + 0.5 * nu @ H @ nu + g @ nu, nu[:m]


@pytest.mark.parametrize("effort", ["change", "whole"])
def test_the_sweep_is_the_optimum_of_the_whole_problem(
    body: FlatBody, reference: Reference, effort: str
) -> None:
    settings = LookAhead(law="lqr", effort=effort, cycles=1, seconds=0.0)
    regulator = Regulator(body, reference, settings)
    rng = np.random.default_rng(4)
    states = [0.01 * rng.normal(size=2 * body.n) for _ in range(3)]
    least = [whole_problem(regulator, xi) for xi in states]
    zero, _ = whole_problem(regulator, np.zeros(2 * body.n))
    for xi, (cost, first) in zip(states, least, strict=True):
        q, v = regulator.q(0) + xi[: body.n], regulator.v(0) + xi[body.n :]
        assert regulator.cost(0, q, v) == pytest.approx(cost - zero, rel=1e-6)
        u = regulator._linear_law(0, q, v)
        scale = np.abs(first).max()
        assert u - regulator._u(0) == pytest.approx(first, abs=1e-6 * scale)


@pytest.mark.parametrize("settings", [LookAhead(), PAPER], ids=["improved", "paper"])
def test_both_laws_agree_to_first_order(
    body: FlatBody, reference: Reference, settings: LookAhead
) -> None:
    regulator = Regulator(body, reference, settings)
    maker, rng = StepMaker(body, reference.step), np.random.default_rng(5)
    away = 1e-5 * rng.normal(size=(2, body.n))
    differences = []
    for size in (1.0, 0.1):
        q, v = regulator.q(2) + size * away[0], regulator.v(2) + size * away[1]
        terms = maker.terms(q, v)
        one, other = regulator._nonlinear_law(2, terms), regulator._linear_law(2, q, v)
        differences.append(np.abs(one - other).max() / np.abs(one).max())
    assert differences[0] < 1e-3
    assert differences[1] < 1e-6 + 0.3 * differences[0]


def test_forces_are_predicted_where_the_schedule_has_them(
    body: FlatBody, reference: Reference
) -> None:
    for settings in (LookAhead(), PAPER):
        regulator = Regulator(body, reference, settings)
        q, v = regulator.q(2), regulator.v(2)
        terms = StepMaker(body, reference.step).terms(q, v)
        force = regulator.predict(2, q, v, terms).force_w
        assert force.shape == (CORNERS, 3)
        assert np.array_equal(force.any(axis=1), reference.carries[3])


def test_a_longer_look_ahead_never_costs_less(body: FlatBody, reference: Reference) -> None:
    """Every further cycle adds costs that are not negative."""
    sweeps = [
        Regulator(body, reference, LookAhead(cycles=cycles, seconds=0.0)) for cycles in (1, 2, 4)
    ]
    for one, longer in pairwise(sweeps):
        least = np.linalg.eigvalsh(longer._S[0] - one._S[0]).min()
        assert least >= -1e-6 * np.abs(one._S[0]).max()


def test_what_is_not_possible_is_refused(body: FlatBody, reference: Reference) -> None:
    for wrong in ({"law": "pid"}, {"points": 3}, {"cycles": 0}, {"effort": "none"}):
        with pytest.raises(InputError):
            LookAhead(**wrong)  # type: ignore[arg-type]
    stranger = Reference(
        "x", "luxo", 1 / 120, reference.q, reference.torque, reference.force_w, reference.contact
    )
    with pytest.raises(InputError, match="is of 'luxo'"):
        Regulator(body, stranger)
