"""Sketches: contacts that fit together, standing, starting, stopping, turning, being pushed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from sketch_walks import body_of, broken_laws, walk

from amble.sketch.command import Command
from amble.sketch.contact import Contact
from amble.sketch.gait import gait_of
from amble.sketch.sketch import PendulumState, Sketch
from amble.sketch.sketcher import Sketcher
from amble.terrain import Flat, Noise, Slope, Stairs, Terrain

BODIES = ("humanoid", "cassie", "luxo", "anymal")


@dataclass(frozen=True)
class Hole(Flat):
    """Level ground with a bottomless ditch across it."""

    begin: float = 3.0
    end: float = 3.4

    def height(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        x = np.add(x, np.multiply(0.0, y))
        return np.where((x > self.begin) & (x < self.end), np.nan, 0.0)


def sketcher_of(name: str, terrain: Terrain | None = None, gait: str = "") -> Sketcher:
    return Sketcher(body_of(name), gait_of(body_of(name), gait), terrain or Flat())


@pytest.mark.parametrize("name", BODIES)
def test_a_body_at_rest_stays(name: str) -> None:
    sketcher = sketcher_of(name)
    state, contacts = sketcher.start((1.0, 2.0), 0.5)
    sketch = sketcher.sketch(0.0, state, Command(speed=0, heading=math.degrees(0.5)), contacts)
    assert sketch.standing
    assert all(math.isinf(c.end) for c in sketch.contacts)
    assert len(sketch.contacts) == len(body_of(name).legs)
    assert np.ptp(sketch.com_w, axis=0) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("every", [math.inf, 0.1])
@pytest.mark.parametrize("name", BODIES)
def test_steps_fit_together_under_changing_wishes(name: str, every: float) -> None:
    rng = np.random.default_rng(3)
    fast = 0.6 * math.sqrt(9.81 * body_of(name).leg_length)
    wishes = [
        Command(
            speed=float(rng.choice([0.0, 0.5, 1.0]) * rng.uniform(0.3, 1.0) * fast),
            heading=float(rng.uniform(-150, 150)),
            facing=float(rng.choice([0.0, 0.0, 45.0, -90.0])),
        )
        for _ in range(6)
    ]
    walked = walk(name, lambda t: wishes[min(int(t / 3), 5)], 18.0, every=every)
    assert broken_laws(walked) == []


@pytest.mark.parametrize("name", BODIES)
def test_a_stop_leads_to_standing_side_by_side(name: str) -> None:
    walked = walk(name, lambda t: Command(speed=1.0 if t < 4 else 0.0), 9.0)
    assert walked.last.standing
    assert all(math.isinf(walked.of_limb(k)[-1].end) for k in range(walked.gait.limbs))
    after = [c for c in walked.contacts if c.start > 4.6]
    assert len(after) <= 3 * walked.gait.limbs
    feet = np.array([walked.of_limb(k)[-1].position_w[:2] for k in range(walked.gait.limbs)])
    rest = np.array(walked.gait.rest_b)
    assert np.abs((feet - feet.mean(0)) - (rest - rest.mean(0))).max() < 0.05


def test_a_human_stops_within_three_steps() -> None:
    walked = walk("humanoid", lambda t: Command(speed=1.15 if t < 4 else 0.0), 8.0, every=0.2)
    assert walked.last.standing
    assert len([c for c in walked.contacts if c.start > 4.05]) <= 3


@pytest.mark.parametrize("speed", [0.5, 1.15, 3.0, 6.0])
def test_strides_last_as_long_as_wished(speed: float) -> None:
    walked = walk("humanoid", lambda t: Command(speed=speed), 9.0)
    middles = [c.middle for c in walked.of_limb(0)][-4:]
    assert np.diff(middles) == pytest.approx(walked.gait.stride(speed), rel=0.1)
    airborne = [walked.on_ground(t) == 0 for t in np.arange(6, 8, 0.01)]
    assert any(airborne) == (speed > 2)


def test_trot_lands_diagonal_pairs_and_walk_one_at_a_time() -> None:
    trot = walk("anymal", lambda t: Command(speed=1.0), 5.0, gait="trot").contacts[-10:]
    pairs = {frozenset(d.limb for d in trot if abs(d.middle - c.middle) < 1e-6) for c in trot}
    assert {frozenset({0, 3}), frozenset({1, 2})} <= pairs
    pace = walk("anymal", lambda t: Command(speed=0.4), 7.0, gait="walk").contacts[-9:]
    assert all(b.limb == {2: 0, 0: 3, 3: 1, 1: 2}[a.limb] for a, b in pairwise(pace))


def mirrored(sketch: Sketch) -> tuple[np.ndarray, list[tuple[float, ...]]]:
    com = sketch.com_w * [1, -1, 1]
    contacts = sorted(
        (c.start, 1 - c.limb, c.end, c.position_w[0], -c.position_w[1], -c.yaw)
        for c in sketch.contacts
    )
    return com, contacts


@pytest.mark.parametrize("heading, facing", [(90.0, 0.0), (180.0, 0.0), (30.0, -45.0)])
def test_mirrored_wishes_give_mirrored_sketches(heading: float, facing: float) -> None:
    found = []
    for sign in (1, -1):
        sketcher = sketcher_of("humanoid")
        state, contacts = sketcher.start()
        command = Command(speed=1.0, heading=sign * heading, facing=sign * facing)
        found.append(sketcher.sketch(0.0, state, command, contacts))
    com, steps = mirrored(found[1])
    assert np.allclose(found[0].com_w, com, atol=1e-9)
    mine = sorted((c.start, c.limb, c.end, *c.position_w[:2], c.yaw) for c in found[0].contacts)
    assert np.allclose(mine[2:], steps[2:], atol=1e-6)


def test_the_first_step_is_on_the_side_of_the_turn_and_not_at_once() -> None:
    for heading, first in ((60.0, 0), (-60.0, 1), (0.0, 0)):
        sketcher = sketcher_of("humanoid")
        state, contacts = sketcher.start()
        sketch = sketcher.sketch(0.0, state, Command(speed=1.0, heading=heading), contacts)
        new = [c for c in sketch.contacts if not c.fixed]
        assert new[0].limb == first
        assert min(c.end for c in sketch.contacts) >= 0.25


def test_a_half_turn_takes_about_a_second() -> None:
    sketcher = sketcher_of("humanoid")
    state, contacts = sketcher.start()
    sketch = sketcher.sketch(0.0, state, Command(speed=1.15, heading=180), contacts)
    turned = sketch.time[np.abs(sketch.ypr[:, 0]) > math.radians(175)][0]
    assert 0.8 < turned < 1.3


def test_turning_on_the_spot_ends_standing_that_way() -> None:
    walked = walk("humanoid", lambda t: Command(speed=0, heading=120 if t > 1 else 0), 6.0)
    assert walked.last.standing
    for k in (0, 1):
        assert abs(walked.of_limb(k)[-1].yaw - math.radians(120)) < math.radians(11)
    assert broken_laws(walked) == []


def test_a_push_makes_steps_quick_and_free() -> None:
    sketcher = sketcher_of("humanoid")
    state, contacts = sketcher.start()
    pushed = replace(state, cart_velocity_w=np.array([0.0, 1.0]))
    sketch = sketcher.sketch(0.0, pushed, Command(speed=0), contacts, urgent=True)
    new = [c for c in sketch.contacts if not c.fixed]
    assert new[0].limb == 0  # pushed to the left
    assert new[0].start < 0.7
    assert new[0].freedom == pytest.approx(0.35, rel=0.01)


def test_contacts_about_to_start_stay_as_they_are() -> None:
    walked = walk("humanoid", lambda t: Command(speed=1.0), 4.0)
    sketcher = sketcher_of("humanoid")
    given_ = walked.contacts[-4:]
    now = given_[-1].start - 0.02
    state = PendulumState(walked.cart[-1], np.zeros(2), np.array([1.0, 0]), np.zeros(2), 0.0, 0.0)
    sketch = sketcher.sketch(now, state, Command(speed=1.0, heading=40), given_)
    kept = next(c for c in sketch.contacts if c.start == given_[-1].start)
    assert np.array_equal(kept.position_w, given_[-1].position_w)


def test_a_ditch_is_stepped_over_and_a_gulf_stops_the_body() -> None:
    over = walk("humanoid", lambda t: Command(speed=1.2), 7.0, terrain=Hole(end=3.4))
    assert over.com[-1, 0] > 4.5
    assert all(np.isfinite(c.position_w).all() for c in over.contacts)
    front = walk("humanoid", lambda t: Command(speed=1.2), 8.0, terrain=Hole(end=60.0))
    assert front.last.standing
    assert 2.0 < front.com[-1, 0] < 3.0
    assert any("blocked" in note for note in front.notes)


@pytest.mark.parametrize("terrain", [Stairs(), Slope(10), Noise()])
@pytest.mark.parametrize("name", ["humanoid", "anymal"])
def test_feet_stand_on_uneven_ground_and_the_mass_moves_smoothly(
    name: str, terrain: Terrain
) -> None:
    walked = walk(name, lambda t: Command(speed=0.7), 6.0, terrain=terrain)
    assert broken_laws(walked) == []
    for c in walked.contacts:
        assert abs(c.position_w[2] - terrain.height(*c.position_w[:2])) < 0.12
    heights, times = walked.com[:, 2], walked.time
    rise = np.abs(np.diff(heights)) / np.maximum(np.diff(times), 1 / 60)
    assert rise.max() < 1.3


def test_the_mass_sways_towards_the_standing_foot() -> None:
    walked = walk("humanoid", lambda t: Command(speed=1.0), 8.0)
    for c in walked.contacts[6:10]:
        y = np.interp(c.middle, walked.time, walked.com[:, 1])
        assert y * walked.gait.sides[c.limb] > 0.01


@pytest.mark.parametrize("name", BODIES)
def test_successive_sketches_go_on_from_each_other(name: str) -> None:
    sketcher = sketcher_of(name)
    state, contacts = sketcher.start()
    kept, now, before = list(contacts), 0.0, None
    for k in range(40):
        wish = Command(speed=0.8 if 5 < k < 30 else 0.0, heading=60 if k > 15 else 0)
        sketch = sketcher.sketch(now, state, wish, kept)
        if before is not None:
            expected = [np.interp(now, before.time, column) for column in before.com_w.T]
            assert np.abs(sketch.com_w[0] - expected).max() < 0.004
        kept = [replace(c, fixed=True) for c in sketch.contacts if c.start < now + 0.1]
        now, before = now + 0.1, sketch
        state = sketch.pendulum(now)


def test_velocity_is_the_rate_of_position() -> None:
    sketcher = sketcher_of("humanoid")
    state, contacts = sketcher.start()
    s = sketcher.sketch(0.0, state, Command(speed=1.0, heading=70), contacts)
    assert np.allclose(np.gradient(s.com_w, s.time, axis=0)[2:-2], s.velocity_w[2:-2], atol=0.04)
    assert np.allclose(np.gradient(s.ypr, s.time, axis=0)[2:-2], s.ypr_rate[2:-2], atol=0.12)


@settings(max_examples=25)
@given(
    name=st.sampled_from(BODIES),
    speed=st.floats(0, 50),
    heading=st.floats(-1e4, 1e4),
    facing=st.floats(-180, 180),
    velocity=st.tuples(st.floats(-10, 10), st.floats(-10, 10)),
    yaw_rate=st.floats(-100, 100),
    urgent=st.booleans(),
)
def test_no_wish_and_no_state_is_too_much(
    name: str,
    speed: float,
    heading: float,
    facing: float,
    velocity: tuple[float, float],
    yaw_rate: float,
    urgent: bool,
) -> None:
    sketcher = sketcher_of(name)
    state, contacts = sketcher.start()
    state = replace(state, cart_velocity_w=np.array(velocity), yaw_rate=yaw_rate)
    command = Command(speed=speed, heading=heading, facing=facing)
    sketch = sketcher.sketch(0.0, state, command, contacts, urgent=urgent)
    check_order(sketch.contacts)
    assert np.isfinite(sketch.com_w).all() and np.isfinite(sketch.ypr).all()
    if speed > sketcher.gait.fastest:
        assert any("limited" in note for note in sketch.notes)


def check_order(contacts: tuple[Contact, ...]) -> None:
    assert [c.start for c in contacts] == sorted(c.start for c in contacts)
    last: dict[int, Contact] = {}
    for c in contacts:
        assert c.start <= c.flat <= c.heel_off <= c.end
        assert c.limb not in last or last[c.limb].end < c.start
        last[c.limb] = c
