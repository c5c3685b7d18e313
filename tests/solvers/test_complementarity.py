"""Lemke's method against its definition, all possible solutions, and its twin in numpy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from amble.solvers.complementarity import TOLERANCE, ComplementaritySolver
from solvers.lemke_twin import lemke


def problem(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """With M positive definite, not symmetric: there is one solution."""
    root, skew = rng.normal(size=(2, n, n))
    return root @ root.T + 0.3 * np.eye(n) + (skew - skew.T), rng.normal(size=n)


def enumerated(M: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The solution by trying every set of positive z."""
    for chosen in product((False, True), repeat=len(q)):
        on, z = np.array(chosen), np.zeros(len(q))
        if on.any():
            z[on] = np.linalg.solve(M[np.ix_(on, on)], -q[on])
        if min(z.min(), (M @ z + q).min()) >= -1e-9:
            return z
    raise AssertionError("no set of positive z is a solution")


def test_it_finds_what_enumeration_and_the_twin_find() -> None:
    rng, solver = np.random.default_rng(0), ComplementaritySolver(regular=(0.0,))
    for _ in range(60):
        M, q = problem(rng, 7)
        found = solver.solve(M, q)
        assert found.solved and found.attempts == 1
        assert found.z == pytest.approx(enumerated(M, q), abs=1e-8)
        assert found.z == pytest.approx(lemke(M, q), abs=1e-8)


def test_nothing_is_to_be_done_where_q_is_positive() -> None:
    found = ComplementaritySolver().solve(np.eye(3), np.ones(3))
    assert found.solved and not found.z.any() and found.pivots == 0
    assert ComplementaritySolver().solve(np.zeros((0, 0)), np.zeros(0)).solved


def test_a_problem_without_a_solution_is_said_to_have_none() -> None:
    found = ComplementaritySolver().solve(-np.eye(2), np.array([-1.0, -1.0]))
    assert not found.solved and not found.z.any()


def test_singular_problems_are_solved_to_the_tolerance() -> None:
    """As many points as a table has legs, and more: M has a third of full rank."""
    rng, solver = np.random.default_rng(1), ComplementaritySolver()
    for _ in range(200):
        J = rng.normal(size=(8, 24)).T  # 24 contacts of a body with 8 coordinates
        M = J @ J.T
        q = M @ np.maximum(rng.normal(size=24), 0) * -1.0 + np.maximum(rng.normal(size=24), 0)
        found = solver.solve(M, q)
        w = M @ found.z + q
        size = max(np.abs(q).max(), found.z.max())
        slack = 1e-6 * np.abs(np.diagonal(M)).mean() * found.z.max()
        assert found.solved
        assert np.abs(np.minimum(found.z, w)).max() <= TOLERANCE * size + slack * found.attempts**8
