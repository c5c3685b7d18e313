"""Motion: what a reference is to look like, before physics: poses, contacts, how it goes on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.errors import InputError
from amble.tracking.flat_body import CORNERS, ROOT, FlatBody
from amble.tracking.reference import Travel

STEP = 1 / 120  # [s] of references, as in the paper (section 5.1)


@dataclass(frozen=True, eq=False)
class Motion:
    """N poses of a flat body with n coordinates, h apart, and which points stand on the ground.

    A cycle continues by its `travel`; without one the motion begins and ends. Poses of `fixed`
    rows are kept as they are: the two rows at either end of a transition, which belong to the
    motions before and after it. A motion with ends takes the controls of its first and last row
    from `torque` and `force_w` there, if they are given.
    """

    name: str
    step: float  # h [s]
    q: np.ndarray  # (N, n)
    contact: np.ndarray  # (N, 8) bool, in the order of `FlatBody.corner_names`
    travel: Travel | None = None
    fixed: np.ndarray | None = None  # (N,) bool
    torque: np.ndarray | None = None  # (2, n − 6) of the first and last row [N m]
    force_w: np.ndarray | None = None  # (2, 8, 3) of the first and last row [N]

    def __post_init__(self) -> None:
        N = len(self.q)
        if np.ndim(self.q) != 2 or N < 3:
            raise InputError(f"motion '{self.name}': q has shape {np.shape(self.q)}")
        if np.shape(self.contact) != (N, CORNERS):
            raise InputError(
                f"motion '{self.name}': contact has shape {np.shape(self.contact)}; "
                f"expected {(N, CORNERS)}"
            )
        if not np.isfinite(self.q).all():
            raise InputError(f"motion '{self.name}': q is not finite")
        for given, shape in ((self.torque, (2, self.n - ROOT)), (self.force_w, (2, CORNERS, 3))):
            if given is not None and np.shape(given) != shape:
                raise InputError(
                    f"motion '{self.name}': controls of the ends have shape {np.shape(given)}; "
                    f"expected {shape}"
                )

    def __len__(self) -> int:
        return len(self.q)

    @property
    def n(self) -> int:
        """Coordinates of the body."""
        return int(self.q.shape[1])

    @property
    def periodic(self) -> bool:
        return self.travel is not None

    @property
    def seconds(self) -> float:
        return len(self) * self.step

    @property
    def kept(self) -> np.ndarray:
        """Rows (N,) bool whose poses are given."""
        return np.zeros(len(self), bool) if self.fixed is None else np.asarray(self.fixed, bool)

    def q_at(self, k: int) -> np.ndarray:
        """Pose (n,) of row k; of other cycles, too, when periodic."""
        if self.travel is None:
            return np.array(self.q[min(max(k, 0), len(self) - 1)])
        count, row = divmod(k, len(self))
        return self.travel.times(count).pose(self.q[row])

    @property
    def carries(self) -> np.ndarray:
        """Points (N, 8) bool that may carry force: on the ground at their pose and at the next,
        since the force is to leave them at rest (see `Reference.carries`)."""
        after = np.roll(self.contact, -1, axis=0)
        if not self.periodic:
            after[-1] = self.contact[-1]
        return np.array(self.contact & after)


def clearances(motion: Motion, rise: float = 0.18, most: float = 0.012) -> np.ndarray:
    """Least heights (N, 8) [m] of points off the ground: they rise with the time from contact.

    `rise` is in m/s; a foot therefore neither lifts nor lands before its phase, and does not scuff.
    """
    N = len(motion)
    least = np.zeros((N, CORNERS))
    for c in range(CORNERS):
        on = np.flatnonzero(motion.contact[:, c])
        for k in range(N):
            if motion.contact[k, c]:
                continue
            away = np.abs(on - k)
            if motion.periodic:
                away = np.minimum(away, N - away)
            time = (away.min() if len(on) else N) * motion.step
            least[k, c] = min(most, rise * time)
    return least


def foot_directions(body: FlatBody, motion: Motion) -> np.ndarray:
    """Where each foot points on the ground (N, 2, 2): unit vectors from heel to toe."""
    ahead = np.empty((len(motion), 2, 2))
    for k, q in enumerate(motion.q):
        heel_toe = body.midpoints_w(q)[:, :2].reshape(2, 2, 2)
        ahead[k] = heel_toe[:, 1] - heel_toe[:, 0]
    length = np.linalg.norm(ahead, axis=2, keepdims=True)
    return np.asarray(ahead / np.maximum(length, 1e-9))
