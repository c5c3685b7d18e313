"""Thrust (features section 5): the legs stretch, the heels rise, the body takes off.

1  contact     soles stay where they are; later only the toes
2  COM         upward, so that it would fly as high as commanded; angular momentum of the flight,
               which nothing can change in the air
3  an upright trunk, posture
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from amble.characters.character import GRAVITY, Character
from amble.control.balance import GYRATION, SURE, Balance
from amble.control.jump_parameters import JumpParameters
from amble.control.squat import leg_dofs
from amble.control.tasks import XYZ, critical
from amble.control.whole_body import MOST_ACCELERATION, WholeBody
from amble.features.feature import Kind
from amble.geometry.polygons import ConvexPolygon
from amble.geometry.rotations import matrix_from_quat, quat_from_rotvec

LAST = 0.1  # [s] a target objective asks for no shorter time than this
MOST = 3.0  # greatest upward acceleration, in g
LATE_BRAKE, EARLY_BRAKE = (
    24.0,
    20.0,
)  # [rad/s] of joints before their limits: knees that stretch fast
STRAIGHT = 0.8  # of a leg's length from hip to ankle: the heels leave the ground
TORN = 2.0  # legs that miss what they should do to ground and COM by this, in g, are at their end
TICKS = 3  # for so many solves in a row
LATE = 0.1  # [s] past its time a thrust ends
PROMPT = 4.0  # how much stiffer than in balance the trunk follows
SETTLED = 2.0  # share of the time left in which the angular momentum settles, inverse
SPIN_WEIGHT = 400.0  # of angular momentum against posture, as accelerations
TURNING_SHARE, STEADY_SHARE = 0.25, 0.02  # of that about the vertical, in a twist and without
SPIN_GAIN = 20.0  # [1/s] how fast the angular momentum of a flight builds up
SWING = 0.045  # angular momentum of legs that swing forward in the air, in m h v
FURTHER = 1.15  # feet land behind where the COM would come down
TURN = 2.0  # damping of the trunk about the vertical to its rate in a twist, against upright
QUICK = 1.5  # legs may accelerate this much more than usual: knees that stretch do
CALM = 0.25  # share of the usual for arms and trunk: they are not flung about to help the legs
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
        self._legs = leg_chains(self.body.model, character)
        self._most_acceleration = most_accelerations(balance.body, legs=QUICK, rest=CALM)
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
        self._R_heading = turn(self.heading)
        self._top = min(p.take_off_rise, 0.5 * height)
        self._speed = math.sqrt(2 * self.gravity * (height - self._top))
        way = self._top - self.rise()
        self._deadline = time + (p.thrust_seconds or 2 * way / self._speed)
        air = 2 * self._speed / self.gravity
        spin = math.radians(p.twist) / air
        self._rate, self._start = p.angular_momentum * spin, time
        self._forward = FURTHER * p.distance / air
        # Backward, as much as legs have that swing ahead of the body while it flies.
        back = SWING * self.body.mass * self.size * self._forward
        self._momentum_w = (
            back * math.sin(self.heading),
            -back * math.cos(self.heading),
            self._turning_inertia * self._rate,
        )
        self._heels_up: bool | None = None
        self._torn = 0  # solves in a row that missed the ground

    def done(self, time: float) -> bool:
        """Whether the body flies, or would fly as high as commanded if it let go now."""
        speed = max(float(self.body.com_velocity_w[2]), 0.0)
        high_enough = self.rise() + speed**2 / (2 * self.gravity) >= self._height
        missed = bool(self._heels_up) and self.body.residual[:2].max() > TORN * self.gravity
        self._torn = self._torn + 1 if missed else 0
        return bool(high_enough or self._torn >= TICKS or time > self._deadline + LATE)

    def refer(self, time: float) -> None:
        """Move the tasks' references to the present state."""
        heels_up = self._heels_up or self._straight()
        if heels_up is not self._heels_up:
            self._heels_up = heels_up
            self._build(self._toes if heels_up else self.balance.feet)
        tasks = self.body.tasks
        share = min((time - self._start) / (self._deadline - self._start), 1.0)
        if self.balance.squat(-self.rise()):
            for upright, R in zip(self._upright, self.balance.trunk.values(), strict=True):
                tasks.turn(upright, self._R_heading @ R)
        for rows in turning(self._upright):
            tasks.refer(rows, 0.0, share * self._rate)
        # The trunk may rise as it likes as long as the flight gets the momentum that it needs.
        left = max(self._deadline - time, 0.0)
        self._gain = SPIN_GAIN / (1 + SPIN_GAIN * left / SETTLED)
        tasks.reals[self._momentum, 1] = self._gain
        up = self._upward(time)
        tasks.feed_forward(self._com, [*self._carried(*self._sideways(time), up), up])

    def _straight(self) -> bool:
        """Whether a leg is nearly straight: on flat soles it could not follow for long."""
        places = self.body.data.xpos
        for chain, length in self._legs:
            if math.dist(places[chain[0]], places[chain[-1]]) > STRAIGHT * length:
                return True
        return False

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
        body.most_acceleration[:] = self._most_acceleration
        set_limits(body, LATE_BRAKE / math.sqrt(self.size))
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
        self._momentum = tasks.setpoint(
            Kind.MOMENTUM,
            0,
            XYZ,
            kp=SPIN_GAIN,
            kv=0.0,
            reference=self._momentum_w,
            weight=np.array([1.0, 1.0, TURNING_SHARE if p.twist else STEADY_SHARE])
            * (SPIN_WEIGHT / (GYRATION * body.mass * self.size)),
        )
        self._upright = upright(self.balance, self.heading, p, p.trunk_weight)
        tasks.end_level()


def upright(balance: Balance, heading: float, p: JumpParameters, weight: float) -> list[slice]:
    """Tasks that keep the trunk upright, one for each of `Balance.trunk`.

    About the vertical it keeps the heading [rad], or while it twists only a rate (see `turning`).
    """
    R_heading = turn(heading)
    stiffness = PROMPT * p.trunk_stiffness * np.array([1.0, 1.0, 0.0 if p.twist else 1.0])
    damping = critical(PROMPT * p.trunk_stiffness) * np.array([1.0, 1.0, TURN if p.twist else 1.0])
    return [
        balance.body.tasks.orientation(part, R_heading @ R, kp=stiffness, kv=damping, weight=weight)
        for part, R in balance.trunk.items()
    ]


def turning(upright: list[slice]) -> list[slice]:
    """The rows about the vertical of orientations, for `TaskTable.refer`."""
    return [slice(rows.stop - 1, rows.stop) for rows in upright]


def turn(angle: float) -> np.ndarray:
    """Rotation (3, 3) about the vertical."""
    return matrix_from_quat(quat_from_rotvec((0.0, 0.0, angle)))


def set_limits(body: WholeBody, frequency: float) -> None:
    """How late joints brake before their limits: critically damped with this frequency [rad/s]."""
    body.posture.limit_stiffness, body.posture.limit_damping = frequency**2, 2 * frequency


def most_accelerations(body: WholeBody, legs: float, rest: float) -> np.ndarray:
    """Bounds on the joints' accelerations (na,) as shares of the usual, for legs and the rest."""
    shares = np.full(body.model.nv - 6, rest)
    shares[leg_dofs(body.model, body.character)] = legs
    return shares * MOST_ACCELERATION * GRAVITY / body.character.com_height


def leg_chains(model: mujoco.MjModel, character: Character) -> list[tuple[np.ndarray, float]]:
    """Each leg's bodies from hip to foot, and its length when straight [m]."""
    data, chains = mujoco.MjData(model), []
    mujoco.mj_kinematics(model, data)
    for limb in character.limbs:
        if limb.kind == "leg":
            chain = np.array([model.body(name).id for name in limb.bodies])
            steps = np.diff(data.xpos[chain], axis=0)
            chains.append((chain, float(np.linalg.norm(steps, axis=1).sum())))
    return chains


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
