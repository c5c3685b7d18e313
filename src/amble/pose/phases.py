"""Phases: where each leg is in its stride, smooth even when contacts are re-timed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amble.sketch.contact import Contact

STANCE = 0.45  # [s] a contact's phase moves only this long after its start and before its end
STRIDE = 1.1  # [s] assumed where the next contact is not known
FREQUENCY = 9.0  # [rad/s] with which a phase follows its contacts
SUBSTEP = 0.02  # [s]


@dataclass(frozen=True)
class Phase:
    """Of one leg, in strides: 0 in the middle of a contact, 1 in the middle of the next."""

    value: float
    rate: float  # [1/s]


def contact_phase(contacts: Sequence[Contact], time: float) -> Phase:
    """The phase that one leg's contacts, by start, mean; a foot that stands long waits at 0."""
    before = after = None
    for contact in contacts:
        if _first_middle(contact) <= time:
            before = contact
        else:
            after = contact
            break
    if before is None:
        if after is None:
            return Phase(0.0, 0.0)
        return Phase(max((time - _first_middle(after)) / STRIDE, -0.5), 1 / STRIDE)
    left = _last_middle(before)
    if time <= left:
        return Phase(0.0, 0.0)
    if after is None:
        return Phase(min((time - left) / STRIDE, 0.5), 1 / STRIDE)
    seconds = max(_first_middle(after) - left, 0.05)
    return Phase((time - left) / seconds, 1 / seconds)


def follow(phase: Phase, wanted: Phase, dt: float) -> Phase:
    """A phase drawn to another one: φ̈ = ω² (φ* − φ) + 2ω (φ̇* − φ̇), the short way round."""
    steps = max(1, math.ceil(dt / SUBSTEP))
    h = dt / steps
    value, rate, goal = phase.value, phase.rate, wanted.value - dt * wanted.rate
    for _ in range(steps):
        goal += h * wanted.rate
        error = (goal - value + 0.5) % 1.0 - 0.5
        # Implicit in the rate, so that no step is too long.
        pull = FREQUENCY**2 * error + 2 * FREQUENCY * wanted.rate
        rate = (rate + h * pull) / (1 + 2 * FREQUENCY * h + (FREQUENCY * h) ** 2)
        rate += wanted.rate * (FREQUENCY * h) ** 2 / (1 + FREQUENCY * h) ** 2
        value += h * rate
    return Phase(value % 1.0, rate)


class LowPass:
    """Critically damped second-order low-pass of some numbers, exact for an input that holds."""

    def __init__(self, frequency: float) -> None:
        self.frequency = frequency  # [rad/s]
        self._state: tuple[tuple[float, float], ...] | None = None  # value and rate of each

    def step(self, wanted: Sequence[float], dt: float) -> list[float]:
        """The values `dt` seconds later; the first call takes over what is wanted."""
        if self._state is None:
            self._state = tuple((goal, 0.0) for goal in wanted)
            return list(wanted)
        w = self.frequency
        fade = math.exp(-w * dt)
        found = []
        for (value, rate), goal in zip(self._state, wanted, strict=True):
            away = value - goal
            slope = rate + w * away
            found.append((goal + (away + slope * dt) * fade, (rate - w * slope * dt) * fade))
        self._state = tuple(found)
        return [value for value, _ in found]

    def reset(self) -> None:
        """Forget the past."""
        self._state = None

    def mark(self) -> tuple[tuple[float, float], ...] | None:
        """The state, which later steps leave alone."""
        return self._state

    def restore(self, mark: tuple[tuple[float, float], ...] | None) -> None:
        """Go back to a `mark`."""
        self._state = mark


def _first_middle(contact: Contact) -> float:
    return min(0.5 * (contact.start + contact.end), contact.start + STANCE)


def _last_middle(contact: Contact) -> float:
    return max(0.5 * (contact.start + contact.end), contact.end - STANCE)


class PhasedMemory:
    """What a style remembers that goes by the legs' phases and by slow numbers of the gait."""

    def __init__(self, frequency: float) -> None:
        self._gait = LowPass(frequency)
        self._phases: tuple[Phase, ...] | None = None

    def reset(self) -> None:
        """Forget the past."""
        self._gait.reset()
        self._phases = None

    def mark(self) -> Any:
        """The memory, to be given back to `restore`."""
        return self._gait.mark(), self._phases

    def restore(self, mark: Any) -> None:
        """Go back to a `mark`."""
        gait, self._phases = mark
        self._gait.restore(gait)
