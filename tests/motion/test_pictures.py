"""Pictures show the character; files are there whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from amble.errors import InputError, UnknownName
from amble.motion import gl
from amble.motion.camera import View, camera_targets
from amble.motion.clip import Clip, Event
from amble.motion.contact_sheet import PUSH_SHOWS, _moments, contact_sheet
from amble.motion.export import write
from amble.motion.gl import RenderUnavailable, create_context
from amble.motion.render import Look, Painter
from amble.motion.trace import trace
from amble.motion.video import frame_indices, write_video

MakeClip = Callable[..., Clip]

SMALL = Look(width=160, height=120)
PUSH = Event(0.5, "push", "pelvis", {"fx": 0.0, "fy": 400.0, "fz": 0.0, "seconds": 0.2})


@pytest.fixture(autouse=True)
def drawing() -> None:
    try:
        create_context(8, 8).free()
    except RenderUnavailable as error:
        pytest.skip(str(error))


def orange(picture: np.ndarray) -> np.ndarray:
    """Pixels with the colour of the biped's trunk."""
    red, _, blue = np.moveaxis(picture.astype(int), -1, 0)
    return red - blue > 60


def test_the_camera_keeps_the_character_in_the_middle(make_clip: MakeClip) -> None:
    clip = make_clip(2.0, 50)
    qpos = clip.qpos.copy()
    qpos[:, 0] += 1.5 * clip.time
    with Painter(make_clip(2.0, 50, qpos=qpos), SMALL) as painter:
        for picture in painter.pictures([0, 50, 100]):
            rows, columns = np.nonzero(orange(picture))
            assert len(rows) > 100
            assert abs(columns.mean() - 80) < 15
            assert abs(rows.mean() - 60) < 30


def test_the_camera_neither_lags_nor_shakes(make_clip: MakeClip) -> None:
    clip = make_clip(3.0)
    qpos = clip.qpos.copy()
    qpos[:, 0] += 2 * clip.time
    qpos[:, 2] += 0.03 * np.sin(2 * np.pi * 2 * clip.time)
    clip = make_clip(3.0, qpos=qpos)
    seen = trace(clip)
    target = camera_targets(clip, seen, View())
    assert np.allclose(target[:, 0], seen.com_w[:, 0], atol=1e-9)
    assert np.ptp(target[:, 2]) < 0.3 * np.ptp(seen.com_w[:, 2])


def test_a_push_is_shown_while_it_acts(make_clip: MakeClip) -> None:
    clip = make_clip(events=(PUSH,))
    with Painter(clip, SMALL) as painter:
        before, during, after = painter.pictures([40, 60, 90])
    assert np.array_equal(before, after)
    red = during.astype(int)[..., 0] - during.astype(int)[..., 1] > 100
    assert red.sum() > 20


def test_contact_sheet(make_clip: MakeClip, tmp_path: Path) -> None:
    write(make_clip(), tmp_path / "sheet.png", frames=3, columns=2, width=400)
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.width == 400
        assert sheet.height > 350
    with pytest.raises(InputError, match="must be ≥ 1"):
        contact_sheet(make_clip(), frames=0)
    assert [p.name for p in tmp_path.iterdir()] == ["sheet.png"]


def test_contact_sheet_shows_the_pushes(make_clip: MakeClip) -> None:
    clip = make_clip()
    even = _moments(clip, 3)
    push = Event(even[1] - 0.1 * clip.seconds - PUSH_SHOWS, "push", "pelvis")
    assert _moments(replace(clip, events=(push,)), 3)[1] == pytest.approx(push.time + PUSH_SHOWS)
    assert _moments(replace(clip, events=(push,)), 3)[[0, 2]] == pytest.approx(even[[0, 2]])


def test_video_lasts_as_long_as_the_clip(make_clip: MakeClip, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    clip = make_clip(0.5)
    path = tmp_path / "a.mp4"
    write(clip, path, fps=20, look=SMALL, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (11, 11)
    with av.open(str(path)) as video:
        stream = video.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        pictures = [frame.to_ndarray(format="rgb24") for frame in video.decode(stream)]
    assert len(pictures) == 11
    assert orange(pictures[5]).sum() > 100


def test_video_pictures_keep_the_clip_s_time(make_clip: MakeClip) -> None:
    assert frame_indices(make_clip(1.0, 100), 25) == list(range(0, 101, 4))
    assert frame_indices(make_clip(0.2, 10), 20) == [0, 1, 1, 2, 2]


def test_an_interrupted_video_leaves_nothing(make_clip: MakeClip, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    (tmp_path / "old.mp4").write_text("as it was")
    with pytest.raises(KeyboardInterrupt):
        write_video(make_clip(), tmp_path / "old.mp4", look=SMALL, progress=stop)
    assert [p.name for p in tmp_path.iterdir()] == ["old.mp4"]
    assert (tmp_path / "old.mp4").read_text() == "as it was"


def test_unknown_endings(make_clip: MakeClip, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"unknown file ending '\.avi'.*allowed|did you mean"):
        write(make_clip(), tmp_path / "a.avi")
    with pytest.raises(InputError, match="both must be even"):
        write(make_clip(), tmp_path / "a.mp4", look=Look(width=161, height=120))


def test_without_opengl_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(width: int, height: int) -> None:
        raise OSError("no library")

    monkeypatch.setattr(gl, "_should_draw_in_software", lambda: False)
    monkeypatch.setattr(gl.mujoco, "GLContext", broken)
    with pytest.raises(RenderUnavailable, match="libosmesa6"):
        create_context(8, 8)
