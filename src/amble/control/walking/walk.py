"""Walk (features section 6, table 2): a biped goes where it is told, by torques, and stays up."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np

from amble.characters.character import GRAVITY, Character
from amble.control.walking.hands import hand_bodies
from amble.control.walking.objectives import Objectives
from amble.control.walking.parameters import WalkParameters
from amble.control.walking.pendulum import StepLimits, StepPlanner
from amble.control.walking.soles import foot_bodies, two_soles
from amble.control.walking.steps import FALL_AHEAD, Stepper
from amble.control.whole_body import Statistics, WholeBody
from amble.geometry.turns import wrapped
from amble.terrain.terrain import Terrain

UP = np.array([0.0, 0.0, 1.0])
PLAN_SECONDS = 0.006  # between plans; torques are found anew at the control rate
# [m/s²] at which the asked speed changes, for a human; who is at 1 m/s speeds up half as fast.
ACCELERATION, BRAKING = 0.6, 6.0
# Share of the speed that a turn by 120° costs, [rad] of a turn that costs none.
TURNING_SLOWS, AT_SPEED = 0.5, math.radians(30)


class Walk:
    """Walks a character; a `Controller`. `stepper` shows what it is about to do."""

    def __init__(
        self,
        character: Character,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        terrain: Terrain,
        parameters: WalkParameters | None = None,
    ) -> None:
        self.parameters = parameters or WalkParameters()
        size = character.com_height  # [m] that of a standing human is 1
        origins = foot_bodies(character)
        if "head" in character.parts:
            origins.append(character.parts["head"])
        origins += hand_bodies(character)
        self.body = body = WholeBody(character, model, data, terrain, origins=origins)
        body.posture_reference[:] = character.rest_qpos()
        body.update()
        self.soles = two_soles(character, body, size)
        self.stepper = self._new_stepper(_planner(size), size)
        self.objectives = self._new_objectives()
        self._scratch = mujoco.MjData(model)
        self._grown = b""
        self._follow_growth()
        for sole in self.soles:
            sole.refresh()
            sole.yaw, sole.ground = sole.measured_yaw, sole.height
        self._velocity = 0j
        self._planned_at = -math.inf

    def _new_stepper(self, planner: StepPlanner, size: float) -> Stepper:
        """The state machine."""
        return Stepper(self.soles, planner, size)

    def _new_objectives(self) -> Objectives:
        """What fills the task table."""
        return Objectives(self.body, self.stepper)

    @property
    def period(self) -> float:
        """Time between calls [s]."""
        return 1.0 / self.parameters.control_rate

    @property
    def statistics(self) -> Statistics:
        """Solves, fallbacks and failures so far."""
        return self.body.statistics

    @property
    def watched(self) -> Mapping[str, tuple[float, float]]:
        """Places that decide about steps [m]: the divergent component of motion, which the next
        foot is put for, and where the body needs its feet soon, which the standing body watches."""
        flat = self.stepper.body
        places = {"divergent component": flat.xi, "supervisor's point": flat.toppling}
        return {name: (place.real, place.imag) for name, place in places.items()}

    def torque(self, time: float) -> np.ndarray:
        """Joint torques (nv − 6,) [N m] for the present state."""
        self.body.update()
        if time - self._planned_at > PLAN_SECONDS - 1e-6:
            self._plan(time)
        self.body.solve(time)
        return self.body.torque

    def _plan(self, time: float) -> None:
        interval = min(time - self._planned_at, 0.02)
        self._planned_at = time
        p = self.parameters
        self._follow_growth()
        for sole in self.soles:
            sole.refresh()
        self._measure()
        self._approach(interval)
        self.stepper.advance(time, p, self._velocity)
        self.objectives.interval = interval
        self.objectives.normal = self._normal()
        self.objectives.fill(time, p, p.lean, p.crouch, math.radians(p.head_pitch))

    def _normal(self) -> np.ndarray:
        """Of the ground under the stance foot, as far as it is known (3,)."""
        if not self.parameters.sees_ground:
            return UP
        place = self.soles[self.stepper.stance].place
        return np.asarray(self.body.terrain.normal(place.real, place.imag), float).reshape(3)

    def _measure(self) -> None:
        """ξ = c + (ċ + [L_y, −L_x]/(m z))/ω: what spins about the COM will push it, too."""
        body, flat = self.body, self.stepper.body
        (cx, cy, cz), (vx, vy, _) = body.com_w.tolist(), body.com_velocity_w.tolist()
        Lx, Ly, _ = body.momentum_w.tolist()
        flat.com, flat.velocity = complex(cx, cy), complex(vx, vy)
        spin = complex(Ly, -Lx) / body.mass
        omega, height = self.stepper.planner.omega, self.objectives.rest_height
        flat.xi = flat.com + (flat.velocity + spin / height) / omega
        z = cz - (self.soles[0].ground + self.soles[1].ground) / 2
        linear, angular = (rate / self.stepper.slow for rate in FALL_AHEAD)
        flat.toppling = flat.com + (linear * flat.velocity * z + angular * spin) / GRAVITY

    def _approach(self, interval: float) -> None:
        """Speeds up gently, brakes at once, and slows down to turn about."""
        p = self.parameters
        asked = complex(p.forward_speed, p.sideways) if p.on_the_move else 0j
        left = abs(wrapped(math.radians(p.heading) - self.stepper.heading))
        asked *= 1 - TURNING_SLOWS * max(0.0, min((left - AT_SPEED) / (math.pi / 2), 1.0))
        change = asked - self._velocity
        speeding = abs(asked) > abs(self._velocity)
        fast = abs(self._velocity) ** 2 / self.stepper.size  # 1 for a human at 1 m/s
        most = (ACCELERATION / (1 + fast) if speeding else BRAKING) * interval
        self._velocity = (
            asked if abs(change) <= most else self._velocity + most * change / abs(change)
        )

    def _follow_growth(self) -> None:
        """What the rest pose says, anew when the body has been reshaped."""
        model = self.body.model
        sizes = model.body_pos.tobytes() + model.body_mass.tobytes()
        if sizes == self._grown:
            return
        self._grown = sizes
        self._scratch.qpos[:] = self.body.posture_reference
        mujoco.mj_kinematics(model, self._scratch)
        mujoco.mj_comPos(model, self._scratch)
        for sole in self.soles:
            sole.measure_rest(self._scratch)
        self.objectives.measure_rest(self._scratch)
        size = self.objectives.rest_height
        self.stepper.resize(_planner(size), size)


def _planner(size: float) -> StepPlanner:
    """For a body whose centre of mass is `size` metres high."""
    return StepPlanner(math.sqrt(GRAVITY / size), size, StepLimits().scaled(size))
