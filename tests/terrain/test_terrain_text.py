"""Grounds as text and plain data."""

from __future__ import annotations

import json

import pytest
from test_terrain import GROUNDS

from amble.errors import InputError
from amble.terrain import (
    Blocks,
    Flat,
    Hole,
    Slope,
    Stairs,
    Steps,
    Union,
    parse_terrain,
    terrain_from,
    terrain_names,
)


@pytest.mark.parametrize("name", GROUNDS)
def test_json_round_trip(name: str) -> None:
    assert terrain_from(json.loads(json.dumps(GROUNDS[name].describe()))) == GROUNDS[name]


@pytest.mark.parametrize(
    ("text", "terrain"),
    [
        ("flat", Flat()),
        ("slope:degrees=12,direction_degrees=90", Slope(12, 90)),
        ("stairs:count=3,back=yes", Stairs(count=3, back=True)),
        ("steps:at=1/2.5,heights=0.1/-0.2", Steps((1, 2.5), (0.1, -0.2))),
        ("hole:x=3,length=1000,depth=10", Hole(3, 1000, 10)),
        ("slope:degrees=5@x=2,yaw_degrees=90", Slope(5).moved(x=2, yaw_degrees=90)),
        ("flat + blocks:size=0.3", Union((Flat(), Blocks(size=0.3)))),
        ("slope:degrees=+5@x=1e+1+flat", Union((Slope(5).moved(x=10), Flat()))),
        ("steps:at=1/2,heights=+0.1/+0.2", Steps((1, 2), (0.1, 0.2))),
    ],
)
def test_text_names_a_ground(text: str, terrain: object) -> None:
    assert parse_terrain(text) == terrain


def test_every_name_is_a_ground() -> None:
    assert [parse_terrain(name).kind for name in terrain_names()] == list(terrain_names())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("slop", "did you mean slope"),
        ("slope:steepness=3", "unknown parameter 'steepness'"),
        ("slope:degrees=90", "from -60 to 60"),
        ("slope:degrees=nan", "terrain 'slope'"),
        ("slope:degrees", "name=value"),
        ("stairs:rise=0", "rise is 0"),
        ("stairs:count=2.5", "a whole number"),
        ("steps:at=2/1,heights=1/1", "must increase"),
        ("steps:at=a,heights=1", "give numbers"),
        ("noise:amplitude=-1", "amplitude"),
        ("blocks:size=0.05,extent=50", "at most 40"),
        ("flat@q=1", "unknown parameter 'q'"),
        ("flat@x=a", "terrain 'flat@x=a': x = 'a'"),
        ("flat@x=1e9", "from -1000 to 1000"),
        ("flat@x=1@y=2", "terrain 'flat@x=1@y=2'"),
        ("flat@", "name=value"),
        ("slope:", "name=value"),
        ("slope:degrees=3,", "name=value"),
        ("slope:=3", "name=value"),
        ("slope:degrees=", "name=value"),
        ("", "unknown terrain ''"),
        ("flat+", "unknown terrain ''"),
        ("+flat", "unknown terrain ''"),
        ("union", "unknown terrain 'union'"),
        ("steps:at=,heights=1", "name=value"),
        ("steps:at=1/,heights=1", "give numbers"),
        ("steps:at=nan,heights=1", "between −50 and 50"),
        ("steps:at=1/2,heights=1", "as many numbers"),
        ("stairs:back=perhaps", "true or false"),
        ("stairs:run=0", "run"),
        ("stairs:width=-1", "width"),
        ("noise:wavelength=0.2,extent=100", "at most 40"),
        ("noise:seed=-1", "seed"),
        ("hole:depth=101", "from 0.01 to 100 [m]"),
        ("hole:length=0", "length"),
        ("hole:width=-1", "width"),
    ],
)
def test_wrong_text_gives_one_clear_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        parse_terrain(text)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_wrong_values_from_python_are_refused() -> None:
    for make in (
        lambda: Slope("8"),  # type: ignore[arg-type]
        lambda: Slope(float("nan")),
        lambda: Flat().moved(x=float("inf")),
        lambda: Flat() | 3,  # type: ignore[operator]
        lambda: Union(()),
    ):
        with pytest.raises(InputError, match="terrain '"):
            make()


@pytest.mark.parametrize("wrong", [{}, {"kind": "moon"}, {"kind": "union"}, {"kind": "moved"}])
def test_wrong_data_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InputError):
        terrain_from(wrong)
