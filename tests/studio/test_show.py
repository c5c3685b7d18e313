"""Saved clips in the browser: the page is whole, and the timeline moves the body."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("viser", reason="viser is not installed")
from chromium import chromium, text_of, wait_for

import amble
from amble.motion.clip import Clip
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
