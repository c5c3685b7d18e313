"""Laws of contact points: who touches when, and forces that add up."""

from __future__ import annotations

import numpy as np
from walks import human_gait, robot_gait, standing

import amble
from amble.characters.centroidal import CentroidalBody, centroidal_body
from amble.pose.touching import lifted, point_forces, touching
from amble.terrain import Flat


def _points(name: str) -> list[str]:
    return [site for e in amble.character(name).end_effectors for site in e.sites]


def _down(body: CentroidalBody, times: int) -> np.ndarray:
    """Poses with every effector on the ground."""
    return np.zeros((times, sum(len(leg.effectors) for leg in body.legs)), dtype=bool)


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
        (found,) = touching(character, body, [contact], np.array([time]), _down(body, 1))
        assert (found[heels] == heel).all()
        assert (found[toes] == toe).all()
        assert found.sum() == 2 * heel + 2 * toe


def test_all_of_a_standing_body_touches() -> None:
    for name in ("luxo", "cassie", "anymal"):
        character = amble.character(name)
        body = centroidal_body(character)
        assert touching(character, body, standing(body).contacts, np.ones(1), _down(body, 1)).all()


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
        where = (character, body, gait.contacts, times, _down(body, len(times)))
        shared = point_forces(*where, forces)
        assert np.allclose(shared.sum(axis=1), forces.sum(axis=1))
        assert not shared[~touching(*where)].any()


def test_a_heel_that_the_pose_lifts_leaves_its_load_to_the_toe() -> None:
    character = amble.character("humanoid")
    body = centroidal_body(character)
    contacts = standing(body).contacts
    names, (left, _) = _points("humanoid"), body.legs
    soles_w = np.zeros((1, sum(len(leg.foot.sites) for leg in body.legs), 3))
    for k, site in enumerate(left.foot.sites):
        soles_w[0, k, 2] = 0.05 if "heel" in site else 0.0
    up = lifted(character, body, soles_w, Flat())
    assert up.sum() == 1
    forces = np.ones((1, up.shape[1], 3))
    where = (character, body, contacts, np.ones(1), up)
    (on,), (shared,) = touching(*where), point_forces(*where, forces)
    for name, touches, force in zip(names, on, shared, strict=True):
        if name in left.foot.sites:
            assert touches == ("toe" in name)
            assert np.allclose(force, 1.0 if "toe" in name else 0.0)
    assert np.allclose(shared.sum(axis=0), forces[0].sum(axis=0))
