"""Plots of the last seconds: forces under the feet, energy, computing, and what priorities miss."""

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
LEVEL_COLOURS = ("#c0392b", "#e67e22", "#2c82c9", "#7d3c98", "#16a085")
SMALLEST = 1e-6  # what a plot of residuals by powers of ten shows of nothing


class Plots:
    """Curves over the time of the motion; they are there only while they are wished."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._gui = server.gui
        self._rows: deque[tuple[float, ...]] = deque(maxlen=round(SECONDS * RATE))
        self._residuals: deque[tuple[float, ...]] = deque(maxlen=round(SECONDS * RATE))
        self._charts: list[Any] = []
        self._levels: Any = None  # the chart of residuals
        self._shown = 0  # levels in it

    def add(self, walker: Walker, compute_ms: float) -> None:
        """One more moment."""
        motion, moment = walker.motion, walker.moment
        force = motion.ground_force / (motion.character.mass * GRAVITY)
        energy = float(moment.com_w[2] * GRAVITY + moment.velocity_w @ moment.velocity_w / 2)
        residuals = tuple(max(value, SMALLEST) for value in motion.residuals)
        if self._rows and moment.time <= self._rows[-1][0]:
            self._rows.clear()
            self._residuals.clear()
        if self._residuals and len(residuals) != len(self._residuals[-1]) - 1:
            self._residuals.clear()
        self._rows.append((moment.time, force, energy, compute_ms))
        if residuals:
            self._residuals.append((moment.time, *residuals))

    def show(self, wished: bool, residuals: bool) -> None:
        """Draw, or take away, the three curves and those of the priorities."""
        self._show_rows(wished)
        self._show_residuals(residuals)

    def _show_rows(self, wished: bool) -> None:
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
                self._charts.append(self._chart(label, (time, curve), ((label, colour),)))
            return
        for chart, curve in zip(self._charts, curves, strict=True):
            chart.data = (time, curve)

    def _show_residuals(self, wished: bool) -> None:
        levels = len(self._residuals[-1]) - 1 if len(self._residuals) > 1 else 0
        if self._levels is not None and not (wished and levels == self._shown):
            self._levels.remove()
            self._levels = None
        if not wished or not levels:
            return
        data = tuple(np.array(self._residuals).T)
        if self._levels is None:
            names = [f"priority {k + 1}" for k in range(levels)]
            colours = [LEVEL_COLOURS[k % len(LEVEL_COLOURS)] for k in range(levels)]
            title = "What each priority misses, ‖A x − b‖"
            series = tuple(zip(names, colours, strict=True))
            self._levels = self._chart(title, data, series, logarithmic=True)
            self._shown = levels
            return
        self._levels.data = data

    def _chart(
        self,
        title: str,
        data: tuple[np.ndarray, ...],
        series: tuple[tuple[str, str], ...],
        logarithmic: bool = False,
    ) -> Any:
        scales: dict[str, Any] = {"x": {"time": False}}
        if logarithmic:
            scales["y"] = {"distr": 3}
        lines: list[Any] = [{"label": n, "stroke": colour, "width": 2} for n, colour in series]
        return self._gui.add_uplot(
            data,
            ({"label": "time [s]"}, *lines),
            title=title,
            scales=scales,
            legend={"show": len(series) > 1},
            aspect=2.4 if len(series) == 1 else 1.6,
        )
