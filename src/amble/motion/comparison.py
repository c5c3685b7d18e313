"""A plot of several clips of one scenario, one over the other: where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from amble.characters.character import GRAVITY
from amble.motion.clip import Clip
from amble.motion.figures import COLOURS, INK, check_plot_ending, new_figure, save_figure, stacked
from amble.motion.trace import trace

ROWS = (
    "height of COM [m]",
    "COM from the middle\nof its support [m]",
    "lean of root [deg]",
    "angular momentum\n[m √(g h³)]",
    "torque, rms [N m]",
)


def comparison_plot(clips: Mapping[str, Clip], title: str, path: Path) -> None:
    """Draw over time, for each clip by its label, what `ROWS` names; pushes are dotted."""
    check_plot_ending(path)
    figure = new_figure(title, size=(9.0, 9.0))
    rows = stacked(figure, ROWS)
    for (label, clip), colour in zip(clips.items(), COLOURS, strict=False):
        for axes, curve in zip(rows, _curves(clip), strict=True):
            axes.plot(clip.time, curve, color=colour, linewidth=1.1, label=label)
    first = next(iter(clips.values()))
    for event in first.events_of("push"):
        for axes in rows:
            axes.axvline(event.time, color=INK, linewidth=0.7, linestyle=":")
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=len(clips), frameon=False)
    save_figure(figure, path)


def _curves(clip: Clip) -> tuple[np.ndarray, ...]:
    """Of one clip, (T,) each."""
    seen = trace(clip)
    ground = clip.terrain.height(seen.com_w[:, 0], seen.com_w[:, 1])
    standing = np.where(clip.touching, 1.0, 0.0)
    count = standing.sum(axis=1)
    middle = np.einsum("tp,tpk->tk", standing, seen.points_w) / np.maximum(count, 1.0)[:, None]
    away = np.linalg.norm(seen.com_w[:, :2] - middle[:, :2], axis=1)
    unit = seen.mass * np.sqrt(GRAVITY * seen.rest_height**3)
    return (
        seen.com_w[:, 2] - ground,
        np.where(count > 0, away, np.nan),
        np.degrees(np.arccos(np.clip(seen.root_R_w[:, 2, 2], -1.0, 1.0))),
        np.linalg.norm(seen.momentum_w, axis=1) / unit,
        np.sqrt(np.mean(clip.torque**2, axis=1)),
    )
