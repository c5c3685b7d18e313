"""Travel: the pendulum over the horizon, at a speed that the body and the way allow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from amble.characters.character import GRAVITY
from amble.sketch.facing import Turn
from amble.sketch.gait import Gait
from amble.sketch.ground import Survey, survey
from amble.sketch.pendulum import Pendulum, PendulumMotion
from amble.sketch.sketch import PendulumState
from amble.terrain.terrain import Terrain

LEAD = 0.3  # [s · √(L/0.925 m)] the wish runs ahead of the ramp, for the regulator lags behind it
SPRINT = 0.5  # of the greatest acceleration that a runner keeps up
PULL = 2.5  # [1/s] how fast a standing body moves over its feet
GRIP = 0.37  # mean sideways acceleration in a curve, of g; in its middle it is half as much again
STILL = 0.01  # of √(g L): slower than this is at rest


@dataclass(frozen=True, eq=False)
class Travel:
    """A rough motion of the body, K samples."""

    time: np.ndarray  # (K,) [s]
    motion: PendulumMotion
    yaw: np.ndarray  # (K,) [rad]
    yaw_rate: np.ndarray  # (K,) [rad/s]
    heading: np.ndarray  # (K,) [rad]
    ground: Survey
    stops: bool  # whether it is at rest at the end
    notes: tuple[str, ...]


def allowed_speed(gait: Gait, wish: float, relative: float) -> tuple[float, tuple[str, ...]]:
    """The wished speed within what the body can do when it looks `relative` rad off its way."""
    along, across = math.cos(relative), math.sin(relative)
    front = gait.fastest if along > 0 else gait.fastest_backwards
    most = 1 / math.hypot(along / front, across / gait.fastest_sideways)
    if wish <= most:
        return wish, ()
    return most, (f"speed limited to {most:.2f} m/s (wished {wish:.2f})",)


def allowed_turn(gait: Gait, speed: float) -> float:
    """Greatest mean rate of a turn [rad/s]: legs, and friction on the way round the curve."""
    return min(gait.yaw_rate, GRIP * GRAVITY / max(speed, 1e-6))


def turn_notes(gait: Gait, now: float, turn: Turn, speed: float) -> tuple[str, ...]:
    """Says when a turn that begins now is slower than the legs alone would make it."""
    rate = allowed_turn(gait, speed)
    if turn.start < now or rate == gait.yaw_rate or abs(turn.target - turn.angle) < 0.1:
        return ()
    return (f"turn slowed to {rate:.1f} rad/s at {speed:.1f} m/s",)


class Traveller:
    """Plans the travel of one body on one ground."""

    def __init__(self, pendulum: Pendulum, gait: Gait, terrain: Terrain) -> None:
        self.pendulum, self.gait, self.terrain = pendulum, gait, terrain
        zero, one = np.zeros(2), np.array([1.0, 0.0])
        rest = pendulum.plan(zero, zero, one, zero, np.zeros((pendulum.samples, 2)))
        self.lag = float(rest.cart_w[-1, 0])  # [s] of a stop: metres per m/s
        self._reach = max(abs(x) for x, _ in gait.rest_b)

    def plan(
        self,
        now: float,
        state: PendulumState,
        speed: float,
        facing: Turn,
        heading: Turn,
        level: float | None = None,
        centre: np.ndarray | None = None,
        hold: float = 0.0,
    ) -> Travel:
        """Travel from a state at a wished speed, to which it changes after `hold` seconds.

        `level` is the height of the ground the feet are on [m], and `centre` is where standing
        feet want the cart.
        """
        p, gait = self.pendulum, self.gait
        time = now + np.arange(p.samples + 1) / p.rate
        ways = heading.angles(time)
        directions = np.column_stack([np.cos(ways), np.sin(ways)])
        com_velocity = state.cart_velocity_w + p.length * state.lean_rate
        start = float(com_velocity @ directions[0])
        speeds = self._ramp(time[:-1] - now - hold, start, speed)
        motion = self._move(state, speeds, directions)
        ground = self._survey(motion, level)
        notes: tuple[str, ...] = ()
        blocked = self._blocked(motion, ground, start)
        if blocked is not None:
            speeds, notes = self._brake(time[:-1] - now, speeds, start, blocked)
        if blocked is not None or abs(ground.slope) > 0.02:
            speeds = speeds / math.hypot(1.0, ground.slope)  # cos θ (appendix B)
            motion = self._move(state, speeds, directions)
            ground = self._survey(motion, level)
        if speeds[-1] == 0.0 and centre is not None:
            motion = self._pulled(state, speeds, directions, motion, centre)
            ground = self._survey(motion, level)
        still = float(np.hypot(*motion.cart_velocity_w[-1])) < STILL * gait.pace
        return Travel(
            time=time,
            motion=motion,
            yaw=facing.angles(time),
            yaw_rate=facing.rates(time),
            heading=ways,
            ground=ground,
            stops=bool(speeds[-1] == 0.0 and still and facing.end <= time[-1]),
            notes=notes,
        )

    def _move(self, s: PendulumState, speeds: np.ndarray, directions: np.ndarray) -> PendulumMotion:
        wished = speeds[:, None] * directions[:-1]
        return self.pendulum.plan(s.cart_w, s.lean, s.cart_velocity_w, s.lean_rate, wished)

    def _pulled(
        self,
        s: PendulumState,
        speeds: np.ndarray,
        directions: np.ndarray,
        motion: PendulumMotion,
        centre: np.ndarray,
    ) -> PendulumMotion:
        """The same, but it comes to rest over `centre`.

        A linear system that follows steps exactly moves by the integral of its input: adding
        k e exp(−k t) to the wish moves where it ends by e.
        """
        p = self.pendulum
        decay = np.exp(-PULL / self.gait.time_scale * np.arange(p.samples) / p.rate)
        share = decay / (decay.sum() / p.rate)
        wished = speeds[:, None] * directions[:-1]
        wished = wished + share[:, None] * (centre - motion.cart_w[-1])
        return p.plan(s.cart_w, s.lean, s.cart_velocity_w, s.lean_rate, wished)

    def _ramp(self, t: np.ndarray, start: float, wish: float) -> np.ndarray:
        """Wished speeds over time, no faster than the body can speed up or brake."""
        gait, pace = self.gait, max(start, 0.0) / self.gait.roll_speed
        # From rest a body cannot lean into its speed as a runner does.
        acceleration = gait.acceleration * (0.6 + 0.4 * min(1.0, pace / 2.5))
        run = min(max(0.5 * (pace - 2.5), 0.0), 1.0)
        acceleration *= 1 - run + SPRINT * run
        # A runner leans for as long as its speed changes: the wish is ahead by the regulator's
        # whole lag, beyond the speed to be reached.
        lead = LEAD * gait.time_scale
        lead += run * (self.lag - lead)
        beyond = run * self.lag * acceleration
        change, ahead = acceleration * t, acceleration * np.maximum(t + lead, 0.0)
        if wish < start:
            return np.maximum(start - ahead, wish - beyond * (start - change > wish))
        start = max(start, 0.0)
        return np.minimum(start + ahead, wish + beyond * (start + change < wish))

    def _survey(self, motion: PendulumMotion, level: float | None) -> Survey:
        step = motion.com_w[-1] - motion.com_w[0]
        speed = math.hypot(*step) * self.pendulum.rate / self.pendulum.samples
        window = max(self.gait.stride(speed) * speed, 0.9 * self.gait.leg_length)
        return survey(self.terrain, motion.com_w, self.gait.leg_length, window, level)

    def _blocked(self, motion: PendulumMotion, ground: Survey, speed: float) -> float | None:
        """Metres to the first stretch that no step can bridge, or None."""
        if ground.open.all():
            return None
        d = np.diff(motion.com_w, axis=0)
        arc = np.concatenate([[0.0], np.cumsum(np.hypot(d[:, 0], d[:, 1]))])
        bridge = 0.6 * self.gait.leg_length + 0.5 * self.gait.time_scale * max(speed, 0.0)
        shut: int | None = None
        for k, free in enumerate(ground.open):
            if free:
                shut = None
                continue
            shut = k if shut is None else shut
            if arc[k] - arc[shut] > bridge:
                return float(arc[shut])
        return None

    def _brake(
        self, t: np.ndarray, speeds: np.ndarray, start: float, distance: float
    ) -> tuple[np.ndarray, tuple[str, ...]]:
        """Speeds that end in front of what is `distance` metres ahead."""
        gait = self.gait
        room = distance - 0.25 * gait.leg_length - self._reach
        note = ("way blocked: stops in front of it",)
        slow = start < 0.1 * gait.pace
        if room <= 0.02 or (slow and room < 0.3 * gait.leg_length):
            return np.zeros(len(t)), note
        a = 0.6 * gait.acceleration
        # The greatest v from which it stops in time: v²/(2a) + v · lag = room.
        most = a * (math.sqrt(self.lag**2 + 2 * room / a) - self.lag)
        top = min(float(speeds.max()), most)
        begin = max(0.0, (room - top**2 / (2 * a) - top * self.lag) / max(top, start, 1e-3))
        hardest = max(
            a, (start**2 / (2 * max(room - start * self.lag, 0.05))) if start > top else a
        )
        limit = np.maximum(0.0, np.where(t > begin, top - hardest * (t - begin), top))
        return np.minimum(speeds, limit), note
