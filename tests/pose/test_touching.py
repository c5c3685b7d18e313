"""Laws of contact points: who touches when, and forces that add up."""

from __future__ import annotations

import numpy as np
from walks import human_gait, robot_gait, standing

import amble
from amble.characters.centroidal import centroidal_body
from amble.pose.touching import point_forces, touching


def _points(name: str) -> list[str]:
    return [site for e in amble.character(name).end_effectors for site in e.sites]


def test_a_rolling_foot_touches_with_heel_then_all_then_toe() -> None:
    character = amble.character("humanoid")
    body = centroidal_body(character)
    contact = next(c for c in human_gait(body, 1.2).contacts if c.limb == 0 and c.start > 0)
    heels = [
        i for i, n in enumerate(_points("humanoid")) if n.startswith("left_foot") and "heel" in n
    ]
    toes = [
        i for i, n in enumerate(_points("humanoid")) if n.startswith("left_foot") and "toe" in n
    ]
    for time, heel, toe in (
        (contact.start + 1e-3, True, False),
        (0.5 * (contact.flat + contact.heel_off), True, True),
        (contact.end - 1e-3, False, True),
        (contact.end + 1e-3, False, False),
    ):
        (found,) = touching(character, body, [contact], np.array([time]))
        assert (found[heels] == heel).all()
        assert (found[toes] == toe).all()
        assert found.sum() == 2 * heel + 2 * toe


def test_all_of_a_standing_body_touches() -> None:
    for name in ("luxo", "cassie", "anymal"):
        character = amble.character(name)
        body = centroidal_body(character)
        assert touching(character, body, standing(body).contacts, np.ones(1)).all()


def test_forces_add_up_and_act_only_where_feet_touch() -> None:
    rng = np.random.default_rng(0)
    for name in ("humanoid", "cassie", "anymal"):
        character = amble.character(name)
        body = centroidal_body(character)
        legs = len(body.legs)
        gait = (
            human_gait(body, 1.2)
            if name == "humanoid"
            else robot_gait(body, 0.7, 0.8, 0.7, tuple(0.5 * (i % 2) for i in range(legs)))
        )
        times = np.linspace(0.0, 1.0, 21)
        held = [
            [any(c.holds(time) for c in gait.contacts if c.limb == i) for i in range(legs)]
            for time in times
        ]
        on = np.repeat(held, [len(leg.effectors) for leg in body.legs], axis=1)
        forces = rng.standard_normal((*on.shape, 3)) * on[..., None]
        shared = point_forces(character, body, gait.contacts, times, forces)
        assert np.allclose(shared.sum(axis=1), forces.sum(axis=1))
        assert not shared[~touching(character, body, gait.contacts, times)].any()
