"""Captures of any skeleton become motions of the body: round trips, names, contacts, errors."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from consistency import equation_residual

import amble
from amble.errors import InputError
from amble.motion.bvh import read_bvh, write_bvh, write_bvh_motion
from amble.motion.clip import Clip
from amble.motion.skeleton import Skeleton, SkeletonMotion
from amble.tracking.capture import read_capture
from amble.tracking.cycles import find_cycle
from amble.tracking.flat_body import FlatBody
from amble.tracking.from_clip import motion_from_clip
from amble.tracking.generated import planned_clip
from amble.tracking.joint_names import match_joints
from amble.tracking.spacetime import solve

DATA = Path(os.environ.get("AMBLE_DATA", Path(__file__).parents[3] / "shared" / "data")) / "mocap"


@pytest.fixture(scope="module")
def body() -> FlatBody:
    return FlatBody(amble.character("humanoid-tracking"))


@pytest.fixture(scope="module")
def clip(body: FlatBody) -> Clip:
    return planned_clip(body.character, 1.2, 4.0)


@pytest.fixture(scope="module")
def file(clip: Clip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bvh") / "walk.bvh"
    write_bvh(clip, path)
    return path


def _changed(file: Path, path: Path, **changes: object) -> Path:
    write_bvh_motion(replace(read_bvh(file), **changes), path)  # type: ignore[arg-type]
    return path


def test_the_bodys_own_motion_comes_back(body: FlatBody, clip: Clip, file: Path) -> None:
    own, found = motion_from_clip(body, clip), read_capture(body, file)
    inner = slice(60, 420)
    away = np.degrees(np.abs((found.q - own.q)[inner, 6:]))
    assert away.mean() < 1.0
    agree = (found.contact == own.contact)[inner].mean()
    assert agree > 0.85
    # The floor is where the feet are, and the body as large as it is.
    np.testing.assert_allclose(found.q[inner, 2], own.q[inner, 2], atol=0.02)


def test_size_unit_place_and_direction_of_a_capture_do_not_matter(
    body: FlatBody, file: Path, tmp_path: Path
) -> None:
    first = read_capture(body, file)
    motion = read_bvh(file)
    s = motion.skeleton
    large = Skeleton(s.names, s.parents, 130 * s.offsets, 130 * s.tips)
    places = 130 * motion.places
    places[:, 0] += [300.0, -50.0, 40.0]  # centimetres, 1.3 times as tall, elsewhere
    path = tmp_path / "large.bvh"
    write_bvh_motion(SkeletonMotion(large, motion.fps, places, motion.quats), path)
    found = read_capture(body, path)
    np.testing.assert_allclose(found.q, first.q, atol=2e-3)
    np.testing.assert_array_equal(found.contact, first.contact)


def test_other_bodies_follow_the_same_capture(file: Path) -> None:
    body = FlatBody(amble.character("humanoid"))
    found = find_cycle(read_capture(body, file))
    assert found.travel is not None and found.travel.dx > 0.8
    left = found.contact[:, :4].any(axis=1).mean()
    assert 0.5 < left < 0.75  # of the cycle on the ground: a walk


@pytest.mark.parametrize(
    "names",
    [
        ("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftArm", "LeftForeArm", "LeftHand"),
        ("mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftArm")
        + ("mixamorig:LeftForeArm", "mixamorig:LeftHand"),
        ("lThigh", "lShin", "lFoot", "lShldr", "lForeArm", "lHand"),
        ("lfemur", "ltibia", "lfoot", "lhumerus", "lradius", "lhand"),
        ("thigh_l", "calf_l", "foot_l", "upperarm_l", "lowerarm_l", "hand_l"),
        ("left_hip", "left_knee", "left_ankle", "left_shoulder", "left_elbow", "left_wrist"),
        ("Bip01 L Thigh", "Bip01 L Calf", "Bip01 L Foot", "Bip01 L UpperArm")
        + ("Bip01 L Forearm", "Bip01 L Hand"),
    ],
    ids=lambda names: names[0],
)
def test_names_of_any_style_are_understood(names: tuple[str, ...]) -> None:
    sides = (("Left", "Right"), ("left", "right"), (" L ", " R "), ("_l", "_r"))
    old, new = next(((a, b) for a, b in sides if all(a in n for n in names)), ("l", "r"))
    right = [name.replace(old, new, 1) for name in names]
    joints = ["Hips", *names[:3], *right[:3], "Spine", *names[3:], *right[3:]]
    parents = (-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 9, 7, 11, 12)
    skeleton = Skeleton(tuple(joints), parents, np.zeros((14, 3)), np.full((14, 3), np.nan))
    found = match_joints(skeleton)
    parts = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
    for i, part in enumerate(parts):
        assert joints[found.roles[f"left_{part}"]] == names[i]
        assert joints[found.roles[f"right_{part}"]] == right[i]
    assert joints[found.chest] == "Spine"


def test_names_can_be_given(body: FlatBody, file: Path, tmp_path: Path) -> None:
    motion = read_bvh(file)
    s = motion.skeleton
    odd = tuple(name.replace("left_shank", "Bone_17") for name in s.names)
    path = _changed(
        file, tmp_path / "odd.bvh", skeleton=Skeleton(odd, s.parents, s.offsets, s.tips)
    )
    with pytest.raises(InputError, match=r"left knee.*left_knee=JOINT"):
        read_capture(body, path)
    found = read_capture(body, path, names={"left_knee": "Bone_17"})
    np.testing.assert_allclose(found.q, read_capture(body, file).q, atol=1e-6)
    with pytest.raises(InputError, match="Bone_17"):
        read_capture(body, path, names={"left_knee": "Bone_18"})
    with pytest.raises(InputError, match="left_knee"):
        read_capture(body, path, names={"left_kne": "Bone_17"})


def test_clips_that_cannot_be_used_are_told_in_one_line(
    body: FlatBody, file: Path, tmp_path: Path
) -> None:
    motion = read_bvh(file)
    short = _changed(
        file, tmp_path / "short.bvh", places=motion.places[:20], quats=motion.quats[:20]
    )
    with pytest.raises(InputError, match="shorter than a step"):
        read_capture(body, short)
    rising = motion.places.copy()
    rising[:, 0, 2] += np.arange(len(rising)) * 4 / motion.fps
    flying = _changed(file, tmp_path / "flying.bvh", places=rising)
    with pytest.raises(InputError, match="no foot ever stands"):
        read_capture(body, flying)
    still = _changed(
        file,
        tmp_path / "still.bvh",
        places=motion.places[:1].repeat(100, axis=0),
        quats=motion.quats[:1].repeat(100, axis=0),
    )
    with pytest.raises(InputError, match="no cycle"):
        find_cycle(read_capture(body, still))
    broken = tmp_path / "broken.bvh"
    broken.write_text(file.read_text()[:4000])
    with pytest.raises(InputError, match=r"broken.bvh"):
        read_capture(body, broken)


@pytest.mark.skipif(not DATA.exists(), reason=f"no motion capture in {DATA}")
def test_a_real_walk_is_optimised_near_its_capture(body: FlatBody) -> None:
    """A clip with a T-pose before it, whose toes and heels are found on the ground in order."""
    whole = read_capture(body, DATA / "walk__cmu_16_15.bvh")
    motion = find_cycle(whole)
    assert motion.travel is not None and 1.0 < motion.seconds < 1.3
    assert 1.1 < motion.travel.dx < 1.4
    found = solve(body, motion)
    assert np.degrees(np.abs((found.q - motion.q)[:, 6:]).mean()) < 5
    assert equation_residual(body, found).max() < 1e-6 * body.character.mass * 9.81
