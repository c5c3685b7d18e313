"""Each measure on clips whose answer is known by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

from amble.characters.centroidal import centroidal_body
from amble.characters.character import Character
from amble.errors import InputError
from amble.motion import measures as measures_module
from amble.motion.clip import Clip, Event
from amble.motion.fall import FALLEN_HEIGHT, has_fallen, rest_com_height
from amble.motion.measures import com_height_rms_mm, measure
from amble.motion.trace import trace
from amble.terrain import Flat, Slope
from amble.terrain.terrain import Terrain

MakeClip = Callable[..., Clip]
ARRAYS = ("time", "qpos", "qvel", "torque", "touching", "contact_force_w", "other_force_w")
ARRAYS += ("ground_force_w", "external_force_w")


def resting(clip: Clip) -> np.ndarray:
    return clip.qpos.copy()


def test_a_body_at_rest_breaks_no_law(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip()
    seen = trace(clip)
    # But for Euler's: all corners carry the same, and their middle is before the centre of mass.
    off = np.linalg.norm((seen.points_w.mean(axis=1) - seen.com_w)[0, :2])
    measures = measure(clip)
    assert measures == {
        "fell": False,
        "distance_m": 0,
        "mean_speed_m_s": 0,
        "heading_error_deg": 0,
        "stance_slip_mm": {"mean": 0, "max": 0},
        "penetration_mm": pytest.approx({"mean": 0, "max": 0}, abs=1e-9),
        "friction_excess": 0,
        "momentum_residual": pytest.approx(0, abs=1e-9),
        "joint_limit_excess_deg": 0,
        "max_lean_deg": 0,
        "com_drift_mm": 0,
        "energy_J": 0,
        "mean_power_W": 0,
        "max_torque_ratio": 0,
        "angular_momentum_residual": pytest.approx(off / rest_com_height(biped)),
        "joint_acceleration_rad_s2": {"p99_9": 0, "max": 0},
        "replan_spike": 0,
        "plans": 0,
        "plan_failures": 0,
    }
    json.dumps(measures, allow_nan=False)


def test_free_fall_needs_no_force_and_any_force_shows(make_clip: MakeClip) -> None:
    clip = make_clip(0.3)
    qpos = resting(clip)
    qpos[:, 2] += 2 - 0.5 * 9.81 * clip.time**2
    nothing = np.zeros_like(clip.ground_force_w)
    assert measure(make_clip(0.3, qpos=qpos, ground_force_w=nothing))[
        "momentum_residual"
    ] == pytest.approx(0, abs=1e-6)
    assert measure(make_clip(0.3, qpos=qpos))["momentum_residual"] == pytest.approx(1, abs=1e-6)
    floating = measure(make_clip(0.3, ground_force_w=nothing))
    assert floating["momentum_residual"] == pytest.approx(1)


def test_a_push_is_part_of_the_momentum_balance(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip()
    qpos = resting(clip)
    qpos[:, 1] += 0.5 * 2.0 * clip.time**2
    push = np.tile([0, 2.0 * biped.mass, 0], (len(clip), 1))
    pushed = measure(make_clip(qpos=qpos, external_force_w=push))
    assert pushed["momentum_residual"] == pytest.approx(0, abs=1e-6)
    assert measure(make_clip(qpos=qpos))["momentum_residual"] == pytest.approx(2.0 / 9.81)


@pytest.mark.parametrize("fps", [50, 100, 250])
def test_a_simulated_body_obeys_newton(biped: Character, make_clip: MakeClip, fps: int) -> None:
    """Drop the limp biped on the ground in MuJoCo: bodies hit, slide and fold up."""
    spec = biped.spec()
    Flat().add_to(spec)
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[2] += 0.1
    steps, frames = 1000 // fps, []
    for _ in range(fps):
        ground = np.zeros(3)
        for _ in range(steps):
            velocity = com_velocity(model, data)
            mujoco.mj_step(model, data)
            change = (com_velocity(model, data) - velocity) / 0.001
            ground += biped.mass * (change + [0, 0, 9.81]) / steps
        frames.append((data.qpos.copy(), data.qvel.copy(), ground))
    qpos, qvel, force = (np.array(column) for column in zip(*frames, strict=True))
    clip = make_clip((fps - 1) / fps, fps, qpos=qpos, qvel=qvel, ground_force_w=force)
    residual = measure(clip)["momentum_residual"]
    assert residual < 4 / fps  # the error of pose differences vanishes with the frame interval
    assert measure(make_clip((fps - 1) / fps, fps, qpos=qpos))["momentum_residual"] > 0.4


def com_velocity(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    mujoco.mj_fwdPosition(model, data)
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jacSubtreeCom(model, data, jacobian, 1)
    return jacobian @ data.qvel


def test_sliding_feet_slip_and_lifted_feet_do_not(make_clip: MakeClip) -> None:
    clip = make_clip(1.0)
    qpos = resting(clip)
    qpos[:, 0] += 0.1 * clip.time
    sliding = measure(make_clip(qpos=qpos))
    assert sliding["stance_slip_mm"] == pytest.approx({"mean": 50, "max": 100})
    assert sliding["distance_m"] == pytest.approx(0.1)
    assert sliding["mean_speed_m_s"] == pytest.approx(0.1)
    assert sliding["com_drift_mm"] == pytest.approx(100)
    lifted = make_clip(qpos=qpos, touching=np.zeros_like(clip.touching))
    assert measure(lifted)["stance_slip_mm"] == {"mean": 0, "max": 0}
    touching = clip.touching.copy()
    touching[50] = False  # a new stance begins at frame 51
    stepped = measure(make_clip(qpos=qpos, touching=touching))
    assert stepped["stance_slip_mm"]["max"] == pytest.approx(49)


def test_swaying_is_no_distance(make_clip: MakeClip) -> None:
    clip = make_clip(4.0)
    qpos = resting(clip)
    qpos[:, 1] += 0.05 * np.sin(2 * np.pi * 3 * clip.time)
    assert measure(make_clip(4.0, qpos=qpos))["distance_m"] == pytest.approx(0, abs=1e-9)


def test_depth_below_the_ground(make_clip: MakeClip) -> None:
    clip = make_clip()
    qpos = resting(clip)
    qpos[50:, 2] -= 0.004
    found = measure(make_clip(qpos=qpos))["penetration_mm"]
    assert found == pytest.approx({"mean": 4 * 51 / 101, "max": 4})
    qpos[:, 2] += 1
    in_the_air = make_clip(qpos=qpos, touching=np.zeros_like(clip.touching))
    assert measure(in_the_air)["penetration_mm"] == {"mean": 0, "max": 0}


class Ledge(Terrain):
    """A step of 0.2 m whose edge lies 2 mm behind the tip of the resting foot."""

    kind = "ledge"

    def height(self, x, y):  # type: ignore[no-untyped-def]
        return np.where(np.asarray(x) > 0.158, 0.2, 0.0) + 0 * np.asarray(y)

    def normal(self, x, y):  # type: ignore[no-untyped-def]
        return np.broadcast_to((0.0, 0.0, 1.0), (*np.shape(self.height(x, y)), 3))

    def add_to(self, spec: mujoco.MjSpec) -> None:
        raise NotImplementedError


def test_a_toe_in_a_riser_is_as_deep_as_its_way_out(make_clip: MakeClip) -> None:
    found = measure(make_clip(terrain=Ledge()))["penetration_mm"]
    assert found["max"] == pytest.approx(2, abs=1.01)


def test_forces_outside_the_cone(make_clip: MakeClip, biped: Character) -> None:
    clip, weight = make_clip(), biped.mass * 9.81
    force = np.zeros_like(clip.contact_force_w)
    force[7, 3] = weight * np.array([0.5, 0, 0.4])
    assert measure(make_clip(contact_force_w=force))["friction_excess"] == pytest.approx(0.1)
    inside = measure(make_clip(contact_force_w=force, friction=1.3))
    assert inside["friction_excess"] == 0
    force[7, 3] = [0, 0, -0.2 * weight]  # glue
    assert measure(make_clip(contact_force_w=force))["friction_excess"] == pytest.approx(0.2)


def test_joint_limits_of_hinges_and_ball_joints(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip()
    qpos = resting(clip)
    qpos[3, biped.model.joint("left_knee").qposadr[0]] = np.deg2rad(-7)
    assert measure(make_clip(qpos=qpos))["joint_limit_excess_deg"] == pytest.approx(7)
    hip = biped.model.joint("right_hip").qposadr[0]
    quat = np.zeros(4)
    mujoco.mju_axisAngle2Quat(quat, np.array([1.0, 0, 0]), 0.5 + np.deg2rad(12))
    for sign in (1, -1):  # both quaternions mean the same rotation
        qpos[5, hip : hip + 4] = sign * quat
        assert measure(make_clip(qpos=qpos))["joint_limit_excess_deg"] == pytest.approx(12)


def turned(qpos: np.ndarray, axis: list[float], degrees: np.ndarray) -> np.ndarray:
    for row, angle in zip(qpos, np.deg2rad(degrees), strict=True):
        mujoco.mju_axisAngle2Quat(row[3:7], np.array(axis), angle)
    return qpos


def test_lean_and_heading(make_clip: MakeClip) -> None:
    clip = make_clip()
    leaning = turned(resting(clip), [0.6, 0.8, 0], 30 * clip.time)
    assert measure(make_clip(qpos=leaning))["max_lean_deg"] == pytest.approx(30)
    facing = turned(resting(clip), [0, 0, 1], np.full(len(clip), 170.0))
    commands = (
        Event(0.0, "command", "heading", {"value": -170.0}),
        Event(0.0, "command", "speed", {"value": 1.0}),
    )
    measures = measure(make_clip(qpos=facing, events=commands))
    assert measures["heading_error_deg"] == pytest.approx(20)
    assert measures["max_lean_deg"] == pytest.approx(0)


def test_work_power_and_torque(make_clip: MakeClip) -> None:
    clip = make_clip(2.0)
    torque, qvel = clip.torque.copy(), clip.qvel.copy()
    torque[:, 3], qvel[:, 9] = 50.0, np.where(clip.time < 1, -2.0, 2.0)
    measures = measure(make_clip(2.0, torque=torque, qvel=qvel))
    assert measures["energy_J"] == pytest.approx(200)
    assert measures["mean_power_W"] == pytest.approx(100)
    assert measures["max_torque_ratio"] == pytest.approx(0.25)


def test_height_against_a_reference(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip()
    height = rest_com_height(biped)
    assert com_height_rms_mm(clip, np.full(len(clip), height - 0.01)) == pytest.approx(10)
    with pytest.raises(InputError, match="expected"):
        com_height_rms_mm(clip, [1.0])


def test_falls(make_clip: MakeClip, biped: Character) -> None:
    clip, height = make_clip(), rest_com_height(biped)
    for share, falls in ((FALLEN_HEIGHT + 0.05, False), (FALLEN_HEIGHT - 0.05, True)):
        qpos = resting(clip)
        qpos[40, 2] -= (1 - share) * height
        assert measure(make_clip(qpos=qpos))["fell"] is falls
    back = clip.other_force_w.copy()
    back[10, 2] = 0.1 * biped.mass * 9.81
    assert measure(make_clip(other_force_w=back))["fell"]
    assert measure(make_clip(events=(Event(0.5, "fall", "stumbled"),)))["fell"]
    assert not has_fallen(0.9, 1.0, 0.0, 700.0)


def test_plans_are_counted(make_clip: MakeClip) -> None:
    events = (Event(0, "plan"), Event(0.5, "plan"), Event(0.5, "plan_failure", "reach"))
    measures = measure(make_clip(events=events))
    assert (measures["plans"], measures["plan_failures"]) == (2, 1)


def test_slip_and_depth_on_a_slope_follow_the_slope(make_clip: MakeClip) -> None:
    clip, slope = make_clip(), Slope(30)
    along, normal = np.array([np.cos(np.pi / 6), 0, 0.5]), slope.normal(0, 0)
    qpos = turned(resting(clip), [0, -1, 0], np.full(len(clip), 30.0))
    qpos[:, :3] = 0.86 * normal  # the soles are 0.86 m below the root
    flat = measure(make_clip(terrain=slope, qpos=qpos))
    assert flat["penetration_mm"]["max"] == pytest.approx(0, abs=1e-6)
    qpos[:, :3] += 0.1 * clip.time[:, None] * along - 0.003 * normal
    sliding = measure(make_clip(terrain=slope, qpos=qpos))
    assert sliding["stance_slip_mm"]["max"] == pytest.approx(100)
    assert sliding["penetration_mm"] == pytest.approx({"mean": 3, "max": 3})
    assert sliding["max_lean_deg"] == pytest.approx(30)


def test_forces_on_a_slope_are_judged_by_its_normal(make_clip: MakeClip, biped: Character) -> None:
    clip = make_clip(terrain=Slope(30))  # weight on a slope of 30° needs μ = tan 30° = 0.577
    weight = 0.5 - 0.5 * np.sqrt(3) / 2  # of the weight: sin 30° − 0.5 cos 30°
    measures = measure(replace(clip, friction=0.5))
    assert measures["friction_excess"] == pytest.approx(weight / 8)
    assert measure(replace(clip, friction=0.58))["friction_excess"] == 0


def test_heading_is_judged_by_the_command_of_the_moment(make_clip: MakeClip) -> None:
    clip = make_clip()
    facing = turned(resting(clip), [0, 0, 1], np.where(clip.time < 0.5, 10.0, 90.0))
    command = (Event(0.5, "command", "heading", {"value": 90.0}),)
    measures = measure(make_clip(qpos=facing, events=command))
    assert measures["heading_error_deg"] == pytest.approx(10 * 50 / 101)


def test_a_clip_played_too_fast_breaks_newton(make_clip: MakeClip, biped: Character) -> None:
    """A jump at double speed has four times the acceleration: 3 g are not accounted for."""
    clip = make_clip(0.4)
    qpos = resting(clip)
    qpos[:, 2] += 2 + 2 * clip.time - 0.5 * 4 * 9.81 * clip.time**2
    nothing = np.zeros_like(clip.ground_force_w)
    wrong = measure(make_clip(0.4, qpos=qpos, ground_force_w=nothing))
    assert wrong["momentum_residual"] == pytest.approx(3, abs=1e-6)


def test_ball_joints_count_by_each_component(make_clip: MakeClip, biped: Character) -> None:
    qpos, hip = resting(make_clip()), biped.model.joint("left_hip").qposadr[0]
    within = np.array([0.4, -1.5, 0.3])  # longer than the narrowest range, but in every one
    for extra, degrees in ((0.0, 0.0), (0.1 + np.deg2rad(5), 5.0)):
        rotvec = within + [extra, 0, 0]
        angle = np.linalg.norm(rotvec)
        mujoco.mju_axisAngle2Quat(qpos[7, hip : hip + 4], rotvec / angle, angle)
        found = measure(make_clip(qpos=qpos))["joint_limit_excess_deg"]
        assert found == pytest.approx(degrees, abs=1e-9)


def spinning(make_clip: MakeClip, biped: Character, share: float, **fields: Any) -> float:
    """Euler's residual of a turn about the vertical with 2 rad/s², for which the ground gives a
    `share` of the moment needed; relative to the mean size of that moment."""
    clip = make_clip()
    qpos = turned(resting(clip), [0, 0, 1], np.rad2deg(clip.time**2))
    seen = trace(make_clip(qpos=qpos))
    R_wb, speed = seen.root_R_w, np.outer(2 * clip.time, [0, 0, 1])
    momentum_w = np.einsum("tij,jk,tk->ti", R_wb, centroidal_body(biped).inertia_b, speed)
    needed_w = np.gradient(momentum_w, clip.time, axis=0, edge_order=2)
    force_w = np.empty_like(clip.contact_force_w)
    for k, arms in enumerate(seen.points_w - seen.com_w[:, None]):
        moments = np.concatenate([np.cross(np.eye(3), arm) for arm in arms], axis=1)
        force_w[k] = np.linalg.lstsq(moments, share * needed_w[k])[0].reshape(-1, 3)
    given = {"qpos": qpos, "contact_force_w": force_w} | fields
    size = np.linalg.norm(needed_w, axis=1).mean()
    residual = measure(make_clip(**given))["angular_momentum_residual"]
    return residual * biped.mass * 9.81 * rest_com_height(biped) / size


def test_a_turn_needs_a_moment(make_clip: MakeClip, biped: Character) -> None:
    assert spinning(make_clip, biped, 1.0) == pytest.approx(0, abs=2e-3)
    assert spinning(make_clip, biped, 0.0) == pytest.approx(1, rel=0.01)
    assert spinning(make_clip, biped, 1.5) == pytest.approx(0.5, rel=0.01)


def test_a_moment_whose_arm_is_unknown_is_not_judged(make_clip: MakeClip, biped: Character) -> None:
    push = (Event(0.0, "push", "pelvis", {"fx": 0.0, "fy": 9.0, "fz": 0.0, "seconds": 2.0}),)
    assert spinning(make_clip, biped, 0.0, events=push) == 0
    lying = np.tile([0, 0, 5.0], (101, 1))
    assert spinning(make_clip, biped, 0.0, other_force_w=lying) == 0


def test_legs_that_swing_in_the_air_keep_the_angular_momentum(
    make_clip: MakeClip, biped: Character
) -> None:
    model = biped.spec().compile()
    data, fps = mujoco.MjData(model), 100
    model.opt.timestep = 0.02 / fps
    model.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    inertia = np.array([0.5, 0.5, 0.05, 0.2, 0.005] * 2)  # [kg m²] of what each joint turns, about
    data.qvel[3:6] = [0.5, 1.0, -0.7]
    frames = []
    for _ in range(fps + 1):
        frames.append(data.qpos.copy())
        for _ in range(50):
            swing = np.sin(5 * data.time + np.arange(model.nv - 6))
            data.qfrc_applied[6:] = 20 * inertia * swing
            mujoco.mj_step(model, data)
    forces = {"contact_force_w": np.zeros((fps + 1, 8, 3))}
    flying = measure(make_clip(qpos=np.array(frames), **forces))
    assert flying["angular_momentum_residual"] < 2e-3
    assert flying["joint_acceleration_rad_s2"]["max"] > 5


@pytest.mark.parametrize(("frames_off", "spike"), [(0, 5), (2, 5), (-2, 5), (3, 1), (-9, 1)])
def test_a_kink_shows_where_the_plan_changed(
    make_clip: MakeClip, biped: Character, frames_off: int, spike: float
) -> None:
    clip, fps, acceleration = make_clip(), 100, 3.0
    qpos = resting(clip)
    for name in ("left_knee", "right_knee", "left_ankle"):
        qpos[:, biped.model.joint(name).qposadr[0]] = acceleration * clip.time**2 / 2
    kink = 4 * acceleration / fps  # [rad/s]
    knee = biped.model.joint("left_knee").qposadr[0]
    qpos[:, knee] += kink * np.maximum(clip.time - 0.4, 0)
    plan = (Event(0.4 + frames_off / fps, "plan"),)
    measures = measure(make_clip(qpos=qpos, events=plan))
    assert measures["replan_spike"] == pytest.approx(spike)
    assert measures["joint_acceleration_rad_s2"] == pytest.approx({"p99_9": 3, "max": 15})
    assert measure(make_clip(qpos=qpos))["replan_spike"] == 0


def test_plans_at_the_ends_and_between_frames_have_a_frame(make_clip: MakeClip) -> None:
    clip = make_clip()
    qpos = resting(clip)
    qpos[:, -1] = clip.time**2
    events = tuple(Event(time, "plan") for time in (-1.0, 0.0, 0.333, 1.0, 2.0))
    assert measure(make_clip(qpos=qpos, events=events))["replan_spike"] == pytest.approx(1)
    one = {name: getattr(clip, name)[:1] for name in ARRAYS}
    assert measure(replace(clip, events=events, **one))["replan_spike"] == 0


def test_every_measure_says_its_unit() -> None:
    units = {"m": "[m]", "s": "[m/s]", "deg": "[deg]", "mm": "mm", "J": "[J]", "W": "[W]"}
    units["s2"] = "[rad/s²]"
    for name in measure.__globals__:
        function = getattr(measures_module, name)
        unit = units.get(name.rsplit("_", 1)[-1])
        if callable(function) and unit and not name.startswith("_"):
            assert unit in (function.__doc__ or ""), name
