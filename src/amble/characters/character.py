"""Character: an MJCF model plus what locomotion needs to know about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import mujoco
import numpy as np

from amble.characters.mirror import MirrorMap, find_mirror
from amble.characters.reshape import Scale, scale_segment
from amble.errors import UnknownName

GRAVITY = 9.81  # [m/s²] of every ground here

LimbKind = Literal["leg", "arm", "spine", "neck", "tail"]


@dataclass(frozen=True)
class EndEffector:
    """What touches the ground or grasps: a foot, a hand, the base of a lamp.

    `sites` name the contact points, MJCF sites on `body`: for a sole the four corners in the order
    left heel, right heel, left toe, right toe, as seen from above; for a
    narrow foot heel and toe; for a point foot a single one.
    """

    name: str
    body: str
    sites: tuple[str, ...]


@dataclass(frozen=True)
class Limb:
    """A chain of bodies that leaves the trunk; `end_effector` names its tip, if it has one."""

    name: str
    kind: LimbKind
    bodies: tuple[str, ...]
    end_effector: str | None = None


@dataclass(frozen=True, eq=False)
class Character:
    """A body that can move: an MJCF model of the body alone, its root on a free joint, no ground.

    The rest pose is the pose at zero: every hinge at 0 and every ball joint at the identity
    (features section 9), feet flat on z = 0, looking along +x, with y to the left.

    Arrays run over the actuated degrees of freedom, the nv − 6 after the free joint's six. A ball
    joint has three: the components of its rotation vector in its own frame.
    """

    name: str
    xml: str
    root: str
    limbs: tuple[Limb, ...]
    end_effectors: tuple[EndEffector, ...]
    joint_limits: np.ndarray  # (nv − 6, 2) lowest and highest angle [rad]; ±inf where free
    torque_limits: np.ndarray  # (nv − 6,) [N m]; 0 where no motor drives the joint
    parts: Mapping[str, str]  # words people use ("left_thigh") → MJCF body
    assets: Mapping[str, bytes] = field(default_factory=dict)  # mesh and texture files by name
    source: str = ""  # where the figures come from
    notes: tuple[str, ...] = ()  # what an import found or guessed, a line each
    shape: tuple[tuple[str, Scale], ...] = ()  # segments (MJCF bodies) scaled after compiling

    def spec(self) -> mujoco.MjSpec:
        """A fresh, editable copy of the model, not yet scaled: hand it to `compile`."""
        return mujoco.MjSpec.from_string(self.xml, assets=dict(self.assets))

    def compile(self, spec: mujoco.MjSpec) -> mujoco.MjModel:
        """The model of a spec that began as `spec()`, with the segments of `shape` scaled and the
        lowest foot back on z = 0."""
        spec.assets.update(self.assets)
        model = spec.compile()
        if self.shape:
            for body, scale in self.shape:
                scale_segment(model, body, scale.length, scale.girth, scale.mass)
            self._stand_on_ground(model)
        return model

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The compiled body alone. Shared: copy it before you change it."""
        return self.compile(self.spec())

    @cached_property
    def mirror(self) -> MirrorMap | None:
        """Left ↔ right; None where the sides do not correspond."""
        return find_mirror(self.model, [e.sites for e in self.end_effectors])

    @property
    def dof(self) -> int:
        """Degrees of freedom, the free joint's six included."""
        return int(self.model.nv)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(self.model.body_mass.sum())

    @property
    def height(self) -> float:
        """From the ground to the highest point of any shape, at rest [m]."""
        model, data = self.model, self._at_rest
        shown = model.geom_bodyid > 0
        center, half = model.geom_aabb[shown, :3], model.geom_aabb[shown, 3:]
        up = data.geom_xmat[shown].reshape(-1, 3, 3)[
            :, 2
        ]  # (geoms, 3), world z in each geom's frame
        top = data.geom_xpos[shown, 2] + np.sum(up * center + np.abs(up) * half, axis=1)
        return float(top.max())

    @property
    def com_height(self) -> float:
        """Height of the centre of mass at rest [m]."""
        return float(self._at_rest.subtree_com[0, 2])

    @property
    def leg_length(self) -> float:
        """From hip to sole, vertically, at rest; the mean of the legs [m]."""
        sole = {e.name: self._at_rest.site(e.sites[0]).xpos[2] for e in self.end_effectors}
        legs = [limb for limb in self.limbs if limb.kind == "leg"]
        drops = [
            self._at_rest.body(leg.bodies[0]).xpos[2] - sole[leg.end_effector]
            for leg in legs
            if leg.end_effector is not None
        ]
        return float(np.mean(drops))

    @property
    def feet(self) -> tuple[EndEffector, ...]:
        """The end effectors of the legs: what carries the body at rest."""
        legs = {limb.end_effector for limb in self.limbs if limb.kind == "leg"}
        return tuple(e for e in self.end_effectors if e.name in legs)

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the actuated degrees of freedom: the joint's, and _x, _y, _z of a ball joint."""
        names: list[str] = []
        for j in range(self.model.njnt):
            name = self.model.joint(j).name
            if self.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL:
                names += [f"{name}_{axis}" for axis in "xyz"]
            elif self.model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE:
                names.append(name)
        return tuple(names)

    def rest_qpos(self) -> np.ndarray:
        """Generalised positions at rest (nq,): feet on z = 0."""
        return np.array(self.model.qpos0)

    def part(self, word: str) -> str:
        """The MJCF body that a word such as `left_thigh` means."""
        if word in self.parts:
            return self.parts[word]
        if word in (body.name for body in self.spec().bodies):
            return word
        raise UnknownName("body part", word, self.parts, where=f"character '{self.name}'")

    def reshaped(self, scales: Mapping[str, Scale]) -> Character:
        """The same character with some parts scaled, such as `{"left_thigh": Scale(length=2)}`.

        The torque limits of a limb follow its mass × length, as muscles of the same build would;
        a scaled root keeps the limbs' motors.
        """
        steps = tuple((self.part(word), scale) for word, scale in scales.items())
        new = replace(self, shape=self.shape + steps)
        torque_limits = self.torque_limits.copy()
        for limb in self.limbs:
            ratio = _mass_times_length(new.model, limb) / _mass_times_length(self.model, limb)
            for body in limb.bodies:
                b = self.model.body(body)
                start = int(b.dofadr[0]) - 6
                torque_limits[start : start + int(b.dofnum[0])] *= ratio
        return replace(new, torque_limits=torque_limits)

    @cached_property
    def _at_rest(self) -> mujoco.MjData:
        data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, data)
        return data

    def _stand_on_ground(self, model: mujoco.MjModel) -> None:
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        lowest = min(data.site(site).xpos[2] for e in self.feet for site in e.sites)
        root = model.body(self.root).id
        model.body_pos[root, 2] -= lowest
        model.qpos0[2] -= lowest


def _mass_times_length(model: mujoco.MjModel, limb: Limb) -> float:
    """Mass of a limb times the length of its chain of joints [kg m]."""
    bodies = [model.body(name).id for name in limb.bodies]
    # The last segment's own length shows in how far its centre of mass lies from its joint.
    lengths = [np.linalg.norm(model.body_pos[b]) for b in bodies[1:]]
    reach = sum(lengths) + np.linalg.norm(model.body_ipos[bodies[-1]])
    return float(model.body_mass[bodies].sum() * reach)
