"""Setting: what the studio's motion is made of, and how it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from pathlib import Path

from amble.characters import Scale, character, character_names
from amble.characters.character import GRAVITY, Character
from amble.errors import InputError, UnknownName
from amble.scenarios import Scenario, scenario
from amble.scenarios.planned import Play, command_of
from amble.scenarios.simulated import Simulated
from amble.sketch.command import Command
from amble.studio.motion import Motion
from amble.studio.physics import PhysicsMotion
from amble.studio.planned import PlannedMotion
from amble.studio.replay import KINDS, ReplayMotion, make_clip, read_clip_file
from amble.terrain import Flat, Steps, parse_terrain
from amble.terrain.terrain import Terrain

PLANNED, WALKS, STANDS, REPLAYS = "planned", "walk in physics", "stand in physics", "finished clip"
WAYS = (PLANNED, WALKS, STANDS)
GROUNDS = {
    "flat": "flat",
    "hills": "noise:amplitude=0.12,wavelength=3,start=1,extent=60",
    "rough": "noise:amplitude=0.03,wavelength=0.8,extent=16",
    "slope": "slope:degrees=5",
    "stairs": "stairs:rise=0.1,run=0.35,start=3,back=true,width=8",
    "blocks": "blocks:size=0.5,amplitude=0.03,start=2,extent=10",
    "pit": "hole:x=4,length=0.5",
}
"""What the page calls the grounds, and what they are."""

DEEP = 5.0  # [m] that obstacles reach into the ground, below any hollow
CLEAR = 2.0  # [m] before an obstacle; and as much as is walked in:
NOTICE = 1.5  # [s]


TOP_SPEED = {1: 2.0, 4: 2.5}  # [m/s] of planned bodies, by the number of legs; others:
TOP_SPEED_OF_TWO, TOP_SPEED_IN_PHYSICS = 5.0, 1.5


def top_speed(way: str, legs: int) -> float:
    """How fast a body can be asked to go on the page [m/s]."""
    return TOP_SPEED_IN_PHYSICS if way == WALKS else TOP_SPEED.get(legs, TOP_SPEED_OF_TWO)


@dataclass(frozen=True)
class Obstacle:
    """A block on the ground."""

    length: float  # [m] along the way
    height: float  # [m]
    width: float = 3.0  # [m]

    def at(self, x: float, y: float, ground: float, degrees: float) -> Terrain:
        """It, from (x, y) on in this direction, its top above the ground there."""
        tops = (DEEP + self.height, 0.0)
        block = Steps(at=(0.0, self.length), heights=tops, width=self.width)
        return block.moved(x, y, ground - DEEP, (degrees + 180.0) % 360.0 - 180.0)


OBSTACLES = {
    "plank": Obstacle(0.4, 0.04),
    "kerb": Obstacle(2.5, 0.12),
    "beam": Obstacle(0.3, 0.1),
    "box": Obstacle(0.8, 0.2),
}


@dataclass(frozen=True)
class Setting:
    """What a motion begins with."""

    character: str = ""  # a name, or a model file in the working folder; empty: the scenario's own
    terrain: str | Terrain = ""  # text as `parse_terrain` reads it; empty: the scenario's own
    way: str = PLANNED
    scenario: str = ""  # a name, or a clip's file in the working folder
    gait: str = ""
    gravity: float = GRAVITY  # [m/s²]
    sizes: Mapping[str, Scale] = field(default_factory=dict)
    origin: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # of the ground: m, m, m, deg
    obstacles: tuple[Terrain, ...] = ()

    @property
    def recipe(self) -> Scenario | None:
        """The scenario, named or meant by the way of moving; None for a clip's file."""
        if self.is_file:
            return None
        meant = {PLANNED: "humanoid-walk", WALKS: "walk", STANDS: "balance"}
        if not self.scenario and self.way not in meant:
            raise UnknownName("way of moving", self.way, WAYS)
        return scenario(self.scenario or meant[self.way])

    @property
    def is_file(self) -> bool:
        """Whether a clip's file is to be played."""
        return self.scenario.lower().endswith(KINDS)

    @property
    def character_name(self) -> str:
        """Its name, or the file it is from."""
        recipe = self.recipe
        return self.character or (recipe.character if recipe else "")

    @property
    def way_of_recipe(self) -> str:
        """How the scenario moves its body."""
        recipe = self.recipe
        if recipe is not None and isinstance(recipe.play, Play):
            return PLANNED
        if recipe is not None and isinstance(recipe.play, Simulated):
            return WALKS if recipe.family == "walk" else STANDS
        return REPLAYS

    def body(self) -> Character:
        """The character; raises `InputError` for what is neither in the library nor in the
        working folder."""
        name = self.character_name
        if name not in character_names():
            check_inside(Path(name))
        body = character(name)
        return body.reshaped(self.sizes) if self.sizes else body

    def ground(self) -> Terrain:
        """The terrain where it lies, with its obstacles."""
        recipe, whole = self.recipe, self.terrain
        if isinstance(whole, str):
            own = recipe.terrain if recipe else Flat()
            whole = parse_terrain(whole) if whole else own
        x, y, z, degrees = self.origin
        if isinstance(whole, Flat):
            whole = whole if z == 0 else whole.moved(z=z)
        elif any(self.origin):
            whole = whole.moved(x, y, z, degrees)
        return reduce(or_, self.obstacles, whole)

    def without_scenario(self) -> Setting:
        """The same body on the same ground, not bound to the scenario any more."""
        recipe = self.recipe
        where = recipe.terrain if recipe else Flat()
        return replace(
            self,
            scenario="",
            character=self.character_name or "humanoid",
            terrain=self.terrain or where,
        )

    def motion(self, wish: Command, at: tuple[float, float], own: bool) -> Motion:
        """Make it, standing at a place; with `own`, as its scenario begins."""
        recipe = self.recipe
        if recipe is None:
            return ReplayMotion(read_clip_file(check_inside(Path(self.scenario))))
        if isinstance(recipe.play, Play):
            script = recipe.play.script if own else ()
            body, ground = self.body(), self.ground()
            request = recipe.request(body, terrain=ground)
            parameters = recipe.parameters_of(request)
            pushes = recipe.play.pushes(body, parameters) if own else ()
            gait = self.gait or (parameters.gait if self.scenario else "")
            return PlannedMotion(
                body, ground, wish,
                gait=gait, gravity=self.gravity, at=at, script=script, pushes=pushes,
            )  # fmt: skip
        if isinstance(recipe.play, Simulated):
            return PhysicsMotion(
                recipe, self.body(), self.ground(), wish,
                gravity=self.gravity, at=at, disturbed=own,
            )  # fmt: skip
        whose = self.body() if self.character or self.sizes else None
        return ReplayMotion(make_clip(recipe.name, whose, self.ground() if self.terrain else None))

    def own_wish(self, wish: Command) -> Command:
        """What a named scenario wishes in the beginning; else the wish as it is."""
        recipe = self.recipe
        if recipe is None or not self.scenario:
            return wish
        if isinstance(recipe.play, Play):
            return command_of(recipe.parameters_of(recipe.request(self.body())))
        parameters = recipe.parameters_of(recipe.request(self.body()))
        known = {
            key: getattr(parameters, key)
            for key in ("speed", "heading")
            if hasattr(parameters, key)
        }
        return replace(Command(), **known)


def check_inside(path: Path) -> Path:
    """The path, if it lies in the working folder."""
    try:
        inside = path.resolve().is_relative_to(Path.cwd().resolve())
    except (OSError, ValueError):
        inside = False
    if not inside:
        raise InputError(f"{path}: lies outside the working folder; only files within are allowed")
    return path
