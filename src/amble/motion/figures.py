"""Figures: what all plots share, their colours, their axes and their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from amble.errors import UnknownName
from amble.motion.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_ENDINGS = (".png", ".svg", ".pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # told apart by all
INK, GRID = "#262c34", "#dcdfe2"
RESOLUTION = 150  # [pixels per inch] of a .png


def check_plot_ending(path: str | Path) -> str:
    """The ending of `path` if a plot can be written to it; raises `UnknownName` otherwise."""
    ending = Path(path).suffix.lower()
    if ending not in PLOT_ENDINGS:
        raise UnknownName("file ending", ending, PLOT_ENDINGS, where=f"'{path}'")
    return ending


def new_figure(title: str, size: tuple[float, float] = (9.0, 6.4)) -> Figure:
    """An empty figure [inches]."""
    # Here, because loading it takes as long as all of amble; without pyplot, which would choose a
    # window system and keep every figure.
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", color=INK, fontsize=13)
    return figure


def dress(axes: Axes, across: str, up: str) -> None:
    """Labels, a light grid, and no box."""
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(color=GRID, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.01)


def stacked(figure: Figure, labels: Sequence[str]) -> list[Axes]:
    """One plot over time under the other, by what each shows."""
    rows = figure.subplots(len(labels), 1, sharex=True, squeeze=False)[:, 0]
    for k, (axes, label) in enumerate(zip(rows, labels, strict=True)):
        dress(axes, "time [s]" if k == len(labels) - 1 else "", label)
    return list(rows)


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write it, whole or not at all, in the format that the ending of `path` names."""
    ending = check_plot_ending(path)
    with replacing(Path(path)) as unfinished:
        figure.savefig(unfinished, format=ending.removeprefix("."), dpi=RESOLUTION)
