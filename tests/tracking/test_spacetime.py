"""References obey the simulator's own discretisation, contact and friction, and stay near."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from consistency import equation_residual, friction_excess, slip, sole_heights

import amble
from amble.errors import InputError
from amble.tracking.cache import cached_solve, content_key
from amble.tracking.flat_body import FlatBody
from amble.tracking.generated import planned_cycle, standing
from amble.tracking.motion import Motion
from amble.tracking.reference import Reference
from amble.tracking.spacetime import Settings, SpacetimeFailed, solve


@pytest.fixture(scope="module")
def body() -> FlatBody:
    return FlatBody(amble.character("humanoid-tracking"))


@pytest.fixture(scope="module", params=[1.2, 3.0], ids=["walk", "run"])
def motion(body: FlatBody, request: pytest.FixtureRequest) -> Motion:
    return planned_cycle(body, request.param, "planned")


@pytest.fixture(scope="module")
def found(body: FlatBody, motion: Motion) -> Reference:
    return solve(body, motion)


def test_it_obeys_the_equation_of_motion(body: FlatBody, found: Reference) -> None:
    weight = body.character.mass * 9.81
    assert equation_residual(body, found).max() < 1e-6 * weight


def test_forces_are_inside_the_friction_cone_and_only_where_the_foot_stays(
    found: Reference,
) -> None:
    assert friction_excess(found, Settings().friction) < 1e-5
    assert not found.force_w[~found.carries].any()
    assert np.abs(found.force_w).max() > 100


def test_loads_stay_off_the_edges_of_the_soles(found: Reference) -> None:
    pairs = found.force_w[:, :, 2].reshape(len(found), 4, 2)
    assert (pairs.min(axis=2) >= Settings().share * pairs.sum(axis=2) - 1e-4).all()


def test_feet_stand_still_on_the_ground_and_never_below(body: FlatBody, found: Reference) -> None:
    standing_z, lowest = sole_heights(body, found)
    assert np.abs(standing_z).max() < 1e-6
    assert lowest > -1e-6
    assert slip(body, found) < 1e-6


def test_it_stays_near_the_motion_within_the_joints_ranges(
    body: FlatBody, motion: Motion, found: Reference
) -> None:
    away = np.degrees(np.sqrt(np.mean((found.q - motion.q)[:, 6:] ** 2)))
    assert away < 3
    low, high = body.limits.T
    assert (found.q >= low - 1e-9).all() and (found.q <= high + 1e-9).all()
    assert (np.abs(found.torque) <= body.torque_limits + 1e-3).all()


def test_it_goes_on_without_a_seam(found: Reference, motion: Motion) -> None:
    """Where one cycle ends and the next begins, it is as smooth as elsewhere."""
    assert found.travel == motion.travel
    rows = np.array([found.q_at(k) for k in range(-2, len(found) + 2)])
    jerk = np.abs(np.diff(rows, n=3, axis=0)).max(axis=1)
    assert jerk[[0, 1, -1, -2]].max() <= 1.05 * jerk[2:-2].max()


def test_mirrored_motions_give_mirrored_references(body: FlatBody) -> None:
    motion = planned_cycle(body, 1.2, "walk")
    mirror = body.character.mirror
    assert mirror is not None
    swapped = [4, 5, 6, 7, 0, 1, 2, 3]
    other = replace(
        motion,
        q=body.flat(mirror.mirror_pose(body.qpos(motion.q))),
        contact=motion.contact[:, swapped],
    )
    left, right = solve(body, motion), solve(body, other)
    expected = body.flat(mirror.mirror_pose(body.qpos(left.q)))
    np.testing.assert_allclose(right.q[:, 6:], expected[:, 6:], atol=2e-4)


def test_standing_is_balance(body: FlatBody) -> None:
    found = solve(body, standing(body))
    np.testing.assert_allclose(found.q, found.q[:1].repeat(len(found), axis=0), atol=1e-5)
    weight = found.force_w[..., 2].sum(axis=1)
    np.testing.assert_allclose(weight, body.character.mass * 9.81, rtol=1e-5)


def test_contradictions_are_told(body: FlatBody) -> None:
    """A body in the air whose contacts say that it stands, and has no time to come down."""
    motion = standing(body)
    high = motion.q.copy()
    high[:, 2] += 0.5
    free = replace(motion, q=high, contact=np.zeros_like(motion.contact))
    with pytest.raises(SpacetimeFailed, match=r"contradict|no consistent"):
        solve(body, free, Settings(iterations=8))
    with pytest.raises(InputError, match="coordinates"):
        solve(body, replace(motion, q=motion.q[:, :-1]))


def test_the_cache_gives_back_what_was_solved(
    body: FlatBody, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMBLE_CACHE", str(tmp_path / "made"))
    motion, seen = standing(body), []
    first = cached_solve(body, motion, progress=seen.append)
    count = len(seen)
    again = cached_solve(body, replace(motion, name="other"), progress=seen.append)
    assert count > 0 and len(seen) == count
    assert again.digest == first.digest and again.name == "other"
    lower = replace(Settings(), friction=0.5)
    assert content_key(body, motion, Settings()) != content_key(body, motion, lower)
    (path,) = (tmp_path / "made").iterdir()
    path.write_bytes(b"broken")
    assert cached_solve(body, motion, progress=seen.append).digest == first.digest
    assert len(seen) == 2 * count
