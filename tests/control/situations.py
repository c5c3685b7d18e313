"""Bodies in random situations: some joints beyond their limits, any contacts and tasks."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters import character
from amble.control.tasks import XYZ
from amble.control.whole_body import WholeBody
from amble.features.feature import Kind
from amble.geometry.rotations import matrix_from_quat
from amble.terrain import Slope, Terrain
from amble.world import MuJoCoWorld

TIME = 1.5  # [s] at which the tasks are looked at


def random_situation(
    name: str, seed: int, terrain: Terrain | None = None, *, non_penetration: bool = False
) -> WholeBody:
    """A controller at a random state, with random contacts, posture and tasks of every kind."""
    rng = np.random.default_rng([seed, *name.encode()])
    body = at_random_state(name, rng, terrain or Slope(20.0), non_penetration)
    count = len(body.sites)
    body.use_contacts(rng.permutation(count)[: rng.integers(0, count + 1)])
    na = len(body.posture_weight)
    body.posture_weight[:] = rng.uniform(0.5, 2, na)
    body.posture_kp[:] = rng.uniform(0, 100, na)
    body.posture_kv[:] = rng.uniform(0, 20, na)
    add_random_tasks(body, rng)
    return body


def at_random_state(
    name: str, rng: np.random.Generator, terrain: Terrain, non_penetration: bool
) -> WholeBody:
    """Joints near and beyond their limits, the root turned anyhow, some parts very fast."""
    world = MuJoCoWorld(character(name), terrain)
    qpos, _ = world.noisy_state(rng, 0.4)
    noise = rng.normal(size=world.model.nv) * np.repeat((1.0, 0.08), (6, world.model.nv - 6))
    mujoco.mj_integratePos(world.model, qpos, noise, 1.0)
    world.reset(qpos, 2 * rng.standard_t(2, size=world.model.nv))
    body = WholeBody(
        world.character,
        world.model,
        world.data,
        terrain,
        friction=rng.uniform(0.3, 1.2),
        non_penetration=non_penetration,
    )
    body.update()
    return body


def add_random_tasks(body: WholeBody, rng: np.random.Generator) -> None:
    """Rows of every kind in three levels, as setpoints and as targets, free and limited."""
    tasks, point = body.tasks, int(rng.integers(len(body.sites)))
    part = int(rng.integers(1, body.model.nbody))
    indices = {Kind.POINT: point, Kind.COM: 0, Kind.MOMENTUM: 0, Kind.POINT_FROM_COM: point}
    tasks.clear()
    for kind, index in indices.items():
        tasks.setpoint(
            kind,
            index,
            XYZ,
            kp=rng.uniform(10, 100, 3),
            kv=rng.uniform(1, 20, 3),
            reference=rng.normal(size=3),
            velocity=rng.normal(size=3),
            acceleration=rng.normal(size=3),
            weight=rng.uniform(0.1, 10, 3),
            limit=rng.choice((5.0, np.inf)),
        )
    tasks.end_level()
    for kind, index in indices.items():
        tasks.target(
            kind,
            index,
            rng.permutation(3)[:2],
            reference=rng.normal(size=2),
            velocity=rng.normal(size=2),
            deadline=TIME + rng.uniform(-0.1, 0.6),
            weight=rng.uniform(0.1, 10, 2),
            limit=rng.choice((20.0, np.inf)),
        )
    tasks.end_level()
    for _ in range(2):
        quat = rng.normal(size=4)
        rotation = matrix_from_quat(quat / np.linalg.norm(quat))
        tasks.orientation(part, rotation, kp=rng.uniform(10, 100), kv=rng.uniform(1, 20, 3))
    dofs = rng.permutation(len(body.torque))[:3]
    torques = tasks.minimum_torque(dofs, weight=rng.uniform(0.1, 1, 3))
    tasks.feed_forward(torques, rng.normal(size=3))
    tasks.end_level()
