"""Laws of the momentum supervisor (stepping eq. 5–8)."""

from __future__ import annotations

import math

import pytest

from amble.control.stepping.supervisor import RULES, Damping, Momenta, Supervisor
from amble.geometry.polygons import ConvexPolygon

G, MASS, HEIGHT = 9.81, 78.0, 1.0
SUPPORT = ConvexPolygon([(-0.13, -0.14), (0.13, -0.14), (0.13, 0.14), (-0.13, 0.14)])


def momenta(velocity: complex = 0j, angular: complex = 0j, load: float = MASS * G) -> Momenta:
    return Momenta(0.02 + 0.01j, HEIGHT, MASS * velocity, angular, load, MASS * G)


WHEN = Damping(4.0, 6.0)


def supervisor(rule: str = "ours", when: Damping = WHEN) -> Supervisor:
    return Supervisor(rule, when, Damping(9.0, 18.0), 1.0, G)


def test_the_pressure_is_that_of_equations_5_and_6() -> None:
    state = momenta(0.3 - 0.2j, 5.0 + 8.0j, 700.0)
    p = state.pressure(Damping(4.0, 6.0))
    Lx, Ly, Hx, Hy = MASS * 0.3, -MASS * 0.2, 5.0, 8.0
    assert p.real == pytest.approx(0.02 + 4 * Lx * HEIGHT / 700 + 6 * Hy / 700)
    assert p.imag == pytest.approx(0.01 + 4 * Ly * HEIGHT / 700 - 6 * Hx / 700)


def test_without_angular_momentum_and_with_the_pendulums_damping_it_is_the_capture_point() -> None:
    state = momenta(0.4 + 0.1j)
    p = state.pressure(Damping(math.sqrt(G / HEIGHT), 18.0))
    assert p == pytest.approx(state.capture(G))


def test_a_body_that_hardly_touches_the_ground_has_no_wild_pressure() -> None:
    assert abs(momenta(0.1 + 0j, 0j, 0.0).pressure(Damping(4.0, 6.0))) < 0.2


def test_a_body_at_rest_needs_no_step_by_any_rule() -> None:
    for rule in RULES:
        assert not supervisor(rule).needed(momenta(), SUPPORT)


def test_higher_dampings_only_ever_add_steps() -> None:
    for speed in (0.1, 0.2, 0.3, 0.5):
        state = momenta(speed + 0j, 4j)
        asked = [supervisor(when=Damping(d, d)).needed(state, SUPPORT) for d in (1, 2, 4, 8, 16)]
        assert asked == sorted(asked)


def test_the_pendulum_is_blind_to_angular_momentum() -> None:
    spinning = momenta(0j, 30j)
    assert supervisor("ours").needed(spinning, SUPPORT)
    assert not supervisor("pendulum").needed(spinning, SUPPORT)
    assert supervisor("pendulum").now(spinning) == supervisor("pendulum").now(momenta())


def test_without_stepping_nothing_asks_for_a_step() -> None:
    assert not supervisor("none").needed(momenta(5.0 + 0j), SUPPORT)


def test_the_foot_nearest_to_the_pressure_steps_and_it_steps_farther_than_the_pressure() -> None:
    feet = [0.09j, -0.09j]
    for velocity, foot in ((0.1 + 0.4j, 0), (0.1 - 0.4j, 1)):
        chosen = supervisor().foot(momenta(velocity), feet)
        assert chosen == foot
        there, now = supervisor().place(momenta(velocity)), supervisor().now(momenta(velocity))
        assert abs(there - momenta().com) > abs(now - momenta().com)
