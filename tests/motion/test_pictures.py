"""Pictures show the character; files are there whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from amble.characters import Character, Scale, character_names
from amble.errors import InputError
from amble.motion import gl
from amble.motion.camera import FIELD_OF_VIEW, View, frame_clip
from amble.motion.clip import Clip, Event
from amble.motion.contact_sheet import PUSH_SHOWS, _moments, contact_sheet
from amble.motion.export import write
from amble.motion.gl import RenderUnavailable, create_context
from amble.motion.render import Look, Painter
from amble.motion.video import frame_indices, write_video
from amble.scenarios import Growth, scenario
from amble.terrain import Slope
from amble.world import Push

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


def test_footprints_lie_on_the_ground_from_the_moment_they_are_told(make_clip: MakeClip) -> None:
    place = {"x": 0.4, "y": 0.0, "z": 0.0, "yaw": 30.0, "length": 0.3, "width": 0.15}
    told = replace(make_clip(1.0, 50), events=(Event(0.5, "footprint", "left", place),))
    with Painter(told, SMALL) as painter:
        before, after = painter.pictures([0, 50])
    red = [((p[..., 0] > 110) & (p[..., 1] < 70) & (p[..., 2] < 70)).sum() for p in (before, after)]
    assert red[1] > red[0] + 20


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
    target_w = frame_clip(make_clip(3.0, qpos=qpos), View(), 1.0).targets_w
    assert np.ptp(target_w[:, 0] - qpos[:, 0]) < 1e-9
    assert np.ptp(target_w[:, 2]) < 0.3 * np.ptp(qpos[:, 2])


def in_picture(clip: Clip, aspect: float) -> np.ndarray:
    """Where the corners of all drawn geoms are in the picture, in every frame: (n, 2) from −1 to 1
    where they are in it."""
    framing, seen = frame_clip(clip, View(), aspect), []
    tan = np.tan(np.deg2rad(FIELD_OF_VIEW / 2))
    corners = np.array(list(product((-1, 1), repeat=3)))
    azimuth, elevation = np.deg2rad([framing.azimuth, framing.elevation])
    right = np.array([np.sin(azimuth), -np.cos(azimuth), 0])
    level = np.array([np.cos(azimuth), np.sin(azimuth), 0])
    forward = np.cos(elevation) * level + np.sin(elevation) * np.array([0, 0, 1])
    up = np.cross(right, forward)
    for frame in clip.frames():
        model, data = frame.model, frame.data
        eye_w = framing.targets_w[frame.index] - framing.distance * forward
        for geom in np.flatnonzero((model.geom_bodyid > 0) & (model.geom_group < 3)):
            center, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
            points_w = (
                data.geom_xpos[geom]
                + (center + corners * half) @ data.geom_xmat[geom].reshape(3, 3).T
            )
            from_eye = points_w - eye_w
            depth = tan * (from_eye @ forward)
            assert (depth > 0).all(), "behind the camera"
            seen.append(
                np.stack([from_eye @ right / aspect, from_eye @ up], axis=1) / depth[:, None]
            )
    return np.concatenate(seen)


@pytest.mark.parametrize("aspect", [0.95, 16 / 9])
@pytest.mark.parametrize("name", character_names())
def test_every_body_is_whole_in_the_picture_and_large(name: str, aspect: float) -> None:
    chosen = scenario("balance")
    seen = in_picture(chosen.make(chosen.request(name, seconds=0.1)).clip, aspect)
    assert 0.8 < np.abs(seen).max() < 0.9


@pytest.mark.parametrize("aspect", [0.95, 16 / 9])
def test_a_body_that_grows_or_falls_stays_in_the_picture(aspect: float) -> None:
    chosen = scenario("balance")
    legs = [f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank")]
    growths = tuple(Growth(0.1, part, Scale(length=2)) for part in legs)
    seen = in_picture(chosen.make(chosen.request(seconds=1.2, growths=growths)).clip, aspect)
    assert 0.8 < np.abs(seen).max() < 0.9
    push = Push("thorax", (1500.0, 500.0, 0.0), 0.1, 0.2)
    fall = chosen.make(chosen.request(seconds=3.0, pushes=(push,)))
    assert not fall.reached_goal
    assert 0.8 < np.abs(in_picture(fall.clip, aspect)).max() < 0.9


def test_the_ground_does_not_hide_the_body(make_clip: MakeClip) -> None:
    level, hill = make_clip(), make_clip(terrain=Slope(40, direction_degrees=-55))
    assert frame_clip(level, View(), 1.0).elevation == View().elevation
    framing = frame_clip(hill, View(), 1.0)
    assert framing.elevation < View().elevation
    azimuth, elevation = np.deg2rad([framing.azimuth, framing.elevation])
    x, y, z = framing.targets_w[0] - framing.distance * np.array(
        [
            np.cos(elevation) * np.cos(azimuth),
            np.cos(elevation) * np.sin(azimuth),
            np.sin(elevation),
        ]
    )
    assert z > hill.terrain.height(x, y)


def test_the_ground_has_no_speckles(make_clip: MakeClip) -> None:
    """Far from the body's shadow the ground looks as it does without any shadows."""
    clip = make_clip(0.02)
    with Painter(clip, Look(480, 270)) as painter:
        shadows = next(painter.pictures([0])).astype(int)
    with Painter(clip, Look(480, 270)) as painter:
        painter._model.light_castshadow[:] = False
        plain = next(painter.pictures([0])).astype(int)
    different = np.abs(shadows - plain).sum(axis=-1) > 15
    assert different.sum() > 100, "the body's own shadow"
    assert not different[200:, 340:].any() and not different[200:, :60].any()


def test_a_reshaped_character_is_drawn_as_it_is(make_clip: MakeClip, biped: Character) -> None:
    long = biped.reshaped({"left_shank": Scale(length=1.5), "right_shank": Scale(length=1.5)})
    qpos = np.tile(long.rest_qpos(), (101, 1))
    with (
        Painter(make_clip(), SMALL) as usual,
        Painter(make_clip(character=long, qpos=qpos), SMALL) as longer,
    ):
        trunk = [orange(next(each.pictures([0]))).sum() for each in (usual, longer)]
    assert trunk[1] < 0.85 * trunk[0], "the trunk is a smaller part of a taller body"


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
    with pytest.raises(InputError, match=r"unknown file ending '\.avi'.*allowed: "):
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
