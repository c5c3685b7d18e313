"""Laws of a plan: Newton and Euler between its nodes too, forces in their cones, mirror images."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from walking_sketch import straight_walk

import amble
from amble.characters.centroidal import CentroidalBody, centroidal_body
from amble.characters.character import GRAVITY
from amble.geometry.rotations import quat_from_matrix, rotvec_from_quat
from amble.geometry.turns import ground_frame
from amble.plan.forward import effector_points, integrate
from amble.plan.plan import Plan
from amble.plan.solve import solve
from amble.plan.weights import Limits, Weights
from amble.sketch.contact import standing_sole

GAITS = {"walk": (1.15, 1.1, 0.62), "slow": (0.6, 1.3, 0.66), "run": (3.0, 0.74, 0.33)}


@pytest.fixture(scope="module")
def body() -> CentroidalBody:
    return centroidal_body(amble.character("humanoid"))


@pytest.fixture(scope="module", params=GAITS)
def plan(body: CentroidalBody, request: pytest.FixtureRequest) -> Plan:
    speed, stride, duty = GAITS[request.param]
    sketch, start = straight_walk(body, speed, stride, duty)
    attempt = solve(body, sketch, start, stride, Weights(), Limits())
    assert not attempt.failure
    return attempt.plan


def test_forces_integrated_forward_return_to_the_plan(body: CentroidalBody, plan: Plan) -> None:
    course = integrate(body, plan, plan.state(plan.start), plan.start, plan.end, step=1 / 2000)
    for time in np.linspace(plan.start, plan.end, 20):
        real, said = course.state(time), plan.state(time)
        turn = rotvec_from_quat(quat_from_matrix(real.R_w.T @ said.R_w))
        assert np.linalg.norm(real.com_w - said.com_w) < 1e-3
        assert np.rad2deg(np.linalg.norm(turn)) < 0.5


def test_forces_stay_in_their_cones_and_vanish_without_contact(
    body: CentroidalBody, plan: Plan
) -> None:
    weight = body.mass * GRAVITY
    for time in np.arange(plan.start, plan.end, 1e-3):
        forces, e = plan.force(time), 0
        for i, leg in enumerate(body.legs):
            contact = next((c for c in plan.contacts if c.limb == i and c.holds(time)), None)
            for _ in leg.effectors:
                if contact is None:
                    assert np.abs(forces[e]).max() <= 1e-9 * weight
                else:
                    local = ground_frame(contact.normal_w, contact.yaw).T @ forces[e]
                    assert np.hypot(local[0], local[1]) <= local[2] + 1e-9 * weight
                e += 1


def test_legs_reach_their_footholds_at_the_nodes(body: CentroidalBody, plan: Plan) -> None:
    for time in plan.time[1:]:
        state = plan.state(float(time))
        for contact in plan.contacts:
            if contact.holds(time):
                leg = body.legs[contact.limb]
                ankle = standing_sole(contact, leg, float(time)).ankle_w(leg)
                hip = state.com_w + leg.hip_b  # as the plan sees it, in the sketch's orientation
                assert np.linalg.norm(hip - ankle) <= leg.longest + 1e-3


def test_the_mirror_image_of_a_sketch_gives_the_mirror_image_of_its_plan(
    body: CentroidalBody,
) -> None:
    left, right = (
        solve(body, *straight_walk(body, 1.15, 1.1, 0.62, first), 1.1, Weights(), Limits()).plan
        for first in (0, 1)
    )
    assert np.allclose(left.com_w * [1, -1, 1], right.com_w, atol=1e-4)
    swapped = right.force_w[:, [2, 3, 0, 1]] * [1, -1, 1]
    assert np.allclose(left.force_w, swapped, atol=0.02 * body.mass * GRAVITY)


def test_a_plan_carries_on_the_forces_it_begins_with(body: CentroidalBody) -> None:
    sketch, start = straight_walk(body, 1.15, 1.1, 0.62)
    first = solve(body, sketch, start, 1.1, Weights(), Limits()).plan
    cone = first.cone_weights(0.2)
    ypr, rate = first.turns(0.2)
    state = first.state(0.2)
    later = replace(
        start,
        time=0.2,
        com_w=state.com_w,
        velocity_w=state.velocity_w,
        ypr=ypr,
        ypr_rate=rate,
        cone=cone,
    )
    again = solve(body, sketch, later, 0.9, Weights(), Limits(), first)
    assert not again.failure
    assert np.allclose(again.plan.force(0.2), first.force(0.2), atol=1e-6 * body.mass * GRAVITY)


def test_an_impossible_plan_names_what_hurts(body: CentroidalBody) -> None:
    sketch, start = straight_walk(body, 1.15, 1.1, 0.62)
    high = replace(start, com_w=start.com_w + [0, 0, 0.3])
    attempt = solve(body, sketch, high, 1.1, Weights(), Limits())
    assert "_leg" in attempt.failure or "motion" in attempt.failure or "solver" in attempt.failure
    assert attempt.failure


def test_pushes_change_the_course_by_their_impulse(body: CentroidalBody) -> None:
    sketch, start = straight_walk(body, 1.15, 1.1, 0.62)
    plan = solve(body, sketch, start, 1.1, Weights(), Limits()).plan
    force = np.array([0.0, 100.0, 0.0])
    course = integrate(
        body, plan, plan.state(0.0), 0.0, 0.2, lambda time, state: (force, np.zeros(3))
    )
    gained = course.states[-1].velocity_w - plan.state(0.2).velocity_w
    assert np.allclose(gained, force * 0.2 / body.mass, atol=1e-4)


def test_effectors_lie_along_the_foot(body: CentroidalBody) -> None:
    sketch, _ = straight_walk(body, 1.15, 1.1, 0.62)
    points = effector_points(body, sketch.contacts, 0.0)
    heel, toe = body.legs[0].effectors
    assert np.allclose(points[1] - points[0], [toe - heel, 0, 0])
