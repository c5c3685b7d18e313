"""Forces at contact points are MuJoCo's own, each at the nearest contact point of its body."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from amble.characters import character
from amble.terrain import Noise
from amble.world import ContactReport, MuJoCoWorld
from amble.world.contacts import ContactReader


def twin(model: mujoco.MjModel, data: mujoco.MjData, sites: np.ndarray) -> ContactReport:
    """What `ContactReader` reports, by MuJoCo's functions and numpy."""
    force_w, touching, other_w = np.zeros((len(sites), 3)), np.zeros(len(sites), bool), np.zeros(3)
    for k in range(data.ncon):
        contact, local = data.contact[k], np.zeros(6)
        bodies = model.body_weldid[model.geom_bodyid[contact.geom]]
        if bodies.all():  # two parts of the character
            continue
        mujoco.mj_contactForce(model, data, k, local)
        sign = 1.0 if bodies[0] == 0 else -1.0
        f = sign * contact.frame.reshape(3, 3).T @ local[:3]
        own = np.flatnonzero(model.body_weldid[model.site_bodyid[sites]] == bodies.max())
        if not len(own):
            other_w += f
            continue
        apart = np.linalg.norm(data.site_xpos[sites[own]] - contact.pos, axis=1)
        force_w[own[apart.argmin()]] += f
        touching[own[apart.argmin()]] |= bool(f.any())
    return ContactReport(touching, force_w, other_w)


@pytest.mark.parametrize("name", ["humanoid", "anymal"])
def test_forces_of_a_fall_are_those_of_mujoco(name: str) -> None:
    world = MuJoCoWorld(character(name), Noise(amplitude=0.05))
    model, data = world.model, world.data
    reader = ContactReader(model, data, world.character)
    seen_other = False
    for step in range(1200):
        mujoco.mj_step(model, data)
        if step % 10:
            continue
        reader.snapshot()
        found, expected = reader.report(), twin(model, data, reader.sites)
        np.testing.assert_array_equal(found.touching, expected.touching)
        np.testing.assert_allclose(found.force_w, expected.force_w, atol=1e-9)
        np.testing.assert_allclose(found.other_force_w, expected.other_force_w, atol=1e-9)
        seen_other |= bool(found.other_force_w.any())
    assert seen_other
