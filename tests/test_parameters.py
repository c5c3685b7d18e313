"""Parameters: what is given is kept, what is not allowed is refused in one line."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amble.errors import InputError, UnknownName
from amble.parameters import check, parameter, parameter_infos, settled


@dataclass(frozen=True)
class Example:
    gain: float = parameter(40.0, "1/s²", "stiffness", low=0, high=100)
    count: int = parameter(3, "", "how many", low=1)
    fast: bool = parameter(False, "", "hurry")
    mode: str = parameter("hard", "", "how", choices=("hard", "soft"))
    internal: tuple[int, ...] = ()


@given(st.floats(0, 100))
def test_a_number_survives_the_way_through_text(value: float) -> None:
    assert settled(Example(), {"gain": repr(value)}).gain == value


def test_every_kind_is_read_in_its_own_type() -> None:
    example = settled(Example(), {"count": "7", "fast": "yes", "mode": "soft", "gain": 1})
    assert example == Example(gain=1.0, count=7, fast=True, mode="soft")
    assert type(example.gain) is float and type(example.count) is int


@pytest.mark.parametrize(
    "settings",
    [
        {"gain": "nan"},
        {"gain": "inf"},
        {"gain": "-1"},
        {"gain": "101"},
        {"gain": "much"},
        {"gain": ""},
        {"count": "2.5"},
        {"count": 0},
        {"fast": "perhaps"},
        {"mode": "medium"},
    ],
)
def test_what_is_not_allowed_is_refused(settings: dict[str, str]) -> None:
    (key,) = settings
    with pytest.raises(InputError, match=f"{key} = .* is not allowed; give ") as raised:
        settled(Example(), settings)
    assert "\n" not in str(raised.value)


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean gain"):
        settled(Example(), {"gian": "1"})
    with pytest.raises(UnknownName):
        settled(Example(), {"internal": "1"})


def test_check_finds_a_bad_value_given_from_python() -> None:
    check(Example())
    for wrong in (float("nan"), "40", None, -1):
        with pytest.raises(InputError, match="gain"):
            check(Example(gain=wrong))  # type: ignore[arg-type]


def test_infos_say_what_is_allowed() -> None:
    infos = parameter_infos(Example)
    assert list(infos) == ["gain", "count", "fast", "mode"]
    assert infos["gain"].allowed == "a number from 0 to 100"
    assert infos["count"].allowed == "a whole number ≥ 1"
    assert infos["mode"].allowed == "hard or soft"
