"""Types of the compiled core (src/core/bindings.cpp). Arrays are C-contiguous and passed as views:
`Reals` of float64, `Ints` of int32."""

import numpy as np
from numpy.typing import NDArray

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
    torque_limits: Reals
    force_weight: float
    limit_weight: float
    limit_stiffness: float
    limit_damping: float
    most_acceleration: float
    most_speed: float
    def __init__(self) -> None: ...

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
