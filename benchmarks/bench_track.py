"""Tracking: a step of control and physics in the world 'lcp', and what goes before it."""

from __future__ import annotations

import time

import numpy as np

import amble
from amble.terrain import Flat
from amble.tracking.adaptation import ContactAdaptation
from amble.tracking.contact_step import ContactStepper
from amble.tracking.flat_body import FlatBody
from amble.tracking.library import reference
from amble.tracking.regulator import Regulator
from amble.tracking.step_terms import StepMaker

GAMMA = 0.02


def run(seconds: float = 5.0) -> dict[str, float]:
    """Microseconds a step, and seconds that a controller takes from a cached reference."""
    body = FlatBody(amble.character("humanoid-tracking"))
    found: dict[str, float] = {}
    for name in ("walk", "run", "stand"):
        given = reference(name, body.character)
        begin = time.perf_counter()
        regulator = Regulator(body, given)
        found[f"{name}: controller [s]"] = time.perf_counter() - begin
        steps, contacts = _steps(body, regulator, max(round(seconds / given.step), 10))
        found[f"{name}: median step [µs]"] = 1e6 * float(np.median(steps))
        found[f"{name}: mean step [µs]"] = 1e6 * float(np.mean(steps))
        found[f"{name}: points near the ground"] = contacts
    return found


def _steps(body: FlatBody, regulator: Regulator, count: int) -> tuple[list[float], float]:
    """Seconds of each step, and the mean number of points near the ground."""
    maker = StepMaker(body, regulator.reference.step)
    stepper = ContactStepper(maker, Flat())
    adaptation = ContactAdaptation(body, GAMMA)
    q, v, row = regulator.q(0), regulator.v(0), 0
    back = regulator.exit.inverse()
    times, contacts = [], 0
    for _ in range(count):
        begin = time.perf_counter()
        terms = maker.terms(q, v)
        policy = adaptation.policy(terms, regulator.predict(row, q, v, terms))
        done = stepper.step(terms, policy)
        times.append(time.perf_counter() - begin)
        q, v, row, contacts = done.q, done.v, row + 1, contacts + done.contacts
        if row == regulator.steps:
            q, v, row = back.pose(q), back.vector(v), 0
    return times, contacts / count
