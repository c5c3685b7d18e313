"""Reference: a dynamically consistent motion with its forces (tracking section 3.2).

Row k holds the pose q_k and the joint torques and ground forces that act *at* that pose, in the
semi-implicit discretisation of the simulator (h is the step):

    v_k = (q_{k+1} − q_k) / h
    M(q_k) (v_k − v_{k−1}) / h + c(q_k, v_{k−1}) = Sᵀ τ_k + Σ_i J_i(q_k)ᵀ λ_{k,i}

so that the controls of the step from (q_k, v_k) to (q_{k+1}, v_{k+1}) are u_k = (τ, λ)_{k+1}.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from amble.errors import InputError
from amble.motion.files import replacing
from amble.tracking.flat_body import CORNERS, ROOT

FORMAT = "amble reference 1"
_UNREADABLE = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Travel:
    """The rigid motion of one cycle: q_{k+N} is q_k turned by `yaw` about z, then moved."""

    dx: float  # [m]
    dy: float  # [m]
    yaw: float  # [rad]

    @property
    def matrix(self) -> np.ndarray:
        """Turn of horizontal vectors (2, 2)."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.array([[c, -s], [s, c]])

    def times(self, count: int) -> Travel:
        """The motion of `count` cycles; negative counts go back."""
        whole = Travel(0.0, 0.0, 0.0)
        step = self if count >= 0 else self.inverse()
        for _ in range(abs(count)):
            whole = whole.then(step)
        return whole

    def then(self, other: Travel) -> Travel:
        """First `other` and then this one, as maps: this ∘ other."""
        dx, dy = self.matrix @ [other.dx, other.dy] + [self.dx, self.dy]
        return Travel(float(dx), float(dy), self.yaw + other.yaw)

    def inverse(self) -> Travel:
        """The way back."""
        back = Travel(0.0, 0.0, -self.yaw)
        dx, dy = -back.matrix @ [self.dx, self.dy]
        return Travel(float(dx), float(dy), -self.yaw)

    def pose(self, q: np.ndarray) -> np.ndarray:
        """Flat q (..., n), moved."""
        moved = np.array(q, dtype=float)
        moved[..., :2] = moved[..., :2] @ self.matrix.T + [self.dx, self.dy]
        moved[..., 3] += self.yaw
        return moved

    def vector(self, v: np.ndarray) -> np.ndarray:
        """Velocities (..., n) or forces (..., 3), turned: their first two entries are x and y."""
        turned = np.array(v, dtype=float)
        turned[..., :2] = turned[..., :2] @ self.matrix.T
        return turned


@dataclass(frozen=True, eq=False)
class Reference:
    """N poses of a flat body with n coordinates, their controls, and how it goes on.

    `contact` says which of the eight points (see `FlatBody.corner_names`) stand on the ground;
    forces are zero elsewhere. A cycle continues by its `travel`; without one the motion begins
    and ends, and holds its last pose.
    """

    name: str
    character: str  # name of the body
    step: float  # h [s]
    q: np.ndarray  # (N, n)
    torque: np.ndarray  # (N, n − 6) [N m]
    force_w: np.ndarray  # (N, 8, 3) [N]
    contact: np.ndarray  # (N, 8) bool
    travel: Travel | None = None

    def __post_init__(self) -> None:
        N, n = np.shape(self.q) if np.ndim(self.q) == 2 else (0, 0)
        shapes = {
            "q": (N, n),
            "torque": (N, n - ROOT),
            "force_w": (N, CORNERS, 3),
            "contact": (N, CORNERS),
        }
        if N < 3 or n <= ROOT:
            raise InputError(f"reference '{self.name}': q has shape {np.shape(self.q)}")
        for field, shape in shapes.items():
            array = np.array(getattr(self, field), dtype=bool if field == "contact" else float)
            if array.shape != shape:
                raise InputError(
                    f"reference '{self.name}': {field} has shape {array.shape}; expected {shape}"
                )
            if not np.isfinite(array).all():
                raise InputError(f"reference '{self.name}': {field} is not finite")
            array.setflags(write=False)
            object.__setattr__(self, field, array)
        if not (np.isfinite(self.step) and self.step > 0):
            raise InputError(f"reference '{self.name}': the step is {self.step} s")

    def __len__(self) -> int:
        return len(self.q)

    @property
    def periodic(self) -> bool:
        return self.travel is not None

    @property
    def seconds(self) -> float:
        """Duration of the N steps [s]."""
        return len(self) * self.step

    def q_at(self, k: int) -> np.ndarray:
        """Pose (n,) of step k, any integer when periodic."""
        cycle, i = self._place(k)
        return cycle.pose(self.q[i])

    def v_at(self, k: int) -> np.ndarray:
        """Velocity (n,) on the way from pose k to pose k + 1."""
        velocity: np.ndarray = (self.q_at(k + 1) - self.q_at(k)) / self.step
        return velocity

    def u_at(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Torques (n − 6,) [N m] and forces (8, 3) [N] of the step from state k to state k + 1."""
        cycle, i = self._place(k + 1)
        return np.array(self.torque[i]), cycle.vector(self.force_w[i])

    def contact_at(self, k: int) -> np.ndarray:
        """Which points (8,) stand on the ground at pose k."""
        return np.array(self.contact[self._place(k)[1]])

    @cached_property
    def carries(self) -> np.ndarray:
        """Points (N, 8) bool that may carry force at each pose: on the ground there and at the
        next one, because the force must leave them at rest."""
        after = [self.contact[self._place(k + 1)[1]] for k in range(len(self))]
        return np.array(self.contact & np.array(after))

    @cached_property
    def digest(self) -> str:
        """Hash of the content."""
        found = hashlib.sha256()
        for text in (FORMAT, self.character, repr(self.step), repr(self.travel)):
            found.update(text.encode() + b"\0")
        for array in (self.q, self.torque, self.force_w, self.contact):
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    def save(self, path: str | Path) -> None:
        """Write everything to a .npz file; equal references give equal bytes."""
        travel = (
            (self.travel.dx, self.travel.dy, self.travel.yaw) if self.travel is not None else ()
        )
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            allow_pickle=False,
            format=np.array(FORMAT),
            name=np.array(self.name),
            character=np.array(self.character),
            step=np.array(self.step),
            travel=np.array(travel),
            q=self.q,
            torque=self.torque,
            force_w=self.force_w,
            contact=self.contact,
        )
        with replacing(Path(path)) as unfinished:
            unfinished.write_bytes(buffer.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Reference:
        """Read what `save` wrote; raises `InputError` that says what is wrong with the file."""
        wrong = f"{path}: not a reference; a .npz file of `amble track` is needed"
        try:
            with np.load(path, allow_pickle=False) as archive:
                entries = {name: archive[name] for name in archive.files}
        except FileNotFoundError:
            raise InputError(f"{path}: no such file") from None
        except _UNREADABLE as error:
            raise InputError(wrong) from error
        if str(entries.get("format")) != FORMAT:
            raise InputError(wrong)
        try:
            travel = entries["travel"]
            return cls(
                name=str(entries["name"]),
                character=str(entries["character"]),
                step=float(entries["step"]),
                q=entries["q"],
                torque=entries["torque"],
                force_w=entries["force_w"],
                contact=entries["contact"],
                travel=Travel(*map(float, travel)) if len(travel) else None,
            )
        except (LookupError, TypeError, ValueError) as error:
            raise InputError(f"{path}: damaged reference: {error}") from error
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def _place(self, k: int) -> tuple[Travel, int]:
        """The motion of the cycles before k, and the row within its cycle."""
        if self.travel is None:
            return Travel(0.0, 0.0, 0.0), min(max(k, 0), len(self) - 1)
        count, row = divmod(k, len(self))
        return self.travel.times(count), row
