"""When a simulation blows up: what is kept of the last second, and the error that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from amble.errors import AmbleError
from amble.motion.clip import Clip
from amble.motion.files import replacing

_LAYOUT = (
    mujoco.mjtState.mjSTATE_TIME,
    mujoco.mjtState.mjSTATE_QPOS,
    mujoco.mjtState.mjSTATE_QVEL,
    mujoco.mjtState.mjSTATE_QFRC_APPLIED,
)
_SIGNATURE = int(np.bitwise_or.reduce([int(part) for part in _LAYOUT]))


@dataclass(frozen=True, eq=False)
class Evidence:
    """States before the end, oldest first; the last row is the one that broke."""

    time: np.ndarray  # (n,) [s]
    qpos: np.ndarray  # (n, nq)
    qvel: np.ndarray  # (n, nv)
    torque: np.ndarray  # (n, nv − 6) [N m]

    def save(self, path: str | Path) -> None:
        """Write the arrays to a .npz file under their names."""
        with replacing(Path(path)) as unfinished:
            np.savez(unfinished, time=self.time, qpos=self.qpos, qvel=self.qvel, torque=self.torque)


class SimulationDiverged(AmbleError):
    """The state, or a torque about to enter it, is no longer finite or absurdly large."""

    def __init__(self, reason: str, time: float, evidence: Evidence) -> None:
        super().__init__(
            f"simulation diverged at {time:.3f} s: {reason}; try smaller gains or timestep"
        )
        self.reason = reason
        self.time = time
        self.evidence = evidence
        self.clip: Clip | None = None  # the motion until then, where it was being recorded


class BlackBox:
    """Keeps the states of the last second, `rate` a second, in a ring."""

    def __init__(self, model: mujoco.MjModel, rate: float = 100.0) -> None:
        self._sizes = [mujoco.mj_stateSize(model, int(part)) for part in _LAYOUT]
        self._ring = np.empty((round(rate) + 1, sum(self._sizes)))
        self._interval = 1.0 / rate
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._count = 0
        self.due = -np.inf  # [s] when the next state should be kept

    def keep(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Remember the present state."""
        row = self._ring[self._count % len(self._ring)]
        mujoco.mj_getState(model, data, row, _SIGNATURE)
        self._count += 1
        self.due = data.time + self._interval - 1e-9

    def evidence(self) -> Evidence:
        """What is remembered, oldest first."""
        kept = min(self._count, len(self._ring))
        rows = self._ring[np.arange(self._count - kept, self._count) % len(self._ring)]
        time, qpos, qvel, applied = np.split(rows, np.cumsum(self._sizes)[:-1], axis=1)
        return Evidence(time[:, 0], qpos, qvel, applied[:, 6:])
