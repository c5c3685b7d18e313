"""The motion behind the studio: steered, pushed, rebuilt and recorded, whatever is asked of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from amble.characters.character import GRAVITY
from amble.characters.reshape import Scale
from amble.errors import InputError, UnknownName
from amble.motion.clip import Clip
from amble.motion.measures import measure
from amble.studio.motion import FPS
from amble.studio.physics import PhysicsMotion
from amble.studio.planned import PlannedMotion
from amble.studio.replay import ReplayMotion
from amble.studio.setting import GROUNDS, STANDS, WALKS, check_inside
from amble.studio.walker import Walker


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
    assert until(), walker.message


def go_for(walker: Walker, seconds: float) -> None:
    end = walker.moment.time + seconds
    go_on(walker, lambda: walker.moment.time >= end)


def speed(walker: Walker) -> float:
    return float(np.linalg.norm(walker.moment.velocity_w[:2]))


def planned(walker: Walker) -> PlannedMotion:
    assert isinstance(walker.motion, PlannedMotion)
    return walker.motion


def test_it_follows_wishes_goals_and_drags_and_records_them(walker: Walker) -> None:
    go_on(walker, lambda: speed(walker) > 0.8)
    walker.goal_w = walker.moment.com_w[:2] + np.array([1.5, 2.5])
    goal = walker.goal_w.copy()
    go_on(walker, lambda: walker.goal_w is None)
    assert np.linalg.norm(walker.moment.com_w[:2] - goal) < 0.5
    go_on(walker, lambda: speed(walker) < 0.2)

    walker.start_recording()
    thorax = walker.model.body(walker.character.part("thorax")).id
    chest = walker.moment.places_w[thorax].copy()
    walker.pull("thorax", chest, chest + [0.0, 0.25, 0.0])
    arrow = walker.arrow()
    assert arrow is not None
    np.testing.assert_allclose(arrow, [chest, chest + [0.0, 0.25, 0.0]], atol=1e-9)
    go_on(walker, lambda: float(walker.moment.velocity_w @ walker.moment.velocity_w) > 0.02)
    walker.release()
    go_on(walker, lambda: walker.recorded_seconds > 0.5)
    clip = walker.stop_recording()
    assert clip is not None and clip is walker.clip and not walker.recording
    pushes = clip.events_of("push")
    assert pushes and abs(pushes[0].values["fy"]) > 10 * abs(pushes[0].values["fx"])
    with pytest.raises(InputError, match="speed"):
        walker.command(speed=-3)


def test_sizes_obstacles_ground_and_gait_change_while_it_walks_on(walker: Walker) -> None:
    walker.command(speed=1.2, heading=0.0)
    go_on(walker, lambda: speed(walker) > 0.8)
    generation, legs = walker.generation, walker.character.leg_length
    walker.reshape({"left_thigh": Scale(1.15), "right_thigh": Scale(1.15)})
    go_on(walker, lambda: walker.shape == 1)
    assert walker.character.leg_length > 1.05 * legs
    walker.lay_obstacle("kerb")
    go_on(walker, lambda: walker.ground == 1)
    x, y, _ = walker.moment.com_w
    ahead = x + np.arange(0.0, 8.0, 0.5)
    assert walker.motion.terrain.height(ahead, np.full(16, y)).max() == pytest.approx(0.12)
    go_on(walker, lambda: walker.motion.terrain.height(*walker.moment.com_w[:2]) > 0.1)
    go_on(walker, lambda: walker.motion.terrain.height(*walker.moment.com_w[:2]) == 0.0)
    go_for(walker, 1.0)  # both feet are down from the kerb
    walker.change(terrain=GROUNDS["hills"])
    way = [walker.moment.com_w.copy()]

    def changed() -> bool:
        way.append(walker.moment.com_w.copy())
        return walker.ground == 2

    go_on(walker, changed)
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).max() < 0.1  # nothing jumps
    go_for(walker, 1.0)
    assert walker.generation == generation and not walker.motion.fallen and speed(walker) > 0.8
    assert not planned(walker).planner.fallen


def test_another_body_goes_on_where_the_last_one_was(walker: Walker) -> None:
    place = walker.moment.com_w[:2].copy()
    walker.change(character="luxo")
    go_on(walker, lambda: walker.character.name == "luxo")
    assert np.linalg.norm(walker.moment.com_w[:2] - place) < 3.5  # it walked on meanwhile
    assert np.linalg.norm(walker.moment.com_w[:2]) > 2.0
    walker.change(terrain="slop")
    go_on(walker, lambda: "did you mean slope" in walker.message)
    walker.change(gait="gallopp")
    go_on(walker, lambda: "gallopp" in walker.message)
    walker.change(character="../elsewhere.xml")
    go_on(walker, lambda: "outside the working folder" in walker.message)
    before = walker.generation
    walker.reset()
    go_on(walker, lambda: walker.generation > before)
    assert np.linalg.norm(walker.moment.com_w[:2]) < 0.3


def test_on_the_moon_it_weighs_less_and_falls_slower(walker: Walker) -> None:
    """Gravity is a matter of time: forces, speeds and the recorded clip obey Newton under it."""
    walker.change(character="luxo", gravity=1.62)
    go_on(walker, lambda: walker.setting.gravity == 1.62)
    planned(walker)
    go_for(walker, 4.0)
    walker.start_recording()
    go_on(walker, lambda: walker.recorded_seconds > 4.0)
    clip = walker.stop_recording()
    assert clip is not None and clip.fps == pytest.approx(FPS)
    np.testing.assert_allclose(np.diff(clip.time), 1 / FPS, rtol=1e-6)
    weight = clip.character.mass * 1.62
    mean = clip.contact_force_w[..., 2].sum(axis=1).mean()
    assert mean == pytest.approx(weight, rel=0.25)
    flight = ~clip.touching.any(axis=1)
    height = np.array([f.data.subtree_com[1, 2] for f in clip.frames()])
    falls = np.diff(height, 2) * FPS**2
    free = flight[:-2] & flight[1:-1] & flight[2:]
    assert free.sum() > 20
    assert np.median(falls[free]) == pytest.approx(-1.62, rel=0.1)
    walker.change(gravity=GRAVITY)
    go_on(walker, lambda: walker.setting.gravity == GRAVITY)


def test_in_physics_it_walks_where_it_is_told_and_takes_pushes(walker: Walker) -> None:
    walker.change(character="humanoid", terrain="flat", sizes={}, way=WALKS)
    go_on(walker, lambda: walker.setting.way == WALKS)
    walker.command(speed=0.8, heading=40.0)
    begin = walker.moment.com_w.copy()
    thorax = walker.model.body(walker.character.part("thorax")).id
    go_for(walker, 3.0)
    chest = walker.moment.places_w[thorax].copy()
    walker.start_recording()
    walker.pull("thorax", chest, chest + [0.0, 0.15, 0.0])
    go_for(walker, 0.15)
    walker.release()
    go_for(walker, 2.0)
    clip = walker.stop_recording()
    way = walker.moment.com_w[:2] - begin[:2]
    assert np.degrees(np.arctan2(way[1], way[0])) == pytest.approx(40, abs=15)
    assert clip is not None and clip.events_of("push") and not measure(clip)["fell"]
    sight = walker.motion.sight()
    assert {"capture point", "supervisor's point"} <= set(sight.points_w)
    assert len(sight.taken_w) > 4 and len(sight.forces)
    assert len(walker.motion.residuals) >= 3
    walker.tune(swing_height=0.12)
    assert isinstance(walker.motion, PhysicsMotion)
    assert walker.motion.tunable["swing_height"][1] == 0.12
    with pytest.raises(UnknownName, match="swing_height"):
        walker.tune(swing_heigth=0.12)


def test_in_physics_it_stands_under_another_gravity_and_grows_at_once(
    walker: Walker, tmp_path: Path
) -> None:
    walker.change(way=STANDS, gravity=9.0)
    go_on(walker, lambda: walker.setting.way == STANDS)
    go_for(walker, 0.5)
    assert walker.motion.ground_force == pytest.approx(9.0 * walker.character.mass, rel=0.02)
    assert max(walker.motion.residuals[:2]) < 1e-3  # soles and centre of mass get what they ask
    before = walker.model.body_mass.sum()
    walker.reshape({"left_thigh": Scale(length=1.1)})
    walker.reshape({"left_thigh": Scale(length=1.2)})
    shape = walker.shape
    go_on(walker, lambda: walker.shape > shape)
    heavier = walker.character.reshaped({"left_thigh": Scale(length=1.2)}).mass
    assert walker.model.body_mass.sum() == pytest.approx(heavier) and heavier > before
    walker.start_recording()
    walker.command(height=-0.1)
    go_on(walker, lambda: walker.recorded_seconds > 1.0)
    clip = walker.stop_recording()
    assert clip is not None and clip.fps == FPS and not walker.motion.fallen
    clip.save(tmp_path / "clip.npz")
    *_, last = Clip.load(tmp_path / "clip.npz").frames()
    np.testing.assert_allclose(last.model.body_mass.sum(), heavier)
    thorax = walker.model.body(walker.character.part("thorax")).id
    np.testing.assert_allclose(last.data.xpos[thorax], walker.moment.places_w[thorax], atol=0.01)
    walker.change(way="flying")
    go_on(walker, lambda: "unknown way of moving" in walker.message)


def test_named_scenarios_are_live_or_played_when_made(
    walker: Walker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    walker.change(scenario="humanoid-walk-and-stop")
    go_on(walker, lambda: walker.setting.scenario == "humanoid-walk-and-stop")
    go_on(walker, lambda: walker.moment.time > 5.0 and speed(walker) < 0.2, most=9.0)
    walker.command(heading=30.0)  # who steers has taken over: it does not walk on at 8 s
    walker.start_recording()
    go_on(walker, lambda: walker.moment.time > 8.8)
    assert speed(walker) < 0.2
    clip = walker.stop_recording()
    assert clip is not None
    clip.save(tmp_path / "stand.npz")

    walker.change(scenario="balance-push")
    go_on(walker, lambda: walker.setting.scenario == "balance-push")
    go_on(walker, lambda: speed(walker) > 0.1, most=2.0)  # the first of its own pushes
    walker.change(scenario="stand.npz")
    go_on(walker, lambda: isinstance(walker.motion, ReplayMotion))
    times = []
    go_on(walker, lambda: bool(times.append(walker.moment.time) or walker.moment.time < times[0]))
    assert max(times) == pytest.approx(clip.seconds, abs=0.05)
    with pytest.raises(InputError, match="only a motion in physics"):
        walker.tune(speed=1.0)
    pelvis = walker.moment.places_w[1].copy()
    walker.pull("pelvis", pelvis, pelvis + [0.0, 0.3, 0.0])
    go_on(walker, lambda: "cannot be pushed" in walker.message)
    walker.change(scenario="missing.npz")
    go_on(walker, lambda: "missing.npz: no such file" in walker.message)
    walker.change(scenario="../stand.npz")
    go_on(walker, lambda: "outside the working folder" in walker.message)
    with pytest.raises(UnknownName, match="humanoid-walk"):
        walker.change(scenario="humanoid-wolk")
    walker.change(way="planned")
    go_on(walker, lambda: walker.setting.way == "planned" and not walker.setting.scenario)


@pytest.mark.slow
def test_a_scenario_that_is_no_live_one_is_made_first() -> None:
    walker = Walker()
    try:
        walker.change(scenario="balance-weighted", character="luxo")
        walker.step(1 / FPS)
        walker.change(scenario="walk-weighted")
        go_on(walker, lambda: isinstance(walker.motion, ReplayMotion), most=200.0)
        assert walker.motion.terrain.height(0.0, 0.0) == 0.0 and walker.character.name == "humanoid"
    finally:
        walker.close()


def test_recordings_in_slow_motion_have_the_frames_of_real_time(walker: Walker) -> None:
    walker.start_recording()
    begin = walker.moment.time
    for _ in range(80):
        walker.step(0.25 / FPS)
    clip = walker.stop_recording()
    assert clip is not None and walker.moment.time == pytest.approx(begin + 20 / FPS)
    np.testing.assert_allclose(np.diff(clip.time), 1 / FPS, atol=1e-9)


def test_a_motion_that_breaks_off_begins_again(
    walker: Walker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(time: float) -> None:
        raise RuntimeError("the process is gone")

    generation = walker.generation
    monkeypatch.setattr(planned(walker).planner, "frame", broken)
    walker.step(1 / FPS)
    assert "broke off (RuntimeError)" in walker.message
    go_on(walker, lambda: walker.generation > generation)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.xml", "a/../../x", "~/../../x/../../.."])
def test_only_the_working_folder(path: str) -> None:
    with pytest.raises(InputError, match="outside the working folder"):
        check_inside(Path(path))
    assert check_inside(Path("a/b.xml")) == Path("a/b.xml")
