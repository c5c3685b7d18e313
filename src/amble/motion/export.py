"""Writing a clip to a file of any known kind, chosen by its ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from amble.errors import UnknownName
from amble.motion.clip import Clip
from amble.motion.contact_sheet import write_contact_sheet
from amble.motion.video import write_video

WRITERS: dict[str, Callable[..., None]] = {
    ".npz": Clip.save,
    ".png": write_contact_sheet,
    ".mp4": write_video,
}
"""Ending → function of (clip, path, **options). A new format is one more line here."""


def check_ending(path: str | Path) -> str:
    """The ending of `path` if a clip can be written to it; raises `UnknownName` otherwise."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise UnknownName("file ending", ending, WRITERS, where=f"'{path}'")
    return ending


def write(clip: Clip, path: str | Path, **options: Any) -> None:
    """Write `clip` to `path`; `options` are those of the writer for its ending in `WRITERS`."""
    WRITERS[check_ending(path)](clip, Path(path), **options)
