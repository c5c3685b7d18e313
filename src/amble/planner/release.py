"""Release: feet that a pushed body leaves behind lift in time, even before the next one lands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.geometry.turns import matrix_from_ypr
from amble.plan.horizon import Start
from amble.sketch.contact import Contact, standing_sole
from amble.sketch.sketch import Sketch

SOONEST = 0.06  # [s] in which a foot can be unloaded
ROLL = 0.08  # [s] that it takes to roll off, if there is time


def released(body: CentroidalBody, sketch: Sketch, start: Start) -> Sketch:
    """The sketch with every contact under way ended where its leg would be too short."""
    contacts = tuple(
        _released(body, sketch, contact) if contact.holds(start.time) else contact
        for contact in sketch.contacts
    )
    return replace(sketch, contacts=contacts)


def _released(body: CentroidalBody, sketch: Sketch, contact: Contact) -> Contact:
    leg = body.legs[contact.limb]
    now = float(sketch.time[0])
    for time, com_w, ypr in zip(sketch.time, sketch.com_w, sketch.ypr, strict=True):
        if time > contact.end:
            return contact
        hip_w = com_w + matrix_from_ypr(ypr) @ leg.hip_b
        ankle_w = standing_sole(contact, leg, float(time)).ankle_w(leg)
        if float(np.linalg.norm(hip_w - ankle_w)) > leg.longest:
            end = max(float(time), now + SOONEST)
            if end >= contact.end:
                return contact
            heel_off = min(contact.heel_off, max(end - ROLL, now))
            return replace(contact, end=end, heel_off=heel_off)
    return contact
