"""Laws of the compiled solver: exact derivatives, and IPOPT's optimum on what the planner meets."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest
from logged_horizons import horizon_log, horizons_of
from walking_sketch import straight_walk

import amble
from amble.characters.centroidal import CentroidalBody, centroidal_body
from amble.plan.compiled import plan_solver, solve_compiled
from amble.plan.grid import make_grid
from amble.plan.horizon import Horizon, make_horizon
from amble.plan.ipopt import solve_with_ipopt
from amble.plan.problem import Answer
from amble.plan.segment import segment_of
from amble.plan.solve import solve
from amble.plan.weights import Limits, Weights

GAITS = {"walk": (1.15, 1.1, 0.62), "slow": (0.6, 1.3, 0.66), "run": (3.0, 0.74, 0.33)}
SCENARIOS = (
    *("humanoid-walk", "humanoid-run", "luxo-hop", "anymal-trot", "anymal-walk", "cassie-walk"),
)
LOGGED = 10.0  # [s] of each scenario
CONVERGED = 0.97  # share of what IPOPT can solve
MOST_ITERATIONS = 60


@dataclass(frozen=True)
class Pair:
    """One horizon, solved in both ways."""

    horizon: Horizon
    own: Answer
    reference: Answer

    @property
    def excess(self) -> float:
        """Cost above IPOPT's, relative; both stop within 1e-4 of an optimum."""
        return (self.own.cost - self.reference.cost) / max(abs(self.reference.cost), 1e-2)


def solved(horizon: Horizon) -> Pair:
    return Pair(horizon, solve_compiled(horizon), solve_with_ipopt(horizon))


def violation(horizon: Horizon, answer: Answer) -> float:
    """Greatest, of rows and bounds."""
    excess = [horizon.lbg - answer.g, answer.g - horizon.ubg]
    excess += [horizon.lbx - answer.x, answer.x - horizon.ubx]
    return max(float(each.max()) for each in excess)


def walking(body: CentroidalBody, gait: str) -> Horizon:
    speed, stride, duty = GAITS[gait]
    sketch, start = straight_walk(body, speed, stride, duty)
    with horizon_log() as found:
        solve(body, sketch, start, stride, Weights(), Limits())
    return found[0]


@pytest.fixture(scope="module")
def body() -> CentroidalBody:
    return centroidal_body(amble.character("humanoid"))


@pytest.fixture(scope="module")
def logged() -> dict[str, list[Pair]]:
    return {name: [solved(each) for each in horizons_of(name, LOGGED)] for name in SCENARIOS}


@pytest.mark.parametrize("name", ["humanoid", "luxo", "anymal", "cassie"])
def test_derivatives_of_a_segment_are_exact(name: str) -> None:
    body = centroidal_body(amble.character(name))
    expected, rng = segment_of(body, 0.9), np.random.default_rng(0)
    n, feet = expected.node_size, 2 * len(body.legs)
    for _ in range(4):
        z0, z1, foot, multiplier = (rng.standard_normal(size) for size in (n, n, feet, 12))
        given = {name: rng.uniform(0.2, 1.0, size) for name, size in expected.parameters.items()}
        residual, J = np.full(12, np.nan), np.full((12, 2 * n + feet), np.nan)
        H = np.full((2 * n + feet, 2 * n + feet), np.nan)
        columns = {name: values[:, None] for name, values in given.items()}
        plan_solver(body, 0.9).segment(columns, z0, z1, foot, multiplier, residual, J, H)
        free, known = np.concatenate([z0, z1, foot]), np.concatenate(list(given.values()))
        upper = expected.hessian(free, known, 0.0, multiplier).full()
        assert np.allclose(residual, expected.motion(free, known)[0].full().ravel(), atol=1e-10)
        assert np.allclose(J, expected.jacobian(free, known).full(), atol=1e-10)
        assert np.allclose(H, upper + np.triu(upper, 1).T, atol=1e-10)


@pytest.mark.parametrize("gait", GAITS)
def test_plans_made_by_hand_have_the_optimum_of_ipopt(body: CentroidalBody, gait: str) -> None:
    pair = solved(walking(body, gait))
    assert pair.own.status == "solved"
    assert abs(pair.excess) <= 1e-4
    assert violation(pair.horizon, pair.own) <= 1e-5
    assert np.allclose(pair.own.x, pair.reference.x, atol=1e-3)


def test_what_ipopt_can_plan_the_core_can_too(logged: dict[str, list[Pair]]) -> None:
    pairs = [pair for each in logged.values() for pair in each]
    possible = [pair for pair in pairs if pair.reference.usable]
    assert len(possible) >= 100
    assert np.mean([pair.own.usable for pair in possible]) >= CONVERGED
    assert all(pair.own.iterations <= MOST_ITERATIONS for pair in pairs)


@pytest.mark.parametrize("name", SCENARIOS)
def test_plans_of_the_scenarios_are_as_good_as_those_of_ipopt(
    logged: dict[str, list[Pair]], name: str
) -> None:
    both = [pair for pair in logged[name] if pair.own.usable and pair.reference.usable]
    assert both
    for pair in both:
        assert pair.excess <= 1e-3
        assert violation(pair.horizon, pair.own) <= 1e-4
    close = [np.abs(pair.own.x - pair.reference.x).max() for pair in both]
    assert np.median(close) <= 1e-3


def test_one_solver_takes_horizons_of_any_length_and_forgets_the_last(
    body: CentroidalBody,
) -> None:
    sketch, start = straight_walk(body, *GAITS["walk"])
    answers = []
    for segments in (1, 9, 21, 9):
        seconds = 0.05 if segments == 1 else 0.9
        grid = make_grid(start.time, seconds, sketch.contacts, (segments,), 10.0)
        horizon = make_horizon(body, sketch, grid, start, Weights(), Limits())
        answers.append(solve_compiled(horizon))
        assert len(answers[-1].x) == len(horizon.x0)
        assert answers[-1].usable and violation(horizon, answers[-1]) <= 1e-4
    assert np.array_equal(answers[1].x, answers[3].x)
    assert answers[1].cost == answers[3].cost


@pytest.mark.parametrize("what", ["start", "reach", "force", "no numbers"])
def test_an_impossible_plan_ends_with_a_failure(body: CentroidalBody, what: str) -> None:
    horizon = walking(body, "walk")
    lbg, ubg, ubx, x0 = (
        each.copy() for each in (horizon.lbg, horizon.ubg, horizon.ubx, horizon.x0)
    )
    problem = horizon.problem
    first = problem.foothold_size
    legs = slice(sum(problem.row_counts[:2]), None)
    if what == "start":
        x0[first + 2] += 0.6
        horizon.lbx[first + 2] = ubx[first + 2] = x0[first + 2]
    elif what == "reach":
        ubg[legs], lbg[legs] = 0.5 * ubg[legs], 0.2 * lbg[legs]
    elif what == "force":
        ubx[first:].reshape(-1, problem.node_size)[:, 12:] *= 0.02
    else:
        horizon.parameters["reference"][0, 3] = np.nan
    answer = solve_compiled(replace(horizon, lbg=lbg, ubg=ubg, ubx=ubx, x0=x0))
    assert not answer.usable
    assert answer.iterations <= MOST_ITERATIONS
    assert np.isfinite(answer.x).all() and np.isfinite(answer.g).all()


def test_numbers_of_the_wrong_size_are_refused(body: CentroidalBody) -> None:
    horizon = walking(body, "walk")
    with pytest.raises(ValueError, match="unknowns"):
        solve_compiled(replace(horizon, lbx=horizon.lbx[:-1]))
    parameters = horizon.parameters | {"hip": horizon.parameters["hip"][:, :-1].copy()}
    with pytest.raises(ValueError, match="hip"):
        solve_compiled(replace(horizon, parameters=parameters))


def test_casadi_is_loaded_only_when_it_is_needed() -> None:
    program = "import sys, amble.plan.solve; sys.exit('casadi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
