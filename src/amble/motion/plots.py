"""Plots of a clip: the ground's force under each foot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from amble.characters.character import GRAVITY
from amble.errors import InputError, UnknownName
from amble.motion.clip import Clip
from amble.motion.files import replacing
from amble.motion.measures import mean_speed_m_s
from amble.motion.trace import Trace, trace

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


def force_plot(clip: Clip, path: str | Path) -> None:
    """Draw the vertical ground force of each foot in body weights (centroidal figure 9).

    Above, stance by stance over the time since touchdown; below, over the whole clip. Stances that
    the clip's ends cut are left out above, unless a foot has no others. The ending of `path`
    decides between a .png, .svg and .pdf.
    """
    # Here, because loading it takes as long as all of amble; without pyplot, which would choose a
    # window system and keep every figure.
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    ending = check_plot_ending(path)
    seen = trace(clip)
    loads, standing = _loads(clip, seen)
    figure = Figure(figsize=(9.0, 6.4), layout="constrained")
    over, along = figure.subplots(2, 1, height_ratios=(3, 2))
    figure.suptitle(_title(clip, seen), x=0.01, ha="left", color=INK, fontsize=13)
    for k, (name, load) in enumerate(loads.items()):
        colour = COLOURS[k % len(COLOURS)]
        stances = list(_stances(standing[name]))
        opacity = min(0.9, max(0.15, 3.0 / max(len(stances), 1)))
        for begin, end in stances:
            since = clip.time[begin:end] - clip.time[_touchdown(standing[name], begin)]
            over.plot(since, load[begin:end], color=colour, alpha=opacity, linewidth=1.2)
        along.plot(clip.time, load, color=colour, linewidth=0.9, label=name.replace("_", " "))
    for axes, label in ((over, "time since touchdown [s]"), (along, "time [s]")):
        axes.axhline(1.0, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xlabel(label)
        axes.set_ylabel("vertical force [body weights]")
        axes.set_ylim(bottom=min(0.0, *(float(load.min()) for load in loads.values())))
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.grid(color=GRID, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.01)
    figure.legend(loc="upper right", ncols=len(loads), frameon=False)
    with replacing(Path(path)) as unfinished:
        figure.savefig(unfinished, format=ending.removeprefix("."), dpi=RESOLUTION)


def _loads(clip: Clip, seen: Trace) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """By foot: the vertical force over the body's weight (T,), and whether it touches (T,)."""
    character = clip.character
    feet = character.feet or character.end_effectors
    if not feet:
        raise InputError(f"character '{character.name}': has no contact points to plot forces of")
    weight = seen.mass * GRAVITY
    loads: dict[str, np.ndarray] = {}
    standing: dict[str, np.ndarray] = {}
    for foot in feet:
        points = [clip.point_names.index(site) for site in foot.sites]
        loads[foot.name] = clip.contact_force_w[:, points, 2].sum(axis=1) / weight
        standing[foot.name] = np.asarray(clip.touching[:, points].any(axis=1))
    return loads, standing


def _stances(standing: np.ndarray) -> Iterator[tuple[int, int]]:
    """First and last frame + 1 of each stance, with the frames just before and after it, so that
    the force begins and ends at zero."""
    changes = np.diff(np.concatenate([[0], standing.astype(int), [0]]))
    begins, ends = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
    whole = (begins > 0) & (ends < len(standing))
    if not whole.any():
        whole[:] = True
    for begin, end in zip(begins[whole].tolist(), ends[whole].tolist(), strict=True):
        yield max(begin - 1, 0), min(end + 1, len(standing))


def _touchdown(standing: np.ndarray, begin: int) -> int:
    """The first frame of a stance that is drawn from `begin` on."""
    return begin if standing[begin] else begin + 1


def _title(clip: Clip, seen: Trace) -> str:
    speed = f"{mean_speed_m_s(clip, seen):.2f} m/s"
    return " · ".join(word for word in (clip.scenario, clip.character.name, speed) if word)
