"""A clip as a video: H.264 in .mp4, written by PyAV."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from amble.errors import InputError
from amble.motion.clip import Clip
from amble.motion.files import replacing
from amble.motion.render import Look, Painter

Progress = Callable[[int, int], None]
"""Called with the number of pictures done and the number in all."""


def write_video(
    clip: Clip,
    path: str | Path,
    *,
    fps: int = 30,
    look: Look | None = None,
    quality: int = 20,
    progress: Progress | None = None,
) -> None:
    """Write a .mp4 of `fps` pictures a second; on any error nothing is left behind.

    `quality` is H.264's constant rate factor, from 0 (lossless) to 51 (worst).
    """
    if not 1 <= fps <= 240:
        raise InputError(f"video: fps is {fps}; it must be from 1 to 240")
    look = look or Look()
    if look.width % 2 or look.height % 2:
        raise InputError(f"video: {look.width} × {look.height} pixels; both must be even")
    indices = frame_indices(clip, fps)
    with (
        replacing(Path(path)) as unfinished,
        Painter(clip, look) as painter,
        av.open(str(unfinished), mode="w", format="mp4") as container,
    ):
        # One encoder thread, so that the same clip gives the same bytes on any machine.
        options = {"crf": str(quality), "preset": "veryfast", "threads": "1"}
        stream = container.add_stream("libx264", rate=fps, options=options)
        stream.width, stream.height, stream.pix_fmt = look.width, look.height, "yuv420p"
        stream.time_base = Fraction(1, fps)
        # A clip slower than the video shows frames more than once.
        repeats = np.unique(indices, return_counts=True)[1]
        done = 0
        for picture, repeat in zip(painter.pictures(indices), repeats, strict=True):
            for _ in range(repeat):
                image = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
                image.pts = done
                container.mux(stream.encode(image))
                done += 1
                if progress:
                    progress(done, len(indices))
        container.mux(stream.encode(None))


def frame_indices(clip: Clip, fps: float) -> list[int]:
    """The index of the clip's nearest frame for each picture of a video with this rate."""
    moments = clip.time[0] + np.arange(int(clip.seconds * fps + 1e-6) + 1) / fps
    after = np.searchsorted(clip.time, moments).clip(0, len(clip) - 1)
    before = (after - 1).clip(0)
    nearer_before = moments - clip.time[before] < clip.time[after] - moments - 1e-9
    return np.where(nearer_before, before, after).tolist()
