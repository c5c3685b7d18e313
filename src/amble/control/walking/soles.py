"""The two feet as a walker sees them: where each sole is, where it points, what of it holds."""

from __future__ import annotations

import cmath
import math

import mujoco
import numpy as np

from amble.characters.character import Character, EndEffector
from amble.control.walking.pendulum import Place, PressureClip
from amble.control.whole_body import WholeBody
from amble.errors import InputError

SURE_LENGTH, SURE_WIDTH = 0.74, 0.62  # shares of a sole in which the pressure is kept
BEHIND = 0.01  # [m] the point that is placed, behind the sole's middle, for a human
EDGE = 0.02  # [m] of a sole that does not count when two of them carry, for a human


class Sole:
    """One foot: `refresh` measures it."""

    def __init__(self, body: WholeBody, foot: EndEffector, leg: tuple[str, ...], size: float):
        model = body.model
        self.points = np.array([body.site_names.index(site) for site in foot.sites])
        half = len(self.points) // 2
        self.heels, self.toes = self.points[:half], self.points[half:]
        self.body = model.body(foot.body).id
        self.origin = body.origin_of(foot.body)
        self.geoms = frozenset(np.flatnonzero(model.geom_bodyid == self.body).tolist())
        self.hip = model.body(leg[0]).id
        self._leg = [model.body(name).id for name in leg[1:]]
        self._whole, self._size = body, size

    def measure_rest(self, rest: mujoco.MjData) -> None:
        """What the rest pose says: the sole's shape, and the foot's frame relative to it."""
        sites = rest.site_xpos[self._whole.sites[self.points]]
        centre = sites.mean(axis=0)
        self.rest_place = complex(centre[0], centre[1])
        extent = np.ptp(sites, axis=0) / 2
        self.half_length, self.half_width = float(extent[0]), float(extent[1])
        self.rest_R = rest.xmat[self.body].reshape(3, 3).copy()
        self._ahead = self.rest_R[0].tolist()
        self.ankle = rest.xpos[self.body] - centre  # (3,) in the frame of the heading
        self.leg_length = float(np.linalg.norm(self._whole.model.body_pos[self._leg], axis=1).sum())

    def refresh(self) -> None:
        """Measure the present place and direction."""
        points = self._whole.points_w[self.points].tolist()
        count = len(points)
        self.place: Place = complex(
            sum(p[0] for p in points) / count, sum(p[1] for p in points) / count
        )
        self.height = sum(p[2] for p in points) / count
        # The rest pose looks along x: where that axis of the rest frame points now.
        r = self._whole.data.xmat[self.body].tolist()
        a, b, c = self._ahead
        x, y, z = (r[k] * a + r[k + 1] * b + r[k + 2] * c for k in (0, 3, 6))
        self.measured_yaw = math.atan2(y, x)
        self.pitch = math.atan2(-z, math.hypot(x, y))

    @property
    def fall_speed(self) -> float:
        """Of the sole's middle, downwards [m/s]."""
        return -float(self._whole.point_velocities_w[self.points, 2].mean())

    @property
    def reference(self) -> Place:
        """The point of the sole that steps are measured from."""
        return self.place - cmath.rect(BEHIND * self._size, self.yaw)

    #: yaw that it was put down with [rad]
    yaw: float = 0.0
    #: height of the ground that it stands on [m]
    ground: float = 0.0

    def clip(self) -> PressureClip:
        """Where the centre of pressure may be while it carries alone."""
        length, width = SURE_LENGTH * self.half_length, SURE_WIDTH * self.half_width
        return PressureClip(self.place, self.yaw, length, width)

    def support(
        self, margin: float = EDGE, *, toes_only: bool = False
    ) -> list[tuple[float, float]]:
        """Corners of the part that may carry, a margin from its edges."""
        margin *= self._size
        x1 = max(self.half_length - margin, 0.0)
        x0 = max(self.half_length - 1.5 * margin, 0.0) if toes_only else -x1
        y = max(self.half_width - margin, 0.0)
        turn = cmath.rect(1.0, self.yaw)
        spots = [self.place + turn * complex(a, b) for a in (x0, x1) for b in (-y, y)]
        return [(p.real, p.imag) for p in spots]

    def touches(self) -> bool:
        """Whether the foot touches anything."""
        data = self._whole.data
        if not data.ncon:
            return False
        near = data.contact.geom[data.contact.dist < 0].ravel().tolist()
        return not self.geoms.isdisjoint(near)

    def on_ground(self) -> bool:
        """Whether the foot touches the ground; legs that meet each other do not count."""
        data, owner = self._whole.data, self._whole.model.geom_bodyid
        near = data.contact.geom[data.contact.dist < 0].tolist() if data.ncon else []
        return any(
            (a in self.geoms and owner[b] == 0) or (b in self.geoms and owner[a] == 0)
            for a, b in near
        )


def two_soles(character: Character, body: WholeBody, size: float) -> tuple[Sole, Sole]:
    """The left and the right foot of a biped."""
    legs = {limb.end_effector: limb.bodies for limb in character.limbs if limb.kind == "leg"}
    feet = character.feet
    if len(feet) != 2:
        raise InputError(f"character '{character.name}' has {len(feet)} feet; to walk needs two")
    left, right = (Sole(body, foot, legs[foot.name], size) for foot in feet)
    return left, right


def foot_bodies(character: Character) -> list[str]:
    """MJCF bodies of the feet."""
    return [foot.body for foot in character.feet]
