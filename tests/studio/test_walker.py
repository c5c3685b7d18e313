"""The motion behind the studio: steered, pushed, rebuilt and recorded, whatever is asked of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from amble.characters.reshape import Scale
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.studio.walker import FPS, WAYS, Setting, Walker, check_inside


@pytest.fixture(scope="module")
def walker() -> Iterator[Walker]:
    walker = Walker()
    yield walker
    walker.close()


def go_on(walker: Walker, until: Callable[[], bool], most: float = 30.0) -> None:
    """Let it go on, a little faster than in real time, until something is so."""
    end = time.monotonic() + 60
    for _ in range(round(most * FPS)):
        walker.step(1 / FPS)
        if until() or time.monotonic() > end:
            break
        time.sleep(0.005)
    assert until()


def speed(walker: Walker) -> float:
    return float(np.linalg.norm(walker.frame.state.velocity_w[:2]))


def test_it_follows_wishes_goals_and_drags_and_records_them(walker: Walker) -> None:
    go_on(walker, lambda: speed(walker) > 0.8)
    walker.goal_w = walker.frame.state.com_w[:2] + np.array([1.5, 2.5])
    goal = walker.goal_w.copy()
    go_on(walker, lambda: walker.goal_w is None)
    assert np.linalg.norm(walker.frame.state.com_w[:2] - goal) < 0.5
    go_on(walker, lambda: speed(walker) < 0.2)

    walker.start_recording()
    thorax = walker.character.model.body(walker.character.part("thorax")).id
    chest = walker.places_w[thorax].copy()
    walker.drag("thorax", chest, chest + [0.0, 0.25, 0.0])
    arrow = walker.arrow()
    assert arrow is not None
    np.testing.assert_allclose(arrow, [chest, chest + [0.0, 0.25, 0.0]], atol=1e-9)
    go_on(walker, lambda: walker.frame.state.velocity_w @ walker.frame.state.velocity_w > 0.02)
    walker.release()
    go_on(walker, lambda: walker.recorded_seconds > 0.5)
    clip = walker.stop_recording()
    assert clip is not None and clip is walker.clip and not walker.recording
    pushes = clip.events_of("push")
    assert pushes and abs(pushes[0].values["fy"]) > 10 * abs(pushes[0].values["fx"])
    with pytest.raises(InputError, match="speed"):
        walker.command(speed=-3)


def test_it_is_rebuilt_while_it_goes_on_and_says_what_cannot_be(walker: Walker) -> None:
    generation = walker.generation
    walker.change(terrain="slop")
    go_on(walker, lambda: "did you mean slope" in walker.message)
    walker.change(terrain="flat", character="../elsewhere.xml")
    go_on(walker, lambda: "outside the working folder" in walker.message)
    assert walker.generation == generation
    legs = walker.character.leg_length
    walker.change(character="humanoid", sizes={"left_thigh": Scale(1.2), "right_thigh": Scale(1.2)})
    go_on(walker, lambda: walker.generation > generation)
    assert walker.character.leg_length > 1.05 * legs
    walker.change(character="luxo", sizes={}, terrain="slope:degrees=3")
    go_on(walker, lambda: walker.character.name == "luxo")
    walker.reset()
    before = walker.generation
    go_on(walker, lambda: walker.generation > before)
    assert walker.setting == Setting("luxo", "slope:degrees=3")


def test_in_physics_it_stands_takes_pushes_and_grows_at_once(
    walker: Walker, tmp_path: Path
) -> None:
    walker.change(character="humanoid", terrain="flat", sizes={}, way=WAYS[1], gravity=9.0)
    go_on(walker, lambda: walker.setting.way == WAYS[1])
    begin = walker.frame.time
    go_on(walker, lambda: walker.frame.time > begin + 0.5)
    assert walker.ground_force == pytest.approx(9.0 * walker.character.mass, rel=0.02)
    before = walker.model.body_mass.sum()
    walker.reshape("left_thigh", Scale(length=1.1))
    walker.reshape("left_thigh", Scale(length=1.2))
    heavier = walker.character.reshaped({"left_thigh": Scale(length=1.2)}).mass
    assert walker.model.body_mass.sum() == pytest.approx(heavier) and heavier > before
    walker.start_recording()
    walker.command(height=-0.1)
    thorax = walker.model.body(walker.character.part("thorax")).id
    chest = walker.places_w[thorax].copy()
    walker.drag("thorax", chest, chest + [0.0, 0.1, 0.0])
    go_on(walker, lambda: walker.frame.state.com_w[1] > 0.01)
    walker.release()
    go_on(walker, lambda: walker.recorded_seconds > 1.5)
    clip = walker.stop_recording()
    assert clip is not None and clip.fps == FPS and not walker.planner.fallen
    clip.save(tmp_path / "clip.npz")
    *_, last = Clip.load(tmp_path / "clip.npz").frames()
    np.testing.assert_allclose(last.model.body_mass.sum(), heavier)
    np.testing.assert_allclose(last.data.xpos[thorax], walker.places_w[thorax], atol=0.01)
    assert clip.events_of("push")
    walker.change(way="planned")
    go_on(walker, lambda: walker.setting.way == "planned")
    walker.change(way="flying")
    go_on(walker, lambda: "unknown way of moving" in walker.message)


def test_recordings_in_slow_motion_have_the_frames_of_real_time(walker: Walker) -> None:
    walker.start_recording()
    begin = walker.frame.time
    for _ in range(80):
        walker.step(0.25 / FPS)
    clip = walker.stop_recording()
    assert clip is not None and walker.frame.time == pytest.approx(begin + 20 / FPS)
    np.testing.assert_allclose(np.diff(clip.time), 1 / FPS, atol=1e-9)


def test_a_motion_that_breaks_off_begins_again(
    walker: Walker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(time: float) -> None:
        raise RuntimeError("the process is gone")

    generation = walker.generation
    monkeypatch.setattr(walker.planner, "frame", broken)
    walker.step(1 / FPS)
    assert "broke off (RuntimeError)" in walker.message
    go_on(walker, lambda: walker.generation > generation)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.xml", "a/../../x", "~/../../x/../../.."])
def test_only_the_working_folder(path: str) -> None:
    with pytest.raises(InputError, match="outside the working folder"):
        check_inside(Path(path))
    assert check_inside(Path("a/b.xml")) == Path("a/b.xml")
