"""Plots of comparisons: a grid of outcomes over two parameters, curves around a body."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from amble.motion.figures import COLOURS, GRID, INK, new_figure, save_figure


def grid_plot(
    path: str | Path,
    title: str,
    across: tuple[str, Sequence[float]],
    up: tuple[str, Sequence[float]],
    outcomes: Sequence[Sequence[int]],
    names: Sequence[str],
    marked: tuple[float, float],
) -> None:
    """Coloured cells, `outcomes[row][column]` being a place in `names`; a ring marks one."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    figure = new_figure(title, (8.0, 5.2))
    axes = figure.subplots()
    colours = [GRID, *COLOURS][: len(names)]
    (x_label, x), (y_label, y) = across, up
    axes.pcolormesh(
        _edges(x), _edges(y), np.array(outcomes), cmap=ListedColormap(colours),
        vmin=-0.5, vmax=len(names) - 0.5, edgecolors="white", linewidth=1.0,
    )  # fmt: skip
    axes.plot(*marked, "o", markersize=13, markerfacecolor="none", markeredgecolor=INK)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_xticks(list(x))
    axes.set_yticks(list(y))
    patches = [Patch(color=colour, label=name) for colour, name in zip(colours, names, strict=True)]
    figure.legend(handles=patches, loc="outside right upper", frameon=False)
    save_figure(figure, path)


def polar_plot(
    path: str | Path, title: str, degrees: Sequence[float], curves: Mapping[str, Sequence[float]]
) -> None:
    """A closed curve for each name over directions, 0° ahead and 90° to the left."""
    figure = new_figure(title, (7.6, 6.4))
    axes: Any = figure.add_subplot(projection="polar")
    angles = [math.radians(a) for a in (*degrees, degrees[0])]
    for k, (name, values) in enumerate(curves.items()):
        colour = COLOURS[k % len(COLOURS)]
        axes.plot(angles, [*values, values[0]], color=colour, marker=".", label=name)
    axes.set_theta_zero_location("N")
    axes.set_ylim(bottom=0.0)
    figure.legend(loc="outside right upper", frameon=False)
    save_figure(figure, path)


def _edges(centres: Sequence[float]) -> np.ndarray:
    values = np.asarray(centres, float)
    if len(values) < 2:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middles = (values[1:] + values[:-1]) / 2
    first, last = 2 * values[0] - middles[0], 2 * values[-1] - middles[-1]
    return np.concatenate([[first], middles, [last]])
