"""Import of any legged MJCF or URDF model: finds limbs, feet and contact points by itself.

    read → strip (body alone) → survey (limbs, feet) → standing (rest pose) → rebase (rest is 0)

Each file of this folder is one of these steps; `overrides.py` says what the user can set.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from amble.characters.character import Character, EndEffector, Limb
from amble.characters.importer.boxes import add_boxes, show_something
from amble.characters.importer.lift import lift
from amble.characters.importer.motors import joint_limits, motor_torques, torque_limits
from amble.characters.importer.overrides import Overrides, read_overrides
from amble.characters.importer.poses import (
    NATIVE_REST,
    Pose,
    body_pose,
    named_poses,
    native_qpos,
)
from amble.characters.importer.read import Draft, read
from amble.characters.importer.rebase import rebase, upright_root
from amble.characters.importer.stand_ins import fix_inertias, hide_looks, hide_textures
from amble.characters.importer.standing import (
    EXTENSION_OF_MANY,
    Stance,
    level,
    stand,
    stands_already,
    within_limits,
)
from amble.characters.importer.strip import (
    choose_root,
    float_base,
    free_pairs,
    keep_body_alone,
    name_everything,
    no_self_collision,
)
from amble.characters.importer.survey import Survey, links_at, survey
from amble.characters.importer.words import part_words
from amble.errors import InputError, UnknownName
from amble.geometry.rotations import IDENTITY

__all__ = ["load", "native_qpos"]

FARTHEST = 1e4  # [m] between a body and its parent
CONTACT_SPHERE = 0.01  # [m] radius of the shape given to a contact point without any
PREFERRED_POSES = ("home", "stand", "standing", "default", "init_qpos")


def load(path: str | Path, overrides: Mapping[str, Any] | str | Path | None = None) -> Character:
    """A Character from an MJCF (.xml, .mjcf) or URDF (.urdf) file.

    `overrides` is a dict or a TOML file (see `overrides.py`); without it `NAME.amble.toml` beside
    the model counts, if it exists. `Character.notes` tells what was found and guessed.

    The rest pose becomes the zero of the imported model: all joint angles are counted from it, and
    the file's own angles at rest are kept in the MJCF (`native_qpos` converts back).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MuJoCo's, of what will be deprecated in the file
        return _load(path, overrides)


def _load(path: str | Path, overrides: Mapping[str, Any] | str | Path | None) -> Character:
    draft = read(path)
    known = read_overrides(draft.path, overrides)
    name_everything(draft.spec)
    draft.spec.compiler.saveinertial = True  # masses stay, whatever happens to the shapes
    hide_textures(draft)
    free_pairs(draft.spec)
    scene = draft.compile()
    _check_numbers(draft, scene)
    motors, poses = motor_torques(scene), named_poses(scene)
    fix_inertias(draft, scene)
    hide_looks(draft, scene)
    model, free = _body_alone(draft, known.root)
    known.check("rest", _joint_names(model))
    known.check("torque_limits", _joint_names(model))
    known.check("feet", _body_names(model))
    known.check("parts", _body_names(model))

    found = _at_rest(draft, model, poses, free, known)
    known.check("contact_points", [leg.tip_name or leg.name for leg in found.legs])
    return _character(draft, model, found, motors, known)


def _check_numbers(draft: Draft, scene: mujoco.MjModel) -> None:
    """Refuse what MuJoCo lets pass: bodies at infinity, or of no finite mass."""
    for b in range(1, scene.nbody):
        name = f"{draft.path}: body '{scene.body(b).name}'"
        for what, values in (("lies", scene.body_pos[b]), ("has its mass", scene.body_ipos[b])):
            if not np.all(np.abs(values) < FARTHEST):
                raise InputError(
                    f"{name} {what} at {values}; allowed: within {FARTHEST:g} m of its parent"
                )
        if not np.isfinite([scene.body_mass[b], *scene.body_inertia[b]]).all():
            raise InputError(f"{name} has a mass or inertia that is not finite")


def _body_alone(draft: Draft, root: str | None) -> tuple[mujoco.MjModel, str | None]:
    """Strip the scene; returns the compiled body and the name its free joint had."""
    body = choose_root(draft, root)
    keep_body_alone(draft, body)
    free = float_base(draft, body)
    no_self_collision(draft.spec)
    draft.compile()
    # Through text once: angles in radians, orientations as quaternions, inertias explicit.
    draft.spec = mujoco.MjSpec.from_string(draft.spec.to_xml())
    draft.spec.compiler.saveinertial = True
    model = draft.compile()
    if not np.any(model.body_weldid[model.geom_bodyid] > 1):
        draft.notes.append("the limbs have no shapes: boxes of the same inertia are theirs now")
        add_boxes(draft.spec, model, collide=True)
        model = draft.compile()
    elif draft.has_lost_shapes:
        add_boxes(draft.spec, model, collide=False)
        model = draft.compile()
    return model, free


def _at_rest(
    draft: Draft,
    model: mujoco.MjModel,
    poses: dict[str, Pose],
    free: str | None,
    overrides: Overrides,
) -> Survey:
    """The survey of the standing pose: the user's, the model's own, or one found here."""
    notes = draft.notes
    own = body_pose(model, {}, free)
    if overrides.keyframe is not None:
        if overrides.keyframe not in poses:
            raise UnknownName("keyframe", overrides.keyframe, poses, where=str(draft.path))
        own = body_pose(model, poses[overrides.keyframe], free)
    for joint, angle in overrides.rest.items():
        own[model.joint(joint).qposadr[0]] = angle
    given = overrides.keyframe is not None or bool(overrides.rest)
    order = sorted(poses, key=lambda n: PREFERRED_POSES.index(n) if n in PREFERRED_POSES else 99)
    for name in [] if given else order:
        pose = body_pose(model, poses[name], free)
        found = survey(model, pose, overrides)
        if found and stands_already(Stance(model, found.feet), found.qpos):
            notes += [*found.notes, f"rest pose: the model's own '{name}'"]
            return _settle(model, found, overrides, notes)

    start = own if given else within_limits(model, own, margin=0.1)
    found = survey(model, start, overrides)
    if found is None:
        raise InputError(
            f"{draft.path}: no legs: no chain of joints from '{model.body(1).name}' reaches below "
            "it (arms do not count); name the feet in an override if it has some"
        )
    notes += found.notes
    stance = Stance(model, found.feet)
    if given:
        notes.append("rest pose: as the overrides say")
        return _settle(model, found, overrides, notes)
    if np.allclose(start, own) and stands_already(stance, found.qpos):
        notes.append("rest pose: the model's own zero")
        return _settle(model, found, overrides, notes)
    # Twice: what is down under a foot may only show once it stands.
    for _ in range(2):
        pose, extension = stand(Stance(model, found.feet), found.qpos)
        found = survey(model, pose, _facing_forward(overrides)) or found
    if extension is not None and len(found.feet) > 2:
        # On many legs it crouches, unless something else then meets the ground first.
        pose, lower = stand(Stance(model, found.feet), found.qpos, EXTENSION_OF_MANY)
        crouched = survey(model, pose, _facing_forward(overrides))
        feet = [foot.body for foot in found.feet]
        if lower and crouched and [foot.body for foot in crouched.feet] == feet:
            found, extension = crouched, lower
    if extension is None:
        _refuse_to_fly(draft, found)
        notes.append("rest pose: the model's own zero; none with the feet level was found")
    else:
        notes.append(
            f"rest pose found here: legs at {extension:.0%} of their reach, feet level, "
            "centre of mass above them"
        )
    return _settle(model, found, overrides, notes)


def _refuse_to_fly(draft: Draft, found: Survey) -> None:
    """Legs that are not below the trunk in any pose carry nothing."""
    if min(leg.chain.lowest for leg in found.legs) > found.anatomy.trunk_lowest - 1e-3:
        raise InputError(
            f"{draft.path}: no standing pose was found; give joint angles in [rest] of an override"
        )


def _facing_forward(overrides: Overrides) -> Overrides:
    """The same, for a pose that already looks along +x."""
    return replace(overrides, forward="+x", up="+z")


def _settle(model: mujoco.MjModel, found: Survey, overrides: Overrides, notes: list[str]) -> Survey:
    """Level the contact points exactly; the lowest at z = 0 and the root above x = y = 0."""
    for _ in range(3):
        stance = Stance(model, found.feet)
        stance.update(found.qpos)
        pose = level(stance, found.qpos.copy(), float(stance.heights().mean()), stance.centres())
        pose[:3] = 0.0
        stance.update(pose)
        pose[2] = -stance.heights().min()
        pose, _ = lift(found.links, found.feet, pose)
        again = survey(model, pose, _facing_forward(overrides))
        if again is None or len(again.feet) != len(found.feet):
            found = replace(found, qpos=pose, links=links_at(model, pose))
            break
        found = again
    _, sunk = lift(found.links, found.feet, found.qpos)
    if sunk:
        notes.append(f"in the ground at rest, where no joint lifts them out: {', '.join(sunk)}")
    return found


def _character(
    draft: Draft,
    model: mujoco.MjModel,
    found: Survey,
    motors: dict[str, np.ndarray] | None,
    overrides: Overrides,
) -> Character:
    spec, notes, body = draft.spec, draft.notes, model.body
    end_effectors = _add_sites(spec, model, found, notes)
    stance = Stance(model, found.feet)
    stance.update(found.qpos)
    hips = [float(stance.data.xanchor[foot.hip][2]) for foot in found.feet]
    leg_joints = {
        int(j)
        for leg in found.legs
        for b in leg.chain.links
        for j in range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
    }
    rest = found.qpos[7:].copy()
    show_something(spec, model)
    rebase(spec, model, found.qpos)
    spec.add_numeric(name=NATIVE_REST, data=rest, size=len(rest))
    rested = draft.compile()
    xml, root = spec.to_xml(), body(1).name
    if np.abs(found.qpos[3:7] - IDENTITY).max() > 1e-6:
        root = f"{root}_upright"
        xml = upright_root(xml, root)
    torques = torque_limits(
        rested, motors, _same(model, rested, leg_joints), float(np.mean(hips)), notes
    )
    for joint, torque in overrides.torque_limits.items():
        torques[rested.joint(joint).dofadr[0] - 6] = torque
    tips = {limb.name: tip.name for limb, tip in zip(found.limbs, end_effectors, strict=False)}
    limbs = tuple(
        Limb(
            limb.name, limb.kind, tuple(body(b).name for b in limb.chain.links), tips.get(limb.name)
        )
        for limb in found.limbs
    )
    parts = part_words(found.links, found.anatomy.trunk, found.limbs)
    parts |= {tip.name: tip.body for tip in end_effectors}
    return Character(
        name=draft.path.stem,
        xml=xml,
        root=root,
        limbs=limbs,
        end_effectors=end_effectors,
        joint_limits=joint_limits(rested),
        torque_limits=torques,
        parts=parts | dict(overrides.parts),
        assets=draft.assets,
        source=draft.path.name,
        notes=tuple(notes),
    )


def _add_sites(
    spec: mujoco.MjSpec, model: mujoco.MjModel, found: Survey, notes: list[str]
) -> tuple[EndEffector, ...]:
    """Contact points as sites; a foot that collides nowhere also gets small spheres there."""
    taken = {site.name for site in spec.sites}
    tips = []
    for i, limb in enumerate(limb for limb in found.limbs if limb.tip_name):
        name = str(limb.tip_name)
        if limb.kind == "leg":
            foot = found.feet[i]
            body, points = foot.body, foot.points_b
        else:
            body = limb.chain.links[-1]
            frame = found.links.data.xmat[body].reshape(3, 3)
            points = ((limb.chain.tip - found.links.data.xpos[body]) @ frame)[None]
        part = spec.body(model.body(body).name)
        sites = []
        for k, point in enumerate(points, 1):
            site = f"{name}_{k}"
            while site in taken:
                site += "_contact"
            taken.add(site)
            part.add_site(name=site, pos=point, size=[0.005, 0, 0], group=4)
            sites.append(site)
        if limb.kind == "leg" and not found.links.collides(int(model.body_weldid[body])):
            notes.append(f"'{part.name}' collides nowhere: its contact points do now")
            up_b = found.links.data.xmat[body].reshape(3, 3).T @ [0, 0, CONTACT_SPHERE]
            for point in points:
                part.add_geom(
                    type=mujoco.mjtGeom.mjGEOM_SPHERE,
                    size=[CONTACT_SPHERE, 0, 0],
                    pos=point + up_b,
                    contype=1,
                    conaffinity=2,
                    group=3,
                    mass=0,
                )
        tips.append(EndEffector(name, part.name, tuple(sites)))
    return tuple(tips)


def _same(model: mujoco.MjModel, other: mujoco.MjModel, joints: set[int]) -> set[int]:
    """The joints of the same names in another model."""
    return {int(other.joint(model.joint(j).name).id) for j in joints}


def _joint_names(model: mujoco.MjModel) -> list[str]:
    return [model.joint(j).name for j in range(1, model.njnt)]


def _body_names(model: mujoco.MjModel) -> list[str]:
    return [model.body(b).name for b in range(1, model.nbody)]
