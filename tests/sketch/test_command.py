"""Wishes and scripts of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from amble.errors import InputError
from amble.sketch.command import Command, Script, read_script


def test_a_script_holds_each_wish_until_the_next(tmp_path: Path) -> None:
    path = tmp_path / "walk.yaml"
    path.write_text("- {at: 3, heading: 90}\n- {at: 0, speed: 0.8}\n")
    script = read_script(path)
    assert script.at(0.0) == Command(speed=0.8)
    assert script.at(2.99) == Command(speed=0.8)
    assert script.at(3.0) == Command(speed=0.8, heading=90)
    assert Script().at(5.0) == Command()


@pytest.mark.parametrize(
    "text, told",
    [
        ("- {at: 0, spead: 1}", "entry 1; did you mean speed"),
        ("- {at: 0, speed: 1}\n- {at: -1}", "entry 2: at = -1"),
        ("- {at: 0, speed: .nan}", "a number from 0 to 50"),
        ("- {at: 0, speed: 51}", "a number from 0 to 50"),
        ("- {at: .inf}", "a time ≥ 0"),
        ("- {speed: 1}", "'at' is missing"),
        ("- {at: 0\n- {", "line 2"),
        ("speed: 1", "is not a list"),
        ("- 3", "is not a change"),
        ("", "is not a list"),
    ],
)
def test_a_wrong_script_says_where_and_what_is_allowed(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_script(path)
    assert told in str(error.value)
    assert "bad.yaml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_script_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_script(tmp_path / "none.yaml")


def test_wishes_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match="from 0 to 50"):
        Command(speed=-1)
