"""The studio in a real browser: what is done on the page, the character does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import choose, chromium, enter, pixel, press, text_of, wait_for

from amble.geometry.rotations import matrix_from_quat
from amble.motion.clip import Clip, Event

pytest.importorskip("viser", reason="viser is not installed")
from amble.studio.physics import PhysicsMotion
from amble.studio.planned import PlannedMotion
from amble.studio.studio import Studio
from amble.studio.walker import Walker

pytestmark = pytest.mark.slow


@pytest.fixture
def studio() -> Iterator[Studio]:
    studio = Studio(port=0)
    studio._do_shadows("on", False)  # drawn in software they take a second a frame
    thread = threading.Thread(target=studio.run, daemon=True)
    thread.start()
    try:
        yield studio
    finally:
        studio.stop()
        thread.join(10)
        assert not thread.is_alive()


def test_a_page_steers_pushes_switches_reshapes_records_and_downloads(
    studio: Studio, tmp_path: Path
) -> None:
    walker = studio.walker
    with chromium(tmp_path) as browser:
        browser.get(studio.address)
        wait_for(lambda: "humanoid" in text_of(browser) and "m/s" in text_of(browser), "the page")
        wait_for(lambda: walker.moment.com_w[0] > 0.5, "somebody walks on the first screen")
        (client,) = wait_for(lambda: list(studio.server.get_clients().values()), "a client")

        enter(browser, "Speed [m/s]", "2", lambda: walker.wish.speed == 2.0)
        wait_for(lambda: np.linalg.norm(walker.moment.velocity_w[:2]) > 1.6, "a run")
        enter(browser, "Speed [m/s]", "0", lambda: walker.wish.speed == 0.0)
        wait_for(lambda: np.linalg.norm(walker.moment.velocity_w[:2]) < 0.15, "a stop")

        _drag_trunk(browser, studio, client)
        assert sum(e.values["fx"] ** 2 + e.values["fy"] ** 2 for e in _pushes(studio)) > 1.0
        # A hard pull may topple the body, which then stands up again; no sizes change meanwhile.
        wait_for(lambda: _is_calm(walker), "standing after the pull")

        press(browser, "Shape")
        choose(browser, "Part", "left_thigh")
        wait_for(lambda: studio.panel.part.value == "left_thigh", "the part")
        before, generation = walker.character.leg_length, walker.generation
        enter(browser, "Length", "1.2", lambda: walker.character.leg_length > 1.02 * before)
        assert walker.generation == generation  # it goes on meanwhile

        press(browser, "Body and way of moving")
        choose(browser, "Way of moving", "walk in physics")
        wait_for(lambda: isinstance(walker.motion, PhysicsMotion), "physics")
        choose(browser, "Scenario", "balance-push")
        wait_for(lambda: walker.setting.scenario == "balance-push", "the scenario")
        wait_for(lambda: "pushed from eight sides" in text_of(browser), "what it shows")
        choose(browser, "Character", "anymal")
        wait_for(lambda: walker.character.name == "anymal", "the other character")
        wait_for(lambda: "anymal ·" in text_of(browser), "its name on the page")

        press(browser, "Record and save")
        press(browser, "Record")
        wait_for(lambda: walker.recorded_seconds > 1.0, "a second of recording")
        press(browser, "Stop recording")
        wait_for(lambda: walker.clip is not None, "the clip")
        wait_for(lambda: not studio.panel.download.disabled, "the download to be offered")
        wait_for(lambda: _downloaded(browser, tmp_path / "motion.npz"), "the download")
        clip = Clip.load(tmp_path / "motion.npz")
        assert clip.character.name == "anymal" and clip.seconds > 0.9 and clip.fps == 60

    wait_for(lambda: not studio.server.get_clients(), "the closed page to be noticed")
    updates = studio.updates
    wait_for(lambda: studio.updates > updates + 30, "the studio goes on without pages")


def _is_calm(walker: Walker) -> bool:
    """Whether it stands, and still does half a second later."""
    begin, generation = walker.moment.time, walker.generation
    while walker.generation == generation and walker.moment.time < begin + 0.5:
        if np.linalg.norm(walker.moment.velocity_w) > 0.15 or walker.motion.fallen:
            return False
        time.sleep(0.02)
    return walker.generation == generation


def _pushes(studio: Studio) -> list[Event]:
    motion = studio.walker.motion
    assert isinstance(motion, PlannedMotion)
    return [event for event in motion.planner.events if event.kind == "push"]


def _downloaded(browser: Any, file: Path) -> bool:
    """Press the button, and wait a moment; a slow page may still show it as it was before."""
    press(browser, "Download")
    end = time.monotonic() + 15
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.2)
    return file.exists()


def _drag_trunk(browser: Any, studio: Studio, client: Any) -> None:
    """Grab the middle of the body where the page shows it, and pull it aside."""
    from selenium.webdriver.common.action_chains import ActionChains

    model = studio.walker.character.model
    thorax = model.body(studio.walker.character.part("thorax")).id

    def grab() -> bool:
        moment = studio.walker.moment
        R_wb = matrix_from_quat(moment.quats_w[thorax])
        chest = moment.places_w[thorax] + R_wb @ model.body_ipos[thorax] - studio.stage.offset_w
        x, y = pixel(browser, client, chest)
        canvas = browser.find_element("css selector", "canvas")
        chain = ActionChains(browser, duration=100)
        chain.move_to_element_with_offset(canvas, round(x), round(y)).click_and_hold()
        for _ in range(6):
            chain.move_by_offset(-12, 4).pause(0.3)
        chain.release().perform()
        return bool(_pushes(studio))

    wait_for(grab, "the body to be grabbed")
