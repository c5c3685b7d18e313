"""Parameters of controllers and scenarios: dataclass fields that know their unit and range.

    @dataclass(frozen=True)
    class Squat:
        depth: float = parameter(0.30, "m", "from the highest to the lowest point", low=0, high=1)

`settled` turns text from a user (`depth=0.2`) into a changed copy, and refuses what is not allowed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from amble.errors import InputError, UnknownName

Value = bool | int | float | str
T = TypeVar("T")

_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True}
_BOOLEANS |= {"false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True)
class ParameterInfo:
    """What a user may know about one parameter."""

    name: str
    default: Value
    unit: str
    doc: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The range or the choices, in words."""
        if self.choices:
            return " or ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return "a word"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if math.isinf(self.low) and math.isinf(self.high):
            return kind
        if math.isinf(self.high):
            return f"{kind} ≥ {self.low:g}"
        if math.isinf(self.low):
            return f"{kind} ≤ {self.high:g}"
        return f"{kind} from {self.low:g} to {self.high:g}"


def parameter(
    default: Any,
    unit: str = "",
    doc: str = "",
    *,
    low: float = -math.inf,
    high: float = math.inf,
    choices: tuple[str, ...] = (),
) -> Any:
    """A dataclass field that carries its unit, meaning and allowed range (ends included)."""
    about = {"unit": unit, "doc": doc, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=about)


def parameter_infos(parameters: Any) -> dict[str, ParameterInfo]:
    """The parameters of a dataclass, or an instance of one, by name and in order.

    Fields not made by `parameter` are the program's own business and left out.
    """
    infos = {}
    for f in fields(parameters):
        if "unit" in f.metadata:
            default: Any = f.default
            infos[f.name] = ParameterInfo(f.name, default, **f.metadata)
    return infos


def check(parameters: Any) -> None:
    """Raise `InputError` unless every value is of its parameter's kind and in its range."""
    for name, info in parameter_infos(parameters).items():
        value = getattr(parameters, name)
        if isinstance(value, str) and not isinstance(info.default, str):
            raise _wrong(info, value)
        _checked(info, value)


def settled(parameters: T, settings: Mapping[str, Value], where: str = "") -> T:
    """A copy of `parameters` with `settings` applied; values may be text, as a user types it."""
    infos = parameter_infos(parameters)
    values = {}
    for name, value in settings.items():
        if name not in infos:
            raise UnknownName("parameter", name, infos, where=where)
        values[name] = _checked(infos[name], value)
    return replace(parameters, **values)  # type: ignore[type-var]


def _checked(info: ParameterInfo, value: Value) -> Value:
    """The value in its parameter's own kind."""
    wrong = _wrong(info, value)
    if isinstance(info.default, bool):
        result = _BOOLEANS.get(str(value).strip().lower())
        if result is None:
            raise wrong
        return result
    if isinstance(info.default, str):
        if info.choices and value not in info.choices:
            raise wrong
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise wrong from None
    if not math.isfinite(number) or not info.low <= number <= info.high:
        raise wrong
    if isinstance(info.default, float):
        return number
    if number != int(number):
        raise wrong
    return int(number)


def _wrong(info: ParameterInfo, value: Value) -> InputError:
    unit = f" [{info.unit}]" if info.unit else ""
    return InputError(f"{info.name} = {value!r} is not allowed; give {info.allowed}{unit}")
