"""What can be said about steps on purpose and steps that save."""

from __future__ import annotations

from dataclasses import dataclass

from amble.control.stepping.supervisor import RULES
from amble.control.walking.parameters import WalkParameters
from amble.parameters import parameter

BALANCES = ("strong", "simple")


@dataclass(frozen=True)
class SteppingParameters(WalkParameters):
    """Those of a walk, which is not asked for here, and those of the momentum supervisor.

    Dampings are a human's; another body's go with the root of its size.
    """

    speed: float = parameter(0.0, "m/s", "ahead; 0 = stand", low=-1, high=2)
    rule: str = parameter("ours", "", "when and where a step saves", choices=RULES)
    d_l: float = parameter(4.0, "1/s", "damping of linear momentum: when to step", low=0, high=40)
    d_h: float = parameter(6.0, "1/s", "damping of angular momentum: when to step", low=0, high=60)
    where_l: float = parameter(9.0, "1/s", "damping of linear momentum: where", low=0, high=60)
    where_h: float = parameter(18.0, "1/s", "damping of angular momentum: where", low=0, high=90)
    react_seconds: float = parameter(
        0.38,
        "s",
        "a step whose place is decided once; in the air for 0.4 of it",
        low=0.15,
        high=1.5,
    )
    balance: str = parameter(
        "strong", "", "while standing: by the divergent component, or pull the COM to the middle",
        choices=BALANCES,
    )  # fmt: skip
    pull: float = parameter(20.0, "1/s²", "k_L of the simple balance", low=0, high=1e3)
    pull_damping: float = parameter(3.0, "1/s", "d_L of the simple balance", low=0, high=100)
    square_up: bool = parameter(True, "", "after a step that saved, the feet go beside each other")
