"""Which links of a model are trunk, which are limbs, and which of these are legs.

A *link* is a body with everything welded to it; it is named by the id of its topmost body (MuJoCo's
`body_weldid`). All positions are taken in one pose, in world coordinates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import mujoco
import numpy as np

from amble.characters.importer.soles import cloud_of, shapes_of

ARM_SHARE = 0.05  # the same for limbs that are arms by their names
LEVEL_SHARE = 0.2  # of the height of the centre of mass: tips this close to the lowest are feet too


ARM_WORDS = re.compile(r"(?<![a-z])arm(?!ature)|arm(?![a-z])|hand(?!le)|wrist|elbow|gripper|finger")
LEG_WORDS = re.compile(r"leg|foot|feet|ankle|knee|thigh|shank|calf|shin|femur|tibia|toe|paw|hip")


@dataclass(frozen=True)
class Chain:
    """Links from the first below the trunk to the tip."""

    links: tuple[int, ...]
    start: np.ndarray  # (3,) where the first joint is [m]
    tip: np.ndarray  # (3,) the end of the last link, farthest from its joint [m]
    lowest: float  # height of the lowest surface point of the chain's last links [m]
    steps: bool  # a joint moves the tip: it is no wheel


@dataclass(frozen=True)
class Anatomy:
    """The trunk's links from the root outwards, and the chains that leave it."""

    trunk: tuple[int, ...]
    chains: tuple[Chain, ...]
    trunk_lowest: float  # [m]


class Links:
    """The tree of links of a model, and where its surface is in a pose."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.model, self.data = model, data
        self.all = [int(b) for b in np.unique(model.body_weldid[1:]) if b > 0]
        self.parent = {b: int(model.body_weldid[model.body_parentid[b]]) for b in self.all}
        self.children: dict[int, list[int]] = {b: [] for b in self.all}
        for b in self.all[1:]:
            self.children[self.parent[b]].append(b)
        bodies = [model.body(b).name for b in range(1, model.nbody)]
        joints = [model.joint(j).name for j in range(model.njnt)]
        self.names = frozenset(name.lower() for name in bodies + joints)
        self._clouds = {b: cloud_of(model, b, shapes_of(model, b)) for b in self.all}

    def below(self, link: int) -> list[int]:
        """The link and all links that hang on it."""
        return [link, *(b for child in self.children[link] for b in self.below(child))]

    def path(self, link: int) -> list[int]:
        """From the root to the link."""
        return [*([] if link == self.all[0] else self.path(self.parent[link])), link]

    def anchor(self, link: int) -> np.ndarray:
        """Where the link's last joint is [m]."""
        joint = self.model.body_jntadr[link] + self.model.body_jntnum[link] - 1
        return self.data.xanchor[joint]

    def names_along(self, chain: tuple[int, ...]) -> list[str]:
        """Of the links of a chain and of their joints."""
        model = self.model
        joints = [
            model.joint(j).name
            for b in chain
            for j in range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
        ]
        return [model.body(b).name for b in chain] + joints

    def is_arm(self, chain: tuple[int, ...]) -> bool:
        """Whether its names are those of an arm and not those of a leg."""
        words = " ".join(self.names_along(chain)).lower()
        return bool(ARM_WORDS.search(words)) and not LEG_WORDS.search(words)

    def surface(self, link: int, direction: np.ndarray) -> np.ndarray:
        """Points of the link's surface in a direction (n, 3) [m]; its origin if it has no shape."""
        cloud = self._clouds[link]
        origin, frame = self.data.xpos[link], self.data.xmat[link].reshape(3, 3)
        if cloud is None:
            return origin[None]
        return cloud.towards(direction @ frame) @ frame.T + origin

    def lowest(self, link: int) -> float:
        """Height of the lowest point of the link [m]."""
        return float(self.surface(link, np.array([0.0, 0.0, -1.0]))[:, 2].min())

    def has_shape(self, link: int) -> bool:
        return self._clouds[link] is not None

    def collides(self, link: int) -> bool:
        geoms = shapes_of(self.model, link)
        return bool(np.any(self.model.geom_contype[geoms] | self.model.geom_conaffinity[geoms]))


def dissect(links: Links) -> Anatomy:
    """Split the tree: the trunk branches widely, and a limb is what leaves it."""
    tips = _tips(links)
    root = links.all[0]
    trunk, grow = [root], [root]
    while grow:
        for child in links.children[grow.pop(0)]:
            if _branches_widely(links, child, tips):
                trunk.append(child)
                grow.append(child)
    chains = []
    for link in trunk:
        for child in links.children[link]:
            ends = [b for b in links.below(child) if b in tips]
            if child not in trunk and ends:
                chains.append(_chain(links, child, ends))
    lowest = min(links.lowest(b) for b in trunk)
    return Anatomy(tuple(trunk), tuple(chains), lowest)


def legs_of(links: Links, anatomy: Anatomy, com: np.ndarray) -> tuple[list[Chain], bool]:
    """The chains that reach lowest; and whether they are in fact below the trunk in this pose.

    A tail that touches the ground is none, nor are the arms of a body without legs, or of one with
    legs that reach deeper. Three or more alike that lie level with the trunk are the legs of a body
    with a sprawled pose.
    """
    able = [chain for chain in anatomy.chains if chain.steps]
    if not able:
        return [], False
    lowest = min(chain.lowest for chain in able)
    height = max(com[2] - lowest, 0.0)
    low = [chain for chain in able if chain.lowest <= lowest + LEVEL_SHARE * height]
    low = [chain for chain in low if not _trails(chain, low, com)]
    arms = [chain for chain in low if links.is_arm(chain.links)]
    if len(low) <= 2 and len(arms) == len(low):
        return [], False
    low = [c for c in low if c not in arms or c.lowest <= lowest + ARM_SHARE * height]
    if lowest < anatomy.trunk_lowest - 1e-3:
        return low, True
    longest = max(np.linalg.norm(chain.tip - chain.start) for chain in able)
    alike = [c for c in able if np.linalg.norm(c.tip - c.start) > 0.8 * longest]
    return (alike, False) if len(alike) >= 3 else ([], False)


def _trails(chain: Chain, low: list[Chain], com: np.ndarray) -> bool:
    """Whether it lies on the middle line, unlike the limbs in pairs: a tail, or a hanging neck."""
    aside = [max(abs(c.start[1] - com[1]), abs(c.tip[1] - com[1])) for c in low]
    width = max(aside)
    if aside[low.index(chain)] > 0.15 * width or sum(a > 0.5 * width for a in aside) < 2:
        return False
    lengths = [float(np.linalg.norm(c.tip - c.start)) for c in low if c is not chain]
    length = float(np.linalg.norm(chain.tip - chain.start))
    return not 0.8 * min(lengths) < length < 1.25 * max(lengths)


def _tips(links: Links) -> set[int]:
    """Ends of the tree that matter: not rods of closed loops, nor frames without any shape."""
    model = links.model
    looped: set[int] = set()
    for i in range(model.neq):
        if model.eq_objtype[i] == mujoco.mjtObj.mjOBJ_BODY:
            ids = [int(model.eq_obj1id[i]), int(model.eq_obj2id[i])]
        elif model.eq_objtype[i] == mujoco.mjtObj.mjOBJ_SITE:
            ids = [int(model.site_bodyid[k[i]]) for k in (model.eq_obj1id, model.eq_obj2id)]
        else:
            continue
        looped |= {int(model.body_weldid[b]) for b in ids}
    kept = set(links.all)
    for link in reversed(links.all):  # children come after their parents
        if any(child in kept for child in links.children[link]):
            continue
        rod = link in looped and not links.collides(link)
        if rod:
            looped.add(links.parent[link])  # the crank that drives a rod goes with it
        if rod or not links.has_shape(link):
            kept.discard(link)
    return {b for b in kept if not any(child in kept for child in links.children[b])}


def _branches_widely(links: Links, link: int, tips: set[int]) -> bool:
    """At least two tips, and longer after the branching than before it: no hand with fingers."""
    paths = [links.path(b) for b in links.below(link) if b in tips]
    if len(paths) < 2:
        return False
    shared = [b for b in paths[0] if all(b in path for path in paths)]
    before = _length(links, shared[shared.index(link) :])
    after = sorted(_length(links, path[path.index(shared[-1]) :]) for path in paths)
    return after[-2] > before


def _length(links: Links, path: list[int]) -> float:
    """From joint to joint along a path of links, and on to the end of the last one's shape [m]."""
    joints = np.array([links.anchor(b) for b in path])
    end = links.surface(path[-1], np.zeros(3)) - joints[-1]
    steps = np.linalg.norm(np.diff(joints, axis=0), axis=1).sum()
    return float(steps + (np.linalg.norm(end, axis=1).max() if len(path) > 1 else 0.0))


def _chain(links: Links, first: int, ends: list[int]) -> Chain:
    paths = [links.path(end) for end in ends]
    if len(paths) == 1:
        path = paths[0]
    else:  # fingers or toes: the limb ends where they branch
        shared = [b for b in paths[0] if all(b in p for p in paths)]
        path = shared if links.has_shape(shared[-1]) else max(paths, key=len)
    chain = path[path.index(first) :]
    start = links.data.xanchor[links.model.body_jntadr[first]].copy()
    points = links.surface(chain[-1], np.array([0.0, 0.0, -1.0]))
    away = np.linalg.norm(points - links.anchor(chain[-1]), axis=1)
    tip = points[away >= 0.98 * away.max()].mean(axis=0)
    lowest = min(links.lowest(b) for b in [chain[-1], *ends])
    return Chain(tuple(chain), start, tip, lowest, _steps(links, chain))


def _steps(links: Links, chain: list[int]) -> bool:
    """Whether some joint moves the middle of the last link; a wheel only turns about it."""
    model, data = links.model, links.data
    points = links.surface(chain[-1], np.zeros(3))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    size = max(float(np.ptp(points, axis=0).max()), 0.02)
    moved, wheel = False, False
    for b in chain:
        for j in range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b]):
            if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE:
                continue
            arm = middle - data.xanchor[j]
            if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE:
                arm = arm - (arm @ data.xaxis[j]) * data.xaxis[j]
            off_axis = bool(np.linalg.norm(arm) > 0.1 * size)
            moved |= off_axis
            wheel |= not off_axis and not model.jnt_limited[j]
    slides = any(
        model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE
        for b in chain
        for j in range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
    )
    return moved or (slides and not wheel)
