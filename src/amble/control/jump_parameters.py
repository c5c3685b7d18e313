"""What can be changed about a jump."""

from __future__ import annotations

from dataclasses import dataclass

from amble.control.balance import BalanceParameters
from amble.parameters import parameter


@dataclass(frozen=True)
class JumpParameters(BalanceParameters):
    """A jump: how deep, how high, how far, how it turns and what the legs do in the air."""

    momentum_weight: float = parameter(2.0, "", "angular momentum against posture", low=0, high=1e3)
    height: float = parameter(0.35, "m", "apex of the COM over standing", low=0.02, high=2)
    crouch_depth: float = parameter(0.28, "m", "how far the COM is lowered", low=0.02, high=2)
    stand_seconds: float = parameter(1.0, "s", "standing before a jump", low=0, high=60)
    compress_seconds: float = parameter(0.5, "s", "time to crouch", low=0.1, high=5)
    thrust_seconds: float = parameter(
        0.0, "s", "time to take-off; 0: as constant acceleration takes", low=0, high=2
    )
    take_off_rise: float = parameter(-0.05, "m", "COM over standing at take-off", low=-1, high=1)
    lean: float = parameter(0.04, "m", "COM ahead of the feet's middle at thrust", low=-1, high=1)
    landing_depth: float = parameter(0.25, "m", "COM below standing after impact", low=0, high=2)
    recover_seconds: float = parameter(1.0, "s", "time to stand up again", low=0.1, high=10)
    twist: float = parameter(0.0, "°", "turn in the air, counter-clockwise", low=-360, high=360)
    angular_momentum: float = parameter(
        1.0, "", "vertical, at take-off, of what turns a stiff body by the twist", low=0, high=3
    )
    distance: float = parameter(0.0, "m", "how far forward", low=-3, high=3)
    ankle_angle: float = parameter(
        0.0, "°", "swing of each ankle about the COM at the apex", low=-120, high=120
    )
    ankle_axis: float = parameter(
        0.0,
        "°",
        "axis of that swing: 0 forward (split), 90 sideways (scissors)",
        low=-180,
        high=180,
    )
    jumps: int = parameter(1, "", "one after another", low=0, high=100)
    height_step: float = parameter(0.0, "m", "each jump higher than the last by", low=-1, high=1)
