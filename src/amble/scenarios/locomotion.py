"""Planned locomotion of the centroidal paper (section 8, table 4): people, a lamp, robots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import mujoco

from amble.characters.character import Character
from amble.parameters import Value, parameter
from amble.scenarios.planned import PlannedParameters, Play
from amble.scenarios.scenario import Scenario
from amble.terrain import Flat
from amble.terrain.noise import Noise
from amble.terrain.terrain import Terrain
from amble.world.world import Push

KMH = 1 / 3.6  # [m/s]
FLAT = Flat()
ROUGH = Noise(amplitude=0.12, wavelength=3.0, start=1.0, extent=100.0)
HUMAN_MASS = 78.0  # [kg] of the body that the default pushes are meant for


@dataclass(frozen=True)
class PushedParameters(PlannedParameters):
    """Pushes at the centre of mass and at head, hands and feet, one after another."""

    force: float = parameter(600.0, "N", "at the centre of mass", low=0, high=1e5)
    part_force: float = parameter(200.0, "N", "at head, hands and feet", low=0, high=1e5)
    push_seconds: float = parameter(0.2, "s", "duration of each push", low=0.01, high=5)
    pause: float = parameter(4.0, "s", "from one push to the next", low=0.5, high=60)


def pushes(character: Character, parameters: PushedParameters) -> Iterable[Push]:
    """From four sides at the centre of mass, then at the ends of the body."""
    ends = ("head", "left_hand", "right_hand", "left_foot", "right_foot")
    centre = com_at_rest(character)
    targets: list[tuple[str, float, float, tuple[float, float, float] | None]]
    targets = [(character.root, parameters.force, 90.0 * k, centre) for k in range(4)]
    targets += [
        (part, parameters.part_force, 90.0 * k + 45, None)
        for k, part in enumerate(ends)
        if part in character.parts
    ]
    for k, (part, force, degrees, point_b) in enumerate(targets):
        angle = math.radians(degrees)
        force_w = (force * math.cos(angle), force * math.sin(angle), 0.0)
        start = 3.0 + k * parameters.pause
        yield Push(part, force_w, start, parameters.push_seconds, point_b)


def com_at_rest(character: Character) -> tuple[float, float, float]:
    """Where the centre of mass is at rest, in the frame of the root [m]."""
    model = character.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    root = model.body(character.root).id
    away_w = data.subtree_com[root] - data.xpos[root]
    x, y, z = data.xmat[root].reshape(3, 3).T @ away_w
    return float(x), float(y), float(z)


def _fit_pushes(character: Character) -> Mapping[str, Value]:
    share = character.mass / HUMAN_MASS
    return {"force": round(600 * share, 1), "part_force": round(200 * share, 1)}


def _planned(
    name: str,
    summary: str,
    character: str,
    seconds: float,
    play: Play | None = None,
    parameters: type = PlannedParameters,
    terrain: Terrain = FLAT,
    fit: Mapping[str, Value] | None = None,
) -> Scenario:
    def fitted(body: Character) -> Mapping[str, Value]:
        """The defaults; a gait is one of bodies on four legs."""
        four = sum(limb.kind == "leg" for limb in body.limbs) == 4
        return {key: value for key, value in (fit or {}).items() if four or key != "gait"}

    return Scenario(
        name=name,
        family="planned",
        summary=summary,
        seconds=seconds,
        parameters=parameters,
        play=play or Play(),
        character=character,
        fit=fitted,
        terrain=terrain,
        verb="planning",
    )


SCENARIOS = (
    _planned("humanoid-walk", "a person walks", "humanoid", 10.0, fit={"speed": 1.2}),
    _planned(
        "humanoid-run", "a person runs", "humanoid", 10.0, fit={"speed": 3.5, "top_speed": 7.0}
    ),
    _planned(
        "humanoid-walk-and-stop",
        "a person walks, stops, and walks on",
        "humanoid",
        16.0,
        Play(script=((5.0, "speed", 0.0), (8.0, "speed", 1.2), (12.0, "speed", 0.0))),
        fit={"speed": 1.2},
    ),
    _planned(
        "humanoid-sharp-turn",
        "turns by 180° and full stops within a step or two, at 4.14 km/h",
        "humanoid",
        20.0,
        Play(
            script=(
                (4.0, "heading", 180.0),
                (8.0, "heading", 0.0),
                (12.0, "speed", 0.0),
                (14.0, "speed", 4.14 * KMH),
                (17.0, "heading", 90.0),
            )
        ),
        fit={"speed": 4.14 * KMH},
    ),
    _planned(
        "humanoid-run-varying-speed",
        "from 20 to 35 km/h within about three seconds",
        "humanoid",
        16.0,
        Play(script=((6.0, "speed", 35 * KMH), (11.0, "speed", 20 * KMH))),
        fit={"speed": 20 * KMH, "top_speed": 35 * KMH},
    ),
    _planned(
        "humanoid-terrain-run",
        "a person runs over hills",
        "humanoid",
        12.0,
        terrain=ROUGH,
        fit={"speed": 3.5, "top_speed": 5.0},
    ),
    Scenario(
        name="humanoid-push",
        family="planned",
        summary="a walking person is pushed at the trunk, the head, hands and feet",
        seconds=42.0,
        parameters=PushedParameters,
        play=Play(pushes=pushes),
        fit=lambda body: {"speed": 1.1, **_fit_pushes(body)},
        verb="planning",
    ),
    _planned("luxo-hop", "a desk lamp hops", "luxo", 10.0, fit={"speed": 0.8, "top_speed": 1.5}),
    _planned(
        "luxo-terrain",
        "a desk lamp hops over hills",
        "luxo",
        12.0,
        Play(script=((4.0, "heading", 60.0), (8.0, "heading", -30.0))),
        terrain=ROUGH,
        fit={"speed": 0.8, "top_speed": 1.5},
    ),
    _planned(
        "anymal-walk", "a quadruped walks", "anymal", 10.0, fit={"speed": 0.6, "gait": "walk"}
    ),
    _planned(
        "anymal-trot",
        "a quadruped trots",
        "anymal",
        10.0,
        fit={"speed": 1.2, "gait": "trot", "top_speed": 2.0},
    ),
    _planned(
        "anymal-terrain",
        "a quadruped trots over hills",
        "anymal",
        12.0,
        Play(script=((4.0, "heading", 60.0), (8.0, "heading", -30.0))),
        terrain=ROUGH,
        fit={"speed": 1.0, "gait": "trot"},
    ),
    _planned("cassie-walk", "the robot Cassie walks", "cassie", 10.0, fit={"speed": 1.0}),
    _planned(
        "cassie-style-1",
        "Cassie crouches, with quick small steps",
        "cassie",
        10.0,
        fit={"speed": 0.8, "height": -0.12, "stride": 0.8},
    ),
    _planned(
        "cassie-style-2",
        "Cassie struts, tall and with long strides",
        "cassie",
        10.0,
        fit={"speed": 1.1, "height": 0.03, "stride": 1.2, "width": 0.6},
    ),
    _planned(
        "cassie-style-3",
        "Cassie waddles, its feet wide apart",
        "cassie",
        10.0,
        fit={"speed": 0.7, "width": 1.5, "sway": 2.5},
    ),
)
