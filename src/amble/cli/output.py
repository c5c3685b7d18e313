"""The files that `amble make` writes: checked before anything runs, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from amble.cli.progress import progress_bar
from amble.errors import InputError, UnknownName
from amble.motion.clip import Clip
from amble.motion.contact_sheet import contact_sheet
from amble.motion.export import check_ending, write
from amble.motion.files import replacing
from amble.motion.gl import create_context
from amble.scenarios import Outcome

_DRAWN = (".png", ".mp4")


def check_outputs(files: Sequence[Path], report: Path | None) -> None:
    """Raise `AmbleError` unless every file can be written."""
    endings = {check_ending(path) for path in files}
    if report is not None and report.suffix.lower() != ".json":
        raise UnknownName("file ending", report.suffix, [".json"], where=f"'{report}'")
    wanted = [*files, *([report] if report is not None else [])]
    for path in wanted:
        folder = path.parent
        if not folder.is_dir():
            raise InputError(f"{path}: the folder '{folder}' does not exist")
        if path.is_dir():
            raise InputError(f"{path}: is a folder; the name of a file is needed")
        if not os.access(folder, os.W_OK):
            raise InputError(f"{path}: the folder '{folder}' may not be written to")
        if wanted.count(path) > 1:
            raise InputError(f"{path}: is named twice; every file needs a name of its own")
    if endings.intersection(_DRAWN):
        create_context(16, 16).free()


def write_outputs(outcome: Outcome, files: Sequence[Path]) -> list[Path]:
    """Write the clip to every file, and return what was written.

    Clips for comparison go into the same contact sheet, and for other formats into files beside it
    that carry their label: `out.mp4`, `out-weighted.mp4`.
    """
    written = []
    for path in files:
        if path.suffix.lower() == ".png" and outcome.others:
            _write_sheet_of_all(outcome, path)
            written.append(path)
            continue
        for label, clip in {"": outcome.clip, **outcome.others}.items():
            target = path.with_stem(f"{path.stem}-{label}") if label else path
            _write_one(clip, target)
            written.append(target)
    return written


def write_report(report: Mapping[str, Any], path: Path) -> None:
    """Write the report as JSON."""
    text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def _write_one(clip: Clip, path: Path) -> None:
    if path.suffix.lower() != ".mp4":
        write(clip, path)
        return
    with progress_bar(f"drawing {path.name}", 1.0) as update:
        write(clip, path, progress=lambda done, total: update(done / total))


def _write_sheet_of_all(outcome: Outcome, path: Path) -> None:
    sheets = [contact_sheet(clip, frames=4) for clip in (outcome.clip, *outcome.others.values())]
    width = max(sheet.width for sheet in sheets)
    whole = Image.new("RGB", (width, sum(sheet.height for sheet in sheets)), "white")
    top = 0
    for sheet in sheets:
        whole.paste(sheet, (0, top))
        top += sheet.height
    with replacing(path) as unfinished:
        whole.save(unfinished, format="PNG", optimize=True)
