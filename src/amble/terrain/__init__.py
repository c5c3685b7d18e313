"""Grounds: height and normal at any point, and the same shape in the simulator."""

from amble.terrain.blocks import Blocks
from amble.terrain.compose import Moved, Union
from amble.terrain.flat import Flat, Slope
from amble.terrain.hole import Hole
from amble.terrain.noise import Noise
from amble.terrain.stairs import Stairs, Steps
from amble.terrain.terrain import Terrain
from amble.terrain.text import parse_terrain, terrain_from, terrain_names

__all__ = [
    "Blocks",
    "Flat",
    "Hole",
    "Moved",
    "Noise",
    "Slope",
    "Stairs",
    "Steps",
    "Terrain",
    "Union",
    "parse_terrain",
    "terrain_from",
    "terrain_names",
]
