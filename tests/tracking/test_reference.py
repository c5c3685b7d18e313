"""References continue by their rigid motion and survive their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amble.errors import InputError
from amble.tracking.reference import Reference, Travel


def _reference(travel: Travel | None, N: int = 24, n: int = 10) -> Reference:
    rng = np.random.default_rng(4)
    contact = rng.random((N, 8)) < 0.5
    force = rng.normal(size=(N, 8, 3)) * contact[..., None]
    torque = rng.normal(size=(N, n - 6))
    return Reference(
        "some", "body", 1 / 120, rng.normal(size=(N, n)), torque, force, contact, travel
    )


def test_a_cycle_goes_on_by_its_rigid_motion() -> None:
    """On a circle: after 24 cycles of 15° the body is back where it began, a turn further."""
    travel = Travel(0.5, 0.1, np.radians(15))
    reference = _reference(travel)
    N = len(reference)
    for k in (-30, -1, 0, 5, N, 3 * N + 7):
        np.testing.assert_allclose(reference.q_at(k + N), travel.pose(reference.q_at(k)))
        np.testing.assert_allclose(reference.v_at(k + N), travel.vector(reference.v_at(k)))
        np.testing.assert_allclose(
            reference.u_at(k + N)[1], travel.vector(reference.u_at(k)[1]), atol=1e-12
        )
    around = reference.q_at(24 * N + 3) - reference.q_at(3)
    expected = np.zeros(10)
    expected[3] = 2 * np.pi
    np.testing.assert_allclose(around, expected, atol=1e-9)
    np.testing.assert_allclose(travel.times(3).then(travel.times(-3)).dx, 0, atol=1e-12)


def test_controls_belong_to_the_pose_they_lead_to() -> None:
    reference = _reference(Travel(1.0, 0.0, 0.0))
    torque, force = reference.u_at(4)
    np.testing.assert_array_equal(torque, reference.torque[5])
    np.testing.assert_array_equal(force, reference.force_w[5])


def test_without_a_cycle_the_ends_hold() -> None:
    reference = _reference(None)
    np.testing.assert_array_equal(reference.q_at(100), reference.q[-1])
    np.testing.assert_array_equal(reference.q_at(-1), reference.q[0])


@pytest.mark.parametrize("travel", [None, Travel(0.7, -0.1, 0.3)])
def test_files_hold_everything(tmp_path: Path, travel: Travel | None) -> None:
    reference = _reference(travel)
    first, second = tmp_path / "a.npz", tmp_path / "b.npz"
    reference.save(first)
    found = Reference.load(first)
    found.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert found.digest == reference.digest and found.travel == travel
    np.testing.assert_array_equal(found.q, reference.q)


def test_wrong_files_and_arrays_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with pytest.raises(InputError, match="no such file"):
        Reference.load(path)
    path.write_text("text")
    with pytest.raises(InputError, match="not a reference"):
        Reference.load(path)
    np.savez(path, q=np.zeros(3))
    with pytest.raises(InputError, match="not a reference"):
        Reference.load(path)
    with pytest.raises(InputError, match="torque"):
        Reference(
            *("some", "body", 0.01, np.zeros((5, 10)), np.zeros((5, 3))),
            *(np.zeros((5, 8, 3)), np.zeros((5, 8), dtype=bool)),
        )
    with pytest.raises(InputError, match="not finite"):
        Reference(
            *("some", "body", 0.01, np.full((5, 10), np.nan), np.zeros((5, 4))),
            *(np.zeros((5, 8, 3)), np.zeros((5, 8), dtype=bool)),
        )
