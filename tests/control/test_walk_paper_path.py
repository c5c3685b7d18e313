"""Laws of the paper's COM path and footsteps (features eq. 18–20)."""

from __future__ import annotations

import math

import pytest

from amble.control.walking.paper_path import footstep, path
from amble.control.walking.pendulum import StepWish

OMEGA = math.sqrt(9.81)
WISH = StepWish(0.45, 0.08, 0.8 + 0j, 0.18, 0.4)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_path_leads_from_the_com_to_half_way_between_the_steps(side: float) -> None:
    stance, com = 0.3 + 0.1j, 0.2 + 0.15j
    way = path(com, stance, side, WISH, OMEGA, 2.0, 0.5)
    assert way.at(2.0).place == pytest.approx(com)
    assert way.at(2.5).place == pytest.approx((stance + footstep(stance, side, WISH)) / 2)


def test_rates_are_derivatives() -> None:
    way, h = path(0j, 0.1 + 0.05j, 1.0, WISH, OMEGA, 0.0, 0.5), 1e-5
    for time in (0.1, 0.3, 0.6):
        before, now, after = way.at(time - h), way.at(time), way.at(time + h)
        assert now.velocity == pytest.approx((after.place - before.place) / (2 * h), abs=1e-6)
        rate = (after.velocity - before.velocity) / (2 * h)
        assert now.acceleration == pytest.approx(rate, abs=1e-6)


def test_the_sway_needs_no_pressure_outside_the_feet() -> None:
    """p = y − ÿ/ω² at mid-step, over a stance foot at the origin and feet 0.18 m apart."""
    wish = WISH._replace(velocity=0j, heading=0.0)
    way = path(0.09j, 0j, 1.0, wish, OMEGA, 0.0, 0.53)
    middle = way.at(0.265)
    pressure = middle.place - middle.acceleration / OMEGA**2
    assert -0.05 < pressure.imag < 0.09
