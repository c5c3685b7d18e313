"""Steps through contact keep its laws: no pull, no slip within the cone, no sinking."""

from __future__ import annotations

import numpy as np
import pytest

from amble.terrain import Flat
from amble.tracking.adaptation import ContactAdaptation, Policy
from amble.tracking.contact_step import NEAR, ContactSettings, ContactStepper
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.regulator import Prediction
from amble.tracking.step_terms import StepMaker, StepTerms

STEP = 1 / 120


def on_the_ground(
    body: FlatBody, rng: np.random.Generator, speed: float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """A pose near rest whose lowest point is on the ground after the step."""
    q = body.flat(body.character.rest_qpos())
    q[ROOT:] += 0.003 * rng.normal(size=body.n - ROOT)
    v = speed * rng.normal(size=body.n)
    q[2] -= body.corners_w(q + STEP * v)[:, 2].min()
    return q, v


def policy(body: FlatBody, terms: StepTerms, rng: np.random.Generator, gamma: float) -> Policy:
    force = np.zeros((CORNERS, 3))
    force[:, 2] = rng.uniform(0, 100, CORNERS)
    torque = 20 * rng.normal(size=body.n - ROOT)
    return ContactAdaptation(body, gamma).policy(terms, Prediction(torque, force))


@pytest.mark.parametrize("gamma", [0.0, 0.002, 0.02])
def test_contact_is_complementary(body: FlatBody, gamma: float) -> None:
    rng, maker = np.random.default_rng(0), StepMaker(body, STEP)
    settings = ContactSettings(friction=0.8, curvature=False)
    stepper = ContactStepper(maker, Flat(), settings)
    touched = 0
    for _ in range(30):
        terms = maker.terms(*on_the_ground(body, rng))
        done = stepper.step(terms, policy(body, terms, rng, gamma))
        assert done.solved
        normal, sideways = done.force_w[:, 2], np.abs(done.force_w[:, :2]).sum(axis=1)
        J = terms.J.reshape(CORNERS, 3, -1)
        speed = J @ done.v
        gap = terms.corners_w[:, 2] + STEP * speed[:, 2]
        near = terms.corners_w[:, 2] <= NEAR
        assert normal.min() >= 0 and (sideways <= 0.8 * normal + 1e-3).all()
        assert gap[near].min() > -1e-6  # nothing goes into the ground,
        assert np.abs(gap[normal > 1e-3]).max(initial=0.0) < 1e-4  # and forces act at contact
        sticks = (normal > 1.0) & (sideways < 0.8 * normal - 1.0)
        assert np.abs(speed[sticks, :2]).max(initial=0.0) < 1e-3
        touched += int((normal > 1.0).sum())
    assert touched > 30


@pytest.mark.parametrize("gamma", [0.0, 0.02])
def test_the_step_obeys_the_equation_of_motion_with_the_torques_it_reports(
    body: FlatBody, gamma: float
) -> None:
    rng, maker = np.random.default_rng(1), StepMaker(body, STEP)
    stepper = ContactStepper(maker, Flat())
    for _ in range(10):
        q, v = on_the_ground(body, rng)
        external = 10 * rng.normal(size=body.n)
        terms = maker.terms(q, v)
        done = stepper.step(terms, policy(body, terms, rng, gamma), external)
        M = maker.dynamics.mass(done.q)
        J = maker.dynamics.jacobians(done.q)[:CORNERS].reshape(-1, body.n)
        push = J.T @ done.force_w.ravel() + external
        push[ROOT:] += done.torque
        left = M @ (done.v - v) / STEP + maker.dynamics.bias(done.q, v) - push
        assert np.abs(left).max() < 1e-6 * np.abs(push).max()


def test_torques_are_the_predicted_ones_where_forces_come_as_predicted(body: FlatBody) -> None:
    rng, maker = np.random.default_rng(2), StepMaker(body, STEP)
    terms = maker.terms(*on_the_ground(body, rng))
    force = np.abs(rng.normal(size=(CORNERS, 3)))
    predicted = Prediction(rng.normal(size=body.n - ROOT), force)
    made = ContactAdaptation(body, 0.02).policy(terms, predicted)
    assert made.answer is not None
    answered = made.torque + made.answer @ (terms.J.T @ force.ravel())
    assert answered == pytest.approx(predicted.torque, abs=1e-9)


def test_adaptation_is_the_least_squares_optimum_of_eq_12(body: FlatBody) -> None:
    rng, maker, gamma = np.random.default_rng(3), StepMaker(body, STEP), 0.02
    terms = maker.terms(*on_the_ground(body, rng))
    adaptation = ContactAdaptation(body, gamma)
    expected, came = 50 * rng.normal(size=(2, CORNERS, 3))
    predicted = Prediction(rng.normal(size=body.n - ROOT), expected)
    made = adaptation.policy(terms, predicted)
    assert made.answer is not None
    torque = made.torque + made.answer @ (terms.J.T @ came.ravel())

    def cost(torque: np.ndarray) -> float:
        change = np.concatenate([np.zeros(ROOT), torque - predicted.torque])
        change += terms.J.T @ (came - expected).ravel()
        a = terms.inverse_mass @ change
        features = np.concatenate([terms.J_places @ a, a[ROOT:]])
        effort = np.sum((torque - predicted.torque) ** 2) / gamma
        return float(adaptation._W @ features**2 + effort)

    least = cost(torque)
    for _ in range(20):
        assert cost(torque + 0.1 * rng.normal(size=len(torque))) > least


def test_stops_hold_joints_within_their_ranges(body: FlatBody) -> None:
    maker = StepMaker(body, STEP)
    stepper = ContactStepper(maker, Flat())
    q = body.flat(body.character.rest_qpos())
    q[2] += 3.0
    knee = body.names.index("left_knee")
    q[knee], v = body.limits[knee, 1] - 0.005, np.zeros(body.n)
    v[knee] = 3.0
    for _ in range(5):
        done = stepper.step(maker.terms(q, v), Policy(np.zeros(body.n - ROOT)))
        q, v = done.q, done.v
    assert q[knee] < body.limits[knee, 1] + 0.03 and v[knee] < 1e-3
