"""Horizons as the planner meets them: logged from scenarios while they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import amble
from amble.plan import solve as solving
from amble.plan.horizon import Horizon, make_horizon


@contextmanager
def horizon_log() -> Iterator[list[Horizon]]:
    """All horizons that are made while the context is open."""
    found: list[Horizon] = []

    def logged(*arguments: Any, **options: Any) -> Horizon:
        found.append(make_horizon(*arguments, **options))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving, "make_horizon", logged)
        yield found


def horizons_of(name: str, seconds: float) -> list[Horizon]:
    """Those of a scenario in which the commands wander."""
    scenario = amble.scenario(name)
    with horizon_log() as found:
        scenario.make(scenario.request(seconds=seconds, settings={"wander": "true"}))
    return found
