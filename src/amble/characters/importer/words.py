"""Words for what was found (left_front_leg, right_shank, head): by position, else by names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.characters.character import LimbKind
from amble.characters.importer.anatomy import Anatomy, Chain, Links
from amble.characters.importer.facing import side_of

ROWS = {1: ("",), 2: ("front_", "hind_"), 3: ("front_", "middle_", "hind_")}
OTHERS: dict[LimbKind, tuple[str, ...]] = {"tail": ("tail",), "neck": ("head", "neck")}
LONG = 0.09  # of a limb's length: a segment shorter than this belongs to the joint above it


@dataclass(frozen=True)
class NamedChain:
    """A chain with its words: `prefix` "left_front_", kind "leg"."""

    chain: Chain
    kind: LimbKind
    prefix: str

    @property
    def name(self) -> str:
        return self.prefix + self.kind

    @property
    def tip_name(self) -> str | None:
        """What the end effector is called; None for a neck or tail."""
        tip = {"leg": "foot", "arm": "hand"}.get(self.kind)
        return self.prefix + tip if tip else None


def name_chains(links: Links, anatomy: Anatomy, legs: list[Chain]) -> list[NamedChain]:
    """Legs first, then arms, neck and tail; left before right, front before hind."""
    others = [c for c in anatomy.chains if c not in legs and c.steps]
    width = max((abs(float(c.tip[1])) for c in anatomy.chains), default=0.0)
    kinds: dict[LimbKind, list[Chain]] = {"leg": list(legs), "arm": [], "neck": [], "tail": []}
    for chain in others:
        kinds[_kind(links, chain, max(0.02, 0.1 * width))].append(chain)
    return [
        NamedChain(chain, kind, prefix)
        for kind, chains in kinds.items()
        for chain, prefix in _prefixes(links, chains, kind)
    ]


def _kind(links: Links, chain: Chain, tolerance: float) -> LimbKind:
    if links.is_arm(chain.links):
        return "arm"
    words = " ".join(links.names_along(chain.links)).lower()
    for kind, telling in OTHERS.items():
        if any(word in words for word in telling):
            return kind
    if max(abs(chain.start[1]), abs(chain.tip[1])) > tolerance:
        return "arm"
    way = chain.tip - chain.start
    return "tail" if way[0] < 0 and abs(way[0]) > way[2] else "neck"


def _prefixes(links: Links, chains: list[Chain], kind: LimbKind) -> list[tuple[Chain, str]]:
    width = max((max(abs(float(c.tip[1])), abs(float(c.start[1]))) for c in chains), default=0.0)
    sides: dict[str, list[Chain]] = {"left_": [], "right_": [], "": []}
    for chain in chains:
        y = float(chain.start[1] + chain.tip[1]) / 2
        votes = sum(side_of(name, links.names) for name in links.names_along(chain.links))
        if abs(y) < max(0.005, 0.05 * width):
            y = float(votes)
        sides["left_" if y > 0 else "right_" if y < 0 else ""].append(chain)
    if kind in ("neck", "tail"):
        sides = {"left_": [], "right_": [], "": chains}
    # One side named and the other not, on the middle line: the unnamed one is the other side.
    if len(sides[""]) == 1 and len(sides["left_"]) + len(sides["right_"]) == 1:
        sides["right_" if sides["left_"] else "left_"] = sides.pop("")
        sides[""] = []
    named = []
    for side, group in sides.items():
        group = sorted(group, key=lambda c: -float(c.start[0] + c.tip[0]))
        rows = ROWS.get(len(group), tuple(f"{i}_" for i in range(1, len(group) + 1)))
        named += [(row, side, chain) for row, chain in zip(rows, group, strict=True)]
    order = {"front_": 0, "middle_": 1, "hind_": 2}
    left_first = {"left_": 0, "right_": 1, "": 2}
    named.sort(key=lambda n: (order.get(n[0], 0), n[0], left_first[n[1]]))
    return [(chain, side + row) for row, side, chain in named]


def part_words(links: Links, trunk: tuple[int, ...], named: list[NamedChain]) -> dict[str, str]:
    """Word → body name for trunk and limbs."""
    body = links.model.body
    carriers: dict[str, list[int]] = {}
    for limb in named:
        carriers.setdefault(limb.kind, []).append(links.parent[limb.chain.links[0]])
    pelvis = carriers["leg"][-1]  # the hind legs', where there are several pairs
    thorax = (carriers.get("arm") or carriers.get("neck") or carriers["leg"])[0]
    found = {"trunk": trunk[0], "pelvis": pelvis, "thorax": thorax}
    parts = {word: body(b).name for word, b in found.items()}
    between = [b for b in trunk if b not in (pelvis, thorax)]
    if between:
        parts["abdomen"] = body(between[-1]).name
    for limb in named:
        words = _segment_words(links, limb)
        parts |= {word: body(b).name for word, b in words.items() if word not in parts}
    return parts


def _segment_words(links: Links, limb: NamedChain) -> dict[str, int]:
    chain, prefix = limb.chain.links, limb.prefix
    if limb.kind in ("neck", "tail"):
        words = {f"{prefix}{limb.kind}_{i}": b for i, b in enumerate(chain, 1)}
        if limb.kind == "neck":
            words |= {f"{prefix}neck": chain[0], f"{prefix}head": chain[-1]}
        return words
    ends = [*(links.anchor(b) for b in chain), limb.chain.tip]
    steps = np.diff(np.array(ends), axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    # What goes sideways from the trunk is a hip or a shoulder.
    sideways = np.abs(steps[:, 1]) > 0.8 * lengths if limb.kind == "leg" else lengths < 0
    is_long = (lengths > LONG * lengths.sum()) & ~sideways
    long = [b for b, yes in zip(chain, is_long, strict=True) if yes]
    last = chain[-1]
    # A short last link is a foot or hand of its own; a long one is a shank that ends in it.
    separate = len(chain) > 1 and lengths[-1] < 0.6 * lengths.max()
    segments = [b for b in long if not (separate and b == last)]
    names = ("thigh", "shank", "tarsus") if limb.kind == "leg" else ("upper_arm", "forearm")
    words = {prefix + name: b for name, b in zip(names, segments, strict=False)}
    return words | {limb.tip_name or limb.name: last}
