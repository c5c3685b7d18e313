"""Jump (features section 5): balance, with a state machine that moves what balance refers to.

    stand → compress → thrust → ascent → descent → impact → recover → stand

On the ground the `Balance` controller acts, with a COM height that a target objective (eq. 6–7)
moves; the thrust and the flight have tasks of their own (`jump_thrust`, `jump_flight`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.control.balance import Balance
from amble.control.jump_flight import Flight
from amble.control.jump_parameters import JumpParameters
from amble.control.jump_thrust import (
    CALM,
    EARLY_BRAKE,
    Thrust,
    most_accelerations,
    set_limits,
    target_acceleration,
)
from amble.control.whole_body import Statistics
from amble.terrain.terrain import Terrain

TOUCH = 0.004  # [m] a sole nearer to the ground than this has landed, for a human
SOFT = 1.0  # share of the legs' usual joint accelerations while landing
SLOWED = 0.2  # [m/s] a body that falls slower than freely by this has landed, for a human
SHORTEST_FLIGHT = 0.06  # [s] before this a touch is the take-off's own
BRAKE = 2.0  # greatest deceleration of a landing, in g
STOPPED = 0.2  # [m/s] an impact is over when the COM falls no faster than this


class Phase(Enum):
    """Where in the jump the body is."""

    STAND = "stand"
    COMPRESS = "compress"
    THRUST = "thrust"
    ASCENT = "ascent"
    DESCENT = "descent"
    IMPACT = "impact"
    RECOVER = "recover"


@dataclass
class Progress:
    """State of the machine."""

    phase: Phase = Phase.STAND
    since: float = 0.0  # [s] when the phase began
    jumps: int = 0  # begun so far


class Jump:
    """Stands, jumps as its parameters say, lands and stands again; a `Controller`."""

    def __init__(
        self,
        character: Character,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        terrain: Terrain,
        parameters: JumpParameters | None = None,
    ) -> None:
        self.parameters = parameters or JumpParameters()
        self.balance = Balance(character, model, data, terrain, self.parameters)
        self.balance.height = self._height
        self.body = self.balance.body
        self.progress = Progress()
        self.size = character.com_height  # [m] that of a standing human is 1
        self.gravity = float(np.linalg.norm(model.opt.gravity))
        self._usual, self._landing = (
            most_accelerations(self.body, legs, rest) for legs, rest in ((1.0, 1.0), (SOFT, CALM))
        )
        self._thrust = Thrust(self.balance, self.size, self.gravity)
        self._flight = Flight(self.balance, self.size, self.gravity)

    @property
    def period(self) -> float:
        """Time between calls [s]."""
        return 1.0 / self.parameters.control_rate

    @property
    def statistics(self) -> Statistics:
        """Solves, fallbacks and failures so far."""
        return self.body.statistics

    def torque(self, time: float) -> np.ndarray:
        """Joint torques (nv − 6,) [N m] for the present state."""
        self.balance.parameters = self.parameters
        self.body.update()
        self._advance(time)
        phase = self.progress.phase
        if phase is Phase.THRUST:
            self._thrust.refer(time)
        elif phase in (Phase.ASCENT, Phase.DESCENT):
            self._flight.refer(time)
        else:
            return self.balance.torque(time)
        self.body.solve(time)
        return self.body.torque

    def _advance(self, time: float) -> None:
        """Go to the next phase when the state says so."""
        p, phase = self.parameters, self.progress.phase
        elapsed = time - self.progress.since
        falling = self.body.com_velocity_w[2] < 0
        if phase is Phase.STAND:
            if self.progress.jumps < p.jumps and elapsed >= p.stand_seconds:
                self.progress.jumps += 1
                self._enter(Phase.COMPRESS, time)
        elif phase is Phase.COMPRESS:
            self._lean(elapsed / p.compress_seconds)
            if elapsed >= p.compress_seconds:
                height = p.height + (self.progress.jumps - 1) * p.height_step
                self._thrust.begin(time, p, height)
                self._enter(Phase.THRUST, time)
        elif phase is Phase.THRUST:
            if self._thrust.done(time):
                self._flight.begin(time, p, self._thrust.heading)
                self._enter(Phase.ASCENT, time)
        elif phase is Phase.ASCENT and falling and elapsed >= SHORTEST_FLIGHT:
            self._enter(Phase.DESCENT, time)
        elif phase is Phase.DESCENT and self._landed(time):
            self._back_to_balance()
            self.body.most_acceleration[:] = self._landing
            self._enter(Phase.IMPACT, time)
        elif phase is Phase.IMPACT and self.body.com_velocity_w[2] > -STOPPED:
            self._enter(Phase.RECOVER, time)
        elif phase is Phase.RECOVER and elapsed >= p.recover_seconds:
            self.body.most_acceleration[:] = self._usual
            self._enter(Phase.STAND, time)

    def _enter(self, phase: Phase, time: float) -> None:
        self.progress.phase, self.progress.since = phase, time

    def _back_to_balance(self) -> None:
        """What thrust and flight changed, as it was."""
        self._lean(0.0)
        self.body.posture_weight[:] = 1.0
        self.body.most_acceleration[:] = self._usual
        set_limits(self.body, EARLY_BRAKE)
        self.balance.renew()

    def _lean(self, share: float) -> None:
        """Bring the COM forward over the toes while crouching."""
        forward = self.balance.heading()[:2, 0] * self.parameters.lean * min(share, 1.0)
        self.balance.offset_w = (float(forward[0]), float(forward[1]))

    def _landed(self, time: float) -> bool:
        """Whether a sole touches the ground, or something has slowed the fall."""
        falls = self._flight.falling_speed(time)
        if self.body.com_velocity_w[2] + falls > SLOWED * math.sqrt(self.size):
            return True
        points = self.body.points_w[self.balance.feet]
        clearance = points[:, 2] - self.body.terrain.height(points[:, 0], points[:, 1])
        return bool(clearance.min() < TOUCH * self.size)

    def _height(self, time: float) -> tuple[float, float, float]:
        """COM height over rest for `Balance`: where it is, with the acceleration of a target."""
        p, phase, since = self.parameters, self.progress.phase, self.progress.since
        rise = self._thrust.rise() - p.com_height
        rate = float(self.body.com_velocity_w[2])
        if phase is Phase.COMPRESS:
            left = since + p.compress_seconds - time
            return rise, rate, target_acceleration(-p.crouch_depth - rise, rate, 0.0, left)
        if phase is Phase.IMPACT:  # at rest again at the landing depth: v² = 2 a (z − z_low)
            way = max(rise + p.landing_depth, 0.02 * self.size)
            return rise, rate, min(rate**2 / (2 * way), BRAKE * self.gravity)
        if phase is Phase.RECOVER:
            left = since + p.recover_seconds - time
            return rise, rate, target_acceleration(-rise, rate, 0.0, left)
        return 0.0, 0.0, 0.0
