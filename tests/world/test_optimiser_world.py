"""The world that moves as the controller's optimiser says: laws of its integration, and a run."""

from __future__ import annotations

import numpy as np
import pytest

from amble.characters import character
from amble.control.balance import Balance, BalanceParameters
from amble.errors import AmbleError, UnknownName
from amble.scenarios import scenario
from amble.world import OptimiserWorld, Push


def standing() -> tuple[OptimiserWorld, Balance]:
    world = OptimiserWorld(character("humanoid"))
    parameters = BalanceParameters(control_rate=100.0)
    balance = Balance(world.character, world.model, world.data, world.terrain, parameters)
    world.follow(balance.body)
    return world, balance


def test_velocities_change_by_what_the_optimiser_found() -> None:
    world, balance = standing()
    world.data.qvel[8] = 0.3
    torque = balance.torque(world.time)
    expected = world.data.qvel + world.timestep * balance.body.acceleration
    world.step(torque)
    np.testing.assert_allclose(world.data.qvel, expected, atol=1e-12)
    assert world.time == pytest.approx(world.timestep)


def test_a_push_adds_its_impulse() -> None:
    """M Δv by the push is its generalised impulse: all of it moves the whole body."""
    world, balance = standing()
    torque = balance.torque(world.time)
    planned = world.data.qvel + world.timestep * balance.body.acceleration
    world.push(Push("thorax", (100.0, 0.0, 0.0), start=0.0, seconds=0.01))
    world.step(torque)
    change = world.data.qvel - planned
    mass = world.character.mass
    # Evaluated at the pose before the step: the COM moves with J_com q̇.
    assert (balance.body.views["com_jacobian"] @ change)[0] == pytest.approx(1.0 / mass, rel=0.02)
    np.testing.assert_allclose(world.push_impulse_w, (1.0, 0.0, 0.0))


def test_without_a_controller_it_does_not_move() -> None:
    world = OptimiserWorld(character("humanoid"))
    with pytest.raises(AmbleError, match="follow"):
        world.step(np.zeros(world.model.nv - 6))


def test_pushes_and_a_jump_end_as_in_physics() -> None:
    for name, seconds in (("balance-push", 4.0), ("jump", 7.5)):
        chosen = scenario(name)
        outcome = chosen.make(chosen.request(seconds=seconds, world="optimiser"))
        assert outcome.reached_goal, outcome.reason
        assert outcome.report["measures"]["solves"] == pytest.approx(100 * seconds, abs=2)


def test_planned_motion_has_no_such_world() -> None:
    with pytest.raises(UnknownName, match="mujoco"):
        scenario("humanoid-walk").request(world="optimiser")
