"""The body of the tracking paper."""

from __future__ import annotations

import pytest

import amble
from amble.tracking.flat_body import FlatBody


@pytest.fixture(scope="session")
def body() -> FlatBody:
    return FlatBody(amble.character("humanoid-tracking"))
