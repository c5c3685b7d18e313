"""Thrust (features section 5): the legs stretch, the heels rise, the body takes off.

1  contact     soles stay where they are; later only the toes
2  COM         upward, so that it would fly as high as commanded
3  an upright trunk, angular momentum, posture
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.control.balance import SURE, Balance
from amble.control.jump_parameters import JumpParameters
from amble.control.tasks import XYZ, critical
from amble.features.feature import Kind
from amble.geometry.polygons import ConvexPolygon

LAST = 0.1  # [s] a target objective asks for no shorter time than this
MOST = 3.0  # greatest upward acceleration, in g
HEEL_OFF = -0.12  # [m] COM over standing where the heels leave the ground, for a human
TORN = 2.0  # legs that miss the ground's acceleration by more than this, in g, have let go of it
TICKS = 3  # for so many solves in a row
LATE = 0.1  # [s] past its time a thrust ends
SPIN_GAIN = 20.0  # [1/s] how fast the angular momentum of a flight builds up
SPIN_WEIGHT = 5.0
SWING = 0.045  # angular momentum of legs that swing forward in the air, in m h v
TURN = 2.0  # damping of the trunk about the vertical to its rate in a twist, against upright
QUICK = 1.5  # joints may accelerate this much more than usual: knees that stretch do
LEG_WEIGHT = 0.05  # posture of the legs against that of the rest


class Thrust:
    """Tasks from the crouch to the take-off."""

    def __init__(self, balance: Balance, size: float, gravity: float) -> None:
        self.balance, self.body = balance, balance.body
        self.size, self.gravity = size, gravity
        self.heading = 0.0  # [rad] of the feet when the thrust began
        character = self.body.character
        toes = {s for foot in character.feet for s in foot.sites[len(foot.sites) // 2 :]}
        names = self.body.site_names
        self._toes = np.array([k for k in balance.feet if names[k] in toes], int)
        self._leg_dofs = leg_dofs(self.body.model, character)
        self._most_acceleration = QUICK * self.body.posture.most_acceleration
        self._turning_inertia = turning_inertia(self.body.model, character.root)

    def rise(self) -> float:
        """Height of the COM over standing, from the soles' mean height [m]."""
        points = self.body.points_w[self._toes] if len(self._toes) else self.body.points_w
        ground = self.body.terrain.height(points[:, 0], points[:, 1])
        return float(self.body.com_w[2] - np.mean(ground) + self.balance.rest_soles[0, 2])

    def begin(self, time: float, parameters: JumpParameters, height: float) -> None:
        """From now on: a take-off that reaches `height` [m] over standing."""
        p, self._parameters, self._height = parameters, parameters, height
        R = self.balance.heading()
        self.heading = math.atan2(R[1, 0], R[0, 0])
        self._top = min(p.take_off_rise, 0.5 * height)
        self._speed = math.sqrt(2 * self.gravity * (height - self._top))
        way = self._top - self.rise()
        self._deadline = time + (p.thrust_seconds or 2 * way / self._speed)
        air = 2 * self._speed / self.gravity
        spin = math.radians(p.twist) / air
        self._rate, self._start = p.angular_momentum * spin, time
        self._forward = p.distance / air
        # Backward, as much as legs have that swing ahead of the body while it flies.
        back = SWING * self.body.mass * self.size * self._forward
        self._momentum_w = (
            back * math.sin(self.heading),
            -back * math.cos(self.heading),
            self._turning_inertia * self._rate,
        )
        self._gain = SPIN_GAIN if p.distance else p.momentum_gain
        self._heels_up: bool | None = None
        self._torn = 0  # solves in a row that missed the ground

    def done(self, time: float) -> bool:
        """Whether the body flies, or would fly as high as commanded if it let go now."""
        speed = max(float(self.body.com_velocity_w[2]), 0.0)
        high_enough = self.rise() + speed**2 / (2 * self.gravity) >= self._height
        missed = self._heels_up is not None and self.body.residual[0] > TORN * self.gravity
        self._torn = self._torn + 1 if missed else 0
        return bool(high_enough or self._torn >= TICKS or time > self._deadline + LATE)

    def refer(self, time: float) -> None:
        """Move the tasks' references to the present state."""
        heels_up = self.rise() > HEEL_OFF * self.size
        if heels_up is not self._heels_up:
            self._heels_up = heels_up
            self._build(self._toes if heels_up else self.balance.feet)
        tasks = self.body.tasks
        share = min((time - self._start) / (self._deadline - self._start), 1.0)
        for rows in self._turning:
            tasks.refer(rows, 0.0, share * self._rate)
        up = self._upward(time)
        tasks.feed_forward(self._com, [*self._carried(*self._sideways(time), up), up])

    def _upward(self, time: float) -> float:
        """Acceleration [m/s²] to the take-off speed at the take-off height, v_T² = v² + 2 a s; by a
        target objective while its time is far."""
        speed = float(self.body.com_velocity_w[2])
        way = max(self._top - self.rise(), 0.03 * self.size)
        a = (self._speed**2 - max(speed, 0.0) ** 2) / (2 * way)
        left = self._deadline - time
        if self._parameters.thrust_seconds and left > LAST:
            a = target_acceleration(way, speed, self._speed, left)
        return min(max(a, 0.0), MOST * self.gravity)

    def _sideways(self, time: float) -> tuple[float, float]:
        """Horizontal acceleration: over the feet, or to the speed of a jump forward [m/s²]."""
        p, body = self._parameters, self.body
        vx, vy = body.com_velocity_w[:2].tolist()
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        if p.distance:
            left = max(self._deadline - time, 0.05)
            return (self._forward * cos - vx) / left, (self._forward * sin - vy) / left
        middle = self._middle_w + p.lean * np.array([cos, sin])
        ax, ay = p.com_stiffness * (middle - body.com_w[:2])
        damping = float(critical(p.com_stiffness))
        return float(ax) - damping * vx, float(ay) - damping * vy

    def _carried(self, ax: float, ay: float, up: float) -> tuple[float, float]:
        """The nearest horizontal acceleration with a centre of pressure p under the soles, with
        L̇ = k (L_r − L) and the force of a body that accelerates upward (compare `Balance`):

            m z c̈ = m (g + z̈) (c − p) + k [L_y − L_ry, L_rx − L_x]
        """
        body = self.body
        cx, cy, cz = body.com_w.tolist()
        Lx, Ly, _ = body.momentum_w.tolist()
        height = max(cz - self._ground, 1e-3)
        lever = height / (self.gravity + up)
        spin = self._gain / (body.mass * height)
        sx, sy = spin * (Ly - self._momentum_w[1]), -spin * (Lx - self._momentum_w[0])
        px, py = self._support.nearest((cx - lever * (ax - sx), cy - lever * (ay - sy)), SURE)
        return (cx - px) / lever + sx, (cy - py) / lever + sy

    def _build(self, points: np.ndarray) -> None:
        """Fill the task table for the points that stay on the ground."""
        p, body, tasks = self._parameters, self.body, self.body.tasks
        if len(points) == len(self.balance.feet):
            self._middle_w = body.points_w[points, :2].mean(axis=0)
        body.use_contacts(points)
        self._support = ConvexPolygon(body.points_w[points])
        body.posture.most_acceleration = self._most_acceleration
        body.posture_kp[:] = p.posture_stiffness
        body.posture_kv[:] = critical(p.posture_stiffness)
        body.posture_weight[self._leg_dofs] = LEG_WEIGHT
        tasks.clear()
        z = body.terrain.height(body.points_w[points, 0], body.points_w[points, 1])
        self._ground = float(z.mean())
        tasks.setpoint(
            Kind.POINT,
            np.repeat(points, 3),
            np.tile(XYZ, len(points)),
            kp=np.tile((0.0, 0.0, p.contact_stiffness), len(points)),
            kv=critical(p.contact_stiffness),
            reference=np.column_stack([np.zeros((len(z), 2)), z]).ravel(),
        )
        tasks.end_level()
        self._com = tasks.setpoint(Kind.COM, 0, XYZ, kp=0.0, kv=0.0)
        tasks.end_level()
        inertia = 0.1 * body.mass * self.size**2
        weight = p.momentum_weight / inertia
        gain = np.array([self._gain] * 2 + [SPIN_GAIN if p.twist else p.momentum_gain])
        weights = weight * np.array([1.0, 1.0, SPIN_WEIGHT if p.twist else 1.0])
        tasks.setpoint(
            Kind.MOMENTUM, 0, XYZ, kp=gain, kv=0.0, reference=self._momentum_w, weight=weights
        )
        self._turning = upright(self.balance, self.heading, p)
        tasks.end_level()


def upright(balance: Balance, heading: float, p: JumpParameters) -> list[slice]:
    """Tasks that keep the trunk upright; about the vertical it keeps the heading [rad], or while it
    twists only a rate: the rows of that, for `TaskTable.refer`."""
    cos, sin = math.cos(heading), math.sin(heading)
    R_heading = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    stiffness = p.trunk_stiffness * np.array([1.0, 1.0, 0.0 if p.twist else 1.0])
    damping = critical(p.trunk_stiffness) * np.array([1.0, 1.0, TURN if p.twist else 1.0])
    turning = []
    for part, R_rest in balance.trunk.items():
        rows = balance.body.tasks.orientation(
            part, R_heading @ R_rest, kp=stiffness, kv=damping, weight=p.trunk_weight
        )
        turning.append(slice(rows.stop - 1, rows.stop))
    return turning


def leg_dofs(model: mujoco.MjModel, character: Character) -> np.ndarray:
    """Places of the legs' degrees of freedom among the actuated ones."""
    dofs: list[int] = []
    for limb in character.limbs:
        if limb.kind == "leg":
            for name in limb.bodies:
                first, count = model.body(name).dofadr[0] - 6, model.body(name).dofnum[0]
                dofs += range(first, first + count)
    return np.array(dofs, int)


def turning_inertia(model: mujoco.MjModel, root: str) -> float:
    """Moment of inertia about the vertical through the COM, at rest and stiff [kg m²]."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    A = np.zeros((3, model.nv))
    body = model.body(root).id
    mujoco.mj_angmomMat(model, data, A, body)
    return float(A[2, 3:6] @ data.xmat[body].reshape(3, 3)[2])


def target_acceleration(way: float, velocity: float, final: float, left: float) -> float:
    """Acceleration now [m/s²] that covers `way` [m] and ends with velocity `final` [m/s] in the
    time `left` [s] (eq. 6–7, corrected): a = 6 (y_T − y − ẏ T)/T² − 2 (ẏ_T − ẏ)/T."""
    T = max(left, LAST)
    return 6 * (way - velocity * T) / T**2 - 2 * (final - velocity) / T
