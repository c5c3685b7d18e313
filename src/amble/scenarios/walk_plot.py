"""A plot of what nobody asked a walk for: arms against legs, thorax against pelvis, momentum."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from amble.motion.clip import Clip
from amble.motion.figures import COLOURS, check_plot_ending, new_figure, save_figure, stacked
from amble.motion.plots import foot_loads, force_plot
from amble.scenarios.walk_measures import gait_of

SHOWN = 4.0  # [s] of steady walking
ROWS = (
    "forward [deg]",
    "yaw [deg]",
    "angular momentum\nabout z [kg m²/s]",
    "vertical force\n[body weights]",
)


def gait_plot(clip: Clip, path: Path) -> None:
    """Draw the last seconds of a walk: a shoulder with the opposite hip, yaw of pelvis and thorax,
    vertical angular momentum of the whole and of the legs, and the force under each foot. A body
    without arms or thorax, or a clip too short for it, gets the forces alone."""
    check_plot_ending(path)
    gait = gait_of(clip)
    if gait is None:
        force_plot(clip, path)
        return
    name, body = clip.scenario, clip.character.name
    figure = new_figure(f"{name} · {body}", size=(9.0, 9.0))
    rows = stacked(figure, ROWS)
    late = gait.time > gait.time[-1] - SHOWN
    hip = gait.hips[:, 1] - gait.hips[:, 1].mean()
    shoulder = gait.shoulders[:, 0] - gait.shoulders[:, 0].mean()
    curves = (
        (("left shoulder", shoulder), ("right hip", hip)),
        (("pelvis", gait.pelvis_yaw), ("thorax", gait.thorax_yaw)),
        (("whole body", gait.momentum), ("legs alone", gait.legs_momentum)),
    )
    for axes, pair in zip(rows, curves, strict=False):
        for (label, values), colour in zip(pair, COLOURS, strict=False):
            axes.plot(gait.time[late], values[late], color=colour, linewidth=1.2, label=label)
        axes.legend(loc="upper right", ncols=2, frameon=False)
    seen = clip.time >= gait.time[late][0]
    for (foot, load), colour in zip(foot_loads(clip).items(), COLOURS, strict=False):
        rows[-1].plot(clip.time[seen], load[seen], color=colour, linewidth=1.2, label=foot)
    rows[-1].axhline(1.0, color="0.3", linewidth=0.8, linestyle=":")
    rows[-1].set_ylim(bottom=min(0.0, float(np.min([v[seen] for v in foot_loads(clip).values()]))))
    save_figure(figure, path)
