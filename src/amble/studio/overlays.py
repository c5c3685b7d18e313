"""What a motion is made of, drawn over it on demand: footsteps, plan, forces, pendulum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY
from amble.geometry.polygons import convex_hull
from amble.motion.browser import WORLD
from amble.planner.stage import Stage as Decision
from amble.sketch.contact import Contact, standing_sole

if TYPE_CHECKING:
    import viser

NAMES = ("Footsteps", "Centre of mass and plan", "Contact forces", "Support polygon", "Pendulum")
TAKEN_RGB, PLANNED_RGB = (96, 104, 112), (31, 119, 220)
COM_RGB, PLAN_RGB = (235, 120, 20), (245, 170, 90)
FORCE_RGB, SUPPORT_RGB, PENDULUM_RGB = (38, 160, 90), (150, 90, 200), (200, 60, 120)
LIFT = 0.008  # [m] above the ground, so that lines on it are seen
FORCE_LENGTH = 1.0  # [leg lengths] of an arrow as strong as the body's weight


class Overlays:
    """Lines and arrows that follow a planned motion; each is drawn only while it is wished."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self.wished: set[str] = set()
        self._shown: dict[str, Any] = {}
        self._draw: dict[str, Callable[[Decision, CentroidalBody, float], list[Any]]] = {
            "Footsteps": self._footsteps,
            "Centre of mass and plan": self._plan,
            "Contact forces": self._forces,
            "Support polygon": self._support,
            "Pendulum": self._pendulum,
        }

    def clear(self) -> None:
        """Hide everything, until the next update."""
        for handle in self._shown.values():
            handle.visible = False

    def update(self, stage: Decision, body: CentroidalBody, time: float) -> None:
        """Draw what is wished of this moment, and hide the rest."""
        for name, draw in self._draw.items():
            lines = draw(stage, body, time) if name in self.wished else []
            self._lines(name, lines, arrows=name == "Contact forces")

    def _lines(self, name: str, lines: list[Any], arrows: bool) -> None:
        """`lines` are (points (N, 2, 3), colour)."""
        handle = self._shown.get(name)
        if not lines:
            if handle is not None:
                handle.visible = False
            return
        points = np.concatenate([np.asarray(p, np.float32).reshape(-1, 2, 3) for p, _ in lines])
        counts = [np.asarray(p).reshape(-1, 2, 3).shape[0] for p, _ in lines]
        colours = np.repeat(np.array([rgb for _, rgb in lines], np.uint8), counts, axis=0)
        if not np.isfinite(points).all():
            return
        ends = np.repeat(colours[:, None], 2, axis=1)
        if handle is None:
            place, scene = f"{WORLD}/overlay/{name.replace(' ', '_')}", self._server.scene
            self._shown[name] = (
                scene.add_arrows(place, points, colours, shaft_radius=0.012, head_radius=0.03)
                if arrows
                else scene.add_line_segments(
                    place, points, ends, thickness=3.0, thickness_units="screen"
                )
            )
            return
        handle.points = points
        handle.colors = colours if arrows else ends
        handle.visible = True

    def _footsteps(self, stage: Decision, body: CentroidalBody, time: float) -> list[Any]:
        return [
            (_loop(_sole(contact, body)), TAKEN_RGB if contact.start <= time else PLANNED_RGB)
            for contact in stage.contacts
        ]

    def _plan(self, stage: Decision, body: CentroidalBody, time: float) -> list[Any]:
        com_w = stage.state(time).com_w
        moments = np.linspace(time, max(stage.plan.end, time + 1e-3), 24)
        path = np.array([stage.plan.state(t).com_w for t in moments])
        below = com_w.copy()
        below[2] = min((c.position_w[2] for c in stage.contacts), default=0.0)
        return [(_chain(path), PLAN_RGB), (np.stack([com_w, below])[None], COM_RGB)]

    def _forces(self, stage: Decision, body: CentroidalBody, time: float) -> list[Any]:
        scale = FORCE_LENGTH * body.leg_length / (body.mass * GRAVITY)
        arrows = []
        first = 0
        forces = stage.plan.force(time)
        for limb, leg in enumerate(body.legs):
            points = slice(first, first + len(leg.effectors))
            first = points.stop
            standing = [c for c in stage.contacts if c.limb == limb and c.holds(time)]
            for along, force in zip(leg.effectors, forces[points], strict=True):
                if standing and np.linalg.norm(force) * scale > 0.01:
                    sole = standing_sole(standing[-1], leg, time)
                    point = sole.position_w + sole.R_w @ np.array([along, 0.0, 0.0])
                    arrows.append((np.stack([point, point + scale * force])[None], FORCE_RGB))
        return arrows

    def _support(self, stage: Decision, body: CentroidalBody, time: float) -> list[Any]:
        corners = [_sole(c, body) for c in stage.contacts if c.holds(time)]
        if not corners:
            return []
        points = np.concatenate(corners)
        hull = np.array(convex_hull(points[:, :2].tolist()))
        if len(hull) < 2:
            return []
        height = np.full((len(hull), 1), points[:, 2].max())
        return [(_loop(np.concatenate([hull, height], axis=1)), SUPPORT_RGB)]

    def _pendulum(self, stage: Decision, body: CentroidalBody, time: float) -> list[Any]:
        sketch = stage.sketch
        cart = sketch.pendulum(time).cart_w
        mass = np.array([np.interp(time, sketch.time, column) for column in sketch.com_w.T])
        ground = float(mass[2] - body.height)
        ahead = np.column_stack([sketch.cart_w, np.full(len(sketch.time), ground + LIFT)])
        pole = np.stack([[cart[0], cart[1], ground + LIFT], mass])
        return [(pole[None], PENDULUM_RGB), (_chain(ahead), PENDULUM_RGB)]


def _sole(contact: Contact, body: CentroidalBody) -> np.ndarray:
    """Corners of a foot that lies flat (4, 3) [m]."""
    leg = body.legs[contact.limb]
    wide = max(leg.half_width, 0.015)
    hind, fore = leg.effectors[0], leg.effectors[-1]
    if fore - hind < 0.03:
        hind, fore = hind - 0.03, fore + 0.03
    corners = np.array([[hind, wide, LIFT], [fore, wide, LIFT], [fore, -wide, LIFT]])
    corners = np.vstack([corners, [[hind, -wide, LIFT]]])
    placed: np.ndarray = contact.position_w + corners @ contact.R_flat_w.T
    return placed


def _loop(points: np.ndarray) -> np.ndarray:
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1)


def _chain(points: np.ndarray) -> np.ndarray:
    return np.stack([points[:-1], points[1:]], axis=1)
