"""Laws of the paths of foot and centre of mass during a step (stepping section 5)."""

from __future__ import annotations

import math

import pytest

from amble.control.stepping.curves import (
    BELL,
    ComCurve,
    Swing,
    bell_lift,
    bell_travel,
    ease,
    release,
)

SWING = Swing(0.1 + 0.2j, 0.5 - 0.1j, 0.02, 0.17, 0.08, 3.0, 0.4)
COM = ComCurve(0.1 + 0.2j, 0.0 - 0.1j, 0.3 + 0.05j, 3.0, 1.2)
H = 1e-5


@pytest.mark.parametrize("profile", [bell_travel, bell_lift, ease, release])
@pytest.mark.parametrize("share", [0.07, 0.15, 0.31, 0.5, 0.66, 0.93])
def test_rates_of_profiles_are_their_derivatives(profile, share: float) -> None:  # type: ignore[no-untyped-def]
    before, now, after = profile(share - H), profile(share), profile(share + H)
    assert now.rate == pytest.approx((after.value - before.value) / (2 * H), abs=1e-5)
    assert now.acceleration == pytest.approx((after.rate - before.rate) / (2 * H), abs=1e-3)


@pytest.mark.parametrize("time", [3.03, 3.11, 3.2, 3.33])
def test_rates_of_paths_are_their_derivatives(time: float) -> None:
    for path in (SWING.place, COM.at):
        before, now, after = path(time - H), path(time), path(time + H)
        assert now.velocity == pytest.approx((after.place - before.place) / (2 * H), abs=1e-5)
        rate = (after.velocity - before.velocity) / (2 * H)
        assert now.acceleration == pytest.approx(rate, abs=1e-3)
    below, here, above = (SWING.height(t) for t in (time - H, time, time + H))
    assert here[1] == pytest.approx((above[0] - below[0]) / (2 * H), abs=1e-5)
    assert here[2] == pytest.approx((above[1] - below[1]) / (2 * H), abs=1e-2)


def test_the_foot_goes_straight_with_a_gaussian_speed() -> None:
    way = SWING.end - SWING.begin
    speeds = {}
    for share in (0.2, 0.3, 0.5, 0.7, 0.8):
        at = SWING.place(3.0 + 0.4 * share)
        assert ((at.place - SWING.begin) / way).imag == pytest.approx(0.0, abs=1e-12)
        speeds[share] = abs(at.velocity)
    assert speeds[0.3] == pytest.approx(speeds[0.7])
    assert speeds[0.3] / speeds[0.5] == pytest.approx(math.exp(-0.5 * (0.2 / BELL) ** 2))


@pytest.mark.parametrize("high", [-0.15, 0.0, 0.15])
def test_the_foot_leaves_and_lands_at_rest_and_clears_the_higher_ground(high: float) -> None:
    swing = SWING._replace(low=0.0, high=high)
    for time, where, z in ((3.0, swing.begin, 0.0), (3.4, swing.end, high)):
        assert swing.place(time).place == pytest.approx(where)
        height, speed, _ = swing.height(time)
        assert height == pytest.approx(z, abs=0.006)
        assert abs(speed) < 0.2
    assert max(swing.height(3.0 + 0.004 * k)[0] for k in range(101)) > max(high, 0.0) + 0.05


def test_the_centre_of_mass_goes_from_rest_to_rest_along_the_bezier() -> None:
    begin, end = COM.at(3.0), COM.at(4.2)
    assert begin.place == pytest.approx(COM.begin)
    assert end.place == pytest.approx(COM.middle)
    assert abs(begin.velocity) == abs(end.velocity) == 0.0
    half = COM.at(3.6).place
    assert half == pytest.approx((COM.begin + 2 * COM.pivot + COM.middle) / 4)
