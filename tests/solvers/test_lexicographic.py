"""Laws of prioritised least squares: as good as Algorithm 1, and honest when it fails."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import KINDS, damped_problem, landing, lift_off, pushed, random_problem

from amble.errors import InputError
from amble.solvers.algorithm1 import (
    QuadraticProgram,
    daqp_program,
    null_space,
    piqp_program,
    solve_algorithm1,
)
from amble.solvers.lexicographic import LexicographicSolver, solve_lexicographic, solve_weighted
from amble.solvers.problem import Infeasible, LeastSquares, Problem

TOLERANCE = 1e-6  # relative to the residual or ‖b‖, whichever is larger
SEEDS = st.integers(0, 2**32 - 1)


def scale(problem: Problem, residual: np.ndarray) -> np.ndarray:
    """What a residual of each level is compared with (levels,)."""
    return np.maximum(residual, [np.linalg.norm(level.b) for level in problem.plain()[0]])


def compare(problems: Iterable[Problem]) -> int:
    """Every problem against Algorithm 1 on PIQP; how many there were.

    A reference that violates an inequality, or is worse at a level, has bought the levels below
    with it: from there on it is no reference. That may happen once in fifty problems.
    """
    solver, count, bought = LexicographicSolver(), 0, 0
    for count, problem in enumerate(problems, 1):
        result = solver.solve(problem)
        assert problem.violation(result.x) <= TOLERANCE
        x = solve_algorithm1(problem, piqp_program)
        reference = problem.residuals(x)
        worse = (result.residual - reference) / scale(problem, reference)
        better = np.flatnonzero(worse < -1e-8)
        valid = len(worse) if len(better) == 0 else better[0] + 1
        if problem.violation(x) > TOLERANCE:
            valid = 0
        bought += valid < len(worse)
        assert worse[:valid].max(initial=0.0) <= TOLERANCE, f"problem {count}: {worse}"
    assert bought <= 1 + count / 50
    return count


def some(count: int, seed: int) -> Iterable[Problem]:
    """Random problems, all kinds in turn, every fourth with a damped last level."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        make = damped_problem if k % 4 == 3 else random_problem
        yield make(rng, KINDS[k % 3])


def test_no_level_is_worse_than_algorithm_1() -> None:
    assert compare(some(300, seed=1)) == 300


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_no_level_is_worse_than_algorithm_1_on_many_problems(seed: int) -> None:
    assert compare(some(600, seed)) == 600


def test_logged_problems_are_solved_like_algorithm_1() -> None:
    assert compare(pushed("humanoid", 200.0, 0.0, every=25)) == 20
    assert compare(landing("humanoid", 0.05, every=20)) == 20


@pytest.mark.slow
@pytest.mark.parametrize("degrees", (0, 90, 180, 315))
@pytest.mark.parametrize("force", (100.0, 300.0))
def test_problems_of_pushes_are_solved_like_algorithm_1(force: float, degrees: float) -> None:
    assert compare(pushed("humanoid", force, degrees, every=10)) == 50


@pytest.mark.slow
@pytest.mark.parametrize("name", ("humanoid", "ostrich", "anymal"))
def test_problems_of_contact_changes_are_solved_like_algorithm_1(name: str) -> None:
    problems = [*landing(name, 0.1, every=8), *lift_off(name, 3.0, every=8)]
    assert len({(problem.n, len(problem.levels)) for problem in problems}) > 2
    assert compare(problems) == 100


@given(SEEDS, st.sampled_from(KINDS))
@settings(max_examples=60)
def test_a_lower_priority_never_worsens_a_higher_one(seed: int, kind: str) -> None:
    problem = random_problem(np.random.default_rng(seed), kind)
    alone = [
        solve_lexicographic(Problem(problem.levels[:k], problem.D, problem.lo, problem.hi)).residual
        for k in range(1, len(problem.levels) + 1)
    ]
    together = alone[-1]
    for k, upper in enumerate(alone):
        above = together[: k + 1]
        assert np.all(above - upper <= TOLERANCE * scale(problem, together)[: k + 1])


@given(SEEDS, st.sampled_from(KINDS))
@settings(max_examples=60)
def test_the_optimistic_way_and_algorithm_1_agree(seed: int, kind: str) -> None:
    problem = damped_problem(np.random.default_rng(seed), kind)
    result = solve_lexicographic(problem)
    strict = solve_lexicographic(problem, algorithm1_only=True)
    assert strict.fallback
    difference = abs(result.residual - strict.residual) / scale(problem, result.residual)
    assert difference.max() <= TOLERANCE


@given(SEEDS)
@settings(max_examples=30)
def test_without_inequalities_one_level_is_least_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    level = LeastSquares(rng.normal(size=(12, 7)), rng.normal(size=12))
    x = solve_lexicographic(Problem((level,))).x
    np.testing.assert_allclose(x, np.linalg.lstsq(level.A, level.b, rcond=None)[0], atol=1e-9)


def test_a_level_that_cannot_have_its_optimum_uses_the_fallback() -> None:
    first = LeastSquares(np.array([[1.0, 0.0]]), np.array([5.0]))
    second = LeastSquares(np.array([[0.0, 1.0]]), np.array([2.0]))
    D = np.array([[1.0, 0.0]])
    result = solve_lexicographic(Problem((first, second), D, np.array([0.0]), np.array([1.0])))
    assert result.fallback
    np.testing.assert_allclose(result.x, (1.0, 2.0), atol=1e-9)
    np.testing.assert_allclose(result.residual, (4.0, 0.0), atol=1e-9)


@pytest.mark.parametrize("levels", (1, 3))
def test_a_contradiction_is_reported_with_its_level_and_constraint(levels: int) -> None:
    rng = np.random.default_rng(0)
    rows = tuple(LeastSquares(rng.normal(size=(2, 6)), rng.normal(size=2)) for _ in range(levels))
    D = np.vstack([rng.normal(size=(3, 6)), np.eye(6)[2], np.eye(6)[2]])
    lo = np.array([-np.inf] * 3 + [1.0, -np.inf])
    hi = np.array([np.inf] * 3 + [np.inf, 0.0])
    with pytest.raises(Infeasible, match=r"level 1: row [34] of D cannot be met") as error:
        solve_lexicographic(Problem(rows, D, lo, hi))
    assert error.value.level == 0
    assert error.value.constraint in (3, 4)
    with pytest.raises(Infeasible):
        solve_algorithm1(Problem(rows, D, lo, hi), daqp_program)


def test_a_lower_bound_that_contradicts_is_named() -> None:
    level = LeastSquares(np.eye(3), np.zeros(3))
    lower = np.array([-np.inf, 2.0, -np.inf])
    problem = Problem((level,), np.eye(3)[1:2], np.array([-1.0]), np.array([1.0]), lower=lower)
    with pytest.raises(Infeasible, match=r"row 0 of D|the lower bound of x\[1\]"):
        solve_lexicographic(problem)


@pytest.mark.parametrize(("program", "most_failures"), ((piqp_program, 0), (daqp_program, 20)))
def test_both_programs_agree_on_the_first_level(
    program: QuadraticProgram, most_failures: int
) -> None:
    """DAQP finds no optimum in about a quarter of the problems, whose levels lack rank."""
    failures = 0
    for problem in some(48, seed=9):
        result = solve_lexicographic(problem)
        try:
            residual = problem.residuals(solve_algorithm1(problem, program))
        except Infeasible:
            failures += 1
            continue
        first = residual[0] - result.residual[0]
        assert abs(first) <= TOLERANCE * scale(problem, result.residual)[0]
    assert failures <= most_failures


def test_a_null_space_is_orthonormal_and_maps_to_zero() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 9))
    N = null_space(A)
    assert N.shape == (9, 7)
    np.testing.assert_allclose(N.T @ N, np.eye(7), atol=1e-12)
    np.testing.assert_allclose(A @ N, 0, atol=1e-12)


def test_a_weighted_sum_tends_to_priorities_and_trades_levels_before() -> None:
    rng = np.random.default_rng(4)
    A = rng.normal(size=(6, 3)) @ rng.normal(size=(3, 5))
    levels = (LeastSquares(A[:3], rng.normal(size=3)), LeastSquares(A[3:], rng.normal(size=3)))
    problem = Problem(levels, weight=np.full(5, 1e-3))
    strict = solve_lexicographic(problem).residual[0]
    excess = [solve_weighted(problem, (w, 1.0)).residual[0] - strict for w in (1.0, 10.0, 100.0)]
    assert excess[0] > 1e-3
    assert excess[2] < excess[1] / 30 < excess[0] / 30  # the rate of a penalty: 1/w²


def test_bad_input_is_named() -> None:
    level = LeastSquares(np.eye(3), np.zeros(3))
    with pytest.raises(InputError, match="D has shape"):
        solve_lexicographic(Problem((level,), np.zeros((2, 4)), np.zeros(2), np.zeros(2)))
    with pytest.raises(InputError, match="A of level 2"):
        solve_lexicographic(Problem((level, LeastSquares(np.full((1, 3), np.nan), np.zeros(1)))))
    with pytest.raises(InputError, match="one positive weight"):
        solve_weighted(Problem((level,)), (1.0, 2.0))
    with pytest.raises(InputError, match="at least one level"):
        solve_lexicographic(Problem(()))
