"""Plots of the last seconds: forces under the feet, energy, and the time that computing took."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from amble.characters.character import GRAVITY

if TYPE_CHECKING:
    import viser

    from amble.studio.walker import Walker

SECONDS, RATE = 6.0, 20.0
SERIES = (
    ("Ground force [body weights]", "#26a05a"),
    ("Energy [J/kg]", "#eb7814"),
    ("Computing [ms a frame]", "#1f77dc"),
)


class Plots:
    """Three curves over the time of the motion; they are there only while they are wished."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._gui = server.gui
        self._rows: deque[tuple[float, ...]] = deque(maxlen=round(SECONDS * RATE))
        self._charts: list[Any] = []

    def add(self, walker: Walker, compute_ms: float) -> None:
        """One more moment."""
        frame, body = walker.frame, walker.planner.body
        state = frame.state
        force = walker.ground_force / (body.mass * GRAVITY)
        energy = float(state.com_w[2] * GRAVITY + state.velocity_w @ state.velocity_w / 2)
        if self._rows and frame.time <= self._rows[-1][0]:
            self._rows.clear()
        self._rows.append((frame.time, force, energy, compute_ms))

    def show(self, wished: bool) -> None:
        """Draw, or take away."""
        if not wished:
            for chart in self._charts:
                chart.remove()
            self._charts = []
            return
        if len(self._rows) < 2:
            return
        time, *curves = np.array(self._rows).T
        if not self._charts:
            for (label, colour), curve in zip(SERIES, curves, strict=True):
                self._charts.append(
                    self._gui.add_uplot(
                        (time, curve),
                        ({"label": "time [s]"}, {"label": label, "stroke": colour, "width": 2}),
                        title=label,
                        scales={"x": {"time": False}},
                        legend={"show": False},
                        aspect=2.4,
                    )
                )
            return
        for chart, curve in zip(self._charts, curves, strict=True):
            chart.data = (time, curve)
