"""Random states of every body of the library, and every feature on each of them."""

from __future__ import annotations

import copy
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

import mujoco
import numpy as np

import amble.features
from amble.characters import Character, character
from amble.features.com import AngularMomentum, Com
from amble.features.contact import Contact
from amble.features.feature import Feature
from amble.features.frame import Orientation, Position, PositionFromCom
from amble.features.posture import Posture, Torque
from amble.features.state import BodyState
from amble.world.placement import noisy_joints

Builder = Callable[[Character, np.random.Generator], list[Feature]]


def feature_classes() -> list[type[Feature]]:
    """Every subclass of `Feature` in the package."""
    for module in pkgutil.iter_modules(amble.features.__path__):
        import_module(f"amble.features.{module.name}")
    found, queue = [], list(Feature.__subclasses__())
    while queue:
        found.append(queue.pop())
        queue += found[-1].__subclasses__()
    return sorted(set(found), key=lambda feature: feature.__name__)


def _point(rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = rng.normal(0, 0.2, 3)
    return x, y, z


def _parts(body: Character) -> range:
    return range(1, body.model.nbody)


def _contact(model: mujoco.MjModel, names: tuple[str, ...]) -> Contact:
    sites = [model.site(name) for name in names]
    return Contact(tuple(Position(int(site.bodyid[0]), tuple(site.pos)) for site in sites))


#: instances of every class for a body
BUILDERS: dict[type[Feature], Builder] = {
    Com: lambda body, rng: [Com()],
    AngularMomentum: lambda body, rng: [AngularMomentum()],
    Position: lambda body, rng: [Position(part, _point(rng)) for part in _parts(body)],
    PositionFromCom: lambda body, rng: [
        PositionFromCom(part, _point(rng)) for part in _parts(body)
    ],
    Orientation: lambda body, rng: [Orientation(part) for part in _parts(body)],
    Contact: lambda body, rng: [_contact(body.model, e.sites) for e in body.end_effectors],
    Posture: lambda body, rng: [Posture(body.model)],
    Torque: lambda body, rng: [
        Torque((0,)),
        Torque(tuple(int(dof) for dof in rng.permutation(body.dof - 6))),
    ],
}


def computed(model: mujoco.MjModel, qpos: np.ndarray, qvel: np.ndarray) -> BodyState:
    """A state with everything that follows from position and velocity."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_step1(model, data)
    return BodyState(model, data)


def moved(state: BodyState, tangent: np.ndarray) -> BodyState:
    """The state displaced by a tangent vector (nv,), with the same velocity coordinates."""
    qpos = state.data.qpos.copy()
    mujoco.mj_integratePos(state.model, qpos, tangent, 1.0)
    return computed(state.model, qpos, state.data.qvel)


@cache
def random_states(name: str, count: int = 2) -> tuple[BodyState, ...]:
    """A body far from rest: joints within their limits, the root anywhere, everything turning at
    some 2 rad/s, under a gravity of any direction (no kinematic quantity may depend on it)."""
    body, states = character(name), []
    rng = np.random.default_rng([count, *name.encode()])
    for _ in range(count):
        model = copy.copy(body.model)
        model.opt.gravity = 10 * rng.normal(size=3)
        qpos = noisy_joints(body, body.rest_qpos(), rng, 0.5)
        qpos[:3] = rng.normal(size=3)
        qpos[3:7] = rng.normal(size=4)
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
        states.append(computed(model, qpos, 2 * rng.normal(size=model.nv)))
    return tuple(states)


@cache
def features_of(name: str, feature: type[Feature]) -> tuple[Feature, ...]:
    """Instances of a feature class for a body of the library."""
    return tuple(BUILDERS[feature](character(name), np.random.default_rng(1)))
