"""A clip says what is wrong with it, and comes back from its file as it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amble.characters.character import Character
from amble.characters.reshape import Scale
from amble.errors import InputError
from amble.motion import clip_file
from amble.motion.clip import Clip, Event

MakeClip = Callable[..., Clip]

EVENTS = (
    Event(0.2, "push", "pelvis", {"fx": 100.0, "fy": 0.0, "fz": 0.0, "seconds": 0.1}),
    Event(0.5, "touchdown", "left_foot"),
)


def random_clip(make_clip: MakeClip) -> Clip:
    rng = np.random.default_rng(1)
    clip = make_clip()
    noise = {name: rng.normal(size=getattr(clip, name).shape) for name in clip_file.ARRAYS[1:]}
    noise["touching"] = noise["touching"] > 0
    return make_clip(events=EVENTS, scenario="test-ü", friction=0.7, **noise)


def test_round_trip(make_clip: MakeClip, tmp_path: Path) -> None:
    clip = random_clip(make_clip)
    clip.save(tmp_path / "a.npz")
    back = Clip.load(tmp_path / "a.npz")
    for name in clip_file.ARRAYS:
        assert np.array_equal(getattr(back, name), getattr(clip, name)), name
    for name in ("fps", "terrain", "events", "scenario", "friction"):
        assert getattr(back, name) == getattr(clip, name), name
    for name in ("name", "xml", "root", "limbs", "end_effectors", "parts", "assets", "source"):
        assert getattr(back.character, name) == getattr(clip.character, name), name
    assert np.array_equal(back.character.joint_limits, clip.character.joint_limits)
    assert np.array_equal(back.character.torque_limits, clip.character.torque_limits)


def test_a_reshaped_character_comes_back_in_its_shape(
    make_clip: MakeClip, biped: Character, tmp_path: Path
) -> None:
    scales = {"left_thigh": Scale(length=1.4), "pelvis": Scale(girth=1.1, mass=3.0)}
    body = replace(biped.reshaped(scales), name="zweibeinig – 二足", notes=("größer",))
    events = (
        Event(0.3, "reshape", "left_shank", {"length": 1.0, "girth": 1.2, "mass": 1.44}),
        Event(0.5, "command", "Höhe – 高さ", {"value": 1.0}),
    )
    clip = make_clip(character=body, events=events, scenario="früh – 朝")
    clip.save(tmp_path / "ü.npz")
    back = Clip.load(tmp_path / "ü.npz")
    assert back.events == events and back.scenario == clip.scenario
    assert (back.character.name, back.character.notes) == (body.name, body.notes)
    assert back.character.shape == body.shape
    np.testing.assert_array_equal(back.character.torque_limits, body.torque_limits)
    for one, other in zip(clip.frames(), back.frames(), strict=True):
        np.testing.assert_array_equal(one.model.body_mass, other.model.body_mass)
        np.testing.assert_array_equal(one.data.site_xpos, other.data.site_xpos)


def test_equal_clips_give_equal_bytes(make_clip: MakeClip, tmp_path: Path) -> None:
    random_clip(make_clip).save(tmp_path / "a.npz")
    random_clip(make_clip).save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_frames_replay_the_poses(make_clip: MakeClip) -> None:
    clip = make_clip()
    qpos = clip.qpos.copy()
    qpos[:, 0] += clip.time
    heights = []
    for frame in make_clip(qpos=qpos).frames():
        assert frame.data.body("pelvis").xpos[0] == pytest.approx(frame.time)
        heights.append(frame.data.subtree_com[1][2])
    assert len(heights) == len(clip)
    assert np.ptp(heights) < 1e-12


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"torque": np.zeros((101, 3))}, r"torque has shape \(101, 3\); expected \(101, 10\)"),
        ({"qpos": np.full((101, 19), np.nan)}, "qpos is not finite at frame 0"),
        ({"fps": 0.0, "time": np.arange(101.0)}, "fps is 0.0; it must be positive"),
        ({"time": np.zeros(101)}, "time must increase"),
    ],
)
def test_wrong_fields(make_clip: MakeClip, fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_clip(**fields)


def test_files_that_are_no_clips(make_clip: MakeClip, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.npz: no such file"):
        Clip.load(tmp_path / "missing.npz")
    text = tmp_path / "text.npz"
    text.write_text("hello")
    with pytest.raises(InputError, match="not a clip"):
        Clip.load(text)
    other = tmp_path / "other.npz"
    np.savez(other, a=np.zeros(3))
    with pytest.raises(InputError, match="not a clip"):
        Clip.load(other)
    np.save(tmp_path / "single.npy", np.zeros(3))
    with pytest.raises(InputError, match="not a clip"):
        Clip.load(tmp_path / "single.npy")
    whole = tmp_path / "whole.npz"
    make_clip().save(whole)
    half = tmp_path / "half.npz"
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(InputError, match="not a clip"):
        Clip.load(half)


def test_damaged_clips(make_clip: MakeClip, tmp_path: Path) -> None:
    path = tmp_path / "clip.npz"
    make_clip().save(path)
    with np.load(path) as archive:
        entries = dict(archive)

    def rewritten(**changes: np.ndarray) -> Path:
        np.savez(tmp_path / "changed.npz", **(entries | changes))
        return tmp_path / "changed.npz"

    header = json.loads(str(entries["header"]))
    newer = np.array(json.dumps(header | {"version": 99}))
    with pytest.raises(InputError, match="version 99; this amble reads up to 1"):
        Clip.load(rewritten(header=newer))
    with pytest.raises(InputError, match=r"changed\.npz: clip: qvel is not finite"):
        Clip.load(rewritten(qvel=np.full_like(entries["qvel"], np.inf)))
    with pytest.raises(InputError, match="damaged clip"):
        Clip.load(rewritten(header=np.array(json.dumps(header | {"character": {}}))))
    with pytest.raises(InputError, match="ground_force_w has shape"):
        Clip.load(rewritten(ground_force_w=np.zeros((2, 3))))


def test_no_flipped_byte_makes_more_than_one_line(make_clip: MakeClip, tmp_path: Path) -> None:
    """Whatever is damaged, in the archive or in what it says, the error is for users."""
    path, rng = tmp_path / "clip.npz", np.random.default_rng(0)
    make_clip(0.05).save(path)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    refused = 0
    for _ in range(150):
        damaged = whole.copy()
        damaged[rng.integers(len(whole), size=rng.integers(1, 20))] = rng.integers(256)
        path.write_bytes(damaged.tobytes())
        try:
            Clip.load(path)
        except InputError as error:
            assert "clip.npz: " in str(error) and "\n" not in str(error)
            refused += 1
    assert refused > 100


WRONG = (None, [], {}, "x", 5, -1, [1], {"a": 1}, float("inf"))


def test_no_wrong_entry_of_the_header_makes_more_than_one_line(
    make_clip: MakeClip, biped: Character, tmp_path: Path
) -> None:
    path = tmp_path / "clip.npz"
    body = biped.reshaped({"left_thigh": Scale(length=1.4)})
    make_clip(0.02, character=body, events=EVENTS).save(path)
    with np.load(path) as archive:
        entries = dict(archive)
    text = str(entries["header"])
    for keys in _paths(json.loads(text)):
        for wrong in WRONG:
            header = json.loads(text)
            place = header
            for key in keys[:-1]:
                place = place[key]
            place[keys[-1]] = wrong
            np.savez(path, **(entries | {"header": np.array(json.dumps(header))}))
            try:
                clip = Clip.load(path)
            except InputError as error:
                assert "clip.npz: " in str(error) and "\n" not in str(error)
            else:
                assert len(list(clip.frames())) == 3


def _paths(header: Any, keys: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every entry, but only to the first two of a list and of the parts."""
    inside = header.items() if isinstance(header, dict) else enumerate(header)
    for k, (key, value) in enumerate(inside):
        if k < 2 or keys != ("character", "parts"):
            yield (*keys, key)
            if isinstance(value, dict) or (isinstance(value, list) and k < 20):
                yield from _paths(value if isinstance(value, dict) else value[:2], (*keys, key))


def test_nothing_is_left_where_writing_fails(make_clip: MakeClip, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        make_clip().save(tmp_path / "nowhere" / "a.npz")
    with pytest.raises(InputError, match="is a folder"):
        make_clip().save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_reshapes_are_replayed(make_clip: MakeClip, biped: Character) -> None:
    twice = Event(0.5, "reshape", "pelvis", {"length": 1.0, "girth": 1.0, "mass": 2.0})
    masses = [frame.model.body_mass.sum() for frame in make_clip(events=(twice,)).frames()]
    pelvis = biped.model.body("pelvis").mass[0]
    assert masses[49] == pytest.approx(biped.mass)
    assert masses[50] == pytest.approx(biped.mass + pelvis)
