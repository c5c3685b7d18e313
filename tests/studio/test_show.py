"""Saved clips in the browser: the page is whole, and the timeline moves the body."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed")
from chromium import chromium, text_of, wait_for

import amble
from amble.motion.clip import Clip, Event
from amble.scenarios import scenario
from amble.studio.show import Show
from amble.studio.stage import Stage


@pytest.fixture(scope="module")
def clip() -> Clip:
    chosen = scenario("humanoid-walk")
    return chosen.make(chosen.request(seconds=1.0)).clip


def shown(stage: Stage) -> Callable[[], float]:
    return lambda: float(stage.offset_w[0])


def test_a_page_needs_nothing_else(clip: Clip, tmp_path: Path) -> None:
    amble.write(clip, tmp_path / "walk.html")
    text = (tmp_path / "walk.html").read_text()
    assert text.lstrip().lower().startswith("<!doctype html") and 5e5 < len(text) < 5e6
    assert 'src="http' not in text and 'rel="stylesheet" href="http' not in text
    assert [path.name for path in tmp_path.iterdir()] == ["walk.html"]


@pytest.mark.slow
def test_a_saved_page_opens_without_a_server(clip: Clip, tmp_path: Path) -> None:
    amble.write(clip, tmp_path / "walk.html")
    with chromium(tmp_path) as browser:
        browser.get((tmp_path / "walk.html").as_uri())
        wait_for(
            lambda: browser.execute_script("return !!document.querySelector('canvas')"), "a canvas"
        )
        assert "Uncaught" not in str(browser.get_log("browser"))


def test_the_timeline_moves_the_body(clip: Clip) -> None:
    show = Show(clip, "walk.npz", port=0)
    try:
        show.run(0.3)
        assert 0 < show.time < 1
        show._plays.value = False
        show._timeline.value, show._moved = clip.seconds, True
        show.run(0.1)
        assert shown(show.stage)() == pytest.approx(show._targets[-1][0])
    finally:
        show.stop()


def test_a_part_that_grows_is_seen_to_grow_and_to_begin_again(clip: Clip) -> None:
    longer = Event(0.5, "reshape", "left_forearm", {"length": 1.5, "girth": 1.0, "mass": 1.5})
    show = Show(replace(clip, events=(longer,)), "walk.npz", port=0)
    assert show.stage.puppet is not None
    (arm,) = [mesh for name, mesh in show.stage.puppet.meshes if name == "left_forearm"][:1]
    lengths = []
    try:
        show._plays.value = False
        for seconds in (0.2, 0.8, 0.2):
            show._timeline.value, show._moved = seconds, True
            show._step(1 / 60)
            lengths.append(np.ptp(arm.vertices, axis=0).max())
    finally:
        show.stop()
    assert lengths[0] == lengths[2] and lengths[1] == pytest.approx(1.5 * lengths[0], rel=0.15)


@pytest.mark.slow
def test_a_clip_in_the_browser(clip: Clip, tmp_path: Path) -> None:
    show = Show(clip, "walk.npz", port=0)
    thread = threading.Thread(target=show.run, daemon=True)
    thread.start()
    try:
        with chromium(tmp_path) as browser:
            browser.get(show.address)
            wait_for(lambda: "walk.npz" in text_of(browser), "its name")
            wait_for(lambda: "Time [s]" in text_of(browser), "the timeline")
    finally:
        show.stop()
        thread.join(10)
