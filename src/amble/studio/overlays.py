"""What a motion is made of, drawn over it on demand: footsteps, plan, forces, pendulum, points."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from amble.characters.character import GRAVITY
from amble.motion.browser import WORLD
from amble.studio.sight import LIFT, Sight

if TYPE_CHECKING:
    import viser

FORCES, POINTS = "Contact forces", "Capture and supervisor's points"
NAMES = (*("Footsteps", "Centre of mass and plan", FORCES, "Support polygon", "Pendulum", POINTS),)
TAKEN_RGB, PLANNED_RGB = (96, 104, 112), (31, 119, 220)
COM_RGB, PLAN_RGB = (235, 120, 20), (245, 170, 90)
FORCE_RGB, SUPPORT_RGB, PENDULUM_RGB = (38, 160, 90), (150, 90, 200), (200, 60, 120)
POINT_RGBS = ((225, 60, 45), (20, 150, 170), (120, 80, 20))
FORCE_LENGTH = 1.0  # [m] of an arrow as strong as the body's weight
CROSS = 0.07  # [m] arms of the cross that marks a point
LABEL_HEIGHT = 0.12  # [m] from one name to the next, so that they can be read
Lines = list[tuple[np.ndarray, tuple[int, int, int]]]  # (N, 2, 3) and their colour


class Overlays:
    """Lines and arrows that follow a motion; each is drawn only while it is wished."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self.wished: set[str] = set()
        self._shown: dict[str, Any] = {}
        self._labels: dict[str, Any] = {}
        self._draw: dict[str, Callable[[Sight, float], Lines]] = {
            "Footsteps": _footsteps,
            "Centre of mass and plan": _plan,
            FORCES: _forces,
            "Support polygon": _support,
            "Pendulum": _pendulum,
            POINTS: _points,
        }

    def clear(self) -> None:
        """Hide everything, until the next update."""
        for handle in (*self._shown.values(), *self._labels.values()):
            handle.visible = False

    def update(self, sight: Sight, mass: float) -> None:
        """Draw what is wished of this moment, of a body of some mass [kg], and hide the rest."""
        for name, draw in self._draw.items():
            self._show(name, draw(sight, mass) if name in self.wished else [])
        self._show_labels(sight if POINTS in self.wished else None)

    def _show(self, name: str, lines: Lines) -> None:
        handle, arrows = self._shown.get(name), name == FORCES
        lines = [line for line in lines if len(line[0])]
        if not lines or not all(np.isfinite(points).all() for points, _ in lines):
            if handle is not None:
                handle.visible = False
            return
        points = np.concatenate([points for points, _ in lines]).astype(np.float32)
        counts = [len(points) for points, _ in lines]
        colours = np.repeat(np.array([rgb for _, rgb in lines], np.uint8), counts, axis=0)
        ends = np.repeat(colours[:, None], 2, axis=1)
        if handle is None:
            plain = "".join(c if c.isalnum() else "_" for c in name)
            place, scene = f"{WORLD}/overlay/{plain}", self._server.scene
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

    def _show_labels(self, sight: Sight | None) -> None:
        """Names beside the marked points."""
        points = {} if sight is None else sight.points_w
        for name, handle in self._labels.items():
            handle.visible = name in points
        for number, (name, point) in enumerate(points.items()):
            if not np.isfinite(point).all():
                continue
            if name not in self._labels:
                place = f"{WORLD}/overlay/label_{number}"
                self._labels[name] = self._server.scene.add_label(place, name)
            self._labels[name].position = point + (0.0, 0.0, LABEL_HEIGHT * (number + 0.3))


def _footsteps(sight: Sight, mass: float) -> Lines:
    taken: Lines = [(_loop(sole), TAKEN_RGB) for sole in sight.taken_w]
    return taken + [(_loop(sole), PLANNED_RGB) for sole in sight.planned_w]


def _plan(sight: Sight, mass: float) -> Lines:
    below = np.array([*sight.com_w[:2], sight.ground])
    return [
        (_chain(sight.com_path_w), PLAN_RGB),
        (np.stack([sight.com_w, below])[None], COM_RGB),
    ]


def _forces(sight: Sight, mass: float) -> Lines:
    scale = FORCE_LENGTH / (mass * GRAVITY)
    return [
        (np.stack([point, point + scale * force])[None], FORCE_RGB)
        for point, force in sight.forces
        if np.linalg.norm(force) * scale > 0.01
    ]


def _support(sight: Sight, mass: float) -> Lines:
    return [(_loop(sight.support_w), SUPPORT_RGB)]


def _pendulum(sight: Sight, mass: float) -> Lines:
    return [(_chain(chain), PENDULUM_RGB) for chain in sight.pendulum_w]


def _points(sight: Sight, mass: float) -> Lines:
    arms = CROSS * np.array([[[-1, -1, 0], [1, 1, 0]], [[-1, 1, 0], [1, -1, 0]]])
    return [
        (point + arms + (0, 0, LIFT), POINT_RGBS[number % len(POINT_RGBS)])
        for number, point in enumerate(sight.points_w.values())
    ]


def _loop(points: np.ndarray) -> np.ndarray:
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1)


def _chain(points: np.ndarray) -> np.ndarray:
    return np.stack([points[:-1], points[1:]], axis=1)
