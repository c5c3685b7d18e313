"""The files that `amble make` writes: checked before anything runs, written whole or not at all."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from amble.cli.progress import progress_bar
from amble.errors import InputError, UnknownName
from amble.motion.browser import require_viser
from amble.motion.clip import Clip
from amble.motion.contact_sheet import contact_sheet
from amble.motion.export import check_ending, write
from amble.motion.figures import check_plot_ending
from amble.motion.files import replacing
from amble.motion.gl import create_context
from amble.motion.plots import force_plot
from amble.scenarios import Outcome
from amble.world.divergence import Evidence

_DRAWN = (".png", ".mp4")
_LONGEST_NAME = 200  # [bytes], with room for what `replacing` adds


def check_outputs(
    files: Sequence[Path], report: Path | None = None, plot: Path | None = None
) -> None:
    """Raise `InputError` unless every file can be written."""
    endings = {check_ending(path) for path in files}
    if report is not None and report.suffix.lower() != ".json":
        raise UnknownName("file ending", report.suffix, [".json"], where=f"'{report}'")
    if plot is not None:
        check_plot_ending(plot)
    wanted = [*files, *(path for path in (report, plot) if path is not None)]
    for path in wanted:
        _check_place(path)
    places = [path.resolve() for path in wanted]
    for path, place in zip(wanted, places, strict=True):
        if places.count(place) > 1:
            raise InputError(f"{path}: is named twice; every file needs a name of its own")
    if ".html" in endings:
        require_viser()
    if endings.intersection(_DRAWN):
        create_context(16, 16).free()


def write_outputs(outcome: Outcome, files: Sequence[Path], plot: Path | None = None) -> list[Path]:
    """Write the clip to every file and what is to be seen to `plot`, and return what was written.

    Clips for comparison go into the same contact sheet, and for other formats into files beside it
    that carry their label: `out.mp4`, `out-weighted.mp4`.
    """
    clips = {"": outcome.clip, **outcome.others}
    actions: list[tuple[Path, Callable[[Path], None]]] = []
    for path in files:
        if path.suffix.lower() == ".png" and outcome.others:
            actions.append((path, partial(_write_sheet_of_all, outcome)))
        else:
            actions += [(_labelled(path, of), partial(write_one, clips[of])) for of in clips]
    if plot is not None and outcome.plot is not None:
        actions.append((plot, outcome.plot))
    elif plot is not None:
        actions += [(_labelled(plot, of), partial(force_plot, clips[of])) for of in clips]
    targets = [target for target, _ in actions]
    for target in targets:
        if targets.count(target) > 1:
            raise InputError(f"{target}: would be written twice; rename one of the files")
    for target, action in actions:
        action(target)
    return targets


def write_report(report: Mapping[str, Any], path: Path) -> None:
    """Write the report as JSON."""
    text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def write_evidence(evidence: Evidence, beside: Sequence[Path]) -> Path:
    """Write the last second of a simulation that diverged beside the first of these files.

    Without any, into the working folder.
    """
    first = beside[0] if beside else Path("amble.npz")
    path = first.with_name(f"{first.stem}-diverged.npz")
    evidence.save(path)
    return path


def _check_place(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: the folder '{folder}' does not exist")
    if len(path.name.encode()) > _LONGEST_NAME:
        raise InputError(f"{path.name[:20]}…: the name is longer than {_LONGEST_NAME} bytes")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; the name of a file is needed")
    try:  # rights alone do not tell: the file system may be full or read-only
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        raise InputError(f"{path}: the folder '{folder}' cannot be written to") from None


def _labelled(path: Path, label: str) -> Path:
    return path.with_stem(f"{path.stem}-{label}") if label else path


def write_one(clip: Clip, path: Path) -> None:
    """Write one file, with a bar for what takes longer."""
    if path.suffix.lower() not in (".mp4", ".html"):
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
