"""Laws of the objectives (features eq. 4–7), on a double integrator ÿ = what the core asks for."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from scipy.linalg import expm

from amble.characters import character
from amble.control.tasks import critical
from amble.control.whole_body import WholeBody
from amble.features.feature import Kind
from amble.world import MuJoCoWorld

SHORTEST = 0.06  # [s] the core never counts on less


class Integrator:
    """A lamp that only moves up and down: y is the height of its COM over rest [m]."""

    def __init__(self) -> None:
        world = MuJoCoWorld(character("luxo"))
        self.body = WholeBody(world.character, world.model, world.data, world.terrain)
        self.body.update()
        self.rest_height = float(self.body.com_w[2])
        self._z = float(world.data.qpos[2])

    def target(self, height: float, velocity: float, deadline: float) -> None:
        """The objective, and beside it a row that asks for no acceleration."""
        tasks = self.body.tasks
        tasks.target(
            Kind.COM,
            0,
            (2,),
            reference=self.rest_height + height,
            velocity=velocity,
            deadline=deadline,
        )
        tasks.setpoint(Kind.COM, 0, (2,), kp=0.0, kv=0.0)
        tasks.end_level()

    def wish(self, y: float, velocity: float, time: float) -> float:
        """The acceleration that the core asks for at a state."""
        body = self.body
        body.data.qpos[2], body.data.qvel[2] = self._z + y, velocity
        mujoco.mj_step1(body.model, body.data)
        body.update()
        body._core.assemble(time, body.tasks.levels, body.contacts, body.posture)
        asked, nothing = body.problem()[1]
        return float(asked - nothing)


@pytest.mark.parametrize("T", (0.2, 0.7))
@pytest.mark.parametrize("end", ((0.3, 0.0), (-0.2, 1.5)))
def test_a_target_plans_a_linear_acceleration_and_keeps_to_it(
    end: tuple[float, float], T: float
) -> None:
    """From ÿ(0) = a and the final speed follows b; the plan then ends at the target, and asked
    again on its way the objective gives the same plan (while it may count on the time left)."""
    y_T, v_T = end
    y_0, v_0 = 0.1, -0.6
    system = Integrator()
    system.target(y_T, v_T, T)
    a = system.wish(y_0, v_0, 0.0)
    b = 2 * (v_T - v_0) / T - a
    assert y_0 + v_0 * T + T**2 * (a / 3 + b / 6) == pytest.approx(y_T, abs=1e-9)
    for t in np.linspace(0, T - SHORTEST, 9):
        planned = a + (b - a) * t / T
        velocity = v_0 + a * t + (b - a) * t**2 / (2 * T)
        y = y_0 + v_0 * t + a * t**2 / 2 + (b - a) * t**3 / (6 * T)
        assert system.wish(y, velocity, t) == pytest.approx(planned, abs=1e-7 * abs(a))


@pytest.mark.parametrize("v_T", (0.0, 0.7, -1.5))
def test_a_target_is_reached_in_time_with_its_velocity(v_T: float) -> None:
    """At 500 Hz, to 1 % of the way and 10 % of the greatest speed."""
    y_T, T, step = 0.5, 0.5, 0.002
    system, y, velocity, fastest = Integrator(), 0.0, 0.0, 0.0
    system.target(y_T, v_T, T)
    for k in range(round(T / step)):
        acceleration = system.wish(y, velocity, k * step)
        y += velocity * step + acceleration * step**2 / 2
        velocity += acceleration * step
        fastest = max(fastest, abs(velocity))
    assert y == pytest.approx(y_T, abs=0.01 * y_T)
    assert velocity == pytest.approx(v_T, abs=0.1 * fastest)


def test_a_late_target_still_asks_for_something_finite() -> None:
    system = Integrator()
    system.target(0.1, 0.0, 1.0)
    in_time, late = system.wish(0.0, 0.0, 1.0 - SHORTEST), system.wish(0.0, 0.0, 5.0)
    assert late == pytest.approx(in_time) == pytest.approx(6 * 0.1 / SHORTEST**2)


def error_over_time(kp: float, kv: float) -> np.ndarray:
    """y(t) of ÿ = −k_p y − k_v ẏ from 1 at rest, exactly."""
    flow = expm(np.array([[0.0, 1.0], [-kp, -kv]]) * 0.02 / math.sqrt(kp))
    states = [np.array([1.0, 0.0])]
    for _ in range(1000):
        states.append(flow @ states[-1])
    return np.array(states)[:, 0]


@pytest.mark.parametrize("kp", (4.0, 400.0))
def test_critical_damping_does_not_overshoot_and_no_other_is_faster(kp: float) -> None:
    kv = float(critical(kp))
    y = error_over_time(kp, kv)
    assert y.min() >= 0
    assert y[-1] < 1e-6
    assert error_over_time(kp, 0.95 * kv).min() < 0
    slower = error_over_time(kp, 1.05 * kv)
    assert slower.min() >= 0
    assert np.all(slower[600:] > y[600:])


def test_critical_damping_of_several_stiffnesses() -> None:
    np.testing.assert_allclose(critical([0.0, 1.0, 400.0]), (0.0, 2.0, 40.0))
