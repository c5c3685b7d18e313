"""From MuJoCo's contacts to the forces at a character's contact points."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.world.world import ContactReport


class _Snapshot(NamedTuple):
    """MuJoCo's contacts of one physics step, copied before the next step overwrites them."""

    geom: np.ndarray  # (n, 2)
    pos_w: np.ndarray  # (n, 3) [m]
    frame: np.ndarray  # (n, 9) rows: normal from the first geom to the second, two tangents
    address: np.ndarray  # (n,) first row in `force`, −1 if the contact is not active
    force: np.ndarray  # (nefc,) solver forces


class ContactReader:
    """Assigns each ground contact to the nearest contact point on the same body.

    `snapshot` is called once a control step and only copies; the work waits until somebody asks for
    the `report`.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, character: Character) -> None:
        self._data = data
        # The ground wins over the body's friction; without friction MuJoCo still uses a little.
        on_ground = model.geom_bodyid == 0
        mu = max(float(model.geom_friction[on_ground, 0].max()), mujoco.mjMINMU)
        # Edges of the friction pyramid, n ± μ t₁ and n ± μ t₂, in the contact's frame n, t₁, t₂.
        self._edges = np.array([[1, mu, 0], [1, -mu, 0], [1, 0, mu], [1, 0, -mu]])
        self.sites = np.array(
            [model.site(site).id for e in character.end_effectors for site in e.sites], dtype=int
        )
        self._geom_body = model.body_weldid[model.geom_bodyid]
        self._site_body = model.body_weldid[model.site_bodyid[self.sites]]
        self._last: _Snapshot | None = None
        self._report = self.unpack(np.zeros(4 * len(self.sites) + 3))

    def snapshot(self) -> None:
        """Keep the contacts of the physics step just solved."""
        contact = self._data.contact
        self._last = _Snapshot(
            contact.geom.copy(),
            contact.pos.copy(),
            contact.frame.copy(),
            contact.efc_address.copy(),
            self._data.efc_force.copy(),
        )

    def report(self) -> ContactReport:
        """Forces of the last snapshot."""
        if self._last is not None:
            self._report = self._read(self._last)
            self._last = None
        return self._report

    def set_report(self, report: ContactReport) -> None:
        """Take over a report from a saved state."""
        self._last = None
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

    def _read(self, last: _Snapshot) -> ContactReport:
        bodies = self._geom_body[last.geom]  # (n, 2); 0 is the world
        ground = bodies == 0
        # Contacts between two parts of the character are internal forces.
        relevant = np.flatnonzero((ground.any(axis=1)) & (last.address >= 0))
        body = bodies[relevant].max(axis=1)
        # MuJoCo's force acts on the second geom of a pair.
        sign = np.where(ground[relevant, 0], 1.0, -1.0)
        force_w = sign[:, None] * self._forces_w(last, relevant)

        force = np.zeros((len(self.sites), 3))
        touching = np.zeros(len(self.sites), dtype=bool)
        other = force_w.sum(axis=0)
        if len(relevant) and len(self.sites):
            offset = last.pos_w[relevant, None] - self._data.site_xpos[self.sites]
            distance = np.einsum("nsk,nsk->ns", offset, offset)
            distance[body[:, None] != self._site_body] = np.inf
            nearest = distance.argmin(axis=1)
            on_point = np.isfinite(distance.min(axis=1))
            pressed = on_point & force_w.any(axis=1)
            np.add.at(force, nearest[on_point], force_w[on_point])
            touching[nearest[pressed]] = True
            other = force_w[~on_point].sum(axis=0)
        return ContactReport(touching, force, other)

    def _forces_w(self, last: _Snapshot, contacts: np.ndarray) -> np.ndarray:
        """World forces (n, 3) on the second geoms: the solver weighs the edges of the pyramids."""
        weight = last.force[last.address[contacts, None] + np.arange(4)]
        frame = last.frame[contacts].reshape(-1, 3, 3)
        return np.asarray(((weight @ self._edges)[:, None] @ frame)[:, 0])
