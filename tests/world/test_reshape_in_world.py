"""Reshape during a simulation: the feet stay, the mass follows."""

from __future__ import annotations

import numpy as np
import pytest

from amble.characters import character, character_names
from amble.errors import InputError
from amble.world import MuJoCoWorld

NO_TORQUE = np.zeros(10)


def feet_w(world: MuJoCoWorld) -> np.ndarray:
    return np.array(world.data.site_xpos[world._contacts.sites])


def test_growing_legs_leave_the_feet_in_place(standing: MuJoCoWorld) -> None:
    for _ in range(30):
        before = feet_w(standing)
        for part in ("left_thigh", "right_thigh", "left_shank", "right_shank"):
            standing.reshape(part, length=1.01)
        assert np.abs(feet_w(standing) - before).max() < 1e-3
        standing.step(NO_TORQUE, 20)
    assert standing.data.qpos[2] > 1.05
    weight = standing.model.body_mass.sum() * 9.81
    standing.step(NO_TORQUE, 500)
    assert standing.contacts().force_w[:, 2].sum() == pytest.approx(weight, rel=0.05)


def test_a_single_growing_leg_pushes_no_foot_into_the_ground(standing: MuJoCoWorld) -> None:
    before = feet_w(standing)
    standing.reshape("left_shank", length=1.01)
    rise = feet_w(standing)[:, 2] - before[:, 2]
    assert rise.min() == pytest.approx(0, abs=1e-9) and rise.max() < 0.005


@pytest.mark.parametrize(("mass", "factor"), [(None, 1.1 * 1.2**2), (3.0, 3.0)])
def test_mass_follows(standing: MuJoCoWorld, mass: float | None, factor: float) -> None:
    before = standing.character.mass
    velocity = standing.data.qvel.copy()
    standing.reshape("left_thigh", length=1.1, girth=1.2, mass=mass)
    assert standing.model.body_mass.sum() == pytest.approx(before + 8 * (factor - 1), rel=1e-6)
    assert standing.model.body_subtreemass[1] == pytest.approx(before + 8 * (factor - 1), rel=1e-6)
    np.testing.assert_array_equal(standing.data.qvel, velocity)
    assert standing.character.mass == before, "the character itself is not changed"


def test_log_says_what_was_done(standing: MuJoCoWorld) -> None:
    standing.reshape("pelvis", girth=1.1)
    (event,) = standing.log
    assert (event.kind, event.what, event.time) == ("reshape", "pelvis", standing.time)
    assert event.values == pytest.approx({"length": 1.0, "girth": 1.1, "mass": 1.21})


@pytest.mark.parametrize("name", character_names())
def test_every_part_of_every_body_can_grow_while_it_stands(name: str) -> None:
    """The feet stay above and on the ground, the mass follows, and the world goes on."""
    body = character(name)
    world = MuJoCoWorld(body)
    for part in body.parts:
        world.reset()
        world.step(np.zeros(world.model.nv - 6), 3)
        low = min(feet_w(world)[:, 2])
        world.reshape(part, length=1.3, girth=1.2)
        b = world.model.body(body.part(part)).id
        grown = body.mass + (1.3 * 1.2**2 - 1) * body.model.body_mass[b]
        assert world.model.body_subtreemass[1] == pytest.approx(grown, rel=1e-9)
        assert min(feet_w(world)[:, 2]) == pytest.approx(low, abs=2e-3)
        world.step(np.zeros(world.model.nv - 6), 3)
        assert np.abs(world.data.qvel).max() < 20


def test_wrong_reshapes_are_refused_and_change_nothing(standing: MuJoCoWorld) -> None:
    before, mass = standing.save(), standing.model.body_mass.copy()
    for part, factors in (
        ("left_tigh", {"length": 2.0}),
        ("left_thigh", {"length": 0.0}),
        ("left_thigh", {"girth": np.nan}),
        ("left_thigh", {"mass": -1.0}),
    ):
        with pytest.raises(InputError):
            standing.reshape(part, **factors)
    np.testing.assert_array_equal(standing.save(), before)
    np.testing.assert_array_equal(standing.model.body_mass, mass)
