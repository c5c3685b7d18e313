"""One walking body that can be simulated, saved and set back: what the robustness tables run."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import amble
from amble.control.walking.parameters import WalkParameters
from amble.control.walking.walk import Walk
from amble.motion.fall import has_fallen, rest_com_height
from amble.parameters import settled
from amble.scenarios import walk as scenarios
from amble.terrain.terrain import Terrain
from amble.world import MuJoCoWorld, SimulationDiverged


class Result(NamedTuple):
    """How one run ended."""

    fell: float  # [s] after its start, or inf
    spine: float  # [deg] the most that a joint of the back bent
    hands: float  # [m] the most that a hand was above the top of the head's origin
    failures: int  # of the solver


class Run:
    """One walking body that can be saved and set back."""

    def __init__(
        self, character: amble.Character, terrain: Terrain | None = None, **wishes: Any
    ) -> None:
        self.world = MuJoCoWorld(character, terrain)
        parameters = settled(WalkParameters(), scenarios.fit(WalkParameters, character))
        self.walk = Walk(
            character,
            self.world.model,
            self.world.data,
            self.world.terrain,
            settled(parameters, wishes),
        )
        model = self.world.model
        self._root = model.body(character.root).id
        self._rest = rest_com_height(character, model)
        self._weight = 9.81 * float(model.body_subtreemass[self._root])
        parts = character.parts
        self._head = model.body(parts["head"]).id if "head" in parts else None
        self._hands = [model.body(parts[h]).id for h in ("left_hand", "right_hand") if h in parts]
        backs = [model.body(parts[b]) for b in ("abdomen", "thorax") if b in parts]
        self._backs = [int(model.jnt_qposadr[b.jntadr[0]]) for b in backs if b.jntnum[0] == 1]

    def go(self, seconds: float, each: Callable[[float], None] | None = None) -> Result:
        """Walk on until a fall."""
        world, walk = self.world, self.walk
        steps = round(walk.period / world.timestep)
        start, spine, hands = world.time, 0.0, -math.inf
        before = walk.statistics.failures
        for tick in range(round(seconds / walk.period)):
            if each:
                each(world.time - start)
            try:
                world.step(walk.torque(world.time), steps)
            except SimulationDiverged:
                return Result(world.time - start, spine, hands, walk.statistics.failures - before)
            if tick % 5:
                continue
            spine, hands = max(spine, self._bend()), max(hands, self._hands_up())
            if self._fallen():
                return Result(world.time - start, spine, hands, walk.statistics.failures - before)
        return Result(math.inf, spine, hands, walk.statistics.failures - before)

    def save(self) -> Callable[[], None]:
        """What brings the run back to where it is now."""
        walk = self.walk
        objects = [walk, walk.stepper, walk.stepper.body, walk.objectives, *walk.soles]
        kept = [copy.copy(vars(o)) for o in objects]
        state, posture = self.world.save(), walk.body.posture_reference.copy()

        def restore() -> None:
            self.world.restore(state)
            for o, values in zip(objects, kept, strict=True):
                vars(o).clear()
                vars(o).update(values)
            walk.objectives._touching = None
            walk.body.posture_reference[:] = posture
            walk._planned_at = -math.inf
            walk.body.update()

        return restore

    def com(self) -> complex:
        """Over the ground [m]."""
        x, y, _ = self.world.data.subtree_com[self._root].tolist()
        return complex(x, y)

    def _bend(self) -> float:
        qpos = self.world.data.qpos
        return max(
            (2 * math.degrees(math.acos(min(abs(qpos[a]), 1.0))) for a in self._backs), default=0
        )

    def _hands_up(self) -> float:
        xpos = self.world.data.xpos
        if self._head is None or not self._hands:
            return -math.inf
        return float(max(xpos[h, 2] for h in self._hands) - xpos[self._head, 2])

    def _fallen(self) -> bool:
        world = self.world
        x, y, z = world.data.subtree_com[self._root].tolist()
        load = float(world.contacts().other_force_w[2])
        height = z - float(world.terrain.height(x, y))
        return bool(has_fallen(height, self._rest, load, self._weight))
