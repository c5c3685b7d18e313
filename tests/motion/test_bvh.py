"""BVH: read as others read it, written so that it comes back, and refused in one line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from amble.cli.app import run
from amble.errors import InputError
from amble.motion.bvh import read_bvh, write_bvh, write_bvh_motion
from amble.motion.clip import Clip, Event
from amble.motion.clip_skeleton import clip_skeleton
from amble.motion.measures import measure
from amble.motion.skeleton_clip import read_bvh_clip, skeleton_clip

MakeClip = Callable[..., Clip]
DATA = Path(os.environ.get("AMBLE_DATA", Path(__file__).parents[3] / "shared" / "data"))
CLIPS = sorted((DATA / "mocap").glob("*.bvh"))
CMU_UNIT = 0.05644  # [m]

ARM = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Yrotation Zrotation Xrotation
  JOINT upper arm
  {
    OFFSET 0 50 0
    CHANNELS 2 Xrotation Zrotation
    End Site
    {
      OFFSET 0 30 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 90 0 0 0 0 0 0
10 90 20 90 0 0 0 90
"""


def textbook(path: Path, unit: float) -> np.ndarray:
    """Places of all joints (T, J, 3) by the plainest reading of a file of the CMU conversion."""
    words = path.read_text().split()
    offsets, channels, parents, stack, k = [], [], [], [-1], 0
    end = False
    while words[k] != "MOTION":
        if words[k] in ("ROOT", "JOINT", "End"):
            end = words[k] == "End"
            if not end:
                parents.append(stack[-1])
                stack.append(len(parents) - 1)
        elif words[k] == "OFFSET" and not end:
            offsets.append([float(w) for w in words[k + 1 : k + 4]])
        elif words[k] == "CHANNELS":
            channels.append(words[k + 2 : k + 2 + int(words[k + 1])])
        elif words[k] == "}":
            if end:
                end = False
            else:
                stack.pop()
        k += 1
    frames = int(words[k + 2])
    values = np.array(words[k + 6 :], dtype=float).reshape(frames, -1)
    places = np.empty((frames, len(parents), 3))
    turns: list[Rotation] = []
    column = 0
    for j, (parent, names) in enumerate(zip(parents, channels, strict=True)):
        own = values[:, column : column + len(names)]
        column += len(names)
        order = "".join(name[0] for name in names if name.endswith("rotation"))
        turn = Rotation.from_euler(order, own[:, -3:], degrees=True)
        if parent < 0:
            places[:, j] = own[:, :3]
            turns.append(turn)
        else:
            places[:, j] = places[:, parent] + turns[parent].apply(np.array(offsets[j]))
            turns.append(turns[parent] * turn)
    x, y, z = np.moveaxis(unit * places, -1, 0)
    return np.stack([z, x, y], axis=-1)


@pytest.fixture(params=CLIPS or [None], ids=lambda path: path.stem if path else "no data")
def mocap(request: pytest.FixtureRequest) -> Path:
    if request.param is None:
        pytest.skip(f"no motion capture in {DATA}; AMBLE_DATA names another folder")
    path: Path = request.param
    return path


def test_motion_capture_comes_back_within_a_tenth_of_a_millimetre(
    mocap: Path, tmp_path: Path
) -> None:
    motion = read_bvh(mocap, scale=CMU_UNIT, skip=1)
    assert np.abs(motion.places_w - textbook(mocap, CMU_UNIT)[1:]).max() < 1e-9
    assert motion.fps == 120
    write_bvh_motion(motion, tmp_path / "again.bvh")
    again = read_bvh(tmp_path / "again.bvh")
    assert again.skeleton.names == motion.skeleton.names
    assert np.abs(again.places_w - motion.places_w).max() < 1e-4
    write_bvh(skeleton_clip(motion, "clip"), tmp_path / "clip.bvh")
    through_clip = read_bvh(tmp_path / "clip.bvh")
    assert through_clip.skeleton.parents == motion.skeleton.parents
    assert np.abs(through_clip.places_w - motion.places_w).max() < 1e-4
    np.testing.assert_allclose(through_clip.skeleton.tips, motion.skeleton.tips, atol=1e-4)


def test_channels_in_any_order_units_and_axes(tmp_path: Path) -> None:
    path = tmp_path / "arm.bvh"
    path.write_text(ARM)
    motion = read_bvh(path, scale=0.01)
    assert motion.fps == 30 and motion.skeleton.names == ("hips", "upper_arm")
    np.testing.assert_allclose(motion.places_w[0], [[0, 0, 0.9], [0, 0, 1.4]], atol=1e-12)
    # Turned about y, the file's upward axis, by 90°: z, forward, goes to x, to the left.
    np.testing.assert_allclose(motion.places_w[1], [[0.2, 0.1, 0.9], [0.2, 0.1, 1.4]], atol=1e-12)
    tip = Rotation.from_quat(motion.quats_w[1, 1], scalar_first=True).apply([0, 0, 0.3])
    # The arm turns about the hips' z by 90°, from up to the hips' right: the world's back.
    world = Rotation.from_quat(motion.quats_w[1, 0], scalar_first=True).apply([0, -0.3, 0])
    np.testing.assert_allclose(tip, world, atol=1e-12)
    upright = read_bvh(path, scale=0.01, up="z", forward="x")
    np.testing.assert_allclose(upright.places_w[1, 0], [0.1, 0.9, 0.2], atol=1e-12)
    assert len(read_bvh(path, scale=0.01, skip=1)) == 1


def test_joints_that_leave_their_place_and_reshapes_come_back(
    make_clip: MakeClip, tmp_path: Path
) -> None:
    clip = make_clip(
        0.2, events=(Event(0.1, "reshape", "left_thigh", {"length": 1.5, "girth": 1, "mass": 1}),)
    )
    rng = np.random.default_rng(0)
    qpos = clip.qpos.copy()
    qpos[:, 7:] = rng.normal(size=(len(clip), qpos.shape[1] - 7))
    for ball in (slice(3, 7), slice(7, 11), slice(13, 17)):
        qpos[:, ball] = rng.normal(size=(len(clip), 4))
        qpos[:, ball] /= np.linalg.norm(qpos[:, ball], axis=1, keepdims=True)
    clip = make_clip(0.2, events=clip.events, qpos=qpos)
    motion = clip_skeleton(clip)
    assert [n for n, moves in zip(motion.skeleton.names, motion.moving, strict=True) if moves] == [
        *("pelvis", "left_shank")
    ]
    bodies = [clip.character.model.body(name).id for name in motion.skeleton.names]
    for frame in clip.frames():  # the biped's joints are at the origins of its bodies
        np.testing.assert_allclose(motion.places_w[frame.index], frame.data.xpos[bodies], atol=1e-9)
    write_bvh(clip, tmp_path / "a.bvh")
    assert np.abs(read_bvh(tmp_path / "a.bvh").places_w - motion.places_w).max() < 1e-4
    read_bvh_clip(tmp_path / "a.bvh").save(tmp_path / "a.npz")
    loaded = clip_skeleton(Clip.load(tmp_path / "a.npz"))
    assert np.abs(loaded.places_w - motion.places_w).max() < 1e-4


def test_a_clip_of_motion_capture_can_be_measured(tmp_path: Path) -> None:
    (tmp_path / "arm.bvh").write_text(ARM)
    measures = measure(read_bvh_clip(tmp_path / "arm.bvh", scale=0.01))
    assert measures["distance_m"] > 0.2 and measures["stance_slip_mm"]["max"] == 0


WRONG = {
    "": ("HIERARCHY", "ends after line 0; the word HIERARCHY must follow"),
    "no root": ("ROOT", "line 2: found 'BONE hips'; ROOT and its name must be here"),
    "no name": ("ROOT hips", "line 2: ROOT has no name"),
    "offset": ("OFFSET 0 50 0", "line 8: OFFSET of 'upper_arm' has 2 numbers; 3 are needed"),
    "offset in words": ("OFFSET 0 30 0", "line 12: OFFSET of the End Site holds 'much'"),
    "channel": ("Xrotation Zrotation", "line 9: .*unknown channel 'Wrotation'; allowed: Xpos"),
    "twice": ("Xrotation Zrotation", "line 9: .*names a channel twice"),
    "count": ("CHANNELS 2", "line 9: .*names 2 channels and says 3"),
    "huge count": ("CHANNELS 2", "line 9: .*names 2 channels and says 1000000"),
    "key": ("JOINT", "line 6: found 'BONE'; OFFSET, CHANNELS, JOINT, End Site or } must be here"),
    "frames": ("Frames: 2", "2 frames follow; 'Frames:' says 3"),
    "half a frame": ("Frames: 2", "a whole number ≥ 1 is needed"),
    "time": ("0.0333333", "line 18: Frame Time: 0 s; it must be from"),
    "short row": ("10 90 20 90 0 0 0 90", "line 20: 7 numbers; the joints have 8 channels"),
    "nan": ("10 90 20 90 0 0 0 90", "line 20: a frame holds 'nan'; finite numbers are needed"),
    "no channels": ("    CHANNELS 2 Xrotation Zrotation\n", "line 13: 'upper_arm' has no CHANNELS"),
    "second root": ("MOTION", "line 16: a second ROOT"),
    "truncated": ("MOTION", "ends after line 15; MOTION must follow"),
}
INSTEAD = {
    "no root": "BONE",
    "no name": "ROOT",
    "offset": "OFFSET 0 50",
    "offset in words": "OFFSET 0 much 0",
    "channel": "Wrotation Zrotation",
    "twice": "Xrotation Xrotation",
    "count": "CHANNELS 3",
    "huge count": f"CHANNELS 1{'0' * 40}",
    "key": "BONE",
    "frames": "Frames: 3",
    "half a frame": "Frames: 0.5",
    "time": "0",
    "short row": "10 90 20 90 0 0 0",
    "nan": "10 90 20 90 0 0 0 nan",
    "no channels": "",
    "second root": "ROOT other",
}


@pytest.mark.parametrize("case", WRONG)
def test_malformed_files_are_refused_in_one_line(case: str, tmp_path: Path) -> None:
    place, message = WRONG[case]
    text = ARM.replace(place, INSTEAD[case], 1) if case in INSTEAD else ARM[: ARM.index(place)]
    path = tmp_path / "wrong.bvh"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_bvh(path, scale=0.01)
    assert "wrong.bvh" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "is 80 m large; give as scale"),
        ({"scale": 0.0}, "scale is 0"),
        ({"scale": float("nan")}, "scale is nan"),
        ({"scale": 0.01, "up": "north"}, "unknown axis 'north'"),
        ({"scale": 0.01, "up": "y", "forward": "-y"}, "must be different axes"),
        ({"scale": 0.01, "skip": 2}, "skip is 2; 0 to 1 is allowed"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str, tmp_path: Path) -> None:
    (tmp_path / "arm.bvh").write_text(ARM)
    with pytest.raises(InputError, match=message):
        read_bvh(tmp_path / "arm.bvh", **options)  # type: ignore[arg-type]


def test_files_that_are_not_text(tmp_path: Path) -> None:
    (tmp_path / "binary.bvh").write_bytes(bytes(range(256)))
    for path in (tmp_path / "binary.bvh", tmp_path / "missing.bvh", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            read_bvh(path)


def test_no_damage_makes_more_than_one_line(tmp_path: Path) -> None:
    rng, whole = np.random.default_rng(0), np.frombuffer(ARM.encode(), dtype=np.uint8)
    path, refused = tmp_path / "damaged.bvh", 0
    for _ in range(300):
        damaged = whole.copy()
        damaged[rng.integers(len(whole), size=rng.integers(1, 6))] = rng.integers(128)
        path.write_bytes(damaged.tobytes())
        try:
            read_bvh_clip(path, scale=0.01)
        except InputError as error:
            assert "damaged.bvh" in str(error) and "\n" not in str(error)
            refused += 1
    assert refused > 100


def test_the_command_line_writes_bvh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["make", "balance", "--seconds", "0.1", "-o", "a.bvh", "-o", "a.npz"]) == 0
    motion = clip_skeleton(Clip.load("a.npz"))
    assert np.abs(read_bvh("a.bvh").places_w - motion.places_w).max() < 1e-4
