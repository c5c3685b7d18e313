"""Planner: frames of a planned motion at any rate, steered and pushed at any moment."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from amble.characters.centroidal import centroidal_body
from amble.characters.character import Character
from amble.errors import AmbleError
from amble.geometry.splines import smooth_step
from amble.motion.clip import Event
from amble.motion.fall import FALLEN_HEIGHT
from amble.parameters import Value, settled
from amble.plan.forward import integrate
from amble.plan.plan import BodyState, Plan
from amble.plan.units import units_of
from amble.plan.weights import Limits, Weights
from amble.planner.loop import Loop
from amble.planner.pushing import Shove, external, mean_force
from amble.planner.stage import Stage
from amble.planner.worker import Setup, Worker
from amble.pose.momentum_ik import PushedPoint
from amble.pose.poser import Poser
from amble.sketch.command import Command
from amble.sketch.contact import Contact
from amble.sketch.gait import Gait
from amble.terrain import Flat
from amble.terrain.terrain import Terrain
from amble.world.world import Push

PERIOD = 0.1  # [s] between two plans, at least
REACTION = 0.07  # [s] from a push to the plan that meets it, and between plans while it lasts
LEAD = 0.05  # [s] from a command to the plan that follows it, when plans are made ahead
YIELDING = 3.0  # [m/s] that a part yields to a push as strong as the body's weight
YIELDS_WITHIN = 0.1  # [s] in which it begins to, and ends
FALLEN_LEAN = math.radians(60)


@dataclass(frozen=True, eq=False)
class PlannedFrame:
    """One moment of a planned motion."""

    time: float  # [s]
    qpos: np.ndarray  # (nq,)
    state: BodyState
    plan: Plan
    contacts: tuple[Contact, ...]  # recent, present and planned
    external_w: np.ndarray  # (3,) [N] of pushes, average since the frame before
    soles_w: np.ndarray  # (n, 3) contact points of all legs' feet, one foot after another [m]


class Planner:
    """Makes a character move as commanded, plan by plan.

        planner = Planner(amble.character("humanoid"))
        planner.command(speed=1.2)
        for frame in planner.frames(seconds=10, fps=60):
            ...
            planner.command(heading=90)

    `events` tells what happened: plans, failures, commands, pushes, limits and a fall. With `ahead`
    plans are made in a process of their own while frames go on, for use in real time; frames then
    depend on how fast that is. Close it when done, or use it in a `with` statement; a script that
    does so must guard its entry by `if __name__ == "__main__"`, as for any Python process pool.
    """

    def __init__(
        self,
        character: Character,
        terrain: Terrain | None = None,
        command: Command | None = None,
        *,
        gait: str | Gait = "",
        weights: Weights | None = None,
        limits: Limits | None = None,
        at: tuple[float, float] = (0.0, 0.0),
        ahead: bool = False,
    ) -> None:
        self.character = character
        self.terrain = terrain or Flat()
        self.body = centroidal_body(character)
        self.events: list[Event] = []
        self.fallen = ""
        self._command = command or Command()
        self._setup = Setup(self.body, self.terrain, gait, weights, limits)
        self._makers: Worker | Loop = Worker(self._setup) if ahead else self._setup.loop()
        # The stage being made ahead, and the time at which it begins [s].
        self._asked: tuple[float, Future[Stage]] | None = None
        self.waits = 0  # frames that had to wait for a plan
        self._poser = Poser(character, self.body, self.terrain, self._command.style)
        self._data = mujoco.MjData(character.model)
        self._root = character.model.body(character.root).id
        self._units = units_of(self.body)
        self._time = 0.0
        self._last: PlannedFrame | None = None
        self._decided = -PERIOD  # [s] when the last plan was made, or a push met it
        self._wishes: list[float] = []  # [s] times of commands not yet planned for
        self._pushes: list[Push] = []
        self._shoves: list[Shove] = []
        self._said: set[str] = set()
        self._seen = -PERIOD  # [s] when the ground was last looked at
        self._stage = self._makers.first(self._command, at)
        self._note(self._stage)

    def close(self) -> None:
        """End the process that plans ahead, if there is one."""
        if isinstance(self._makers, Worker):
            self._makers.close()

    def __enter__(self) -> Planner:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _ahead(self) -> bool:
        return isinstance(self._makers, Worker)

    @property
    def time(self) -> float:
        """Of the last frame [s]."""
        return self._time

    @property
    def stage(self) -> Stage:
        """What is planned now."""
        return self._stage

    def command(self, **changes: Value) -> None:
        """Wish something else from now on, such as `speed=1.5` or `heading=90`."""
        command = settled(self._command, changes)
        if command.style != self._command.style:
            self._poser.set_style(command.style)
        self._command = command
        self._wishes.append(self._time + (LEAD if self._ahead else 0.0))
        for key, value in changes.items():
            number = isinstance(value, (int, float))
            values = {"value": float(value)} if number else {}
            what = key if number else f"{key}={value}"
            self.events.append(Event(self._time, "command", what, values))

    def change(
        self,
        *,
        character: Character | None = None,
        terrain: Terrain | None = None,
        gait: str | None = None,
    ) -> None:
        """Go on with the same limbs in other sizes, on another ground or in another gait.

        The next plan is made for them. Where the body stands now, the ground must be as it was, and
        a body that has grown is posed on its old plan until then, so that its legs bend.
        """
        body = self.body if character is None else centroidal_body(character)
        if character is not None and character.model.nq != self.character.model.nq:
            raise AmbleError("while it moves a body can change its sizes, not its limbs")
        setup = replace(
            self._setup,
            body=body,
            terrain=self.terrain if terrain is None else terrain,
            gait=self._setup.gait if gait is None else gait,
        )
        if isinstance(self._makers, Worker):
            self._makers.renew(setup)
        else:
            self._makers = setup.loop()
        self._setup, self.body, self.terrain = setup, body, setup.terrain
        memory = self._poser.mark()
        if character is not None:
            self.character, self._units = character, units_of(body)
            self._data = mujoco.MjData(character.model)
            if self._last is not None:
                self._data.qpos[:] = self._last.qpos
        self._poser = Poser(self.character, body, self.terrain, self._command.style)
        self._poser.restore(memory)
        self._asked = None
        self._wishes.append(self._time + (LEAD if self._ahead else 0.0))

    def push(self, push: Push) -> None:
        """Let a force act on a part for some time; it may begin later."""
        self.character.part(push.part)
        self._pushes.append(push)
        self._pushes.sort(key=lambda each: each.start)

    def frames(self, seconds: float, fps: float = 60.0) -> Iterator[PlannedFrame]:
        """Frames after the last one, `fps` a second; ends early after a fall."""
        begin, first = self._time, 0 if self._last is None else 1
        for k in range(first, round(seconds * fps) + 1):
            yield self.frame(begin + k / fps)
            if self.fallen:
                return

    def frame(self, time: float) -> PlannedFrame:
        """The motion at a time after the last one."""
        if self._last is not None and time <= self._last.time:
            raise AmbleError(f"frame at {time:g} s is not after the last one, {self._time:g} s")
        while (due := self._next_due(time)) <= time and not self.fallen:
            if not self._replan(due, time):
                break  # the plan under way lasts until the next one is made
        if self._ahead and not self.fallen:
            due = self._next_due(np.inf)
            if math.isfinite(due):  # not after the last plan of a body that falls
                self._ask(due)
        stage = self._stage
        state = stage.state(time)
        pushed = mean_force(self._shoves, self._time, time) if time > self._time else np.zeros(3)
        self._time = time
        self._check_fall(state)
        qpos = self._poser.frame(time, state, stage.contacts, push=self._pushed_point(time, state))
        self._data.qpos[:] = qpos
        soles_w = self._poser.soles_w
        self._last = PlannedFrame(time, qpos, state, stage.plan, stage.contacts, pushed, soles_w)
        return self._last

    def _next_due(self, until: float) -> float:
        """When the next plan is needed: the stage's own time, a new wish, or a push [s]."""
        due = self._stage.due
        if self._wishes:
            due = min(due, max(self._wishes[0], self._decided + PERIOD))
        if self._pushes and self._pushes[0].start <= until:
            due = min(due, max(self._pushes[0].start, self._decided))
        return due

    def _replan(self, due: float, now: float) -> bool:
        """Go to the stage that begins at `due`; False if it is not ready."""
        if self._begin_pushes(due) and self._stage.time < due < self._stage.due:
            # The push meets the plan under way; the next plan comes a moment later.
            stage = replace(self._stage, due=min(self._stage.due, due + REACTION))
            self._stage, self._decided, self._asked = self._pushed(stage, due), due, None
            return True
        made = self._made(due, now)
        if made is None:
            return False
        self._decided = due
        self._wishes.clear()
        self._note(made)
        self._stage = self._pushed(made, due) if not made.fallen else made
        return True

    def _made(self, due: float, now: float) -> Stage | None:
        """The stage that begins at `due`, or None if it is being made and there is time."""
        if isinstance(self._makers, Loop):
            return self._makers.next(self._stage, due, self._command)
        asked = self._ask(due)
        if not asked.done():
            if now < self._stage.plan.end:
                return None
            self.waits += 1
        self._asked = None
        return asked.result()

    def _ask(self, due: float) -> Future[Stage]:
        """Have the stage made that begins at `due`, unless it is being made already."""
        if self._asked is not None and self._asked[0] == due:
            return self._asked[1]
        if not isinstance(self._makers, Worker):
            raise AmbleError("only a planner that plans ahead has a worker")
        future = self._makers.next(self._stage, due, self._command)
        self._asked = (due, future)
        return future

    def _begin_pushes(self, time: float) -> bool:
        """Turn pushes that begin now into forces on the rigid body."""
        begun = [push for push in self._pushes if push.start <= time + 1e-9]
        for push in begun:
            self._pushes.remove(push)
            self._shoves.append(self._shove(push, time))
        return bool(begun)

    def _shove(self, push: Push, time: float) -> Shove:
        model, data, state = self.character.model, self._data, self._stage.state(time)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        body = model.body(self.character.part(push.part)).id
        own = model.body_ipos[body] if push.point_b is None else push.point_b
        point_b = np.array(own, dtype=float)
        point_w = data.xpos[body] + data.xmat[body].reshape(3, 3) @ point_b
        arm_b = state.R_w.T @ (point_w - data.subtree_com[self._root])
        force = np.asarray(push.force_w, dtype=float)
        x, y, z = force
        values = {"fx": x, "fy": y, "fz": z, "seconds": push.seconds}
        self.events.append(Event(time, "push", push.part, values))
        return Shove(force, arm_b, push.start, push.start + push.seconds, int(body), point_b)

    def _pushed(self, stage: Stage, time: float) -> Stage:
        """The stage with what the pushes under way make of its plan."""
        self._shoves = [shove for shove in self._shoves if shove.end > time]
        until = min(stage.due, stage.plan.end)
        # A plan that is kept after a push goes on from where the push has left the body.
        if stage.trajectory is None and not any(shove.acts(time, until) for shove in self._shoves):
            return stage
        until = min(until, time + REACTION)
        trajectory = integrate(
            self.body, stage.plan, stage.state(time), time, until, external(self._shoves)
        )
        return replace(stage, trajectory=trajectory, due=until)

    def _pushed_point(self, time: float, state: BodyState) -> PushedPoint | None:
        """Where the body yields to the strongest push under way (the fourth term of eq. 23)."""
        acting = [shove for shove in self._shoves if shove.start <= time < shove.end]
        if not acting:
            return None
        shove = max(acting, key=lambda each: float(np.linalg.norm(each.force_w)))
        force = float(np.linalg.norm(shove.force_w))
        direction_w = shove.force_w / max(force, 1e-9)
        # It gives way to the push against the body that carries it, and begins and ends smoothly.
        rise = min(YIELDS_WITHIN, 0.5 * (shove.end - shove.start))
        share = smooth_step((time - shove.start) / rise) * smooth_step((shove.end - time) / rise)
        speed = share * YIELDING * force / self._units.force
        carried = float(state.velocity_w @ direction_w)
        return PushedPoint(shove.body, shove.point_b, direction_w, carried + speed)

    def _check_fall(self, state: BodyState) -> None:
        if self.fallen:
            return
        reason = self._stage.fallen
        up = float(state.R_w[2, 2])
        if up < math.cos(FALLEN_LEAN):
            reason = f"leaned by {math.degrees(math.acos(max(up, -1.0))):.0f}°"
        elif self._sunk(state):
            reason = "centre of mass too low"
        if reason:
            self.fallen = reason
            self.events.append(Event(self._time, "fall", reason))

    def _sunk(self, state: BodyState) -> bool:
        """Whether the body lies on the ground; looked at now and then, for that takes a while."""
        if self._time < self._seen + PERIOD:
            return False
        self._seen = self._time
        ground = float(self.terrain.height(*state.com_w[:2]))
        return bool(state.com_w[2] - ground < FALLEN_HEIGHT * self.body.height)

    def _note(self, stage: Stage) -> None:
        """Record a new stage among the events."""
        for failure in stage.failures:
            self.events.append(Event(stage.time, "plan_failure", failure))
        self.events.append(Event(stage.time, "plan", stage.rung))
        for note in stage.sketch.notes:
            if note not in self._said:
                self._said.add(note)
                self.events.append(Event(stage.time, "limit", note))
