"""Balance that steps when it must: the momentum supervisor watches a standing body (section 4).

Small disturbances stay balance's own. When the desired centre of pressure leaves the support, the
stepping controller takes over until the body stands still again on both feet.
"""

from __future__ import annotations

import math

import numpy as np

from amble.control.balance import Balance
from amble.control.stepping.parameters import SteppingParameters
from amble.control.stepping.stepping import Stepping
from amble.control.stepping.supervisor import Damping, Momenta, Supervisor
from amble.control.walking.steps import Stage
from amble.control.whole_body import Statistics
from amble.errors import InputError
from amble.geometry.polygons import ConvexPolygon

LOOKS = 0.006  # [s] between two looks at the momenta
STILL, STOOD = 0.06, 0.6  # [m/s], [s] of standing before balance takes over again, for a human


class SupervisedBalance(Balance):
    """Keeps a character on its feet, by steps if need be; a `Controller`."""

    _stepping: Stepping | None = None
    _looked = -math.inf  # [s]
    _still_from = math.inf  # [s]
    _earlier = Statistics()
    #: how often the supervisor has taken over
    rescues = 0

    @property
    def stepping(self) -> Stepping | None:
        """What controls the body while it steps."""
        return self._stepping

    @property
    def statistics(self) -> Statistics:
        now = self._stepping.statistics if self._stepping else Statistics()
        parts = (self.body.statistics, self._earlier, now)
        return Statistics(
            solves=sum(part.solves for part in parts),
            fallbacks=sum(part.fallbacks for part in parts),
            failures=sum(part.failures for part in parts),
            worst=next((part.worst for part in parts if part.worst), None),
        )

    def torque(self, time: float) -> np.ndarray:
        if self._stepping is None and self.parameters.supervisor and time - self._looked > LOOKS:
            self._looked = time
            self._watch()
        if self._stepping is None:
            return super().torque(time)
        torque = self._stepping.torque(time)
        if self._stands(self._stepping, time):
            before, now = self._earlier, self._stepping.statistics
            self._earlier = Statistics(
                before.solves + now.solves,
                before.fallbacks + now.fallbacks,
                before.failures + now.failures,
                before.worst or now.worst,
            )
            self._stepping, self._looked = None, time
            self.renew()
        return torque

    def _watch(self) -> None:
        """Hand over to the stepping controller if a step is needed."""
        body = self.body
        if len(body.character.feet) != 2:
            count = len(body.character.feet)
            raise InputError(f"supervisor = true needs two feet; this body has {count}")
        body.update()
        points = body.points_w[self.feet]
        (cx, cy, cz), (vx, vy, _) = body.com_w.tolist(), body.com_velocity_w.tolist()
        Lx, Ly, _ = body.momentum_w.tolist()
        p, weight = SteppingParameters(), body.mass * self._gravity
        com, velocity = complex(cx, cy), complex(vx, vy)
        height = cz - float(points[:, 2].mean())
        momenta = Momenta(com, height, body.mass * velocity, complex(Lx, Ly), weight, weight)
        when, slow = Damping(p.d_l, p.d_h), math.sqrt(self._size)
        supervisor = Supervisor(p.rule, when, when, slow, self._gravity)
        if not supervisor.needed(momenta, ConvexPolygon(points)):
            return
        self.rescues += 1
        self._still_from = math.inf
        facing = self.heading()
        yaw = math.degrees(math.atan2(facing[1, 0], facing[0, 0]))
        wishes = self._wishes(yaw)
        character, terrain = body.character, body.terrain
        self._stepping = Stepping(character, body.model, body.data, terrain, wishes)

    def _wishes(self, yaw: float) -> SteppingParameters:
        """A human's, for this body."""
        human, size = SteppingParameters(), self._size
        slow = math.sqrt(size)
        points = self.rest_soles[:, 1]
        half = float(np.abs(points).mean()) * 0.8
        return SteppingParameters(
            heading=yaw,
            swing_duration=human.swing_duration * slow,
            swing_delay=human.swing_delay * slow,
            swing_height=human.swing_height * size,
            hip_shift=max(human.hip_shift * size, half - human.foot_spread * size),
            foot_spread=human.foot_spread * size,
            crouch=human.crouch * size,
            control_rate=self.parameters.control_rate,
        )

    def _stands(self, stepping: Stepping, time: float) -> bool:
        slow = math.sqrt(self._size)
        calm = abs(stepping.footwork.body.velocity) < STILL * slow
        if stepping.footwork.stage is not Stage.STAND or not calm:
            self._still_from = math.inf
            return False
        self._still_from = min(self._still_from, time)
        return time - self._still_from > STOOD * slow
