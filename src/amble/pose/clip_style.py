"""A clip as style: its poses, found by the legs' phases, on a motion of another speed and way."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.characters.character import GRAVITY, Character
from amble.errors import InputError
from amble.geometry.splines import smooth_step
from amble.motion.clip import Clip
from amble.pose.cycle import Cycle, cycle_of
from amble.pose.phases import PhasedMemory, contact_phase, follow
from amble.pose.style import Moment, Posture
from amble.pose.swing import turned

RESPONSE = 9.0  # [rad/s] with which speed, way and stride take effect
FULL = 0.5  # of the clip's speed, from which its poses hold in full
SLOWEST = 0.1  # [√(g L)] taken for a clip that goes nowhere
MOST_EXAGGERATED = 0.3  # of the motion about its mean
STILL = 0.02  # [m/s] below which phases are taken as they come
UPRIGHT = np.eye(3)


class ClipStyle(PhasedMemory):
    """The poses of one stride of a clip (centroidal appendix E), at rest when the body is.

    The motion is exaggerated in proportion to the length of the stride (section 8), within limits;
    a body that goes the other way runs through the stride backwards.
    """

    def __init__(self, character: Character, body: CentroidalBody, cycle: Cycle) -> None:
        super().__init__(RESPONSE)
        self.cycle, self.body = cycle, body
        self._low, self._high = character.joint_limits.T
        self._pace = math.sqrt(GRAVITY * body.leg_length)
        self._full = FULL * max(cycle.speed, SLOWEST)

    def posture(self, moment: Moment) -> Posture:
        """The clip's pose at the phases of the moment."""
        phases, rate = self._advance(moment)
        share, way, gain = self._gait.step(self._observed(moment, rate), moment.dt)
        found = share * self.cycle.angles(phases, gain, way)
        angles = np.minimum(np.maximum(found[:-3], self._low), self._high)
        return Posture(angles, turned(UPRIGHT, found[-3:]))

    def _observed(self, moment: Moment, rate: float) -> list[float]:
        """How much of the pose, which way (1 as in the clip … −1), and how exaggerated."""
        R, velocity = moment.state.R_w, moment.state.velocity_w
        yaw = math.atan2(R[1, 0], R[0, 0])
        vx, vy = float(velocity[0]) / self._pace, float(velocity[1]) / self._pace
        speed = math.hypot(vx, vy)
        ahead = self.cycle.forwards * (vx * math.cos(yaw) + vy * math.sin(yaw))
        way = math.copysign(smooth_step(abs(ahead) / self._full), ahead)
        gain = 1.0
        if rate > 0 and self.cycle.stride > 0:
            stride = speed * self._pace / rate / self.body.leg_length
            gain = stride / self.cycle.stride
        limited = min(max(gain, 1 - MOST_EXAGGERATED), 1 + MOST_EXAGGERATED)
        return [smooth_step(speed / self._full), way, limited]

    def _advance(self, moment: Moment) -> tuple[np.ndarray, float]:
        """The legs' phases (legs,), smooth, and the mean of their rates by the contacts [1/s]."""
        wanted = []
        for limb in range(len(self.body.legs)):
            mine = [c for c in moment.contacts if c.limb == limb]
            wanted.append(contact_phase(mine, moment.time))
        vx, vy = moment.state.velocity_w[:2].tolist()
        if self._phases is None or math.hypot(vx, vy) < STILL:
            self._phases = tuple(wanted)
        else:
            pairs = zip(self._phases, wanted, strict=True)
            self._phases = tuple(follow(old, new, moment.dt) for old, new in pairs)
        rates = [phase.rate for phase in wanted]
        return np.array([phase.value for phase in self._phases]), sum(rates) / len(rates)


def style_from_clip(path: str, character: Character, body: CentroidalBody) -> ClipStyle:
    """The style of a clip's file; raises `InputError` that says what is wrong with it."""
    clip = Clip.load(Path(path).expanduser())
    try:
        return ClipStyle(character, body, cycle_of(clip, character, body))
    except InputError as error:
        raise InputError(f"{path}: as a style: {error}") from None
