"""Plots of forces: every format, whole or not at all, and no traces in matplotlib."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from amble.characters.character import GRAVITY, Character
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.plots import force_plot

MakeClip = Callable[..., Clip]
BEGINS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture
def walk(make_clip: MakeClip, biped: Character) -> Clip:
    """Four seconds in place: each foot stands 0.6 s of every second, under half a sine."""
    time = make_clip(4.0).time
    force = np.zeros((len(time), 8, 3))
    for foot, delay in ((0, 0.2), (1, 0.7)):
        phase = (time - delay) % 1.0
        load = np.where(phase < 0.6, np.sin(np.pi * phase / 0.6), 0.0) * 1.3
        force[:, 4 * foot : 4 * foot + 4, 2] = load[:, None] * biped.mass * GRAVITY / 4
    return make_clip(4.0, contact_force_w=force, touching=force[..., 2] > 0, scenario="march")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that are saved."""
    figures, save = [], Figure.savefig

    def savefig(figure: Figure, *arguments: object, **options: object) -> None:
        figures.append(figure)
        save(figure, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", savefig)
    return figures


@pytest.mark.parametrize("ending", BEGINS)
def test_the_ending_decides_the_format(walk: Clip, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"forces{ending}"
    force_plot(walk, path)
    assert path.read_bytes().startswith(BEGINS[ending])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_whole_stances_lie_over_each_other(walk: Clip, tmp_path: Path, drawn: list[Figure]) -> None:
    force_plot(walk, tmp_path / "x.png")
    over, along = drawn[0].axes
    curves = [line.get_xydata() for line in over.lines if len(line.get_xydata()) > 2]
    # Left: 0.2, 1.2, 2.2, 3.2; right: 0.7, 1.7, 2.7, and two that the ends cut.
    assert len(curves) == 7
    for curve in curves:
        assert curve[1, 0] == 0 and curve[0, 1] == curve[-1, 1] == 0
        assert curve[:, 1].max() == pytest.approx(1.3, rel=1e-3)
        assert curve[-1, 0] == pytest.approx(0.6, abs=0.03)
    assert [len(line.get_xydata()) for line in along.lines] == [len(walk), len(walk), 2]
    title = drawn[0].get_suptitle()
    assert "march" in title and "biped" in title and "0.00 m/s" in title


def test_a_foot_that_never_lifts_is_drawn(
    make_clip: MakeClip, tmp_path: Path, drawn: list[Figure]
) -> None:
    force_plot(make_clip(), tmp_path / "x.svg")
    curves = [line.get_xydata() for line in drawn[0].axes[0].lines]
    assert [len(curve) for curve in curves] == [101, 101, 2]
    assert curves[0][:, 1] == pytest.approx(0.5)


def test_a_body_in_the_air_is_drawn(make_clip: MakeClip, tmp_path: Path) -> None:
    clip = make_clip()
    none, air = np.zeros_like(clip.contact_force_w), np.zeros_like(clip.touching)
    force_plot(make_clip(contact_force_w=none, touching=air), tmp_path / "x.pdf")


def test_no_window_system_is_chosen(walk: Clip, tmp_path: Path) -> None:
    before = set(sys.modules)
    force_plot(walk, tmp_path / "x.png")
    assert "matplotlib.pyplot" not in set(sys.modules) - before


@pytest.mark.parametrize("name", ["x.jpg", "x", "nowhere/x.png"])
def test_wrong_names_are_refused(walk: Clip, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        force_plot(walk, tmp_path / name)
    assert not list(tmp_path.iterdir())
