"""What a page may ask of the studio: what it does, and that nonsense ends nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed")
import viser
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from amble.motion.clip import Clip
from amble.studio.overlays import NAMES
from amble.studio.studio import MOST_WAITING, Studio
from amble.terrain.flat import Slope


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio(port=0)
    yield studio
    studio.stop()


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ask(studio: Studio, what: str, **values: Any) -> None:
    studio._put(what, **values)
    studio._tick(time.perf_counter())


def until(studio: Studio, so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not so() and time.monotonic() < end:
        studio._tick(time.perf_counter())
        time.sleep(0.005)
    assert so()


NONSENSE: list[tuple[str, dict[str, Any]]] = [
    ("wish", {"key": "speed", "value": "fast"}),
    ("wish", {"key": "speed", "value": float("nan")}),
    ("wish", {"key": "speed", "value": None}),
    ("wish", {"key": "wings", "value": 1.0}),
    ("nudge", {"key": "wings", "step": 1.0}),
    ("pace", {"key": "pace", "value": "slowly"}),
    ("goal", {"place": "there"}),
    ("drag", {"part": "tail", "point": np.zeros(3), "pull": np.zeros(3)}),
    ("drag", {"part": "thorax", "point": np.full(3, np.nan), "pull": np.zeros(3)}),
    ("drag", {"part": "thorax", "point": np.zeros(2), "pull": np.zeros(3)}),
    ("reshape", {"key": "length", "value": float("inf")}),
    ("reshape", {"key": "colour", "value": 2.0}),
    ("reshape", {"key": "girth", "value": "wide"}),
    ("setting", {"key": "scenario", "value": "humanoid-wolk"}),
    ("setting", {"key": "wings", "value": 2}),
    ("ground", {"key": "terrain", "value": "lava"}),
    ("obstacle", {"kind": "dragon"}),
    ("tune", {"key": "swing_height", "value": 0.1}),
    ("download", {"kind": ".npz", "client": None}),
    ("save", {"name": "motion.npz"}),
    ("shadows", {}),
]


@pytest.mark.parametrize(("what", "values"), NONSENSE)
def test_nonsense_is_answered_by_a_message(
    studio: Studio, what: str, values: dict[str, Any]
) -> None:
    studio.walker.message, before = "", studio.walker.moment.time
    ask(studio, what, **values)
    assert studio.walker.message and "\n" not in studio.walker.message
    ask(studio, "release")
    assert studio.walker.moment.time > before and not studio.walker.motion.fallen


def test_too_many_wishes_are_let_go(studio: Studio) -> None:
    for k in range(2 * MOST_WAITING):
        studio._put("wish", key="speed", value=k / MOST_WAITING)
    assert studio._actions.qsize() == MOST_WAITING
    studio._tick(time.perf_counter())
    assert studio._actions.empty()
    ask(studio, "wish", key="speed", value=1.0)


def test_keys_goals_time_and_overlays(studio: Studio) -> None:
    ask(studio, "nudge", key="speed", step=0.2)
    assert studio.walker.wish.speed == pytest.approx(1.2)
    assert studio.panel.sliders["speed"].value == pytest.approx(1.2)
    ask(studio, "goal", place=np.array([5.0, 5.0]))
    assert studio.walker.wish.heading == pytest.approx(45, abs=10)
    ask(studio, "wish", key="heading", value=0.0)
    assert studio.walker.goal_w is None
    ask(studio, "pause")
    now = studio.walker.moment.time
    studio._tick(time.perf_counter())
    assert studio.walker.moment.time == now
    ask(studio, "step")
    assert studio.walker.moment.time == pytest.approx(now + 1 / 60)
    ask(studio, "pause")
    for name in (*NAMES, "Plots"):
        ask(studio, "overlay", key=name, value=True)
    until(studio, lambda: set(studio.overlays._shown) == set(NAMES))
    until(studio, lambda: len(studio.plots._charts) == 3)
    for name in (*NAMES, "Plots"):
        ask(studio, "overlay", key=name, value=False)
    until(studio, lambda: not any(h.visible for h in studio.overlays._shown.values()))
    until(studio, lambda: not studio.plots._charts)


def test_recordings_are_saved_in_the_working_folder_only(studio: Studio, tmp_path: Path) -> None:
    ask(studio, "record")
    until(studio, lambda: studio.walker.recorded_seconds > 0.3)
    ask(studio, "record")
    assert "recorded" in studio.walker.message
    for name, said in (
        ("../out.npz", "outside the working folder"),
        ("/tmp/out.npz", "outside the working folder"),
        ("out.exe", "unknown file ending"),
    ):
        ask(studio, "save", name=name)
        assert said in studio.walker.message
    ask(studio, "save", name="walk.glb")
    until(studio, lambda: "is saved" in studio.walker.message)
    ask(studio, "save", name="walk.npz")
    until(studio, lambda: "walk.npz is saved" in studio.walker.message)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walk.glb", "walk.npz"]
    assert Clip.load(tmp_path / "walk.npz").seconds > 0.25
    ask(studio, "save", name="nowhere/walk.npz")
    until(studio, lambda: "could not be written" in studio.walker.message)


def test_several_pages_see_the_same_body(studio: Studio) -> None:
    address = f"ws://127.0.0.1:{studio.server.get_port()}"
    version = [Subprotocol(f"viser-v{viser.__version__}")]
    with (
        connect(address, subprotocols=version, max_size=None) as one,
        connect(address, subprotocols=version, max_size=None) as other,
    ):
        for page in (one, other):
            received = 0
            until_time = time.monotonic() + 30
            while received < 2e5 and time.monotonic() < until_time:  # the body's shapes at least
                studio._tick(time.perf_counter())
                received += len(page.recv(timeout=10))
            assert received >= 2e5
    before = studio.updates
    until(studio, lambda: not studio.server._websock_server._live_connections)
    until(studio, lambda: studio.updates > before + 10)


def test_a_dragged_point_lies_on_the_ground(studio: Studio) -> None:
    stage = studio.stage
    eye, point = np.array([0.0, 0.0, 2.0]), np.array([1.0, 0.5, 1.0])
    found = stage._on_ground(eye, point)
    assert found is not None
    np.testing.assert_allclose(found, stage.offset_w + [2.0, 1.0, 0.0], atol=1e-9)
    assert stage._on_ground(eye, eye + [1.0, 0.0, 0.2]) is None  # above the horizon
    assert stage._on_ground(eye, eye + [100.0, 0.0, -0.5]) is None  # too far away
    assert stage._on_ground(eye, np.full(3, np.nan)) is None
    assert stage.ground is not None
    level, stage.ground.terrain = stage.ground.terrain, Slope(degrees=5.0)
    found = stage._on_ground(eye, point)
    stage.ground.terrain = level
    assert found is not None
    assert found[2] == pytest.approx(float(Slope(degrees=5.0).height(*found[:2])), abs=1e-3)
