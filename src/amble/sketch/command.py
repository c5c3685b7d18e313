"""Command: what a user wishes of a walking body, and scripts of wishes over time."""

from __future__ import annotations

from dataclasses import dataclass

from amble.parameters import parameter


@dataclass(frozen=True)
class Command:
    """A wish that holds until the next one. All of it can change at any moment."""

    speed: float = parameter(1.2, "m/s", "speed over the ground, along the heading", low=0, high=50)
    heading: float = parameter(0.0, "deg", "direction of travel, counter-clockwise from x")
    facing: float = parameter(
        0.0, "deg", "where the body looks, relative to the heading", low=-180, high=180
    )
    stride: float = parameter(1.0, "", "stride time, relative to the body's own", low=0.4, high=4)
    width: float = parameter(
        1.0, "", "distance of the feet from the middle, relative to the body's own", low=0, high=3
    )
    height: float = parameter(
        0.0, "m", "of the centre of mass, relative to the body's own", low=-1, high=1
    )
    sway: float = parameter(
        1.0, "", "sideways swing of the centre of mass, relative to the body's own", low=-3, high=3
    )
    style: str = parameter("natural", "", "how the body carries itself")
