"""A contact sheet: frames of a clip side by side in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.files import replacing
from amble.motion.render import Look, Painter

INK = (38, 44, 52)
PAPER = (250, 250, 248)
MARGIN = 16  # [pixels]
TITLE_HEIGHT = 56  # [pixels]
SUPERSAMPLING = 2
RESTING = 0.2  # of the mean speed: what rest counts beside motion
UNEVEN, GOLDEN = 0.7, 0.5 * (5**0.5 - 1)
PUSH_SHOWS = 0.14  # [s] after its start a push has moved the body, and its arrow is still there


def write_contact_sheet(
    clip: Clip,
    path: str | Path,
    *,
    frames: int = 8,
    times: Sequence[float] | None = None,
    columns: int = 4,
    width: int = 1600,
    title: str | None = None,
    look: Look | None = None,
) -> None:
    """Write a .png of `width` pixels with `frames` moments of the clip, or those at `times`."""
    sheet = contact_sheet(
        clip, frames=frames, times=times, columns=columns, width=width, title=title, look=look
    )
    with replacing(Path(path)) as unfinished:
        sheet.save(unfinished, format="PNG", optimize=True)


def contact_sheet(
    clip: Clip,
    *,
    frames: int = 8,
    times: Sequence[float] | None = None,
    columns: int = 4,
    width: int = 1600,
    title: str | None = None,
    look: Look | None = None,
) -> Image.Image:
    """The picture that `write_contact_sheet` writes."""
    if frames < 1 or columns < 1:
        raise InputError(f"contact sheet: {frames} frames in {columns} columns; both must be ≥ 1")
    indices = _indices(clip, frames, times)
    columns = min(columns, len(indices))
    rows = ceil(len(indices) / columns)
    cell_width = (width - MARGIN * (columns + 1)) // columns
    cell_height = round(cell_width * 1.05)

    sheet_height = TITLE_HEIGHT + rows * (cell_height + MARGIN)
    sheet = Image.new("RGB", (width, sheet_height), PAPER)
    pen = ImageDraw.Draw(sheet)
    heading = title if title is not None else _title(clip)
    pen.text((MARGIN, TITLE_HEIGHT / 2), heading, INK, ImageFont.load_default(28), anchor="lm")
    duration = f"{clip.seconds:.1f} s"
    corner = (width - MARGIN, TITLE_HEIGHT / 2)
    pen.text(corner, duration, INK, ImageFont.load_default(22), anchor="rm")

    large = replace(
        look or Look(), width=cell_width * SUPERSAMPLING, height=cell_height * SUPERSAMPLING
    )
    label_font = ImageFont.load_default(22)
    with Painter(clip, large) as painter:
        for cell, (index, picture) in enumerate(
            zip(indices, painter.pictures(indices), strict=True)
        ):
            x = MARGIN + (cell % columns) * (cell_width + MARGIN)
            y = TITLE_HEIGHT + (cell // columns) * (cell_height + MARGIN)
            small = Image.fromarray(picture).resize(
                (cell_width, cell_height), Image.Resampling.LANCZOS
            )
            sheet.paste(small, (x, y))
            pen.text((x + 12, y + 8), f"{clip.time[index]:.2f} s", INK, label_font)
    return sheet


def _indices(clip: Clip, frames: int, times: Sequence[float] | None) -> list[int]:
    """Ascending, distinct indices of the frames nearest to the moments asked for."""
    if times is None:
        wanted = _moments(clip, frames)
    else:
        wanted = np.asarray(times, dtype=float)
        if wanted.size == 0 or not np.isfinite(wanted).all():
            raise InputError("contact sheet: times must be a list of at least one finite number")
    return sorted({int(np.abs(clip.time - t).argmin()) for t in wanted})


def _moments(clip: Clip, frames: int) -> np.ndarray:
    """Times [s] about evenly over what moves, so that a jump between two rests is seen; where a
    push is near, the time at which its effect shows."""
    speed = np.sqrt(np.mean(clip.qvel**2, axis=1))
    speed = speed + RESTING * max(float(speed.mean()), 1e-9)
    moved = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(clip.time))])
    share = np.arange(frames) / max(frames - 1, 1)
    # Not quite evenly, or a gait of that period would show one phase alone.
    share[1:-1] += UNEVEN / frames * (GOLDEN * np.arange(1, frames - 1) % 1.0 - 0.5)
    even = np.interp(share * moved[-1], moved, clip.time)
    shown = np.array([event.time + PUSH_SHOWS for event in clip.events_of("push")])
    if frames < 2 or not len(shown):
        return even
    nearest = shown[np.abs(even[:, None] - shown).argmin(axis=1)]
    return np.where(np.abs(nearest - even) <= np.gradient(even) / 2, nearest, even)


def _title(clip: Clip) -> str:
    return " · ".join(word for word in (clip.scenario, clip.character.name) if word)
