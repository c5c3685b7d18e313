"""Jumps (features section 5): straight up, twisting, kicking, splitting, forward, in series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amble.characters.character import Character
from amble.control.jump import Jump
from amble.control.jump_ability import default_height
from amble.control.jump_parameters import JumpParameters
from amble.parameters import Value, parameter
from amble.scenarios.jump_measures import STILL_SECONDS, measure_jumps
from amble.scenarios.scenario import WORLDS, Scenario
from amble.scenarios.simulated import Simulated
from amble.world import MuJoCoWorld

HUMAN_LEG = 0.925  # [m] of the body that the default jump is meant for
HUMAN_COM = 1.0  # [m] height of its centre of mass
HEIGHT_ERROR = 0.15  # of the commanded height
TWIST_ERROR = 10.0  # [deg] of a twist
STRAY = 10.0  # [deg] that a jump without a twist may turn
OPENED = 0.7  # share of the commanded angle between the feet
LENGTHS = ("height", "crouch_depth", "take_off_rise", "lean", "landing_depth")


@dataclass(frozen=True)
class QuarterTwist(JumpParameters):
    """A quarter turn."""

    twist: float = parameter(90.0, "°", "turn in the air, counter-clockwise", low=-360, high=360)


@dataclass(frozen=True)
class HalfTwist(JumpParameters):
    """A half turn."""

    twist: float = parameter(180.0, "°", "turn in the air, counter-clockwise", low=-360, high=360)


@dataclass(frozen=True)
class ScissorKick(JumpParameters):
    """One leg forward, the other back."""

    ankle_angle: float = parameter(
        35.0, "°", "swing of each ankle about the COM at the apex", low=-120, high=120
    )
    ankle_axis: float = parameter(
        90.0, "°", "axis of that swing: 0 forward (split), 90 sideways", low=-180, high=180
    )


@dataclass(frozen=True)
class AirSplit(JumpParameters):
    """Both legs outward."""

    ankle_angle: float = parameter(
        35.0, "°", "swing of each ankle about the COM at the apex", low=-120, high=120
    )


@dataclass(frozen=True)
class ForwardJump(JumpParameters):
    """A standing long jump."""

    distance: float = parameter(0.7, "m", "how far forward", low=-3, high=3)


@dataclass(frozen=True)
class JumpSeries(JumpParameters):
    """Jumps of growing height."""

    height: float = parameter(0.1, "m", "apex of the COM over standing, first", low=0.02, high=2)
    jumps: int = parameter(4, "", "one after another", low=0, high=100)
    height_step: float = parameter(0.1, "m", "each jump higher than the last by", low=-1, high=1)


def controller(world: MuJoCoWorld, parameters: JumpParameters) -> Jump:
    """The jump controller for a world."""
    return Jump(world.character, world.model, world.data, world.terrain, parameters)


def fit(parameters: type[JumpParameters]) -> Any:
    """A function that scales the lengths among the defaults to a character, and how high it jumps
    to what its legs can do."""
    lengths = (*LENGTHS, "distance", "height_step")

    def fitted(character: Character) -> Mapping[str, Value]:
        size = min(character.leg_length / HUMAN_LEG, character.com_height / HUMAN_COM)
        default = parameters()
        scaled = {name: size * getattr(default, name) for name in lengths}
        scaled["height"] = default_height(
            character, scaled["height"], scaled["crouch_depth"], scaled["take_off_rise"]
        )
        return {name: round(float(value), 4) for name, value in scaled.items()}

    return fitted


def unmet(measures: Mapping[str, Any], p: JumpParameters) -> str:
    """Which goal of the jumps was missed, or nothing."""
    jumps = measures["jumps"]
    if len(jumps) != p.jumps:
        return f"left the ground {len(jumps)} times, not {p.jumps}"
    for k, jump in enumerate(jumps):
        height, apex = p.height + k * p.height_step, jump["apex_m"]
        if abs(apex - height) > HEIGHT_ERROR * height:
            return f"jump {k + 1} was {apex:.3f} m high, not {height:.3f} m"
        if p.ankle_angle and jump["spread_deg"] < OPENED * 2 * abs(p.ankle_angle):
            opened = jump["spread_deg"]
            return f"the feet opened by {opened:.0f}°, not by {2 * abs(p.ankle_angle):.0f}°"
    twist = p.jumps * p.twist
    if abs(measures["twist_deg"] - twist) > (TWIST_ERROR if p.twist else STRAY):
        return f"turned by {measures['twist_deg']:.0f}°, not by {twist:.0f}°"
    way = p.jumps * p.distance
    if way and not measures["jump_distance_m"] / way >= 1 - HEIGHT_ERROR:
        return f"came {measures['jump_distance_m']:.2f} m forward, not {way:.2f} m"
    if measures["still_s"] < STILL_SECONDS:
        return f"stood still for the last {measures['still_s']:.1f} s, not for {STILL_SECONDS:g} s"
    return ""


PLAY = Simulated(
    controller,
    measures=lambda request, parameters, done: measure_jumps(done.clip),
    unmet=lambda request, done, measures: unmet(measures, done.controller.parameters),
)


def _scenario(
    name: str, summary: str, parameters: type[JumpParameters], seconds: float
) -> Scenario:
    return Scenario(
        name=name,
        family="jump",
        summary=summary,
        seconds=seconds,
        parameters=parameters,
        play=PLAY,
        worlds=WORLDS,
        fit=fit(parameters),
    )


SCENARIOS = (
    _scenario("jump", "jump up from standing", JumpParameters, 8.0),
    _scenario("jump-twist-90", "a quarter turn in the air", QuarterTwist, 8.0),
    _scenario("jump-twist-180", "a half turn in the air", HalfTwist, 8.0),
    _scenario("jump-scissor-kick", "one leg forward, the other back", ScissorKick, 8.0),
    _scenario("jump-air-split", "both legs outward in the air", AirSplit, 8.0),
    _scenario("jump-forward", "a standing long jump", ForwardJump, 8.0),
    _scenario("jump-series", "four jumps, each higher than the last", JumpSeries, 18.0),
)
