"""The text of a BVH file: its tree, its channels and its rows of numbers, checked line by line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from amble.errors import InputError

POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Xrotation", "Yrotation", "Zrotation")
CHANNELS = {name.lower(): name for name in (*POSITIONS, *ROTATIONS)}
DEEPEST = 500  # joints from root to tip


@dataclass
class BvhJoint:
    """A joint as the file has it."""

    name: str
    parent: int  # −1 for the root
    line: int  # of the file, from 1
    offset: tuple[float, ...] | None = None
    channels: tuple[str, ...] | None = None
    end: tuple[float, ...] | None = None  # of an `End Site`


@dataclass(frozen=True, eq=False)
class BvhText:
    """A BVH file, in its own axes, units and degrees."""

    joints: tuple[BvhJoint, ...]
    frame_time: float  # [s]
    rows: np.ndarray  # (T, channels of all joints in order)


def parse_bvh(path: Path) -> BvhText:
    """Read the file; `InputError` names the file, the line and what is allowed there."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text; a BVH file is needed") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    lines = _Lines(path, text)
    joints = _hierarchy(lines)
    frame_time, rows = _motion(lines, sum(len(j.channels or ()) for j in joints))
    return BvhText(tuple(joints), frame_time, rows)


class _Lines:
    """The lines that are not empty, one after another."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        split = (line.split() for line in text.splitlines())
        self._lines = [(number, words) for number, words in enumerate(split, start=1) if words]
        self._next = 0
        self.number = 0

    def next(self, wanted: str) -> list[str]:
        """The words of the next line; at the end of the file, an error that says what is due."""
        if self._next == len(self._lines):
            raise InputError(f"{self.path}: ends after line {self.number}; {wanted} must follow")
        self.number, words = self._lines[self._next]
        self._next += 1
        return words

    def rest(self) -> list[tuple[int, list[str]]]:
        """All lines that are left."""
        return self._lines[self._next :]

    def error(self, what: str, number: int | None = None) -> InputError:
        return InputError(f"{self.path}, line {number or self.number}: {what}")

    def expect(self, word: str, wanted: str) -> list[str]:
        words = self.next(wanted)
        if words[0].upper() != word:
            raise self.error(f"found '{_short(' '.join(words))}'; {wanted} must be here")
        return words

    def numbers(self, words: list[str], count: int, what: str) -> tuple[float, ...]:
        if len(words) != count:
            raise self.error(f"{what} has {len(words)} numbers; {count} are needed")
        found = []
        for word in words:
            try:
                number = float(word)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise self.error(f"{what} holds '{_short(word)}'; finite numbers are needed")
            found.append(number)
        return tuple(found)


def _hierarchy(lines: _Lines) -> list[BvhJoint]:
    lines.expect("HIERARCHY", "the word HIERARCHY")
    words = lines.expect("ROOT", "ROOT and its name")
    joints = [BvhJoint(_name(lines, words), -1, lines.number)]
    lines.expect("{", "an opening brace")
    open_joints = [0]
    while open_joints:
        joint = joints[open_joints[-1]]
        words = lines.next(f"OFFSET, CHANNELS, JOINT, End Site or a brace for '{joint.name}'")
        key = words[0].upper()
        if key == "OFFSET":
            joint.offset = lines.numbers(words[1:], 3, f"OFFSET of '{joint.name}'")
        elif key == "CHANNELS":
            joint.channels = _channels(lines, words[1:], joint)
        elif key == "JOINT":
            joints.append(BvhJoint(_name(lines, words), open_joints[-1], lines.number))
            lines.expect("{", "an opening brace")
            open_joints.append(len(joints) - 1)
            if len(open_joints) > DEEPEST:
                raise lines.error(f"joints hang {DEEPEST} deep; fewer are allowed")
        elif key == "END":
            lines.expect("{", "an opening brace")
            words = lines.expect("OFFSET", "OFFSET of the End Site")
            joint.end = lines.numbers(words[1:], 3, "OFFSET of the End Site")
            lines.expect("}", "a closing brace")
        elif key == "}":
            for what in ("offset", "channels"):
                if getattr(joint, what) is None:
                    raise lines.error(f"'{joint.name}' has no {what.upper()}; each joint needs one")
            open_joints.pop()
        else:
            raise lines.error(
                f"found '{_short(words[0])}'; OFFSET, CHANNELS, JOINT, End Site or }} must be here"
            )
    return joints


def _name(lines: _Lines, words: list[str]) -> str:
    if len(words) < 2:
        raise lines.error(f"{words[0].upper()} has no name; one is needed")
    return "_".join(words[1:])


def _channels(lines: _Lines, words: list[str], joint: BvhJoint) -> tuple[str, ...]:
    what = f"CHANNELS of '{joint.name}'"
    if not words or not words[0].isascii() or not words[0].isdigit():
        raise lines.error(f"{what} does not say how many; a number must follow")
    names = words[1:]
    if len(names) != int(words[0][:9]):
        raise lines.error(f"{what} names {len(names)} channels and says {_short(words[0])}")
    for name in names:
        if name.lower() not in CHANNELS:
            allowed = ", ".join(CHANNELS.values())
            raise lines.error(f"{what}: unknown channel '{_short(name)}'; allowed: {allowed}")
    found = tuple(CHANNELS[name.lower()] for name in names)
    if len(set(found)) != len(found):
        raise lines.error(f"{what} names a channel twice; each may be there once")
    return found


def _motion(lines: _Lines, channels: int) -> tuple[float, np.ndarray]:
    words = lines.next("MOTION")
    if words[0].upper() == "ROOT":
        raise lines.error("a second ROOT; one skeleton a file can be read")
    if words[0].upper() != "MOTION":
        raise lines.error(f"found '{_short(' '.join(words))}'; MOTION must be here")
    words = lines.expect("FRAMES:", "'Frames:' and their number")
    (count,) = lines.numbers(words[1:], 1, "Frames:")
    if count != int(count) or count < 1:
        raise lines.error(f"Frames: {count:g}; a whole number ≥ 1 is needed")
    words = lines.expect("FRAME", "'Frame Time:' and seconds")
    if len(words) < 2 or words[1].upper() != "TIME:":
        raise lines.error("'Frame Time:' must be here")
    (frame_time,) = lines.numbers(words[2:], 1, "Frame Time:")
    if not 1e-5 <= frame_time <= 100:
        raise lines.error(f"Frame Time: {frame_time:g} s; it must be from 0.00001 to 100")
    rows = lines.rest()
    if len(rows) != count:
        raise lines.error(f"{len(rows)} frames follow; 'Frames:' says {count:g}", lines.number)
    for number, row in rows:
        if len(row) != channels:
            raise lines.error(f"{len(row)} numbers; the joints have {channels} channels", number)
    try:
        values = np.array([row for _, row in rows], dtype=float)
    except ValueError:
        values = np.full((len(rows), channels), np.nan)
    if not np.isfinite(values).all():
        for number, row in rows:
            lines.number = number
            lines.numbers(row, channels, "a frame")
    return frame_time, values


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:30] + "…"
