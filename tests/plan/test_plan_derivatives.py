"""The derivatives put together from segments against those of the whole problem."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import amble
from amble.characters.centroidal import centroidal_body
from amble.plan.ipopt import ipopt_solver
from amble.plan.problem import Problem


@pytest.mark.parametrize("name", ["humanoid", "luxo", "anymal"])
def test_gradient_jacobian_and_hessian(name: str) -> None:
    problem = Problem(centroidal_body(amble.character(name)), 3, 2, 0.9)
    solver = ipopt_solver(problem)
    rng = np.random.default_rng(0)
    x = rng.standard_normal(solver.size_in("x0")[0])
    values = {n: rng.uniform(0.2, 1.0, shape) for n, shape in problem.parameter_shapes.items()}
    for name_of in ("on", "at"):  # a limb stands on one of its slots or none
        values[name_of][:] = 0.0
        for limb in range(problem.limbs):
            for k in range(problem.segments):
                slot = rng.integers(problem.slots + 1)
                if slot < problem.slots:
                    values[name_of][limb * problem.slots + slot, k] = 1.0
    p = np.concatenate([each.ravel(order="F") for each in values.values()])
    lam = rng.standard_normal(solver.size_in("lbg")[0])

    oracle = solver.oracle()
    X, P = ca.MX.sym("x", len(x)), ca.MX.sym("p", len(p))
    f, g = oracle(X, P)
    expected = ca.Function("jacobian", [X, P], [ca.gradient(f, X), ca.jacobian(g, X)])
    gradient, jacobian = expected(x, p)
    own_gradient = solver.get_function("nlp_grad_f")(x, p)[1]
    own_jacobian = solver.get_function("nlp_jac_g")(x, p)[1]
    assert np.allclose(own_gradient.full(), gradient.full(), atol=1e-9)
    assert np.allclose(own_jacobian.full(), jacobian.full(), atol=1e-9)

    hessian = ca.Function("hessian", [X, P], [ca.hessian(0.7 * f + ca.dot(lam, g), X)[0]])(x, p)
    found = solver.get_function("nlp_hess_l")(x, p, 0.7, lam)
    assert np.allclose(found.full(), ca.triu(hessian).full(), atol=1e-8)
