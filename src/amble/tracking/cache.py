"""References that were solved before, kept by what they were solved from.

They lie in `AMBLE_CACHE`, or else in `amble` in the user's folder of caches; a file's name is the
hash of everything that decides its content.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from amble.errors import InputError
from amble.tracking.flat_body import FlatBody
from amble.tracking.motion import Motion
from amble.tracking.reference import Reference
from amble.tracking.spacetime import Progress, Settings, solve

METHOD = "spacetime 1"  # changes when the same input gives another result


def cache_folder() -> Path:
    """Where solved references are kept; made when needed."""
    given = os.environ.get("AMBLE_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "amble"


def content_key(body: FlatBody, motion: Motion, settings: Settings) -> str:
    """Hash (hexadecimal) of body, motion and settings; names do not count."""
    found = hashlib.sha256()
    character = body.character
    texts = (METHOD, character.xml, repr(character.shape), repr(settings), repr(motion.step))
    for text in (*texts, repr(motion.travel)):
        found.update(text.encode() + b"\0")
    limits = (character.joint_limits, character.torque_limits)
    given = (motion.q, motion.contact, motion.kept, motion.torque, motion.force_w)
    for array in (*limits, *given):
        found.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def cached_solve(
    body: FlatBody,
    motion: Motion,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Reference:
    """`spacetime.solve`, or what it found before for the same content.

    A cache that cannot be read or written only costs time.
    """
    settings = settings or Settings()
    folder = cache_folder()
    path = folder / f"reference-{content_key(body, motion, settings)}.npz"
    with suppress(InputError):
        return replace(Reference.load(path), name=motion.name)
    reference = solve(body, motion, settings, progress)
    with suppress(OSError, InputError):
        folder.mkdir(parents=True, exist_ok=True)
        reference.save(path)
    return reference
