"""Writing a clip to a file of any known kind, chosen by its ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from amble.errors import InputError
from amble.motion.bvh import write_bvh
from amble.motion.clip import Clip
from amble.motion.contact_sheet import write_contact_sheet
from amble.motion.gltf import write_gltf
from amble.motion.page import write_page
from amble.motion.reference import write_reference
from amble.motion.table import write_table
from amble.motion.usd import write_usd
from amble.motion.video import write_video

WRITERS: dict[str, Callable[..., None]] = {
    ".npz": Clip.save,
    ".bvh": write_bvh,
    ".glb": write_gltf,
    ".usda": write_usd,
    ".csv": write_table,
    ".html": write_page,
    ".reference.npz": write_reference,
    ".png": write_contact_sheet,
    ".mp4": write_video,
}
"""Ending → function of (clip, path, **options). A new format is one more line here."""


def check_ending(path: str | Path) -> str:
    """The ending of `path` if a clip can be written to it; raises `InputError` otherwise.

    An ending may be part of another, as `.npz` is of `.reference.npz`: the longest one counts.
    """
    name = Path(path).name.lower()
    found = [ending for ending in WRITERS if name.endswith(ending) and name != ending]
    if not found:
        given = Path(path).suffix
        allowed = ", ".join(sorted(WRITERS))
        raise InputError(f"unknown file ending '{given}' in '{path}'; allowed: {allowed}")
    return max(found, key=len)


def write(clip: Clip, path: str | Path, **options: Any) -> None:
    """Write `clip` to `path`; `options` are those of the writer for its ending in `WRITERS`."""
    WRITERS[check_ending(path)](clip, Path(path), **options)
