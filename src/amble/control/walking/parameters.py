"""What can be said about a walk: table 2 of the features paper, and a few more words."""

from __future__ import annotations

from dataclasses import dataclass

from amble.control.walking.hands import HANDS
from amble.parameters import parameter

AS_SPEED_ASKS = -1.0
PLANNERS = ("measured", "paper")
COMBINATIONS = ("prioritised", "weighted")


@dataclass(frozen=True)
class WalkParameters:
    """All can be changed while walking. Lengths and times are those of the body that walks."""

    speed: float = parameter(1.0, "m/s", "ahead; 0 = stand", low=-1, high=2)
    sideways: float = parameter(0.0, "m/s", "to the left", low=-0.6, high=0.6)
    heading: float = parameter(0.0, "deg", "direction of travel, from x", low=-3600, high=3600)
    step_length: float = parameter(
        AS_SPEED_ASKS, "m", "in place of a speed; 0 = on the spot, -1 = as the speed asks",
        low=-1, high=1.5,
    )  # fmt: skip
    swing_duration: float = parameter(0.45, "s", "T: a foot in the air", low=0.15, high=1.2)
    swing_delay: float = parameter(0.08, "s", "ΔT: both feet on the ground", low=0.02, high=0.5)
    swing_height: float = parameter(0.06, "m", "h: how high a foot is lifted", low=0, high=0.4)
    hip_shift: float = parameter(0.075, "m", "l_hip: half the step width", low=0, high=0.6)
    foot_spread: float = parameter(0.015, "m", "l_foot: added to the hip shift", low=0, high=0.2)
    lean: float = parameter(0.0, "m", "l_trunk: neck ahead of the COM", low=-0.6, high=0.6)
    head_pitch: float = parameter(0.0, "deg", "head down, or up if negative", low=-180, high=180)
    crouch: float = parameter(-0.01, "m", "COM below its height at rest", low=-0.1, high=0.6)
    arm_swing: float = parameter(1.0, "", "1 = arms hang free, 0 = they are held", low=0, high=1)
    hands: str = parameter("free", "", "where a style puts the hands", choices=HANDS)
    heel_off: bool = parameter(True, "", "the heel rises before the toes")
    planner: str = parameter(
        "measured", "", "steps from the measured state, or the paper's path", choices=PLANNERS
    )
    supervisor: bool = parameter(
        False, "", "steps from the measured state whenever the paper's path is lost"
    )
    combination: str = parameter(
        "prioritised", "", "strict levels, or one weighted sum (eq. 16, 37)", choices=COMBINATIONS
    )
    sees_ground: bool = parameter(True, "", "the height of the ground ahead is known")
    adapt_place: bool = parameter(True, "", "steps go where the measured state needs them")
    adapt_time: bool = parameter(True, "", "steps take the time the measured state needs")
    control_rate: float = parameter(500.0, "Hz", "solves a second", low=100, high=1000)

    @property
    def width(self) -> float:
        """Between the feet [m]."""
        return 2 * (self.hip_shift + self.foot_spread)

    @property
    def on_the_move(self) -> bool:
        """Whether steps are asked for."""
        return self.step_length >= 0 or self.speed != 0 or self.sideways != 0

    @property
    def forward_speed(self) -> float:
        """[m/s], by the step length where one is given."""
        if self.step_length >= 0:
            return self.step_length / (self.swing_duration + self.swing_delay)
        return self.speed
