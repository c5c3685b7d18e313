"""What a clip achieved and how honest its physics is: every measure, defined once.

All measures run over the whole clip. `measure` returns them under the names of their functions;
those that are not functions of their own are counts of the clip's events.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from amble.characters.character import GRAVITY
from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.fall import has_fallen
from amble.motion.trace import Trace, joint_angles, trace, turning

MOMENTUM_WINDOW = 0.1  # [s]


def measure(clip: Clip) -> dict[str, Any]:
    """All measures of a clip, ready for JSON."""
    seen = trace(clip)
    return {
        "fell": fell(clip, seen),
        "distance_m": distance_m(clip, seen),
        "mean_speed_m_s": mean_speed_m_s(clip, seen),
        "heading_error_deg": heading_error_deg(clip, seen),
        "stance_slip_mm": stance_slip_mm(clip, seen),
        "penetration_mm": penetration_mm(clip, seen),
        "friction_excess": friction_excess(clip, seen),
        "momentum_residual": momentum_residual(clip, seen),
        "joint_limit_excess_deg": joint_limit_excess_deg(clip),
        "max_lean_deg": max_lean_deg(seen),
        "com_drift_mm": com_drift_mm(seen),
        "energy_J": energy_J(clip),
        "mean_power_W": mean_power_W(clip),
        "max_torque_ratio": max_torque_ratio(clip),
        "angular_momentum_residual": angular_momentum_residual(clip, seen),
        "joint_acceleration_rad_s2": joint_acceleration_rad_s2(seen),
        "replan_spike": replan_spike(clip, seen),
        "plans": len(clip.events_of("plan")),
        "plan_failures": len(clip.events_of("plan_failure")),
    }


def fell(clip: Clip, seen: Trace) -> bool:
    """Whether the body fell at any time: `has_fallen`, or an event that says so."""
    ground = clip.terrain.height(seen.com_w[:, 0], seen.com_w[:, 1])
    weight = seen.mass * GRAVITY
    fallen = has_fallen(
        seen.com_w[:, 2] - ground, seen.rest_height, clip.other_force_w[:, 2], weight
    )
    return bool(fallen.any()) or bool(clip.events_of("fall"))


def distance_m(clip: Clip, seen: Trace) -> float:
    """Length of the centre of mass's way over the ground [m].

    The way is taken as straight from second to second, so that swaying to and fro does not count.
    """
    whole_seconds = np.searchsorted(clip.time, np.arange(clip.time[0], clip.time[-1]))
    corners = seen.com_w[[*whole_seconds, -1], :2]
    return float(np.linalg.norm(np.diff(corners, axis=0), axis=1).sum())


def mean_speed_m_s(clip: Clip, seen: Trace) -> float:
    """`distance_m` over the clip's duration [m/s]."""
    return distance_m(clip, seen) / clip.seconds if clip.seconds > 0 else 0.0


def heading_error_deg(clip: Clip, seen: Trace) -> float:
    """Mean angle between where the root faces and the heading commanded at that time [deg].

    Headings are counter-clockwise from x; before the first `heading` command it is 0.
    """
    facing = np.arctan2(seen.root_R_w[:, 1, 0], seen.root_R_w[:, 0, 0])
    commanded = np.zeros(len(clip))
    for event in clip.events_of("command"):
        if event.what == "heading":
            commanded[clip.time >= event.time - 1e-9] = np.deg2rad(event.values["value"])
    error = facing - commanded
    return float(np.rad2deg(np.abs(np.arctan2(np.sin(error), np.cos(error))).mean()))


def stance_slip_mm(clip: Clip, seen: Trace) -> dict[str, float]:
    """How far contact points stray along the ground from where they touched down [mm].

    `mean` is over all frames and points that touch, `max` over the whole clip.
    """
    start = seen.points_w.copy()
    for k in range(1, len(clip)):
        standing = clip.touching[k] & clip.touching[k - 1]
        start[k, standing] = start[k - 1, standing]
    away = seen.points_w - start
    normal = clip.terrain.normal(start[..., 0], start[..., 1])
    along = away - (away * normal).sum(axis=-1, keepdims=True) * normal
    return _mean_and_max_mm(np.linalg.norm(along, axis=-1)[clip.touching])


def penetration_mm(clip: Clip, seen: Trace) -> dict[str, float]:
    """How deep contact points are below the surface of the ground [mm].

    `mean` is over all frames and points that touch or are below it, `max` over the whole clip.
    """
    x, y, z = np.moveaxis(seen.points_w, -1, 0)
    depth = (clip.terrain.height(x, y) - z) * clip.terrain.normal(x, y)[..., 2]
    # Beside a step the way out is sideways and shorter than the way up.
    for k, p in np.argwhere(depth > 0.001):
        depth[k, p] = min(depth[k, p], _way_out_sideways(clip, seen.points_w[k, p]))
    counted = depth[clip.touching | (depth > 0)]
    return _mean_and_max_mm(np.maximum(counted, 0.0))


def _way_out_sideways(clip: Clip, point_w: np.ndarray, reach: float = 0.05) -> float:
    """Shortest way from `point_w` to the open, sideways and then up, trying 8 directions [m]."""
    radius, angle = np.meshgrid(np.arange(0.001, reach, 0.001), np.arange(8) * np.pi / 4)
    x = point_w[0] + radius * np.cos(angle)
    y = point_w[1] + radius * np.sin(angle)
    return float((radius + np.maximum(clip.terrain.height(x, y) - point_w[2], 0.0)).min())


def friction_excess(clip: Clip, seen: Trace) -> float:
    """Largest contact force outside the friction cone, relative to the body's weight.

    The excess of one force is |f_t| − μ f_n, with its parts along and normal to the ground: zero or
    less inside the cone, and positive also for a ground that pulls.
    """
    force = clip.contact_force_w
    normal = clip.terrain.normal(seen.points_w[..., 0], seen.points_w[..., 1])
    f_n = (force * normal).sum(axis=-1)
    f_t = np.linalg.norm(force - f_n[..., None] * normal, axis=-1)
    excess = (f_t - clip.friction * f_n) / (seen.mass * GRAVITY)[:, None]
    return float(np.maximum(excess, 0.0).max(initial=0.0))


def momentum_residual(clip: Clip, seen: Trace) -> float:
    """Mean violation of Newton's second law, relative to the body's weight.

    The rate of the body's real momentum, by differences of the poses' centre of mass c, against
    gravity, ground and external forces f: |m Δċ/Δt − m g − f̄| / (m g), over every window of
    0.1 s. In shorter ones an impact, which no two poses resolve, would look like a violation.
    """
    if len(clip) < 3:
        return 0.0
    N = max(1, min(round(MOMENTUM_WINDOW * clip.fps), len(clip) - 2))  # intervals a window
    dt = np.diff(clip.time)[:, None]
    velocity = np.diff(seen.com_w, axis=0) / dt  # mean over each interval
    middle = clip.time[:-1, None] + dt / 2
    impulse = (clip.ground_force_w + clip.external_force_w)[1:] * dt
    # From the middle of one interval to the middle of the next: half of the impulse of each.
    received = np.cumsum((impulse[1:] + impulse[:-1]) / 2, axis=0)
    received = np.vstack([np.zeros(3), received])
    seconds = middle[N:] - middle[:-N]
    acceleration = (velocity[N:] - velocity[:-N]) / seconds
    force = (received[N:] - received[:-N]) / seconds
    mass = seen.mass[1 : len(seconds) + 1, None]
    gravity = np.array([0.0, 0.0, -GRAVITY])
    residual = np.linalg.norm(acceleration - gravity - force / mass, axis=1) / GRAVITY
    # A reshape moves the centre of mass without any force: leave out the windows that hold one.
    reshapes = np.concatenate([[0], np.cumsum(seen.reshaped[1:])])
    undisturbed = reshapes[N + 1 :] == reshapes[: -N - 1]
    return float(residual[undisturbed].mean()) if undisturbed.any() else 0.0


def angular_momentum_residual(clip: Clip, seen: Trace) -> float:
    """Mean violation of Euler's law about the centre of mass c, relative to m g h, without unit.

    h is the height of the centre of mass at rest. The rate of the angular momentum L that the poses
    have, by differences, against the moment of the contact forces f at their points p:
    |ΔL/Δt − mean of Σ (p − c) × f| / (m g h) over every window of 0.1 s. The forces hold at the
    frames and are taken as linear between them. Left out are windows with a reshape, a push, or a
    ground force on other parts: where those act is not recorded.
    """
    if len(clip) < 3:
        return 0.0
    N = max(1, min(round(MOMENTUM_WINDOW * clip.fps), len(clip) - 1))  # intervals a window
    arms_w = seen.points_w - seen.com_w[:, None]
    moment_w = np.cross(arms_w, clip.contact_force_w).sum(axis=1)
    dt = np.diff(clip.time)[:, None]
    received = np.vstack([np.zeros(3), np.cumsum((moment_w[1:] + moment_w[:-1]) / 2 * dt, axis=0)])
    unexplained = seen.momentum_w - received
    seconds = (clip.time[N:] - clip.time[:-N])[:, None]
    lacking = np.linalg.norm((unexplained[N:] - unexplained[:-N]) / seconds, axis=1)
    residual = lacking / (seen.mass * GRAVITY * seen.rest_height)[N:]
    disturbed = seen.reshaped | clip.other_force_w.any(axis=1)
    for push in clip.events_of("push"):
        until = push.time + push.values.get("seconds", 0.0)
        # The velocities at the frames before and after a push feel it already, or still.
        disturbed |= (clip.time > push.time - 2 / clip.fps) & (clip.time < until + 2 / clip.fps)
    so_far = np.concatenate([[0], np.cumsum(disturbed)])
    undisturbed = so_far[N + 1 :] == so_far[: -N - 1]
    return float(residual[undisturbed].mean()) if undisturbed.any() else 0.0


def joint_acceleration_rad_s2(seen: Trace) -> dict[str, float]:
    """Accelerations of all joints, by second differences of their angles [rad/s²].

    `p99_9` is what all but one of a thousand stay below, over all frames and degrees of freedom,
    `max` the largest. A ball joint counts by the three components of its angular velocity in its
    child's frame; slides and the root are left out.
    """
    size = np.abs(seen.joint_acceleration)
    if size.size == 0:
        return {"p99_9": 0.0, "max": 0.0}
    return {"p99_9": float(np.percentile(size, 99.9)), "max": float(size.max())}


def replan_spike(clip: Clip, seen: Trace) -> float:
    """How much a change of plan shows: the largest joint acceleration within two frames of any
    `plan` event, relative to `p99_9` of `joint_acceleration_rad_s2`; without unit, 0 without plans.
    """
    usual = joint_acceleration_rad_s2(seen)["p99_9"]
    plans = np.array([event.time for event in clip.events_of("plan")])
    if not plans.size or usual == 0:
        return 0.0
    after = np.clip(np.searchsorted(clip.time, plans), 1, max(len(clip) - 1, 1))
    before_is_nearer = plans - clip.time[after - 1] < clip.time[after] - plans
    near = (after - before_is_nearer)[:, None] + np.arange(-2, 3)
    frames = np.unique(np.clip(near, 0, len(clip) - 1))
    return float(np.abs(seen.joint_acceleration[frames]).max() / usual)


def joint_limit_excess_deg(clip: Clip) -> float:
    """Largest angle beyond a joint's limits [deg]; a ball joint counts by its rotation vector,
    slides are left out."""
    model = clip.character.model
    angles = joint_angles(model, clip.qpos)
    low, high = clip.character.joint_limits.T
    excess = np.maximum(low - angles, angles - high)
    return float(np.rad2deg(np.maximum(excess[:, turning(model)], 0.0).max(initial=0.0)))


def max_lean_deg(seen: Trace) -> float:
    """Largest angle of the root's upward axis from the vertical [deg]."""
    return float(np.rad2deg(np.arccos(np.clip(seen.root_R_w[:, 2, 2], -1.0, 1.0))).max())


def com_drift_mm(seen: Trace) -> float:
    """Largest horizontal distance of the centre of mass from where it began [mm]."""
    away = seen.com_w[:, :2] - seen.com_w[0, :2]
    return float(1000 * np.linalg.norm(away, axis=1).max())


def com_height_rms_mm(clip: Clip, reference: ArrayLike) -> float:
    """Root mean square of the centre of mass's height against a reference (T,) [m], in mm."""
    reference = np.asarray(reference, dtype=float)
    if reference.shape != (len(clip),):
        raise InputError(f"reference has shape {reference.shape}; expected ({len(clip)},)")
    return float(1000 * np.sqrt(np.mean((trace(clip).com_w[:, 2] - reference) ** 2)))


def energy_J(clip: Clip) -> float:
    """Mechanical work of all joints, braking counted as positive too: ∫ Σ|τ q̇| dt [J]."""
    power = np.abs(clip.torque * clip.qvel[:, 6:]).sum(axis=1)
    return float(np.trapezoid(power, clip.time))


def mean_power_W(clip: Clip) -> float:
    """`energy_J` over the clip's duration [W]."""
    return energy_J(clip) / clip.seconds if clip.seconds > 0 else 0.0


def max_torque_ratio(clip: Clip) -> float:
    """Largest torque relative to its joint's limit; joints without a motor are left out."""
    driven = clip.character.torque_limits > 0
    ratio = np.abs(clip.torque[:, driven]) / clip.character.torque_limits[driven]
    return float(ratio.max(initial=0.0))


def _mean_and_max_mm(metres: np.ndarray) -> dict[str, float]:
    if metres.size == 0:
        return {"mean": 0.0, "max": 0.0}
    return {"mean": float(1000 * metres.mean()), "max": float(1000 * metres.max())}
