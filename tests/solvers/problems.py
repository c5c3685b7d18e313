"""Prioritised problems to solve: random ones of every kind, and ones logged from bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from amble.characters import character
from amble.control.balance import Balance
from amble.solvers.problem import LeastSquares, Problem
from amble.world import MuJoCoWorld, Push

KINDS = ("full rank", "rank-deficient", "infeasible levels")


def random_problem(rng: np.random.Generator, kind: str) -> Problem:
    """One to four levels in up to 30 unknowns, with a feasible set that is not empty.

    "rank-deficient" repeats rows in each level; "infeasible levels" also draws the inequalities so
    tight around a random point that no level can have its own optimum.
    """
    n = int(rng.integers(4, 30))
    levels = []
    for _ in range(rng.integers(1, 5)):
        rows = int(rng.integers(1, n // 2 + 3))
        A = rng.normal(size=(rows, n))
        if kind != "full rank" and rows > 1:
            rank = int(rng.integers(1, rows))
            A = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, n))
        levels.append(LeastSquares(A, 3 * rng.normal(size=rows)))
    m = int(rng.integers(0, 2 * n))
    D = rng.normal(size=(m, n))
    middle = D @ rng.normal(size=n)
    room = 0.3 if kind == "infeasible levels" else 1.0
    lo, hi = middle - room * rng.exponential(size=m), middle + room * rng.exponential(size=m)
    lo[rng.random(m) < 0.3] = -np.inf
    return Problem(tuple(levels), D, lo, hi)


def damped_problem(rng: np.random.Generator, kind: str) -> Problem:
    """The same levels, a weighted identity in the last, half of the unknowns bounded below."""
    problem = random_problem(rng, kind)
    n = problem.n
    return replace(
        problem,
        D=None,
        lo=None,
        hi=None,
        weight=rng.uniform(0.01, 2, n),
        target=rng.normal(size=n),
        lower=np.where(rng.random(n) < 0.5, rng.normal(size=n), -np.inf),
    )


def stand(name: str) -> tuple[MuJoCoWorld, Balance]:
    """A character of the library on flat ground, with its balance controller."""
    world = MuJoCoWorld(character(name))
    return world, Balance(world.character, world.model, world.data, world.terrain)


def logged(world: MuJoCoWorld, balance: Balance, seconds: float, every: int) -> Iterator[Problem]:
    """The problem of every so many control ticks, at 500 Hz."""
    for tick in range(round(500 * seconds)):
        torque = balance.torque(world.time)
        if tick % every == 0:
            yield Problem.from_rows(*balance.body.problem())
        world.step(torque, 2)


def pushed(name: str, force: float, degrees: float, every: int) -> Iterator[Problem]:
    """Standing, pushed in the chest for 0.1 s, and recovering or falling."""
    world, balance = stand(name)
    angle = np.radians(degrees)
    part = "thorax" if "thorax" in world.character.parts else world.character.root
    force_w = (force * np.cos(angle), force * np.sin(angle), 0.0)
    world.push(Push(part, force_w, start=0.1, seconds=0.1))
    return logged(world, balance, 1.0, every)


def landing(name: str, height: float, every: int) -> Iterator[Problem]:
    """Dropped from a height [m] with a random posture: no contact, then some, then all."""
    world, balance = stand(name)
    qpos, qvel = world.noisy_state(np.random.default_rng(5), 0.1)
    qpos[2] += height
    world.reset(qpos, qvel)
    return logged(world, balance, 0.8, every)


def lift_off(name: str, weights: float, every: int) -> Iterator[Problem]:
    """Pulled up by some times its weight for 0.15 s, off the ground and back."""
    world, balance = stand(name)
    lift = weights * 9.81 * world.character.mass
    world.push(Push(world.character.root, (0.1 * lift, 0.0, lift), start=0.05, seconds=0.15))
    return logged(world, balance, 0.8, every)
