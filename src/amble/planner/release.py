"""Release: what a pushed body does with the feet it stands on.

Those that it leaves behind lift in time, even before the next one lands; and where it is thrown
back onto them, they stay.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.geometry.turns import matrix_from_ypr
from amble.plan.horizon import Start
from amble.sketch.contact import Contact, standing_sole
from amble.sketch.gait import Gait
from amble.sketch.sketch import Sketch

SOONEST = 0.06  # [s] in which a foot can be unloaded
ROLL = 0.08  # [s] that it takes to roll off, if there is time


def released(body: CentroidalBody, gait: Gait, sketch: Sketch, start: Start) -> Sketch:
    """The sketch with every contact under way ended where its leg would be too short."""
    contacts = tuple(
        _released(body, gait, sketch, contact) if contact.holds(start.time) else contact
        for contact in sketch.contacts
    )
    return replace(sketch, contacts=contacts)


def _released(body: CentroidalBody, gait: Gait, sketch: Sketch, contact: Contact) -> Contact:
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
            # A foot that lies on its heel first comes down flat, if there is time.
            heel_off = max(min(contact.heel_off, max(end - ROLL, now)), min(contact.flat, end))
            angle = gait.rolled_within(end - heel_off, contact.push_off)
            return replace(contact, end=end, heel_off=heel_off, push_off=angle)
    return contact


def kept(sketch: Sketch, start: Start, seconds: float) -> Sketch:
    """The sketch with every contact under way lasting `seconds` more, and later ones delayed."""
    later = {c.limb: seconds for c in sketch.contacts if c.holds(start.time)}

    def moved(contact: Contact) -> Contact:
        delay = later.get(contact.limb, 0.0)
        if delay == 0.0 or contact.end < start.time:
            return contact
        end, heel_off = contact.end + delay, contact.heel_off
        if contact.holds(start.time):
            # A heel that has lifted stays so.
            heel_off = heel_off if heel_off <= start.time else heel_off + delay
            return replace(contact, end=end, heel_off=heel_off)
        return replace(
            contact,
            start=contact.start + delay,
            flat=contact.flat + delay,
            heel_off=heel_off + delay,
            end=end,
            middle=contact.middle + delay,
        )

    return replace(sketch, contacts=tuple(moved(contact) for contact in sketch.contacts))
