"""Scenarios: every demonstration by name."""

from amble.errors import UnknownName
from amble.scenarios import (
    balance,
    jump,
    locomotion,
    stepping,
    stepping_compare,
    track,
    track_interactive,
    track_versus,
    walk,
)
from amble.scenarios.scenario import Change, Growth, Outcome, Request, Scenario

__all__ = ["Change", "Growth", "Outcome", "Request", "Scenario", "scenario", "scenario_names"]

_FAMILIES = (
    balance,
    jump,
    walk,
    stepping,
    stepping_compare,
    locomotion,
    track,
    track_interactive,
    track_versus,
)
_SCENARIOS = {each.name: each for family in _FAMILIES for each in family.SCENARIOS}


def scenario_names() -> tuple[str, ...]:
    """All names, by family."""
    return tuple(_SCENARIOS)


def scenario(name: str) -> Scenario:
    """The scenario of that name."""
    if name not in _SCENARIOS:
        raise UnknownName("scenario", name, _SCENARIOS)
    return _SCENARIOS[name]
