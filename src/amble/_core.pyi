"""Types of the compiled core (src/core/bindings.cpp). Arrays are C-contiguous and passed as views:
`Reals` of float64, `Ints` of int32."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]
Ints = NDArray[np.int32]
# status (0 solved, 1 infeasible, 2 too many iterations), level, constraint, iterations, active,
# whether Algorithm 1 was needed
Info = tuple[int, int, int, int, int, bool]

class Lexicographic:
    def __init__(self) -> None: ...
    def solve(
        self,
        A: Reals,
        b: Reals,
        level: Ints,
        D: Reals,
        lo: Reals,
        hi: Reals,
        weight: Reals,
        target: Reals,
        lower: Reals,
        upper: Reals,
        algorithm1_only: bool,
        x: Reals,
        /,
    ) -> Info: ...

class MuJoCoArrays:
    body_parentid: Ints
    body_dofadr: Ints
    body_dofnum: Ints
    M_rownnz: Ints
    M_rowadr: Ints
    M_colind: Ints
    jnt_type: Ints
    jnt_qposadr: Ints
    jnt_dofadr: Ints
    body_mass: Reals
    gravity: Reals
    qpos: Reals
    qvel: Reals
    M: Reals
    qfrc_bias: Reals
    qfrc_passive: Reals
    cdof: Reals
    cdof_dot: Reals
    cvel: Reals
    xpos: Reals
    xmat: Reals
    subtree_com: Reals
    root: int
    def __init__(self) -> None: ...

class Contacts:
    point: Ints
    cone: Reals
    non_penetration: bool
    def __init__(self) -> None: ...

class Mechanism:
    loop: Ints
    anchor: Reals
    spring: Ints
    def __init__(self) -> None: ...

class Posture:
    weight: Reals
    stiffness: Reals
    damping: Reals
    reference: Reals
    limits: Reals
    cone: Reals
    torque_limits: Reals
    force_weight: float
    limit_weight: float
    limit_stiffness: float
    limit_damping: float
    most_acceleration: Reals
    most_speed: float
    yielding: float
    def __init__(self) -> None: ...

class Stops:
    def __init__(
        self,
        jnt_type: Ints,
        jnt_qposadr: Ints,
        jnt_dofadr: Ints,
        qpos: Reals,
        qvel: Reals,
        limits: Reals,
        stiffness: Reals,
        damping: Reals,
    ) -> None: ...
    def add(self, torque: Reals) -> bool: ...

class ContactForces:
    def __init__(
        self,
        geom_body: Ints,
        point_body: Ints,
        site: Ints,
        site_xpos: Reals,
        friction: float,
        /,
    ) -> None: ...
    def read(
        self, geom: Ints, place: Reals, frame: Reals, address: Ints, solved: Reals, /
    ) -> None: ...
    def report(self, touching: NDArray[np.bool_], force: Reals, other: Reals, /) -> None: ...

class StepSearch:
    def __init__(
        self,
        omega: float,
        *,
        error: float,
        inward: float,
        outward: float,
        timing: float,
        too_fast: float,
        unreached: float,
        back: float,
        ahead: float,
        outer: float,
        foot_speed: float,
    ) -> None: ...
    def best(
        self,
        xi: complex,
        pressure: complex,
        stance: complex,
        foot: complex,
        wish: complex,
        offset: complex,
        turn: complex,
        side: float,
        inner: float,
        kappa: float,
        late: float,
        next: float,
        soonest: float,
        interval: float,
        count: int,
        /,
    ) -> tuple[complex, float]: ...

class TaskRows:
    def __init__(self, ints: Ints, reals: Reals, /) -> None: ...
    def write(
        self,
        first: int,
        count: int,
        kind: int,
        index: ArrayLike,
        axes: ArrayLike,
        mode: int,
        columns: tuple[ArrayLike, ...],
        /,
    ) -> None: ...
    def set(self, first: int, count: int, column: int, value: ArrayLike, /) -> None: ...
    def turn(self, first: int, count: int, slot: int, /) -> None: ...

class WholeBody:
    def __init__(
        self,
        arrays: MuJoCoArrays,
        mechanism: Mechanism,
        point_body: Ints,
        point_local: Reals,
        ints: Ints,
        reals: Reals,
        rotations: Reals,
        /,
    ) -> None: ...
    @property
    def mass(self) -> float: ...
    def update(self) -> None: ...
    def assemble(
        self, time: float, level: Ints, contacts: Contacts, posture: Posture, /
    ) -> None: ...
    def solve(
        self,
        contacts: Contacts,
        posture: Posture,
        algorithm1_only: bool,
        torque: Reals,
        acceleration: Reals,
        force: Reals,
        residual: Reals,
        /,
    ) -> Info: ...
    def views(self) -> dict[str, Reals]: ...
    def problem(
        self,
    ) -> tuple[Reals, Reals, list[int], Reals, Reals, Reals, Reals, Reals, Reals, Reals]: ...
    def limited(self) -> list[int]: ...

class BodyTree:
    body_parentid: Ints
    jnt_type: Ints
    jnt_bodyid: Ints
    jnt_qposadr: Ints
    jnt_dofadr: Ints
    body_mass: Reals
    qpos0: Reals
    body_pos: Reals
    body_quat: Reals
    body_ipos: Reals
    body_iquat: Reals
    body_inertia: Reals
    jnt_pos: Reals
    jnt_axis: Reals
    def __init__(self) -> None: ...

class Kinematics:
    def __init__(self, tree: BodyTree, /) -> None: ...
    def place(self, qpos: Reals, /) -> None: ...
    def body(self, body: int, position: Reals, rotation: Reals, /) -> None: ...
    def jacobian(self, body: int, position: Reals, shift: Reals, turn: Reals, /) -> None: ...
    def centre(
        self, com: Reals, com_jacobian: Reals, momentum_matrix: Reals, inertia: Reals, /
    ) -> None: ...
    def differentiate(self, start: Reals, end: Reals, dt: float, out: Reals, /) -> None: ...
    def integrate(self, qpos: Reals, velocity: Reals, dt: float, /) -> None: ...

class PoseProblem:
    hip: Ints
    foot: Ints
    turns: Ints
    points: Ints
    points_b: Reals
    along: Reals
    rest_R: Reals
    ankle_height: Reals
    longest: Reals
    leg_dofs: Ints
    low: Reals
    high: Reals
    pose: Reals
    velocity: Reals
    damping: Reals
    tied: Ints
    tied_b: Reals
    stance: float
    swing: float
    stance_turn: float
    stance_pitch: float
    swing_turn: float
    com: float
    reach: float
    configuration: float
    momentum: float
    push: float
    loop: float
    def __init__(self) -> None: ...

class MomentumIk:
    def __init__(self, tree: BodyTree, problem: PoseProblem, /) -> None: ...
    def solve(
        self,
        feet: Reals,
        com: Reals,
        momentum: Reals,
        reference: Reals,
        previous: Reals,
        previous_reference: Reals,
        dt: float,  # 0 in a first frame
        push_body: int,  # −1 for none
        push: Reals,
        iterations: int,
        tolerance: float,
        qpos: Reals,
        /,
    ) -> None: ...
    def place(self, qpos: Reals, com: Reals, hips: Reals, /) -> None: ...
    def points(self, bodies: Ints, points_b: Reals, out: Reals, /) -> None: ...
    def foot_error(self) -> float: ...
    def angular_momentum(self, velocity: Reals, out: Reals, /) -> None: ...

class BoxSolver:
    def __init__(self) -> None: ...
    def solve(self, H: Reals, g: Reals, low: Reals, high: Reals, step: Reals, /) -> None: ...

class PlanSolver:
    def __init__(
        self,
        limbs: int,
        effector_limb: Ints,
        along: Reals,
        inertia: Reals,
        largest: float,
        edges: Reals,
        /,
    ) -> None: ...
    # status (0 solved, 1 acceptable, 2 too many iterations, 3 no step, 4 diverged, 5 no numbers),
    # iterations, objective, violation, dual infeasibility, complementarity
    def solve(
        self,
        parameters: dict[str, Reals],
        segments: int,
        slots: int,
        lbx: Reals,
        ubx: Reals,
        lbg: Reals,
        ubg: Reals,
        x0: Reals,
        x: Reals,
        g: Reals,
        /,
    ) -> tuple[int, int, float, float, float, float]: ...
    def segment(
        self,
        given: dict[str, Reals],
        z0: Reals,
        z1: Reals,
        foot: Reals,
        multiplier: Reals,
        residual: Reals,
        jacobian: Reals,
        hessian: Reals,
        /,
    ) -> None: ...

class FlatTree:
    parent: Ints
    slides: Ints
    place: Reals
    turn: Reals
    anchor: Reals
    axis: Reals
    mass: Reals
    com: Reals
    inertia: Reals
    armature: Reals
    gravity: Reals
    point_link: Ints
    point_place: Reals
    def __init__(self) -> None: ...

class FlatDynamics:
    def __init__(self, tree: FlatTree, /) -> None: ...
    def place(self, q: Reals, /) -> None: ...
    def link(self, link: int, position: Reals, rotation: Reals, /) -> None: ...
    def turn_jacobian(self, link: int, out: Reals, /) -> None: ...
    def mass_matrix(self, out: Reals, /) -> None: ...
    def bias(self, v: Reals, out: Reals, /) -> None: ...
    def points(self, out: Reals, /) -> None: ...
    def jacobians(self, out: Reals, /) -> None: ...
    def step_terms(
        self, q: Reals, v: Reals, M: Reals, c: Reals, places: Reals, jacobians: Reals, /
    ) -> None: ...
    def drifts(self, v: Reals, out: Reals, /) -> None: ...
    def add_force_derivative(self, force: Reals, scale: float, total: Reals, /) -> None: ...
    def inverse(
        self, v: Reals, a: Reals, tau: Reals, dq: Reals, dv: Reals, M: Reals, /
    ) -> None: ...

class Lemke:
    pivots: int
    residual: float
    def __init__(self) -> None: ...
    def solve(self, M: Reals, q: Reals, regular: float, z: Reals, /) -> int: ...
