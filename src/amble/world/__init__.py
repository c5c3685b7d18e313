"""Worlds: a character on a ground, advanced by torques."""

from amble.world.controller import Controller
from amble.world.divergence import SimulationDiverged
from amble.world.mujoco_world import MuJoCoWorld
from amble.world.optimiser_world import OptimiserWorld
from amble.world.simulate import simulate
from amble.world.world import ContactReport, Push, World

__all__ = [
    "ContactReport",
    "Controller",
    "MuJoCoWorld",
    "OptimiserWorld",
    "Push",
    "SimulationDiverged",
    "World",
    "simulate",
]
