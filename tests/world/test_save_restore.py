"""A restored world goes on exactly as the saved one did."""

from __future__ import annotations

import numpy as np

from amble.characters.character import Character
from amble.terrain import Blocks, Noise
from amble.world import MuJoCoWorld, Push


def go_on(world: MuJoCoWorld, seed: int, steps: int = 60) -> list[np.ndarray]:
    """Save after each of some steps under random torques that also depend on the contacts."""
    rng = np.random.default_rng(seed)
    saves = []
    for _ in range(steps):
        load = world.contacts().force_w[:, 2].sum()
        world.step(rng.normal(scale=20 + 0.01 * load, size=10), 3)
        saves.append(world.save())
    return saves


def test_replay_is_the_same_bit_for_bit(biped: Character) -> None:
    for terrain in (None, Noise(0.1), Blocks()):
        world = MuJoCoWorld(biped, terrain)
        world.push(Push("pelvis", (80.0, 30.0, 0.0), 0.05, 0.2, (0.0, 0.1, 0.4)))
        world.push(Push("left_shank", (0.0, -90.0, 0.0), 0.15, 0.2))
        go_on(world, seed=0, steps=40)  # into the first push, before the second
        saved = world.save()
        first = go_on(world, seed=1)
        world.restore(saved)
        again = go_on(world, seed=1)
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_another_world_of_the_same_kind_can_go_on(biped: Character) -> None:
    one, other = MuJoCoWorld(biped), MuJoCoWorld(biped)
    one.push(Push("pelvis", (80.0, 30.0, 0.0), 0.05, 0.2))
    go_on(one, seed=0)
    other.restore(one.save())
    np.testing.assert_array_equal(go_on(one, seed=1)[-1], go_on(other, seed=1)[-1])


def test_reset_is_as_good_as_new(biped: Character) -> None:
    new, used = MuJoCoWorld(biped), MuJoCoWorld(biped)
    used.push(Push("pelvis", (80.0, 30.0, 0.0), 0.05, 20.0))
    go_on(used, seed=0)
    used.reset()
    assert not used.log
    np.testing.assert_array_equal(go_on(new, seed=1)[-1], go_on(used, seed=1)[-1])


def test_asking_for_contacts_or_saving_changes_nothing(biped: Character) -> None:
    quiet, asked = MuJoCoWorld(biped), MuJoCoWorld(biped)
    for _ in range(50):
        quiet.step(np.ones(10), 2)
        asked.step(np.ones(10), 2)
        asked.contacts()
        asked.save()
    np.testing.assert_array_equal(quiet.save(), asked.save())


def reshaped_on_the_way(world: MuJoCoWorld) -> None:
    world.push(Push("pelvis", (80.0, 30.0, 0.0), 0.02, 0.2))
    go_on(world, seed=0, steps=20)
    world.reshape("left_thigh", length=1.1)
    go_on(world, seed=2, steps=20)
    world.reshape("right_thigh", length=1.1, girth=0.9)


def test_the_shape_is_part_of_the_state(biped: Character) -> None:
    """Saved in the middle of a push and just after a reshape, restored on other shapes."""
    world, other = MuJoCoWorld(biped), MuJoCoWorld(biped)
    reshaped_on_the_way(world)
    saved, log = world.save(), list(world.log)
    first = go_on(world, seed=1)
    world.reshape("left_shank", length=1.3)
    go_on(world, seed=3)
    for each in (world, other):
        each.restore(saved)
        assert [e for e in each.log if e.kind == "reshape"] == log[1:]
        again = go_on(each, seed=1)
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert list(world.log) == log


def test_a_state_from_before_a_reshape_brings_back_the_old_shape(biped: Character) -> None:
    world = MuJoCoWorld(biped)
    saved = world.save()
    first = go_on(world, seed=1)
    reshaped_on_the_way(world)
    world.restore(saved)
    assert not world.log
    assert np.array_equal(first[-1], go_on(world, seed=1)[-1])


def test_reset_brings_back_the_character_s_own_shape(biped: Character) -> None:
    new, used = MuJoCoWorld(biped), MuJoCoWorld(biped)
    reshaped_on_the_way(used)
    used.reset()
    assert used.model.body_mass.sum() == biped.mass
    np.testing.assert_array_equal(go_on(new, seed=1)[-1], go_on(used, seed=1)[-1])
