"""Gaits of any body scale with its legs."""

from __future__ import annotations

import math

import pytest
from sketch_walks import body_of

from amble.errors import InputError
from amble.sketch.gait import gait_of

NAMES = ("humanoid", "baby", "cassie", "luxo", "anymal", "ostrich", "dinosaur", "asymmetric")


@pytest.mark.parametrize("name", NAMES)
def test_every_limb_steps_once_a_cycle_with_time_to_swing(name: str) -> None:
    gait = gait_of(body_of(name))
    for share in (0.0, 0.2, 0.6, 1.0):
        speed = share * gait.fastest
        assert sorted(i for group in gait.groups(speed) for i in group) == list(range(gait.limbs))
        stride = gait.stride(speed)
        contact = gait.contact_seconds(speed, stride)
        assert 0 < contact < stride - gait.shortest_swing


def test_a_small_body_steps_faster_by_the_root_of_its_size() -> None:
    human, baby = gait_of(body_of("humanoid")), gait_of(body_of("baby"))
    root = math.sqrt(human.leg_length / baby.leg_length)
    assert human.stride(1.0) / baby.stride(1.0 / root) == pytest.approx(root)
    assert human.fastest / baby.fastest == pytest.approx(root)
    assert human.travel / baby.travel == pytest.approx(root**2)


def test_a_human_walks_slowly_and_runs_fast() -> None:
    gait = gait_of(body_of("humanoid"))
    runs = [gait.running(gait.contact_seconds(v, gait.stride(v)) / gait.stride(v)) for v in (1, 5)]
    assert runs == [0.0, 1.0]
    assert gait.strike_angle(1.2, 0.0) > gait.strike_angle(3.0, 1.0)


def test_an_unknown_gait_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="did you mean trot"):
        gait_of(body_of("anymal"), "trott")
