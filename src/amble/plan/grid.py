"""Nodes of a plan: at every contact event, and closer together the more there is room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from amble.sketch.contact import Contact

FLIGHT_SHARE = 0.35  # how much a second of flight, a mere parabola, counts against one of contact
SOON = 0.001  # [s] after the start: the first event that has a node of its own
MERGED = 0.012  # of the horizon: events closer than this share a node


@dataclass(frozen=True, eq=False)
class Grid:
    """Node times, and the contacts with their events moved onto them."""

    time: np.ndarray  # (N + 1,) [s]
    contacts: tuple[Contact, ...]


def make_grid(
    start: float, seconds: float, contacts: Sequence[Contact], sizes: Sequence[int], spacing: float
) -> Grid:
    """Nodes for a horizon, as many as the smallest of `sizes` that keeps them within `spacing` [s].

    An event just before the start or within a hair of another one shares its node. The events of
    contacts under way that have happened already stay.
    """
    end = start + seconds
    hair = MERGED * seconds
    nodes = [start]
    for event in sorted(_events(contacts, start, end)):
        # What is about to happen is not moved to the start: the feet are on their way already.
        apart = SOON if len(nodes) == 1 else hair
        if event - nodes[-1] > apart and end - event > hair:
            nodes.append(event)
    nodes.append(end)
    snapped = tuple(_snapped(contact, np.array(nodes), start, end, hair) for contact in contacts)
    gaps = [_importance(a, b, snapped) for a, b in pairwise(nodes)]
    size = _size(gaps, sizes, spacing)
    while len(nodes) - 1 < size:
        k = gaps.index(max(gaps))
        nodes.insert(k + 1, (nodes[k] + nodes[k + 1]) / 2)
        gaps[k : k + 1] = (_importance(nodes[j], nodes[j + 1], snapped) for j in (k, k + 1))
    return Grid(np.array(nodes), snapped)


def _events(contacts: Sequence[Contact], start: float, end: float) -> list[float]:
    times = (t for c in contacts for t in (c.start, c.flat, c.heel_off, c.end))
    return [t for t in times if start < t < end]


def _snapped(contact: Contact, nodes: np.ndarray, start: float, end: float, hair: float) -> Contact:
    def nearest(time: float) -> float:
        if not start + 1e-9 < time < end:
            return time
        k = int(np.argmin(np.abs(nodes - time)))
        return float(nodes[k]) if abs(nodes[k] - time) <= 1.01 * hair else time

    events = contact.start, contact.flat, contact.heel_off, contact.end
    moved = tuple(map(nearest, events))
    if moved == events:
        return contact
    first, flat, heel_off, last = moved
    return replace(contact, start=first, flat=flat, heel_off=heel_off, end=last)


def _size(gaps: Sequence[float], sizes: Sequence[int], spacing: float) -> int:
    needed = sum(math.ceil(gap / spacing - 1e-6) for gap in gaps)
    return next((size for size in sizes if size >= needed), max(sizes[-1], len(gaps)))


def _importance(a: float, b: float, contacts: Sequence[Contact]) -> float:
    middle = (a + b) / 2
    grounded = any(contact.holds(middle) for contact in contacts)
    return (b - a) * (1.0 if grounded else FLIGHT_SHARE)
