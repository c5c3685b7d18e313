"""Which way a model looks: by names (left, right, front, hind), else by symmetry, else as is usual.

up       +z, unless the limbs that come in pairs hang along another axis by more than twice as much,
         and their first joints are level in it
left     from the bodies named right to those named left; without such names across the plane of
         symmetry (where two fit, the shorter extent; where that decides nothing, ±y)
forward  left × up; without names the way the toes point, or the positive axis
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from amble.characters.importer.anatomy import Anatomy, Chain, Links

LEFT = {"left", "l", "fl", "lf", "hl", "lh", "rl", "bl", "lb", "ml", "lm"}
RIGHT = {"right", "r", "fr", "rf", "hr", "rh", "rr", "br", "rb", "mr", "rm"}
FRONT = {"front", "fore", "head", "f", "fl", "fr", "lf", "rf"}
HIND = {
    "hind",
    "rear",
    "back",
    "tail",
    "h",
    "b",
    "hl",
    "hr",
    "lh",
    "rh",
    "rl",
    "rr",
    "bl",
    "br",
    "lb",
    "rb",
}


def _tokens(name: str) -> set[str]:
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    tokens = set(re.split(r"[^a-z]+", spaced.lower()))
    for word in ("left", "right", "front", "hind", "rear"):
        if word in name.lower():
            tokens.add(word)
    return tokens


def side_of(name: str, others: frozenset[str] = frozenset()) -> int:
    """+1 for a left name, −1 for a right one, 0 for neither.

    Among `others`, in lower case, "lfemur" is left where there is an "rfemur" too.
    """
    tokens = _tokens(name)
    side = int(bool(tokens & LEFT)) - int(bool(tokens & RIGHT))
    first, rest = name[:1].lower(), name[1:].lower()
    if not side and first in ("l", "r") and rest:
        twin = ("r" if first == "l" else "l") + rest
        side = (1 if first == "l" else -1) * int(twin in others)
    return side


def end_of(name: str, others: frozenset[str] = frozenset()) -> int:
    """+1 for a front name, −1 for a hind one, 0 for neither."""
    tokens = _tokens(name)
    return int(bool(tokens & FRONT)) - int(bool(tokens & HIND))


def find_axes(links: Links, anatomy: Anatomy) -> tuple[np.ndarray, str]:
    """Rows forward, left, up (3, 3), as signed axes of the posed frame; and why."""
    up = _up(anatomy)
    left = _named_direction(links, anatomy, side_of, up)
    if left is not None:
        return np.stack([np.cross(left, up), left, up]), "from left and right in the names"
    forward, why = _forward_without_sides(links, anatomy, up)
    return np.stack([forward, np.cross(up, forward), up]), why


def _up(anatomy: Anatomy) -> np.ndarray:
    """Limbs alike hang from one level: up is across the spread of their first joints."""
    z = np.array([0.0, 0.0, 1.0])
    alike = _alike(anatomy)
    if not alike:
        return z
    hang = sum((c.tip - c.start for group in alike for c in group), np.zeros(3))
    spread = np.max([np.ptp([c.start for c in group], axis=0) for group in alike], axis=0)
    axis = int(np.argmax(np.abs(hang)))
    if axis == 2 or abs(hang[axis]) < 2 * abs(hang[2]) or spread[axis] > 0.2 * spread.max():
        return z
    return -np.sign(hang[axis]) * np.eye(3)[axis]


def _alike(anatomy: Anatomy) -> list[list[Chain]]:
    """Limbs in groups of equal length and number of links; those that have no twin left out."""
    groups: dict[tuple[int, float], list[Chain]] = {}
    for chain in anatomy.chains:
        length = round(float(np.linalg.norm(chain.tip - chain.start)), 2)
        groups.setdefault((len(chain.links), length), []).append(chain)
    return [group for group in groups.values() if len(group) > 1]


def _named_direction(
    links: Links, anatomy: Anatomy, word: Callable[[str, frozenset[str]], int], up: np.ndarray
) -> np.ndarray | None:
    """From the limbs with a −1 name to those with a +1 name, as the nearest axis across `up`."""
    ends: dict[int, list[np.ndarray]] = {1: [], -1: [], 0: []}
    for chain in anatomy.chains:
        votes = [word(name, links.names) for name in links.names_along(chain.links)]
        ends[int(np.sign(sum(votes)))].append((chain.start + chain.tip) / 2)
    if word is end_of and not ends[1]:
        ends[1] = ends[0]  # a tail tells as well, with nothing in front by name
    if not ends[1] or not ends[-1]:
        return None
    way = np.mean(ends[1], axis=0) - np.mean(ends[-1], axis=0)
    way = way - (way @ up) * up
    return _nearest_axis(way) if np.linalg.norm(way) > 0.01 else None


def _forward_without_sides(
    links: Links, anatomy: Anatomy, up: np.ndarray
) -> tuple[np.ndarray, str]:
    forward = _named_direction(links, anatomy, end_of, up)
    if forward is not None:
        return forward, "from front and hind in the names"
    points = np.array([p for c in anatomy.chains for p in (c.start, c.tip)])
    points = points - points.mean(axis=0)
    size = float(np.abs(points).max()) or 1.0
    axes = [np.eye(3)[i] for i in (1, 0, 2) if abs(up[i]) < 0.5]  # ±y first: the usual left
    error = [_asymmetry(points, axis) / size for axis in axes]
    extent = [float(np.abs(points @ axis).max()) for axis in axes]
    across = 0
    if (error[1] < 0.5 * error[0] and error[0] > 0.02) or (
        max(error) < 0.02 and extent[1] < 0.9 * extent[0] and extent[1] > 0.01
    ):
        across = 1
    forward = np.abs(np.cross(axes[across], up))
    twins = [chain for group in _alike(anatomy) for chain in group] or anatomy.chains
    toes = sum((_toe(links, chain, up) for chain in twins), np.zeros(3)) @ forward
    if abs(toes) > 0.01:
        return np.sign(toes) * forward, "the way the toes point"
    return forward, "the plane of symmetry"


def _toe(links: Links, chain: Chain, up: np.ndarray) -> np.ndarray:
    """From the last joint of a chain that hangs to the middle of its last link, across `up`."""
    if (chain.tip - chain.start) @ up > 0:
        return np.zeros(3)
    points = links.surface(chain.links[-1], -up)
    way = (points.min(axis=0) + points.max(axis=0)) / 2 - links.anchor(chain.links[-1])
    return way - (way @ up) * up


def _asymmetry(points: np.ndarray, axis: np.ndarray) -> float:
    """Mean distance [m] from each mirrored point to the nearest point."""
    mirrored = points - 2 * np.outer(points @ axis, axis)
    return float(np.linalg.norm(mirrored[:, None] - points[None], axis=2).min(axis=1).mean())


def _nearest_axis(way: np.ndarray) -> np.ndarray:
    axis = int(np.argmax(np.abs(way)))
    return np.sign(way[axis]) * np.eye(3)[axis]
