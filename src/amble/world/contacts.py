"""From MuJoCo's contacts to the forces at a character's contact points."""

from __future__ import annotations

import mujoco
import numpy as np

from amble import _core
from amble.characters.character import Character
from amble.world.world import ContactReport


class ContactReader:
    """Assigns each ground contact to the nearest contact point on the same body."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, character: Character) -> None:
        self._data = data
        # The ground wins over the body's friction; without friction MuJoCo still uses a little.
        on_ground = model.geom_bodyid == 0
        friction = max(float(model.geom_friction[on_ground, 0].max()), mujoco.mjMINMU)
        sites = [model.site(site).id for e in character.end_effectors for site in e.sites]
        self.sites = np.array(sites, np.int32)
        self._core = _core.ContactForces(
            model.body_weldid[model.geom_bodyid],
            model.body_weldid[model.site_bodyid[self.sites]],
            self.sites,
            data.site_xpos,
            friction,
        )
        self._report: ContactReport | None = None

    def snapshot(self) -> None:
        """Read the contacts of the physics step just solved, before the next overwrites them."""
        data = self._data
        contact = data.contact
        self._core.read(
            contact.geom, contact.pos, contact.frame, contact.efc_address, data.efc_force
        )
        self._report = None

    def report(self) -> ContactReport:
        """Forces of the last snapshot."""
        if self._report is None:
            points = len(self.sites)
            self._report = ContactReport(np.empty(points, bool), np.empty((points, 3)), np.empty(3))
            self._core.report(
                self._report.touching, self._report.force_w, self._report.other_force_w
            )
        return self._report

    def set_report(self, report: ContactReport) -> None:
        """Take over a report from a saved state."""
        self._report = report

    def pack(self) -> np.ndarray:
        """The report as one array of 4 P + 3 numbers."""
        report = self.report()
        return np.concatenate([report.touching, report.force_w.ravel(), report.other_force_w])

    def unpack(self, packed: np.ndarray) -> ContactReport:
        """The inverse of `pack`."""
        points = len(self.sites)
        touching, force, other = np.split(packed, [points, 4 * points])
        return ContactReport(touching.astype(bool), force.reshape(points, 3).copy(), other.copy())
