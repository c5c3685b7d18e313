"""A simulation that blows up says so and keeps the last second."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amble.errors import AmbleError
from amble.world import MuJoCoWorld, SimulationDiverged
from amble.world.simulate import simulate

NO_TORQUE = np.zeros(10)


def test_absurd_torque_is_noticed(
    world: MuJoCoWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(300):
        world.step(NO_TORQUE, 5)
    with pytest.raises(SimulationDiverged) as caught:
        for _ in range(100):
            world.step(np.full(10, 1e10), 2)
    error = caught.value
    assert isinstance(error, AmbleError) and "\n" not in str(error)
    evidence = error.evidence
    assert evidence.time[-1] == error.time
    assert 0.98 <= evidence.time[-2] - evidence.time[0] <= 1.02
    assert np.all(np.diff(evidence.time[:-1]) < 0.0101)
    assert np.isfinite(evidence.qpos[:-1]).all() and evidence.torque[-1, 0] == 1e10
    evidence.save(tmp_path / "evidence.npz")
    with np.load(tmp_path / "evidence.npz") as file:
        np.testing.assert_array_equal(file["qpos"], evidence.qpos)
        assert set(file) == {"time", "qpos", "qvel", "torque"}
    assert [path.name for path in tmp_path.iterdir()] == ["evidence.npz"], "MuJoCo left its own log"


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_torque_that_is_no_number_does_not_enter(world: MuJoCoWorld, wrong: float) -> None:
    world.step(NO_TORQUE, 10)
    before, torque = world.save(), NO_TORQUE.copy()
    torque[4] = wrong
    with pytest.raises(SimulationDiverged, match="left_ankle"):
        world.step(torque)
    np.testing.assert_array_equal(world.save(), before)
    world.step(NO_TORQUE, 10)


def test_world_can_be_used_again(world: MuJoCoWorld) -> None:
    with pytest.raises(SimulationDiverged):
        for _ in range(100):
            world.step(np.full(10, 1e10), 2)
    world.reset()
    world.step(NO_TORQUE, 500)
    assert world.contacts().force_w[:, 2].sum() == pytest.approx(
        world.character.mass * 9.81, rel=0.1
    )


def test_a_controller_that_is_wrong_from_the_start(world: MuJoCoWorld) -> None:
    class Broken:
        period = 0.01

        def torque(self, time: float) -> np.ndarray:
            return np.full(10, np.nan)

    with pytest.raises(SimulationDiverged, match="left_hip") as caught:
        simulate(world, Broken(), 1.0)
    assert caught.value.clip is None, "no frame, no clip"
    np.testing.assert_array_equal(caught.value.evidence.qpos, world.data.qpos[None])
