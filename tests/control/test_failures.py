"""What cannot be solved is named, and what was given wrongly is refused before it does harm."""

from __future__ import annotations

import numpy as np
import pytest
import whole_body_twin as twin
from situations import TIME, random_situation

from amble.control.whole_body import SolveInfo, WholeBody
from amble.errors import AmbleError
from amble.features.feature import Kind


def failed(body: WholeBody) -> SolveInfo:
    """The first solve of a body that has no solution."""
    info = body.solve(TIME)
    assert not info.solved
    assert body.statistics.solves == body.statistics.failures == 1
    assert body.statistics.worst is info
    return info


def test_a_torque_limit_that_cannot_be_met_is_named() -> None:
    body = random_situation("humanoid", seed=0)
    dof = 7
    body.torque_limits[dof] = -1.0
    info = failed(body)
    assert (info.status, info.level) == ("infeasible", 0)
    assert info.constraint == f"torque limit of {body.character.dof_names[dof]}"


def test_every_constraint_has_a_name() -> None:
    body = random_situation("humanoid", seed=0, non_penetration=True)
    body.solve(TIME)
    D, upper = body.problem()[3], body.problem()[-1]
    names = [body._constraint_name(k) for k in range(len(D) + len(upper))]
    dofs, cones = body.character.dof_names, np.repeat(body.contact_points, 4)
    limits = [dofs[int(abs(row).argmax())] for row in twin.limit_rows(body)[0]]
    assert names == [
        *(f"torque limit of {dof}" for dof in dofs),
        *(f"joint limit of {dof}" for dof in limits),
        *(f"non-penetration of {body.site_names[point]}" for point in cones),
        *(f"greatest acceleration of {dof}" for dof in dofs),
        *(f"friction cone of {body.site_names[point]}" for point in cones),
        *(f"joint-limit force of {dof}" for dof in limits),
    ]


def test_joint_limits_that_contradict_are_named() -> None:
    body = random_situation("anymal", seed=0)
    limits = body.character.joint_limits.copy()
    limits[4] = limits[4, ::-1]
    body.posture.limits = limits
    info = failed(body)
    assert (info.status, info.level) == ("infeasible", 0)
    assert "joint limit" in info.constraint
    assert info.reason == f"level 1: {info.constraint} cannot be met (infeasible)"


def test_a_body_without_solution_only_slows_down() -> None:
    body = random_situation("luxo", seed=0)
    body.posture.limits = np.tile((1.0, -1.0), (len(body.torque), 1))
    body.torque[:] = np.nan
    failed(body)
    assert np.all(body.torque * body.data.qvel[6:] <= 0)
    assert np.all(abs(body.torque) <= body.torque_limits)


def test_a_solved_problem_names_nothing() -> None:
    body = random_situation("humanoid", seed=0)
    info = body.solve(TIME)
    assert (info.status, info.level, info.constraint) == ("solved", -1, "")
    assert (body.statistics.failures, body.statistics.worst) == (0, None)


def test_a_table_without_levels_is_the_posture_alone() -> None:
    """Or it is refused; it must not be called solved with the posture and all limits left out."""
    body = random_situation("luxo", seed=0)
    body.tasks.clear()
    body.tasks.end_level()
    body.solve(TIME)
    expected = body.acceleration.copy()
    body.tasks.clear()
    try:
        body.solve(TIME)
    except AmbleError:
        return
    np.testing.assert_allclose(body.acceleration, expected)


def test_many_levels_write_no_further_than_their_residuals() -> None:
    body = random_situation("luxo", seed=0)
    guarded = np.full(64, np.nan)
    body.residual = guarded[: len(body.residual)]
    body.tasks.clear()
    for k in range(len(body.residual)):
        body.tasks.setpoint(Kind.COM, 0, (k % 3,), kp=1.0, kv=2.0)
        body.tasks.end_level()
    body.solve(TIME)
    assert np.isfinite(body.residual).all()
    assert np.isnan(guarded[len(body.residual) :]).all()
    with pytest.raises(AmbleError, match="16 levels"):
        body.tasks.end_level()


@pytest.mark.parametrize("points", ([-1], [0, 0, 1, 1, 2, 2]))
def test_contact_points_must_exist_and_differ(points: list[int]) -> None:
    body = random_situation("luxo", seed=0)
    with pytest.raises(AmbleError):
        body.use_contacts(np.array(points))


def test_poisoned_outputs_are_all_written() -> None:
    body = random_situation("humanoid", seed=0)
    body.torque[:], body.acceleration[:], body.forces_w[:] = np.nan, np.nan, np.nan
    assert body.solve(TIME).solved
    assert np.isfinite(body.torque).all()
    assert np.isfinite(body.acceleration).all()
    assert np.isfinite(body.forces_w[: len(twin.Twin(body).points)]).all()
