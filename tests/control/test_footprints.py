"""Footprints: how they are told, and which are refused before a foot leaves the ground."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import amble
from amble.control.stepping.footprints import Footprint, read_footprints
from amble.control.stepping.reach import Foot, Shape, check_sequence, planned_step
from amble.control.stepping.stepping import Stepping
from amble.errors import InputError
from amble.terrain import Steps, Terrain
from amble.terrain.text import parse_terrain
from amble.world import MuJoCoWorld

SHAPE = Shape(1.0, 0.134, 0.049, 0.87, 0.18)
FEET = (Foot(0.09j, 0.0, 0.0), Foot(-0.09j, 0.0, 0.0))
FLAT = parse_terrain("flat")


def test_text_gives_footprints() -> None:
    first, second = read_footprints("left:0.3:0.1:-20; right:0.3:-0.1:0:1.4:0.08")
    assert first == Footprint("left", 0.3, 0.1, -20.0)
    assert second == Footprint("right", 0.3, -0.1, 0.0, 1.4, 0.08)
    assert read_footprints("") == ()


def test_a_file_gives_the_same_as_text(tmp_path: Path) -> None:
    file = tmp_path / "prints.yaml"
    file.write_text("- {foot: left, x: 0.3, y: 0.1, yaw: -20}\n- {foot: right, x: 0.3, y: -0.1}\n")
    assert read_footprints(str(file)) == read_footprints("left:0.3:0.1:-20;right:0.3:-0.1:0")


@pytest.mark.parametrize(
    "text, says",
    [
        ("left:0.3", "give FOOT:X:Y"),
        ("lft:0.3:0.1", "did you mean left"),
        ("left:far:0.1", "'far' is not a number"),
        ("left:nan:0.1", "x = nan"),
        ("left:0.3:inf", "y = inf"),
        ("left:0.3:0.1:0:0.01", "seconds = 0.01 is not allowed"),
        ("left:0.3:0.1:0:1:-0.2", "height = -0.2 is not allowed"),
        ("nowhere.yaml", "cannot be read"),
    ],
)
def test_what_is_no_footprint_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_footprints(text)


@pytest.mark.parametrize(
    "content, says",
    [
        ("foot: left", "is not a list"),
        ("- {foot: left, x: 0.3}", "entry 1: y is missing"),
        ("- {foot: left, x: 0.3, y: 0.1, jaw: 3}", "unknown key 'jaw'"),
        ("- {foot: left, x: .nan, y: 0.1}", "x = nan"),
        ("- {foot: left, x: true, y: 0.1}", "x = True"),
        ("- [1, 2", "is not YAML"),
    ],
)
def test_a_wrong_file_names_the_entry(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "prints.yaml"
    file.write_text(content)
    with pytest.raises(InputError, match=says):
        read_footprints(str(file))


@pytest.mark.parametrize(
    "footprint, ground, says",
    [
        (Footprint("left", 1.2, 0.1), "flat", "out of reach"),
        (Footprint("left", 0.0, -0.06), "flat", "on the right foot"),
        (Footprint("left", 0.3, -0.35), "flat", "crosses over"),
        (Footprint("left", 0.2, 0.15, 120), "flat", "hips turn"),
        (Footprint("left", 0.1, 0.12, -80), "flat", "inward"),
        (Footprint("left", 0.5, 0.1, 0, 0.3), "flat", "too fast"),
        (Footprint("left", 0.4, 0.1), "steps:at=0.2,heights=1.0", "inside a wall"),
        (Footprint("left", 0.4, 0.1), "steps:at=0.45,heights=0.2", "wall or an edge"),
        (Footprint("left", 0.4, 0.1), "steps:at=0.45,heights=-0.2", "over an edge"),
        (Footprint("left", 0.4, 0.1), "hole:x=0.2,length=1", "no ground to step on"),
    ],
)
def test_what_a_body_cannot_do_is_refused_with_the_reason(
    footprint: Footprint, ground: str, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        planned_step(footprint, FEET, SHAPE, parse_terrain(ground))


def test_a_wall_between_the_foot_and_its_place_is_refused_and_a_kerb_is_stepped_over() -> None:
    far = Footprint("left", 0.55, 0.1)
    walls = {h: _wall(h) for h in (0.0, 0.12, 0.8)}
    with pytest.raises(InputError, match="a wall is in the way"):
        planned_step(far, FEET, SHAPE, walls[0.8])
    over, flat = (planned_step(far, FEET, SHAPE, walls[h]) for h in (0.12, 0.0))
    assert over.lift > 0.12 > flat.lift
    with pytest.raises(InputError, match="a wall is in the way"):
        planned_step(Footprint("left", 0.55, 0.1, height=0.05), FEET, SHAPE, walls[0.12])


def _wall(height: float) -> Terrain:
    return Steps(at=(0.28, 0.34), heights=(height, 0.0)) if height else FLAT


def test_default_time_and_height_grow_with_the_distance() -> None:
    steps = [planned_step(Footprint("left", x, 0.1), FEET, SHAPE, FLAT) for x in (0.1, 0.3, 0.5)]
    assert [s.seconds for s in steps] == sorted(s.seconds for s in steps)
    assert [s.lift for s in steps] == sorted(s.lift for s in steps)


def test_each_footprint_is_judged_from_those_before_it() -> None:
    far = [
        Footprint("left", 0.4, 0.09),
        Footprint("right", 0.8, -0.09),
        Footprint("left", 1.2, 0.09),
    ]
    check_sequence(far, FEET, SHAPE, FLAT)
    with pytest.raises(InputError, match="left:1"):
        check_sequence(far[::2], FEET, SHAPE, FLAT)


def test_nothing_moves_when_a_footprint_is_refused() -> None:
    world = MuJoCoWorld(amble.character("humanoid"))
    stepping = Stepping(world.character, world.model, world.data, world.terrain)
    with pytest.raises(InputError, match="out of reach"):
        stepping.direct(Footprint("left", 0.3, 0.1), Footprint("right", 3.0, 0.0))
    assert not stepping.footwork.queue and stepping.asked == 0
    assert math.isclose(stepping.footwork.feet[0].yaw, 0.0)
