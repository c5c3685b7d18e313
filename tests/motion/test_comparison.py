"""Plots of comparisons show every clip in every row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from amble.errors import UnknownName
from amble.motion.clip import Clip
from amble.motion.comparison import ROWS, comparison_plot
from amble.motion.trace import trace

MakeClip = Callable[..., Clip]


def test_every_clip_has_a_curve_in_every_row(
    make_clip: MakeClip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure

    figures: list[Figure] = []
    monkeypatch.setattr(
        "amble.motion.comparison.save_figure", lambda figure, path: figures.append(figure)
    )
    short, long = make_clip(1.0), make_clip(2.0)
    comparison_plot({"short": short, "long": long}, "two", tmp_path / "x.png")
    rows = figures[0].axes
    assert len(rows) == len(ROWS)
    for axes in rows:
        assert [len(line.get_xdata()) for line in axes.lines] == [len(short), len(long)]
    height = rows[0].lines[1].get_ydata()
    np.testing.assert_allclose(height, trace(long).com_w[:, 2])


def test_an_unknown_ending_is_refused_before_anything_is_drawn(
    make_clip: MakeClip, tmp_path: Path
) -> None:
    with pytest.raises(UnknownName, match=r"\.gif"):
        comparison_plot({"one": make_clip(0.5)}, "one", tmp_path / "x.gif")
    assert not list(tmp_path.iterdir())
