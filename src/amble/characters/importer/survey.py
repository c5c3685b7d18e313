"""One look at a model in one pose: which way it faces, its limbs, its feet and where they touch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco
import numpy as np

from amble.characters.importer.anatomy import Anatomy, Chain, Links, dissect, legs_of
from amble.characters.importer.facing import find_axes
from amble.characters.importer.overrides import Overrides
from amble.characters.importer.soles import cloud_of, corners, flat_below, lowest_shapes
from amble.characters.importer.standing import Foot
from amble.characters.importer.words import NamedChain, name_chains
from amble.errors import InputError
from amble.geometry.rotations import matrix_from_quat, quat_from_matrix, quat_multiply

TOE_HEIGHT = 0.013  # of a leg's length: a link this close to the ground stands on it
ROCK_FOOT, ROCK_SHANK = 40.0, 5.0  # [degrees] a foot may be tilted before it is set down
SMALL_PAD = 0.1  # of a leg's length: a foot that is shorter tilts with the leg
SOLE_TILT = 35.0  # [degrees] from ankle to toes
LONG_FOOT = 0.4  # of a leg's length: what is longer is a shank that stands on its end
TOE_LENGTH = 0.25  # of a leg's length: no toe is longer


@dataclass(frozen=True)
class Survey:
    """What was found in the pose `qpos`, in which the model looks along +x and z is up."""

    qpos: np.ndarray
    links: Links
    anatomy: Anatomy
    limbs: list[NamedChain]  # legs first
    feet: list[Foot]  # in the order of the legs
    notes: list[str]

    @property
    def legs(self) -> list[NamedChain]:
        return [limb for limb in self.limbs if limb.kind == "leg"]


def survey(model: mujoco.MjModel, qpos: np.ndarray, overrides: Overrides) -> Survey | None:
    """Look at the model in this pose; None where no leg is found."""
    notes: list[str] = []
    links = links_at(model, qpos)
    anatomy = dissect(links)
    if not anatomy.chains:
        return None
    axes, why = _given_axes(overrides) or find_axes(links, anatomy)
    qpos = qpos.copy()
    turned = quat_multiply(quat_from_matrix(axes), qpos[3:7])
    qpos[3:7] = turned if turned[0] >= 0 else -turned
    notes.append(_turn_note(matrix_from_quat(qpos[3:7]), why))
    links = links_at(model, qpos)
    anatomy = dissect(links)
    legs, below = legs_of(links, anatomy, links.data.subtree_com[1])
    limbs = _named(links, anatomy, legs, overrides)
    many = sum(limb.kind == "leg" for limb in limbs) > 2
    feet = [_foot(links, limb, below, many, overrides) for limb in limbs if limb.kind == "leg"]
    return Survey(qpos, links, anatomy, limbs, feet, notes) if feet else None


def links_at(model: mujoco.MjModel, qpos: np.ndarray) -> Links:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return Links(model, data)


def _turn_note(R_wb: np.ndarray, why: str) -> str:
    """Which axes of the root now look forward and up."""
    forward, up = (
        f"{'+' if row.max() > -row.min() else '-'}{'xyz'[np.abs(row).argmax()]}"
        for row in R_wb[[0, 2]]
    )
    return f"forward is the root's {forward} axis, up its {up} axis: {why}"


def _given_axes(overrides: Overrides) -> tuple[np.ndarray, str] | None:
    """Rows forward, left, up; None where the user leaves it to us."""
    if overrides.forward is None and overrides.up is None:
        return None
    up = _axis(overrides.up or "+z")
    forward = _axis(overrides.forward or ("+x" if abs(up[0]) < 0.5 else "+z"))
    if abs(up @ forward) > 0.5:
        raise InputError(f"{overrides.where}: forward and up lie on the same axis")
    return np.stack([forward, np.cross(up, forward), up]), "as the overrides say"


def _axis(name: str) -> np.ndarray:
    return (1.0 if name[0] == "+" else -1.0) * np.eye(3)["xyz".index(name[1])]


def _named(
    links: Links, anatomy: Anatomy, legs: list[Chain], overrides: Overrides
) -> list[NamedChain]:
    model = links.model
    if overrides.feet:
        legs = [_chain_to(links, anatomy, body, overrides) for body in overrides.feet.values()]
    found = name_chains(links, anatomy, legs)
    if overrides.feet:
        by_links = {limb.chain.links: limb for limb in found}
        given = zip(overrides.feet, legs, strict=True)
        feet = [
            NamedChain(
                leg, "leg", name.removesuffix("foot") if name.endswith("foot") else name + "_"
            )
            for name, leg in given
        ]
        taken = {b for leg in legs for b in leg.links}
        found = feet + [f for f in by_links.values() if not taken & set(f.chain.links)]
    overrides.check("limbs", [model.body(b).name for limb in found for b in limb.chain.links])
    for body, kind in overrides.limbs.items():
        found = [
            replace(limb, kind=kind)  # type: ignore[arg-type]
            if body in (model.body(b).name for b in limb.chain.links)
            else limb
            for limb in found
        ]
    return sorted(found, key=lambda limb: limb.kind != "leg")


def _chain_to(links: Links, anatomy: Anatomy, body: str, overrides: Overrides) -> Chain:
    """The chain that ends at the body which the user calls a foot."""
    link = int(links.model.body_weldid[links.model.body(body).id])
    for chain in anatomy.chains:
        if link in chain.links:
            return replace(chain, links=chain.links[: chain.links.index(link) + 1])
    path = [b for b in links.path(link) if b not in anatomy.trunk]
    if not path:
        raise InputError(f"{overrides.where}: [feet] '{body}' is part of the trunk, no foot")
    start = links.data.xanchor[links.model.body_jntadr[path[0]]].copy()
    return Chain(tuple(path), start, links.data.xpos[link].copy(), links.lowest(link), True)


def _foot(links: Links, limb: NamedChain, below: bool, many: bool, overrides: Overrides) -> Foot:
    """The body that stands, and its contact points; with `many` legs a small pad is one point."""
    model, data, chain = links.model, links.data, limb.chain
    hip = int(model.body_jntadr[chain.links[0]])
    name = limb.tip_name or limb.name
    link = chain.links[-1]
    if not overrides.feet and below and _carries_a_toe(links, chain):
        link = chain.links[-2]
    body, geoms = lowest_shapes(model, data, link)
    if overrides.feet:
        body = int(model.body(overrides.feet[name]).id) if name in overrides.feet else body
        own = geoms[model.geom_bodyid[geoms] == body]
        geoms = own if len(own) else geoms
    if name in overrides.contact_points:
        return Foot(body, np.array(overrides.contact_points[name], dtype=float), hip)
    frame, origin = data.xmat[body].reshape(3, 3), data.xpos[body]
    cloud = cloud_of(model, body, geoms)
    if cloud is None:
        return Foot(body, np.zeros((1, 3)), hip)
    if not below:  # a sprawled leg does not say yet what will be down
        return Foot(body, ((chain.tip - origin) @ frame)[None], hip)
    down, forward = frame.T @ [0.0, 0.0, -1.0], frame.T @ [1.0, 0.0, 0.0]
    rock = ROCK_FOOT if cloud.size < LONG_FOOT * _path_length(links, chain) else ROCK_SHANK
    down, flat = flat_below(cloud, down, rock)
    points = corners(cloud, down, flat, forward)
    pad = float(np.linalg.norm(np.ptp(points, axis=0)))
    if many and pad < SMALL_PAD * _path_length(links, chain):
        points = points.mean(axis=0, keepdims=True)
    return Foot(body, points, hip)


def _path_length(links: Links, chain: Chain) -> float:
    """From joint to joint and to the tip [m], however the limb is folded."""
    stops = np.array([chain.start, *(links.anchor(b) for b in chain.links), chain.tip])
    return float(np.linalg.norm(np.diff(stops, axis=0), axis=1).sum())


def _carries_a_toe(links: Links, chain: Chain) -> bool:
    """Whether the last link is short and the one before it, no shank, stands on the ground too, or
    would if the leg were straight: a sole lies flatter than the instep of a dog."""
    if len(chain.links) < 3:
        return False
    before, last = chain.links[-2:]
    if links.collides(last) and not links.collides(before):
        return False
    length = _path_length(links, chain)
    short = np.linalg.norm(chain.tip - links.anchor(last)) < TOE_LENGTH * length
    stands = links.lowest(before) < links.lowest(last) + TOE_HEIGHT * length
    sole = links.anchor(last) - links.anchor(before)
    flat = abs(sole[2]) < np.tan(np.radians(SOLE_TILT)) * np.linalg.norm(sole[:2])
    ankle = links.anchor(before)[2] - links.lowest(last)
    low = ankle < TOE_LENGTH * length
    return bool(short and low and (stands or flat) and links.has_shape(before))
