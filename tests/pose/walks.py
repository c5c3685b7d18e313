"""Synthetic gaits: contacts and a rigid body that moves over them, without a planner."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from amble.characters.centroidal import CentroidalBody
from amble.geometry.turns import about_z
from amble.plan.plan import BodyState
from amble.sketch.contact import Contact, standing_sole

SPEEDS = [0.0, 0.5, 1.15, 2.0, 3.0, 5.0, 7.0]
STRIDES = [1.35, 1.3, 1.10, 0.84, 0.74, 0.66, 0.56]
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Gait:
    """Contacts by start, and the body's state at any time."""

    contacts: tuple[Contact, ...]
    state: Callable[[float], BodyState]
    seconds: float


def human_gait(body: CentroidalBody, speed: float, seconds: float = 3.0) -> Gait:
    """A straight walk or run along x."""
    length = body.leg_length / 0.925
    v = speed / math.sqrt(length)
    stride = float(np.interp(v, SPEEDS, STRIDES)) * math.sqrt(length)
    D = float(np.clip(0.75 / max(v, 0.05), 0.1, (0.66 if v < 1.2 else 0.63) * stride))
    duty = D / stride
    run = float(np.clip((0.56 - duty) / 0.14, 0, 1))
    roll = min(1.0, v)
    strike = math.radians(18 * (1 - run) + 4 * run) * roll
    push_off = math.radians(58 * (1 - run) + 52 * run) * roll
    narrow = 0.5 * (1 - run) + 0.3 * run
    return _gait(
        body, speed, seconds, stride, duty, (0.0, 0.5), strike, push_off, narrow,
        drop=(0.012 * (1 - run) + 0.035 * run) * length, run=run, sway=0.02 * (1 - 0.7 * run),
    )  # fmt: skip


def robot_gait(
    body: CentroidalBody, speed: float, stride: float, duty: float, offsets: tuple[float, ...],
    seconds: float = 3.0, drop: float = 0.01, sway: float = 0.0,
) -> Gait:  # fmt: skip
    """Feet that do not roll, each limb `offsets` of a stride later than the first."""
    return _gait(body, speed, seconds, stride, duty, offsets, 0.0, 0.0, 1.0, drop, 0.0, sway)


def standing(body: CentroidalBody) -> Gait:
    """All feet down until further notice."""
    inf = math.inf
    contacts = tuple(
        Contact(
            i, 0.0, 0.0, inf, inf, 0.0, leg.reference_b + np.array([0, 0, body.height]), 0.0, UP
        )
        for i, leg in enumerate(body.legs)
    )
    rest = BodyState(np.array([0, 0, body.height]), np.zeros(3), np.eye(3), np.zeros(3))
    return Gait(contacts, lambda t: rest, 1.0)


def turned(gait: Gait, yaw: float) -> Gait:
    """The same gait in another direction."""
    R = about_z(yaw)
    from dataclasses import replace

    contacts = tuple(
        replace(c, position_w=R @ c.position_w, yaw=c.yaw + yaw, normal_w=R @ c.normal_w)
        for c in gait.contacts
    )

    def state(t: float) -> BodyState:
        s = gait.state(t)
        return BodyState(R @ s.com_w, R @ s.velocity_w, R @ s.R_w, R @ s.omega_w)

    return Gait(contacts, state, gait.seconds)


def mirrored(gait: Gait, body: CentroidalBody) -> Gait:
    """Left and right exchanged."""
    from dataclasses import replace

    M = np.diag([1.0, -1.0, 1.0])
    partner = {
        i: next(
            j for j, b in enumerate(body.legs)
            if np.allclose(b.hip_b * [1, -1, 1], a.hip_b, atol=1e-3)
        )
        for i, a in enumerate(body.legs)
    }  # fmt: skip
    contacts = tuple(
        replace(c, limb=partner[c.limb], position_w=M @ c.position_w, yaw=-c.yaw)
        for c in gait.contacts
    )

    def state(t: float) -> BodyState:
        s = gait.state(t)
        return BodyState(M @ s.com_w, M @ s.velocity_w, M @ s.R_w @ M, -M @ s.omega_w)

    return Gait(contacts, state, gait.seconds)


def _gait(
    body: CentroidalBody, speed: float, seconds: float, stride: float, duty: float,
    offsets: tuple[float, ...], strike: float, push_off: float, narrow: float, drop: float,
    run: float, sway: float,
) -> Gait:  # fmt: skip
    D = duty * stride
    contacts = []
    for limb, leg in enumerate(body.legs):
        for k in range(-3, math.ceil(seconds / stride) + 3):
            middle = (k + offsets[limb]) * stride
            start, end = middle - D / 2, middle + D / 2
            at = leg.reference_b + np.array([speed * middle, 0, body.height])
            at[1] *= narrow
            flat = start + (0.13 * D if strike > 0 else 0.0)
            heel_off = end - (0.42 * D if push_off > 0 else 0.0)
            contacts.append(
                Contact(limb, start, flat, heel_off, end, middle, at, 0.0, UP, strike, push_off,
                        speed, duty)
            )  # fmt: skip
    lower = 0.0
    contacts.sort(key=lambda c: c.start)
    step = stride / (2 if len(set(offsets)) > 1 else 1)
    bounce = (1 - run) * 0.015 * min(1.0, speed) * body.leg_length if len(body.legs) == 2 else 0.0
    flight = max(step - D, 0.0)

    def height(t: float) -> tuple[float, float]:
        # Steps are centred on mid-stance; in flight a parabola, on the ground its smooth inverse.
        u = (t / step + 0.5) % 1.0 - 0.5
        z = bounce * math.cos(2 * math.pi * u)
        dz = -bounce * 2 * math.pi / step * math.sin(2 * math.pi * u)
        if flight > 0:
            a = 9.81 * flight / D  # mean upward acceleration on the ground, beyond gravity
            tau = u * step
            if abs(tau) <= D / 2:
                # sin-shaped force: z'' = a π/2 cos(π τ / D)
                k = math.pi / D
                z += -a * math.pi / 2 / k**2 * math.cos(k * tau)
                dz += a * math.pi / 2 / k * math.sin(k * tau)
            else:
                late = abs(tau) - D / 2
                v0 = a * math.pi / 2 * D / math.pi
                z += v0 * late - 4.905 * late**2
                dz += math.copysign(1, tau) * (v0 - 9.81 * late)
        return z, dz

    def state(t: float) -> BodyState:
        z, dz = height(t)
        phase = 2 * math.pi * t / stride
        y, dy = sway * math.cos(phase), -sway * 2 * math.pi / stride * math.sin(phase)
        com = np.array([speed * t, y, body.height - drop - lower + z])
        return BodyState(com, np.array([speed, dy, dz]), np.eye(3), np.zeros(3))

    # As a plan would: low enough for every leg to reach its foot.
    for _ in range(8):
        excess = 0.0
        for c in contacts:
            leg = body.legs[c.limb]
            for t in np.linspace(c.start, c.end, 20):
                away = state(t).com_w + leg.hip_b - standing_sole(c, leg, t).ankle_w(leg)
                excess = max(excess, float(np.linalg.norm(away)) - 0.985 * leg.longest)
        lower += excess
    return Gait(tuple(contacts), state, seconds)
