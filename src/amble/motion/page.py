"""A clip as a page (.html) that needs nothing else: it plays in any browser, without network."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from amble.motion.browser import (
    GROUND,
    WORLD,
    Puppet,
    add_footprints,
    look_at_body,
    require_viser,
    set_mood,
)
from amble.motion.browser_ground import Ground
from amble.motion.clip import Clip
from amble.motion.files import replacing
from amble.motion.video import frame_indices

if TYPE_CHECKING:
    import viser

Progress = Callable[[int, int], None]
SMOOTHING = 0.4  # [s] over which the place that the camera follows is averaged


def write_page(
    clip: Clip, path: str | Path, *, fps: float = 30.0, progress: Progress | None = None
) -> None:
    """Write a self-contained page with `fps` poses a second; drag to look around, it plays on."""
    require_viser()
    import viser

    with replacing(Path(path)) as unfinished:
        # The page is recorded from a server that nobody can reach from another machine.
        with redirect_stdout(StringIO()):  # viser tells its address
            server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        try:
            unfinished.write_text(_recorded(server, clip, fps, progress), encoding="utf-8")
        finally:
            with redirect_stdout(StringIO()):
                server.stop()


def _recorded(server: viser.ViserServer, clip: Clip, fps: float, progress: Progress | None) -> str:
    set_mood(server)
    world = server.scene.add_frame(WORLD, show_axes=False)
    puppet, ground = Puppet(server, clip.character), Ground(server, clip.terrain, GROUND)
    add_footprints(server, clip)
    targets_w = followed(clip)
    look_at_body(server, clip.character.model.stat.extent)
    indices = frame_indices(clip, min(fps, clip.fps))
    wanted = set(indices)
    ground.follow(targets_w[0, :2])
    serializer = server.get_scene_serializer()
    done = 0
    for frame in clip.frames():
        if frame.index not in wanted:
            continue
        puppet.reshape(frame.model)
        puppet.place(frame.data.xpos, frame.data.xquat)
        world.position = -targets_w[frame.index]
        ground.follow(targets_w[frame.index, :2])
        serializer.insert_sleep(1.0 / min(fps, clip.fps))
        done += 1
        if progress:
            progress(done, len(wanted))
    return str(serializer.as_html())


def followed(clip: Clip) -> np.ndarray:
    """Places (T, 3) on the ground beneath the body, smoothed, for a camera that follows it."""
    path = clip.qpos[:, :3].copy()
    path[:, 2] = clip.terrain.height(path[:, 0], path[:, 1])
    half = min(round(SMOOTHING * clip.fps), len(path) - 1)
    window = np.hanning(2 * half + 3)[1:-1]
    padded = np.pad(path, ((half, half), (0, 0)), mode="reflect", reflect_type="odd")
    return np.stack(
        [np.convolve(axis, window / window.sum(), mode="valid") for axis in padded.T], axis=1
    )
