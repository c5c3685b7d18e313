"""Headless Chromium, driven by Selenium, and the few ways to find things on a page of viser's."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FLAGS = (
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--window-size=900,760"),
)
PATIENCE = 90.0  # [s] on a machine that draws in software and has other things to do


@contextmanager
def chromium(downloads: Path) -> Iterator[Any]:
    """A browser that saves what it downloads in this folder; skips where there is none."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if not (program and driver):
        pytest.skip("no chromium and chromedriver; .ci/tools installs them")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        browser.set_page_load_timeout(PATIENCE)
        browser.set_script_timeout(PATIENCE)
        yield browser
    finally:
        browser.quit()


def wait_for(what: Callable[[], Any], why: str) -> Any:
    """What the function returns as soon as it is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            found = what()
        except Exception:  # the page is being drawn anew
            found = None
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {PATIENCE:g} s in vain: {why}")


def text_of(browser: Any) -> str:
    """All that can be read on the page."""
    return str(browser.execute_script("return document.body.innerText"))


def press(browser: Any, label: str) -> None:
    """Click the button, or open the folder, with this label."""
    script = """
        const wanted = arguments[0];
        const own = e => [...e.childNodes].filter(n => n.nodeType === 3)
            .map(n => n.textContent).join('').trim();
        const found = [...document.querySelectorAll('button, div, span, label, p, legend')]
            .filter(e => own(e) === wanted);
        if (!found.length) return false;
        const target = found.find(e => e.closest('button')) || found[0];
        target.scrollIntoView({block: 'center'});
        target.click();
        return true;"""
    wait_for(lambda: browser.execute_script(script, label), f"a button '{label}'")


def field(browser: Any, label: str) -> Any:
    """The box in which the value with this label is typed."""
    script = """
        const wanted = arguments[0];
        const labels = [...document.querySelectorAll('label, div, span')]
            .filter(e => e.innerText && e.innerText.trim() === wanted);
        for (const e of labels.reverse()) {
            for (let p = e, k = 0; p && k < 5; p = p.parentElement, k++) {
                const box = p.querySelector('input[type=text], input:not([type])');
                if (box) { box.scrollIntoView({block: 'center'}); return box; }
            }
        }
        return null;"""
    return wait_for(lambda: browser.execute_script(script, label), f"a box for '{label}'")


def enter(browser: Any, label: str, value: str, done: Callable[[], bool]) -> None:
    """Type a value, again if the page was still moving, until it has arrived."""
    from selenium.webdriver.common.keys import Keys

    def typed() -> bool:
        box = field(browser, label)
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(value, Keys.ENTER)
        end = time.monotonic() + 5
        while not done() and time.monotonic() < end:
            time.sleep(0.1)
        return done()

    wait_for(typed, f"{label} to be {value}")


def choose(browser: Any, label: str, option: str) -> None:
    """Choose from a list."""
    box = field(browser, label)
    browser.execute_script("arguments[0].click()", box)
    script = """
        const found = [...document.querySelectorAll('[role=option]')]
            .find(e => e.innerText.trim() === arguments[0]);
        if (found) found.click();
        return !!found;"""
    wait_for(lambda: browser.execute_script(script, option), f"'{option}' among '{label}'")


def pixel(browser: Any, client: Any, point: np.ndarray) -> tuple[float, float]:
    """Where a point of the page's world is seen, from the middle of the canvas, in pixels."""
    camera = client.camera
    w, x, y, z = camera.wxyz
    R_wc = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    right, down, ahead = R_wc.T @ (np.asarray(point) - camera.position)  # as in OpenCV
    height = browser.execute_script("return document.querySelector('canvas').clientHeight")
    scale = height / 2 / np.tan(camera.fov / 2)
    return float(scale * right / ahead), float(scale * down / ahead)
