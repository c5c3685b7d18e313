"""Tracked scenarios: they hold out, and say so when they do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amble.characters import Scale
from amble.errors import InputError
from amble.scenarios import Change, Growth, scenario
from amble.scenarios.track import TrackParameters
from amble.scenarios.track_versus import Trial, longest_range
from amble.terrain import Stairs
from amble.world import Push


def outcome(name: str, **wishes: object):  # type: ignore[no-untyped-def]
    chosen = scenario(name)
    return chosen.make(chosen.request(**wishes))  # type: ignore[arg-type]


def test_a_walk_follows_its_reference_and_is_physical() -> None:
    made = outcome("track-walk", seconds=3.0)
    measures = made.report["measures"]
    assert made.reached_goal and not measures["fell"]
    assert measures["mean_speed_m_s"] == pytest.approx(1.16, abs=0.03)
    assert measures["penetration_mm"]["max"] < 1.0 and measures["momentum_residual"] < 0.02
    assert measures["solver_failures"] == 0 and measures["tracking_cost"] < 0.1


def test_the_same_seed_gives_the_same_motion() -> None:
    first, again, other = (
        outcome("track-walk", seconds=0.3, noise=0.02, seed=seed).clip for seed in (1, 1, 2)
    )
    assert np.array_equal(first.qpos, again.qpos) and not np.array_equal(first.qpos, other.qpos)


def test_a_fall_is_called_a_fall() -> None:
    push = Push("thorax", (0.0, 900.0, 0.0), start=0.5, seconds=0.2)
    made = outcome("track-walk", seconds=6.0, pushes=(push,))
    assert not made.reached_goal and made.report["measures"]["fell"]
    assert made.reason.startswith("fell at")


def test_gamma_may_change_on_the_way() -> None:
    made = outcome("track-stand", seconds=1.0, changes=(Change(0.5, "gamma", 0.05),))
    assert made.reached_goal
    assert [event.what for event in made.clip.events_of("command")] == ["gamma"]


def test_mujoco_is_a_plant_too() -> None:
    made = outcome("track-walk", seconds=3.0, world="mujoco")
    assert made.reached_goal and made.report["measures"]["mean_speed_m_s"] > 1.0


def test_growing_bodies_are_refused() -> None:
    with pytest.raises(InputError, match="cannot grow"):
        outcome("track-walk", seconds=1.0, growths=(Growth(0.5, "left_thigh", Scale(1.2)),))


def test_parameters_say_what_the_regulator_does() -> None:
    assert TrackParameters(look="paper").look_ahead.points == 2
    assert TrackParameters(law="lqr").look_ahead.law == "lqr"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("walk", "run", "stand", "start", "stop", "descend", "stairs"),
        *(f"turn-{degrees}" for degrees in (15, 45, 60, 90, 180)),
    ],
)
def test_endurance(name: str) -> None:
    made = outcome(f"track-{name}")
    assert made.reached_goal, made.reason


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.002, 0.005, 0.01, 0.02, 0.05])
def test_walking_survives_over_more_than_a_decade_of_gamma(gamma: float) -> None:
    assert outcome("track-walk", settings={"gamma": gamma}).reached_goal


@pytest.mark.slow
def test_pushes_of_100_newton_from_most_sides_are_survived() -> None:
    angles = np.arange(8) * np.pi / 4
    survived = 0
    for angle in angles:
        force_w = (100 * np.cos(angle), 100 * np.sin(angle), 0.0)
        push = Push("thorax", force_w, start=2.0, seconds=0.1)
        survived += outcome("track-walk", seconds=8.0, pushes=(push,)).reached_goal
    assert survived >= 7


def test_a_sweep_compares_both_laws_and_draws_them(tmp_path: Path) -> None:
    wishes = {"count": 2, "low": 0.01, "high": 0.02}
    made = outcome("track-versus-lqr", seconds=1.0, settings=wishes)
    trials = made.report["measures"]["trials"]
    assert [(each["law"], each["gamma"]) for each in trials] == [
        *(("nqr", pytest.approx(gamma)) for gamma in (0.01, 0.02)),
        *(("lqr", pytest.approx(gamma)) for gamma in (0.01, 0.02)),
    ]
    assert all(each["held"] for each in trials)
    assert made.report["measures"]["gamma_range"]["walk nqr"] == pytest.approx([0.01, 0.02])
    assert made.plot is not None
    made.plot(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_the_longest_range_has_no_gaps() -> None:
    held = (True, True, False, True, True, True)
    trials = [
        Trial("walk", "nqr", gamma, 30.0, ok, 1.0)
        for gamma, ok in zip((1, 2, 4, 8, 16, 32), held, strict=True)
    ]
    assert longest_range(trials, "walk", "nqr") == [8, 32]
    assert longest_range(trials, "walk", "lqr") == []


@pytest.mark.slow
def test_it_walks_wherever_is_wished() -> None:
    made = outcome("track-interactive", seconds=60.0, seed=3)
    measures = made.report["measures"]
    assert made.reached_goal, made.reason
    assert len(made.clip.events_of("command")) > 8 and measures["heading_error_deg"] < 60
    assert len(measures["chosen"]) > 3


@pytest.mark.slow
def test_it_stops_and_starts_when_told() -> None:
    changes = (Change(2.0, "walking", False), Change(7.0, "walking", True))
    made = outcome("track-interactive", seconds=12.0, changes=changes, settings={"wander": False})
    assert made.reached_goal, made.reason
    chosen = made.report["measures"]["chosen"]
    assert chosen["stop"] == chosen["start"] == 1 and chosen["stand"] > 5


@pytest.mark.slow
def test_it_runs_where_the_way_is_straight_and_walks_to_turn_and_stop() -> None:
    changes = (
        Change(2.0, "running", True),
        Change(11.0, "heading", 60.0),
        Change(25.0, "walking", False),
    )
    made = outcome("track-interactive", seconds=34.0, changes=changes, settings={"wander": False})
    assert made.reached_goal, made.reason
    chosen = made.report["measures"]["chosen"]
    assert chosen["walk-to-run"] == chosen["run-to-walk"] == 2 and chosen["run"] > 6
    assert chosen["stop"] == 1 and chosen["stand"] > 5
    speed = np.hypot(*made.clip.qvel[:, :2].T)
    assert speed.max() > 2.5 and speed[-1] < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("ledge", [-0.03, 0.04])
def test_ledges_up_and_down_are_walked(ledge: float) -> None:
    made = outcome("track-descend", seconds=15.0, settings={"ledge": ledge})
    assert made.reached_goal, made.reason
    assert made.clip.qpos[-1, 2] == pytest.approx(0.85 - 14 * ledge, abs=abs(2 * ledge) + 0.05)


def test_a_ground_that_is_given_takes_the_place_of_the_ledges() -> None:
    given = Stairs(rise=0.01, run=2.0)
    assert outcome("track-descend", seconds=0.5, terrain=given).clip.terrain == given
    own = outcome("track-descend", seconds=0.5, settings={"ledge": 0.05}).clip.terrain
    assert own.height(np.array([1.3]), np.array([0.0])) == pytest.approx(-0.05)
