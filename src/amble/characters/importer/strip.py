"""A scene → the body alone: one root body on a free joint, and nothing that is not part of it."""

from __future__ import annotations

import mujoco
import numpy as np

from amble.characters.importer.read import Draft
from amble.errors import InputError, UnknownName

OPTIONS = (
    "timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance",
    "gravity", "wind", "magnetic", "density", "viscosity", "o_margin", "o_solref", "o_solimp",
    "o_friction", "integrator", "cone", "jacobian", "solver", "iterations", "ls_iterations",
    "noslip_iterations", "ccd_iterations", "disableflags", "enableflags",
)  # fmt: skip


def choose_root(draft: Draft, root: str | None) -> mujoco.MjsBody:
    """The body that stands on the world: the one named, or the one with the most joints."""
    candidates = list(draft.spec.worldbody.bodies)
    if root is not None:
        names = [body.name for body in candidates]
        if root not in names:
            raise UnknownName("root body", root, names, where=str(draft.path))
        return candidates[names.index(root)]
    if not candidates:
        raise InputError(f"{draft.path}: the model has no bodies")
    joints = [sum(len(b.joints) for b in _family(body)) for body in candidates]
    best = candidates[int(np.argmax(joints))]
    if sum(len(b.joints) for b in _family(best)[1:]) == 0:
        raise InputError(f"{draft.path}: no legs: nothing hangs on a joint from '{best.name}'")
    if len(candidates) > 1:
        others = ", ".join(b.name or "unnamed" for b in candidates if b.name != best.name)
        draft.notes.append(f"root is '{best.name}', which has the most joints; left out: {others}")
    return best


def free_pairs(spec: mujoco.MjSpec) -> None:
    """Shapes that meet the ground by a contact pair only, meet it as all others do.

    The ground may be in another file: then MuJoCo would refuse the pair.
    """
    for pair in list(spec.pairs):
        shapes = [spec.geom(name) for name in (pair.geomname1, pair.geomname2)]
        if any(geom is None or geom.parent.name == "world" for geom in shapes):
            for geom in shapes:
                if geom is not None:
                    geom.contype = geom.conaffinity = 1
        spec.delete(pair)


def keep_body_alone(draft: Draft, root: mujoco.MjsBody) -> None:
    """Delete the scene, motors, sensors and poses; keep loops, springs, meshes, materials."""
    spec = draft.spec
    for body in list(spec.worldbody.bodies):
        if body is not root and body.name != root.name:
            spec.delete(body)
    world = spec.worldbody
    for group in (world.geoms, world.sites, world.cameras, world.lights):
        for element in list(group):
            spec.delete(element)
    for group in (spec.keys, spec.actuators, spec.sensors, spec.cameras, spec.lights,
                  spec.numerics, spec.texts, spec.tuples, spec.skins, spec.hfields):  # fmt: skip
        for element in list(group):
            spec.delete(element)
    _usual_physics(draft)
    for equality in list(spec.equalities):
        if "world" in (equality.name1, equality.name2):
            spec.delete(equality)  # a hook that holds the robot in the air
    _drop_unused_assets(draft)


def _usual_physics(draft: Draft) -> None:
    """MuJoCo's own options: those of a file are made for its task, such as one solver iteration."""
    option, usual = draft.spec.option, mujoco.MjSpec().option
    pull = float(np.linalg.norm(option.gravity))
    if pull > 0 and not 5.0 < pull < 20.0:
        draft.notes.append(
            f"gravity is {pull:g} in the file, so its unit of length may not be the metre; it is "
            "taken as one"
        )
    for name in OPTIONS:
        setattr(option, name, getattr(usual, name))


def float_base(draft: Draft, root: mujoco.MjsBody) -> str | None:
    """One free joint named `root`, whatever held the body before: a fixed base, rails.

    Returns the name of the free joint there was, if there was one.
    """
    spec = draft.spec
    held = list(root.joints)
    # A chain of empty bodies above the trunk is a hand-made planar or floating base.
    body = root
    while not body.geoms and not body.mass and len(body.bodies) == 1:
        body = body.bodies[0]
        held += list(body.joints)
    is_free = [joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in held]
    if not held:
        draft.notes.append(f"the base '{root.name}' was fixed: it floats now")
    elif not any(is_free):
        names = ", ".join(joint.name or "unnamed" for joint in held)
        draft.notes.append(f"the base '{root.name}' floats now instead of moving on: {names}")
    free = next((joint.name for joint, free in zip(held, is_free, strict=True) if free), None)
    for joint in held:
        spec.delete(joint)
    root.add_freejoint(name="root")
    return free


def name_everything(spec: mujoco.MjSpec) -> None:
    """Bodies and joints need names: they are how people and overrides speak of them."""
    taken = {body.name for body in spec.bodies}
    for i, body in enumerate(spec.bodies):
        if not body.name:
            body.name = _fresh(f"body_{i}", taken)
    taken = {joint.name for joint in spec.joints} | {"root"}
    for body in spec.bodies:
        for joint in body.joints:
            if not joint.name:
                joint.name = _fresh(f"{body.name}_joint", taken)


def no_self_collision(spec: mujoco.MjSpec) -> None:
    """What collides meets the ground only, with the ground's contact parameters."""
    for geom in spec.geoms:
        if geom.contype or geom.conaffinity:
            geom.contype, geom.conaffinity = 1, 2
            geom.priority, geom.margin, geom.gap = 0, 0.0, 0.0


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _family(body: mujoco.MjsBody) -> list[mujoco.MjsBody]:
    """The body and all below it."""
    return [body, *(b for child in body.bodies for b in _family(child))]


def _drop_unused_assets(draft: Draft) -> None:
    spec = draft.spec
    meshes = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in meshes:
            spec.delete(mesh)
    # Defaults may name a material that no geom names itself, so materials stay and only skies go.
    for texture in list(spec.textures):
        if texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX:
            spec.delete(texture)
    used = {mesh.file for mesh in spec.meshes} | {texture.file for texture in spec.textures}
    for name in set(draft.assets) - used:
        del draft.assets[name]
