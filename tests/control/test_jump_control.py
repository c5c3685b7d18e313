"""The jump's own formulas: its target objective, its inertia, its state machine."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from amble.characters import character
from amble.control.jump import Jump, Phase
from amble.control.jump_parameters import JumpParameters
from amble.control.jump_thrust import target_acceleration, turning_inertia
from amble.control.squat import leg_dofs
from amble.terrain import Flat
from amble.world import MuJoCoWorld


@pytest.mark.parametrize(("way", "velocity", "final"), [(-0.3, 0.0, 0.0), (0.4, -0.5, 2.5)])
def test_a_target_objective_arrives_in_time(way: float, velocity: float, final: float) -> None:
    """Following it for most of the time leaves what the cubic of eq. 6 leaves at that moment."""
    T, dt = 1.0, 1e-4
    y, v, t = 0.0, velocity, 0.0
    while t < 0.8 * T:
        v += dt * target_acceleration(way - y, v, final, T - t)
        y += dt * v
        t += dt
    s = t / T
    # Hermite cubic between (0, velocity) and (way, final)
    cubic = (s**3 - 2 * s**2 + s) * velocity * T + (3 * s**2 - 2 * s**3) * way
    cubic += (s**3 - s**2) * final * T
    assert y == pytest.approx(cubic, abs=2e-3)


def test_turning_inertia_is_that_of_the_stiff_body() -> None:
    """Spun about the vertical at 1 rad/s, its angular momentum is the inertia."""
    person = character("humanoid")
    model, data = person.model, mujoco.MjData(person.model)
    mujoco.mj_forward(model, data)
    data.qvel[3:6] = data.xmat[model.body(person.root).id].reshape(3, 3).T @ (0, 0, 1)
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    momentum = data.subtree_angmom[model.body(person.root).id]
    assert turning_inertia(model, person.root) == pytest.approx(momentum[2])


def test_legs_are_the_joints_of_thigh_shank_and_foot() -> None:
    person = character("humanoid")
    names = np.array(person.dof_names)[leg_dofs(person.model, person)]
    assert len(names) == 12
    assert all("hip" in n or "knee" in n or "ankle" in n for n in names)


def test_the_phases_come_in_order_and_gravity_alone_acts_in_flight() -> None:
    person = character("humanoid")
    world = MuJoCoWorld(person, Flat())
    parameters = JumpParameters(stand_seconds=0.1, height=0.2)
    jump = Jump(person, world.model, world.data, world.terrain, parameters)
    seen: list[Phase] = []
    aloft: list[tuple[float, float]] = []
    while world.time < 2.8:
        torque = jump.torque(world.time)
        if not seen or seen[-1] is not jump.progress.phase:
            seen.append(jump.progress.phase)
        if jump.progress.phase is Phase.ASCENT:
            aloft.append((world.time, float(jump.body.com_velocity_w[2])))
        world.step(torque, 2)
    assert seen == [
        Phase.STAND,
        Phase.COMPRESS,
        Phase.THRUST,
        Phase.ASCENT,
        Phase.DESCENT,
        Phase.IMPACT,
        Phase.RECOVER,
        Phase.STAND,
    ]
    (t0, v0), (t1, v1) = aloft[len(aloft) // 2], aloft[-1]
    assert (v1 - v0) / (t1 - t0) == pytest.approx(-9.81, rel=0.02)
