"""A reference as a clip, with its torques and ground forces: to look at, measure and export."""

from __future__ import annotations

import numpy as np

from amble.motion.clip import Clip
from amble.terrain import Flat
from amble.tracking.flat_body import FlatBody
from amble.tracking.reference import Reference


def clip_of(body: FlatBody, reference: Reference, cycles: int = 1, friction: float = 1.0) -> Clip:
    """The rows of a reference as frames; `cycles` of it where it is one.

    A row's forces act on the step that ends its pose's velocity, and are its frame's.
    """
    count = len(reference) * (cycles if reference.periodic else 1)
    rows = range(count)
    q = np.array([reference.q_at(k) for k in rows])
    v = np.array([reference.v_at(k - 1) for k in rows])
    if not reference.periodic:
        v[0] = reference.v_at(0)
    controls = [reference.u_at(k - 1) for k in rows]
    torque = np.array([torque for torque, _ in controls])
    force = np.array([force for _, force in controls])
    character = body.character
    names = [site for end in character.end_effectors for site in end.sites]
    columns = [names.index(site) for site in body.corner_names]
    touching = np.zeros((count, len(names)), bool)
    forces = np.zeros((count, len(names), 3))
    for i, column in enumerate(columns):  # a narrow foot's points stand twice among the corners
        touching[:, column] |= [bool(reference.contact_at(k)[i]) for k in rows]
        forces[:, column] += force[:, i]
    ground = force.sum(axis=1)
    ground[0] = 0.0
    return Clip(
        character=character,
        terrain=Flat(),
        fps=1 / reference.step,
        time=np.arange(count) * reference.step,
        qpos=body.qpos(q),
        qvel=body.qvel(q, v),
        torque=np.array([body.own_torque(*row) for row in zip(q, torque, strict=True)]),
        touching=touching,
        contact_force_w=forces,
        other_force_w=np.zeros((count, 3)),
        ground_force_w=ground,
        external_force_w=np.zeros((count, 3)),
        scenario=reference.name,
        friction=friction,
    )
