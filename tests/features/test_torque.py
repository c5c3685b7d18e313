"""The torque feature: τ = M_a q̈ + h_a − Q_a (features eq. 22), whatever the forces."""

from __future__ import annotations

from typing import cast

import mujoco
import numpy as np
import pytest
from random_states import features_of, random_states

from amble.characters import character, character_names
from amble.features.posture import Torque
from amble.features.state import BodyState
from amble.world import MuJoCoWorld

every_body = pytest.mark.parametrize("name", character_names())


def generalised(state: BodyState, wrenches: np.ndarray) -> np.ndarray:
    """Generalised force (nv,) of a force and a moment at the COM of every body (nbody, 6)."""
    model, data, force = state.model, state.data, np.zeros(state.model.nv)
    for body in range(1, model.nbody):
        mujoco.mj_applyFT(
            model, data, wrenches[body, :3], wrenches[body, 3:], data.xipos[body], body, force
        )
    return force


@every_body
def test_it_is_what_inverse_dynamics_asks_for(name: str) -> None:
    """Any q̈, and any known force in `BodyState.force`."""
    rng = np.random.default_rng(2)
    for state in random_states(name):
        model, data = state.model, state.data
        acceleration, wrenches = 20 * rng.normal(size=model.nv), rng.normal(size=(model.nbody, 6))
        known = BodyState(model, data, force=generalised(state, wrenches))
        inverse = np.zeros(model.nv)
        data.qacc[:] = acceleration
        mujoco.mj_rne(model, data, 1, inverse)
        inverse += model.dof_armature * acceleration - data.qfrc_passive
        for torque in cast(tuple[Torque, ...], features_of(name, Torque)):
            dofs = 6 + np.array(torque.dofs)
            predicted = torque.jacobian(known) @ acceleration + torque.drift(known)
            expected = (inverse - known.force)[dofs]
            np.testing.assert_allclose(predicted, expected, rtol=0, atol=1e-10 * abs(inverse).max())


@every_body
def test_the_simulator_moves_as_it_says(name: str) -> None:
    """The torques that act, given back from the simulated q̈ and the forces of contacts, joint
    limits and pushes."""
    world, rng = MuJoCoWorld(character(name)), np.random.default_rng(3)
    model, data = world.model, world.data
    qpos, qvel = world.noisy_state(rng, 0.4)
    qpos[2] -= 0.01 * world.character.height  # so that it presses on the ground
    world.reset(qpos, qvel)
    data.qfrc_applied[6:] = rng.normal(size=model.nv - 6) * world.character.torque_limits
    data.xfrc_applied[1:] = 10 * rng.normal(size=(model.nbody - 1, 6))
    mujoco.mj_forward(model, data)
    assert data.ncon > 0
    state = BodyState(model, data)
    force = data.qfrc_constraint + generalised(state, data.xfrc_applied)
    state = BodyState(model, data, force=force)
    torque = Torque(tuple(range(model.nv - 6)))
    found = torque.jacobian(state) @ data.qacc + torque.drift(state)
    scale = abs(data.qfrc_constraint).max()
    np.testing.assert_allclose(torque.value(state), found, rtol=0, atol=1e-9 * scale)
    np.testing.assert_array_equal(torque.value(state), data.qfrc_applied[6:])


def test_its_rows_follow_the_order_of_its_degrees_of_freedom() -> None:
    (state, *_) = random_states("luxo")
    both, first, last = Torque((5, 0)), Torque((5,)), Torque((0,))
    for part in ("jacobian", "drift", "value"):
        rows = [getattr(feature, part)(state) for feature in (both, first, last)]
        np.testing.assert_array_equal(rows[0], np.concatenate(rows[1:]))
