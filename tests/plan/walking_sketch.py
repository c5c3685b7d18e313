"""A sketch of straight locomotion made by hand, for tests of the plan alone."""

from __future__ import annotations

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.plan.horizon import Start
from amble.sketch.contact import Contact
from amble.sketch.sketch import Sketch


def straight_walk(
    body: CentroidalBody, speed: float, stride: float, duty: float, first: int = 0
) -> tuple[Sketch, Start]:
    """A biped that begins over limb `first` in the middle of its contact, and goes on along x."""
    time = np.arange(0, 2.5, 1 / 30)
    height = 0.985 * body.height
    zero = np.zeros(len(time))
    com = np.column_stack([speed * time, zero, zero + height])
    velocity = np.column_stack([zero + speed, zero, zero])
    contacts = []
    seconds = duty * stride
    for k in range(-1, 5):
        middle, limb = k * stride / 2, (k + first) % 2
        start, end = middle - seconds / 2, middle + seconds / 2
        leg = body.legs[limb]
        centre = sum(leg.effectors) / len(leg.effectors)
        position = np.array([speed * middle - centre, 0.75 * leg.reference_b[1], 0.0])
        contacts.append(
            Contact(
                limb,
                start,
                start + 0.17 * seconds,
                end - 0.45 * seconds,
                end,
                middle,
                position,
                0.0,
                np.array([0.0, 0.0, 1.0]),
                strike=0.25,
                push_off=0.45,
                speed=speed,
                duty=duty,
                fixed=k < 1,
            )
        )
    contacts.sort(key=lambda c: c.start)
    still = np.zeros((len(time), 3))
    flat = np.zeros((len(time), 2))
    sketch = Sketch(
        time,
        com,
        velocity,
        still,
        still,
        com[:, :2],
        velocity[:, :2],
        flat,
        flat,
        tuple(contacts),
        standing=False,
    )
    return sketch, Start(0.0, com[0], velocity[0], np.zeros(3), np.zeros(3))
