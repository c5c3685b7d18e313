"""The .npz file of a clip: its arrays, its character and its ground, without pickled objects.

Entries: one array a field of `Clip`; `header`, a JSON text with everything that is not an array;
the character's `joint_limits` and `torque_limits`; `asset/NAME`, the bytes of each mesh or texture.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from amble.characters.character import Character, EndEffector, Limb
from amble.characters.reshape import Scale
from amble.errors import InputError
from amble.motion.clip import Clip, Event
from amble.motion.files import replacing
from amble.terrain import terrain_from

_UNREADABLE = (
    *(OSError, ValueError, EOFError, KeyError, AttributeError, MemoryError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)
FORMAT = "amble clip"
VERSION = 1
ARRAYS = (
    "time",
    "qpos",
    "qvel",
    "torque",
    "touching",
    "contact_force_w",
    "other_force_w",
    "ground_force_w",
    "external_force_w",
)


def write_clip(clip: Clip, path: Path) -> None:
    """Write `clip` to `path`; equal clips give equal bytes (zip entries carry no dates)."""
    character = clip.character
    header = {
        "format": FORMAT,
        "version": VERSION,
        "fps": float(clip.fps),
        "scenario": clip.scenario,
        "friction": float(clip.friction),
        "terrain": clip.terrain.describe(),
        "events": [_event_to_json(event) for event in clip.events],
        "character": {
            "name": character.name,
            "xml": character.xml,
            "root": character.root,
            "limbs": [asdict(limb) for limb in character.limbs],
            "end_effectors": [asdict(e) for e in character.end_effectors],
            "parts": dict(character.parts),
            "source": character.source,
            "notes": list(character.notes),
            "shape": [[body, asdict(scale)] for body, scale in character.shape],
        },
    }
    entries: dict[str, np.ndarray] = {name: getattr(clip, name) for name in ARRAYS}
    entries["joint_limits"] = character.joint_limits
    entries["torque_limits"] = character.torque_limits
    entries["header"] = np.array(json.dumps(header, ensure_ascii=False, allow_nan=False))
    for name, content in character.assets.items():
        entries[f"asset/{name}"] = np.frombuffer(content, dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **entries)
    with replacing(path) as unfinished:
        unfinished.write_bytes(buffer.getvalue())


def read_clip(path: Path) -> Clip:
    """Read what `write_clip` wrote."""
    try:
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
            entries = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except _UNREADABLE as error:
        raise InputError(f"{path}: not a clip; a .npz file that amble wrote is needed") from error

    header = _header(entries, path)
    try:
        return Clip(
            character=_character(header["character"], entries),
            terrain=terrain_from(header["terrain"]),
            fps=float(header["fps"]),
            events=tuple(_event(**event) for event in header["events"]),
            scenario=str(header["scenario"]),
            friction=float(header["friction"]),
            **{name: entries[name] for name in ARRAYS},
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path}: damaged clip: {reason}") from error


def _header(entries: dict[str, np.ndarray], path: Path) -> dict[str, Any]:
    try:
        header = json.loads(str(entries["header"]))
        is_clip = header["format"] == FORMAT
        version = int(header["version"])
    except (LookupError, TypeError, ValueError, OverflowError):
        is_clip, version = False, 0
    if not is_clip:
        raise InputError(f"{path}: not a clip; a .npz file that amble wrote is needed")
    if version > VERSION:
        raise InputError(
            f"{path}: clip of format version {version}; this amble reads up to {VERSION}, update it"
        )
    return header


def _character(header: dict[str, Any], entries: dict[str, np.ndarray]) -> Character:
    limbs = (Limb(**{**limb, "bodies": tuple(limb["bodies"])}) for limb in header["limbs"])
    effectors = (EndEffector(**{**e, "sites": tuple(e["sites"])}) for e in header["end_effectors"])
    prefix = "asset/"
    character = Character(
        name=str(header["name"]),
        xml=header["xml"],
        root=str(header["root"]),
        limbs=tuple(limbs),
        end_effectors=tuple(effectors),
        joint_limits=entries["joint_limits"],
        torque_limits=entries["torque_limits"],
        parts=header["parts"],
        assets={
            name.removeprefix(prefix): content.tobytes()
            for name, content in entries.items()
            if name.startswith(prefix)
        },
        source=header["source"],
        notes=tuple(map(str, header.get("notes", ()))),
        shape=tuple((str(body), Scale(**scale)) for body, scale in header.get("shape", ())),
    )
    _check_names(character)
    return character


def _check_names(character: Character) -> None:
    """Raise `ValueError` where the model lacks what is said of it."""
    model = character.model
    bodies = {model.body(b).name for b in range(model.nbody)}
    sites = {model.site(s).name for s in range(model.nsite)}
    said = {character.root, *character.parts.values()}
    said |= {body for limb in character.limbs for body in limb.bodies}
    said |= {effector.body for effector in character.end_effectors}
    points = {site for effector in character.end_effectors for site in effector.sites}
    missing = [*(said - bodies), *(points - sites)]
    if missing:
        raise ValueError(f"the model has no '{missing[0]}'")
    for limits, shape in (
        (character.joint_limits, (model.nv - 6, 2)),
        (character.torque_limits, (model.nv - 6,)),
    ):
        if limits.shape != shape:
            raise ValueError(f"limits have shape {limits.shape}; expected {shape}")


def _event(time: float, kind: str, what: str, values: dict[str, float]) -> Event:
    return Event(float(time), str(kind), str(what), {k: float(v) for k, v in values.items()})


def _event_to_json(event: Event) -> dict[str, Any]:
    values = {key: float(value) for key, value in event.values.items()}
    return {"time": float(event.time), "kind": event.kind, "what": event.what, "values": values}
