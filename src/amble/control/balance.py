"""Balance (features section 4, table 1): stand, squat, take pushes, on any legged body.

1  contact     every sole point stays on the ground
2  COM         over the middle of the support, at the commanded height
3  an upright trunk and head, momentum, posture, small contact forces
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.character import Character
from amble.control.squat import SquatPoses
from amble.control.tasks import XYZ, critical
from amble.control.whole_body import Statistics, WholeBody
from amble.features.feature import Kind
from amble.geometry.polygons import ConvexPolygon
from amble.geometry.rotations import matrix_from_quat, quat_from_rotvec
from amble.parameters import parameter
from amble.terrain.terrain import Terrain

NEAR = 0.02  # [m] a sole point nearer to the ground than this may carry force, for a human
YIELDING = 30.0  # weight of each level over the next where they cannot all be met
SURE = 0.9  # share of the support in which the centre of pressure is kept while that is enough
BEYOND = 1.3  # how far past a capture point outside of it the centre of pressure is asked to go
LOST = 1.5  # with a capture point this far outside, bending hips and arms do not help any more
STRAY = 0.003  # [m] soles that slid farther get their references anew, for a human
MOVED = 1e-3  # [m] a squat deeper by less than this needs no other pose, for a human
GYRATION = 0.3  # radius of gyration of a body by the height of its COM
TRUNK = ("thorax", "head")  # what is kept upright, with the root
EXTENSION = 0.5  # share of what straightening the legs would give that the COM may be raised by
COMBINATIONS = ("prioritised", "weighted")


@dataclass(frozen=True)
class BalanceParameters:
    """What can be changed, also while standing. Stiffnesses [1/s²] come with critical damping."""

    com_stiffness: float = parameter(40.0, "1/s²", "COM to the support's middle", low=0, high=1e4)
    height_stiffness: float = parameter(60.0, "1/s²", "COM height", low=0, high=1e4)
    com_height: float = parameter(0.0, "m", "COM height over that at rest", low=-5, high=5)
    support_margin: float = parameter(
        1.6,
        "",
        "how far the centre of pressure may be asked to go when falling, 1 = the sole's edge",
        low=0.1,
        high=10,
    )
    momentum_gain: float = parameter(3.0, "1/s", "damping of angular momentum", low=0, high=1e3)
    momentum_weight: float = parameter(8.0, "", "angular momentum against posture", low=0, high=1e3)
    trunk_stiffness: float = parameter(40.0, "1/s²", "trunk and head upright", low=0, high=1e4)
    trunk_weight: float = parameter(10.0, "", "trunk and head against posture", low=0, high=1e3)
    posture_stiffness: float = parameter(40.0, "1/s²", "joints to the rest pose", low=0, high=1e4)
    contact_stiffness: float = parameter(400.0, "1/s²", "soles onto the ground", low=0, high=1e5)
    control_rate: float = parameter(500.0, "Hz", "solves a second", low=50, high=1000)
    supervisor: bool = parameter(False, "", "a body on two feet steps when its momenta ask for it")
    combination: str = parameter(
        "prioritised", "", "strict levels, or one weighted sum (eq. 16, 37)", choices=COMBINATIONS
    )
    contact_weight: float = parameter(10.0, "", "of contact in a weighted sum", low=0, high=1e5)
    com_weight: float = parameter(10.0, "", "of the COM in a weighted sum", low=0, high=1e5)


class Balance:
    """Keeps a character on its feet; a `Controller`."""

    def __init__(
        self,
        character: Character,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        terrain: Terrain,
        parameters: BalanceParameters | None = None,
    ) -> None:
        self.parameters = parameters or BalanceParameters()
        self.body = WholeBody(character, model, data, terrain)
        self.body.posture_reference[:] = character.rest_qpos()
        self.body.posture.yielding = YIELDING
        #: height over rest [m], its rate and acceleration as a function of time, over `com_height`
        self.height: Callable[[float], tuple[float, float, float]] = lambda time: (0.0, 0.0, 0.0)
        #: where the COM is kept, from its place over the feet's middle [m]
        self.offset_w = (0.0, 0.0)
        self._feet = _foot_points(character)
        self._size = character.com_height  # [m] that of a standing human is 1
        self._support = ConvexPolygon([])
        self._built_at, self._built_near = (0.0, 0.0, 0.0), b""
        self._gravity = float(np.linalg.norm(model.opt.gravity))
        self._built_for: BalanceParameters | None = None
        self._scratch = mujoco.MjData(model)
        self._poses = SquatPoses(character, model)
        self._depth = 0.0  # [m] of the pose that is taken
        self._root = model.body(character.root).id
        words = [character.parts[word] for word in TRUNK if word in character.parts]
        self._head = model.body(character.parts["head"]).id if "head" in character.parts else -1
        self._trunk = sorted({self._root, *(model.body(word).id for word in words)})
        self._grown = b""
        self.body.update()

    @property
    def period(self) -> float:
        """Time between calls [s]."""
        return 1.0 / self.parameters.control_rate

    @property
    def statistics(self) -> Statistics:
        """Solves, fallbacks and failures so far."""
        return self.body.statistics

    @property
    def feet(self) -> np.ndarray:
        """Places of the soles' points among the body's contact points."""
        return self._feet

    @property
    def rest_soles(self) -> np.ndarray:
        """Soles' points as seen from the COM in the rest pose (points, 3) [m]."""
        plane = self._rest_soles - self._rest_offset
        return np.column_stack([plane, np.full(len(plane), -self._rest_height)])

    @property
    def trunk(self) -> dict[int, np.ndarray]:
        """Rotations of the parts that are kept upright, by body, in the pose that is taken."""
        return self._trunk_R

    def squat(self, depth: float) -> bool:
        """Take posture and trunk from the pose that is `depth` [m] below rest; whether they moved.

        The head still looks ahead.
        """
        depth = max(depth, 0.0)
        small = 0.0 if depth == 0.0 else MOVED * self._size
        if abs(depth - self._depth) <= small:
            return False
        self._depth = depth
        self.body.posture_reference[7:] = self._poses.at(depth)[7:]
        self._scratch.qpos[:] = self._poses.at(depth)
        mujoco.mj_kinematics(self.body.model, self._scratch)
        for part in self._trunk_R:
            if part != self._head:
                self._trunk_R[part] = self._scratch.xmat[part].reshape(3, 3).copy()
        return True

    def renew(self) -> None:
        """Another controller has used the task table: fill it again at the next call."""
        self._built_for = None

    def torque(self, time: float) -> np.ndarray:
        """Joint torques (nv − 6,) [N m] for the present state."""
        body = self.body
        body.update()
        self._follow_growth()
        points = body.points_w[self._feet]
        clearance = points[:, 2] - body.terrain.height(points[:, 0], points[:, 1])
        near = clearance < NEAR * self._size
        x, y, z = (points.sum(axis=0) / len(points)).tolist()
        strayed = math.dist((x, y, z), self._built_at) > STRAY * self._size
        if strayed or near.tobytes() != self._built_near or self.parameters is not self._built_for:
            self._built_at, self._built_near = (x, y, z), near.tobytes()
            self._build(self._feet[near])
        offset, rate, acceleration = self.height(time)
        rise = self.parameters.com_height + offset
        if rise > self._most_rise:  # straight legs reach no higher, and would tear at the ground
            rise, rate, acceleration = self._most_rise, 0.0, 0.0
        if self.squat(-rise):
            for rows, R in zip(self._upright, self._trunk_R.values(), strict=True):
                body.tasks.turn(rows, self._R_heading @ R)
        height = z + self._rest_height + rise
        body.tasks.refer(self._height, height, rate)
        body.tasks.feed_forward(self._height, acceleration)
        body.tasks.feed_forward(self._ground, self._horizontal_acceleration(x, y, z, acceleration))
        body.solve(time)
        return body.torque

    def _horizontal_acceleration(
        self, x: float, y: float, z: float, up: float
    ) -> tuple[float, float]:
        """COM acceleration towards its place over the feet's middle, as far as they can give it.

        With L̇ = −k L, Newton and Euler relate it to the centre of pressure p,

            m z c̈ = m (g + z̈) (c − p) + k [L_y, −L_x],

        where z̈, `up`, counts while it presses the soles onto the ground.

        While the capture point c + ċ √(z/g) is over the soles, p stays well under them, and they
        flat on the ground; when it is not, p is asked to go beyond it: the rest must then come from
        bending the hips and spinning the arms. When even that is lost, the body topples.
        """
        p, body = self.parameters, self.body
        (cx, cy, cz), (vx, vy, _) = body.com_w.tolist(), body.com_velocity_w.tolist()
        Lx, Ly, _ = body.momentum_w.tolist()
        height = max(cz - z, 1e-3)
        pull, damping = p.com_stiffness, 2 * math.sqrt(p.com_stiffness)
        spin = p.momentum_gain / (body.mass * height)
        sx, sy = spin * Ly, -spin * Lx
        dx, dy = self.offset_w
        ax = pull * (x + self._shift[0] + dx - cx) - damping * vx
        ay = pull * (y + self._shift[1] + dy - cy) - damping * vy
        if not self._support.corners:
            return ax, ay
        lever = height / (self._gravity + max(up, 0.0))
        fall = math.sqrt(lever)  # [s]
        outside = self._support.gauge((cx + fall * vx, cy + fall * vy))
        reach = min(max(SURE, BEYOND * outside), p.support_margin) if outside < LOST else SURE
        px, py = self._support.nearest((cx - lever * (ax - sx), cy - lever * (ay - sy)), reach)
        return (cx - px) / lever + sx, (cy - py) / lever + sy

    def _follow_growth(self) -> None:
        """What the rest pose says, anew when the body has been reshaped."""
        model = self.body.model
        sizes = model.body_pos.tobytes() + model.body_mass.tobytes()
        if sizes == self._grown:
            return
        self._grown, self._built_for = sizes, None
        self._poses.renew()
        self._depth = 0.0
        self.body.posture_reference[7:] = self._poses.at(0.0)[7:]
        self._scratch.qpos[:] = self._poses.at(0.0)
        mujoco.mj_kinematics(model, self._scratch)
        mujoco.mj_comPos(model, self._scratch)
        soles = self._scratch.site_xpos[self.body.sites[self._feet]]
        com = self._scratch.subtree_com[self._root]
        middle = soles.mean(axis=0)
        self._rest_height = float(com[2] - middle[2])
        self._rest_offset = com[:2] - middle[:2]
        self._rest_soles = soles[:, :2] - middle[:2]
        self._most_rise = EXTENSION * _leg_reserve(self.body.character, model, self._scratch)
        R = self._scratch.xmat.reshape(-1, 3, 3)
        self._trunk_R = {body: R[body].copy() for body in self._trunk}

    def _build(self, touching: np.ndarray) -> None:
        """Fill the task table for the points that touch now."""
        p, body, tasks = self.parameters, self.body, self.body.tasks
        self._built_for = p
        body.use_contacts(touching)
        self._support = ConvexPolygon(body.points_w[touching])
        R_heading = self._R_heading = self.heading()
        self._shift = (R_heading[:2, :2] @ self._rest_offset).tolist()
        body.posture_kp[:] = p.posture_stiffness
        body.posture_kv[:] = critical(p.posture_stiffness)
        tasks.clear()
        prioritised = p.combination == "prioritised"
        end_level = tasks.end_level if prioritised else lambda: None
        contact_weight, com_weight = (1.0, 1.0) if prioritised else (p.contact_weight, p.com_weight)
        if len(touching):
            # All soles are to lie on the ground, also the points that do not touch it yet.
            ground = body.points_w[self._feet]
            z = body.terrain.height(ground[:, 0], ground[:, 1])
            references = np.column_stack([np.zeros((len(z), 2)), z]).ravel()
            tasks.setpoint(
                Kind.POINT,
                np.repeat(self._feet, 3),
                np.tile(XYZ, len(z)),
                kp=np.tile((0.0, 0.0, p.contact_stiffness), len(z)),
                kv=critical(p.contact_stiffness),
                reference=references,
                weight=contact_weight,
            )
            end_level()
        self._ground = tasks.setpoint(Kind.COM, 0, (0, 1), kp=0.0, kv=0.0, weight=com_weight)
        stiffness = p.height_stiffness
        self._height = tasks.setpoint(
            Kind.COM, 0, (2,), kp=stiffness, kv=critical(stiffness), weight=com_weight
        )
        end_level()
        inertia = 0.1 * body.mass * self._rest_height**2  # about that of a human trunk, by size
        tasks.momentum(p.momentum_gain, weight=p.momentum_weight / inertia)
        stiffness = p.trunk_stiffness
        self._upright = [
            tasks.orientation(
                part, R_heading @ R, kp=stiffness, kv=critical(stiffness), weight=p.trunk_weight
            )
            for part, R in self._trunk_R.items()
        ]
        tasks.end_level()

    def heading(self) -> np.ndarray:
        """Rotation (3, 3) about z that takes the soles of the rest pose nearest to the present."""
        points = self.body.points_w[self._feet, :2]
        points = points - points.mean(axis=0)
        dot = float((self._rest_soles * points).sum())
        cross = float((self._rest_soles[:, 0] * points[:, 1]).sum())
        cross -= float((self._rest_soles[:, 1] * points[:, 0]).sum())
        return matrix_from_quat(quat_from_rotvec((0.0, 0.0, math.atan2(cross, dot))))


def _leg_reserve(character: Character, model: mujoco.MjModel, rest: mujoco.MjData) -> float:
    """How much longer than at rest the shortest leg is when straight [m]."""
    reserves = [math.inf]
    for limb in character.limbs:
        if limb.kind == "leg":
            joints = rest.xpos[[model.body(name).id for name in limb.bodies]]
            chain = np.linalg.norm(np.diff(joints, axis=0), axis=1).sum()
            reserves.append(float(chain - np.linalg.norm(joints[-1] - joints[0])))
    return min(reserves)


def _foot_points(character: Character) -> np.ndarray:
    """Places of the feet's contact points among those of all end effectors."""
    feet = {foot.name for foot in character.feet}
    owner = [e.name for e in character.end_effectors for _ in e.sites]
    return np.array([k for k, name in enumerate(owner) if name in feet], int)
