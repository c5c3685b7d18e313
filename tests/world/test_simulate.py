"""A simulated clip holds what happened, when it happened."""

from __future__ import annotations

import cProfile

import mujoco
import numpy as np
import pytest

from amble.errors import InputError
from amble.motion.clip import Clip
from amble.world import MuJoCoWorld, Push, SimulationDiverged, simulate


class Fixed:
    """Always the same torque; notes when it is asked."""

    def __init__(self, torque: float = 0.0, period: float = 0.002) -> None:
        self.period = period
        self.value = np.full(10, torque)
        self.asked: list[float] = []

    def torque(self, time: float) -> np.ndarray:
        self.asked.append(time)
        return self.value


def test_frames_and_control_are_on_time(world: MuJoCoWorld) -> None:
    controller = Fixed(period=0.004)
    clip = simulate(world, controller, 0.5, fps=200)
    np.testing.assert_allclose(clip.time, np.arange(101) / 200, atol=1e-12)
    np.testing.assert_allclose(controller.asked, np.arange(125) * 0.004, atol=1e-9)
    assert world.time == pytest.approx(0.5)
    np.testing.assert_array_equal(clip.qpos[-1], world.data.qpos)


def test_a_period_changed_by_an_action_counts_from_then_on(world: MuJoCoWorld) -> None:
    controller = Fixed(period=0.002)
    simulate(world, controller, 0.2, actions=[(0.1, lambda: setattr(controller, "period", 0.01))])
    assert [round(1000 * time) for time in controller.asked] == [
        *range(0, 100, 2),
        *range(100, 200, 10),
    ]


def test_recorded_forces_explain_the_motion(world: MuJoCoWorld) -> None:
    world.push(Push("pelvis", (200.0, 0.0, 0.0), 0.105, 0.05))
    clip = simulate(world, Fixed(), 0.6)
    mass = clip.character.mass
    forces = clip.ground_force_w + clip.external_force_w + np.array([0, 0, -9.81 * mass])
    rate_w = np.diff(mass * com_velocities_w(clip), axis=0) * clip.fps
    np.testing.assert_allclose(rate_w, forces[1:], atol=0.01 * mass * 9.81)
    assert not clip.ground_force_w[0].any()
    assert clip.external_force_w[:, 0].sum() / clip.fps == pytest.approx(200 * 0.05)
    push = clip.events_of("push")[0]
    assert push.time == pytest.approx(0.105) and push.what == "pelvis"
    assert push.values["fx"] == 200 and push.values["seconds"] == pytest.approx(0.05)


def com_velocities_w(clip: Clip) -> np.ndarray:
    """Velocity of the centre of mass in every frame (T, 3) [m/s]."""
    velocities = []
    for frame in clip.frames():
        mujoco.mj_comVel(frame.model, frame.data)
        mujoco.mj_subtreeVel(frame.model, frame.data)
        velocities.append(frame.data.subtree_linvel[1].copy())
    return np.array(velocities)


def test_actions_are_done_once_in_order(world: MuJoCoWorld) -> None:
    done: list[tuple[str, float]] = []
    actions = [
        (0.3005, lambda: done.append(("late", world.time))),
        (0.0, lambda: done.append(("first", world.time))),
        (0.1, lambda: done.append(("a", world.time))),
        (0.1, lambda: done.append(("b", world.time))),
        (9.0, lambda: done.append(("never", world.time))),
    ]
    simulate(world, Fixed(), 0.4, actions=actions)
    assert [name for name, _ in done] == ["first", "a", "b", "late"]
    np.testing.assert_allclose([t for _, t in done], [0, 0.1, 0.1, 0.301], atol=1e-9)


def test_landing_is_a_touchdown_and_a_leap_a_liftoff(world: MuJoCoWorld) -> None:
    qpos = world.data.qpos.copy()
    qpos[2] += 0.05
    world.reset(qpos)
    world.push(Push("pelvis", (0.0, 0.0, 3000.0), 0.5, 0.15))
    clip = simulate(world, Fixed(), 0.8, stop_on_fall=False)
    fall_time = np.sqrt(2 * 0.05 / 9.81)
    first = [e for e in clip.events_of("touchdown") if e.time < 0.3]
    assert {e.what for e in first} == {"left_foot", "right_foot"}
    assert first[0].time == pytest.approx(fall_time, abs=0.015)
    assert {e.what for e in clip.events_of("liftoff") if e.time > 0.5} == {
        "left_foot",
        "right_foot",
    }


def test_fall_ends_the_clip_and_says_why(world: MuJoCoWorld) -> None:
    world.push(Push("pelvis", (500.0, 0.0, 0.0), 0.1, 0.5))
    clip = simulate(world, Fixed(), 5.0)
    (fall,) = clip.events_of("fall")
    assert fall.time == clip.time[-1] < 3 and fall.what
    world.reset()
    assert not simulate(world, Fixed(), 1.0).events_of("fall")


def test_reshape_is_an_event(standing: MuJoCoWorld) -> None:
    start = standing.time
    action = (0.1, lambda: standing.reshape("left_thigh", girth=1.2))
    clip = simulate(standing, Fixed(), 0.3, actions=[action])
    (event,) = clip.events_of("reshape")
    assert event.time == pytest.approx(start + 0.1) and event.what == "left_thigh"


def test_divergence_carries_the_clip(world: MuJoCoWorld) -> None:
    controller = Fixed()
    action = (0.2, lambda: controller.value.fill(np.nan))
    with pytest.raises(SimulationDiverged) as caught:
        simulate(world, controller, 1.0, actions=[action])
    assert caught.value.clip is not None
    assert caught.value.clip.seconds == pytest.approx(0.19)


def test_progress_is_told_now_and_then(world: MuJoCoWorld) -> None:
    told: list[float] = []
    simulate(world, Fixed(), 1.0, progress=told.append)
    np.testing.assert_allclose(told, np.arange(1, 11) / 10, atol=1e-9)


@pytest.mark.parametrize(
    ("period", "fps", "seconds"), [(0.0015, 100, 1), (0.002, 300, 1), (0.002, 100, 0)]
)
def test_wrong_times_are_refused(
    world: MuJoCoWorld, period: float, fps: float, seconds: float
) -> None:
    with pytest.raises(InputError):
        simulate(world, Fixed(period=period), seconds, fps=fps)


def test_recording_is_light(world: MuJoCoWorld) -> None:
    """Calls, not seconds, which would say more of the machine: 21,646 at the time of writing."""
    profile = cProfile.Profile()
    profile.runcall(simulate, world, Fixed(), 1.0)
    calls = sum(entry.callcount for entry in profile.getstats())
    assert calls < 30_000
