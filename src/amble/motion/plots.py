"""Plots of a clip: the ground's force under each foot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from amble.characters.character import GRAVITY
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.figures import COLOURS, INK, check_plot_ending, dress, new_figure, save_figure
from amble.motion.measures import mean_speed_m_s
from amble.motion.trace import Trace, trace


def force_plot(clip: Clip, path: str | Path) -> None:
    """Draw the vertical ground force of each foot in body weights (centroidal figure 9).

    Above, stance by stance over the time since touchdown; below, over the whole clip. Stances that
    the clip's ends cut are left out above, unless a foot has no others. The ending of `path`
    decides between a .png, .svg and .pdf.
    """
    check_plot_ending(path)
    seen = trace(clip)
    loads, standing = _loads(clip, seen)
    figure = new_figure(_title(clip, seen))
    over, along = figure.subplots(2, 1, height_ratios=(3, 2))
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
        dress(axes, label, "vertical force [body weights]")
        axes.set_ylim(bottom=min(0.0, *(float(load.min()) for load in loads.values())))
        axes.locator_params(axis="y", nbins=6)
    figure.legend(loc="upper right", ncols=len(loads), frameon=False)
    save_figure(figure, path)


def foot_loads(clip: Clip) -> dict[str, np.ndarray]:
    """The vertical force under each foot over the body's weight (T,), by the foot's name."""
    loads, _ = _loads(clip, trace(clip))
    return {name.replace("_", " "): load for name, load in loads.items()}


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
