"""Files as they come: includes, meshes, missing ones, and everything that must be refused."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from legged_models import arm, biped, check_stands, load_text, mjcf, save, urdf_biped

from amble.characters.describe import describe
from amble.characters.importer import load
from amble.errors import InputError

CUBE = "\n".join(
    [*(f"v {x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)),
     *(f"f {f}" for f in ("1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2",
                          "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"))]
)  # fmt: skip

WHEELS = "".join(
    f"""<body name="w{i}" pos="{x} {y} -0.1"><joint name="spin{i}" axis="0 1 0"/>
    <geom type="cylinder" size="0.1 0.02" quat="0.7071 0.7071 0 0" mass="1"/></body>"""
    for i, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)])
)


def body(inside: str) -> str:
    box = '<geom type="box" size="0.3 0.2 0.05" mass="9"/>'
    return mjcf(f'<body name="b" pos="0 0 1"><freejoint/>{box}{inside}</body>')


CHAIR = body(
    "".join(
        f'<geom type="capsule" size="0.02" fromto="{x} {y} 0 {x} {y} -0.4"/>'
        for x in (0.2, -0.2)
        for y in (0.2, -0.2)
    )
)
PENDULUM = body(
    '<body name="p" pos="0 0 0.05"><joint name="j" axis="0 1 0"/>'
    '<geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.5"/></body>'
)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("empty.xml", "", "empty"),
        ("broken.xml", "<mujoco>\n<worldbody>\n<body>\n</worldbody></mujoco>", "line 4"),
        ("broken.urdf", "<robot name='a'><link></robot>", "line 1"),
        ("page.xml", "<html></html>", "<html>"),
        ("nothing.xml", "<mujoco/>", "no bodies"),
        ("element.xml", "<mujoco><worldbody><leg/></worldbody></mujoco>", "leg"),
        ("nan.xml", mjcf(biped()).replace("0 0 1", "nan 0 1"), "not a number"),
        ("negative.xml", mjcf(biped()).replace('mass="20"', 'mass="-20"'), "negative"),
        ("massless.xml", mjcf(biped()).replace('mass="20"', 'mass="0"'), "mass"),
        ("massless.urdf", urdf_biped().replace('<mass value="4"/>', '<mass value="0"/>'), "mass"),
        ("model.txt", mjcf(biped()), ".urdf"),
        ("chair.xml", CHAIR, "no legs"),
        ("cart.xml", body(WHEELS), "no legs"),
        ("pendulum.xml", PENDULUM, "no legs"),
        ("far.xml", mjcf(biped()).replace("0 0 1", "0 0 inf"), "within 10000 m"),
        ("include.xml", '<mujoco><include file="gone.xml"/></mujoco>', "gone.xml"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        load(save(tmp_path, text, name))
    message = str(caught.value)
    assert words in message and name in message and "\n" not in message


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "gone.xml")
    (tmp_path / "folder.xml").mkdir()
    with pytest.raises(InputError, match="directory"):
        load(tmp_path / "folder.xml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<mujoco><worldbody></mujoco>", "broken XML at line 1"),
        (mjcf(biped()).replace("0 0 1", "0 nan 1"), "not a number"),
        ("", "empty"),
    ],
)
def test_what_is_wrong_in_an_included_file_is_said_of_that_file(
    tmp_path: Path, text: str, words: str
) -> None:
    save(tmp_path, text, "part.xml")
    with pytest.raises(InputError, match=rf"part\.xml: .*{words}"):
        load_text(tmp_path, '<mujoco><include file="part.xml"/></mujoco>', "scene.xml")


def test_a_missing_mesh_is_the_reason_for_a_missing_mass(tmp_path: Path) -> None:
    asset = '<asset><mesh name="trunk" file="trunk.stl"/></asset>'
    box = '<geom type="box" size="0.08 0.12 0.1" mass="20"/>'
    text = mjcf(biped().replace(box, '<geom type="mesh" mesh="trunk"/>'), asset)
    with pytest.raises(InputError, match=r"mass.*'trunk\.stl' is missing"):
        load_text(tmp_path, text)


def test_files_past_reason_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("amble.characters.importer.read")
    monkeypatch.setattr(module, "LARGEST", 100)
    with pytest.raises(InputError, match="up to 100 bytes"):
        load_text(tmp_path, mjcf(biped()))


def test_a_broken_override_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.amble.toml").write_text("[rest\n")
    with pytest.raises(InputError, match=r"model\.amble\.toml: not TOML"):
        load_text(tmp_path, mjcf(biped()))


def test_include_and_mesh_folder(tmp_path: Path) -> None:
    (tmp_path / "shapes").mkdir()
    save(tmp_path / "shapes", CUBE, "cube.obj")
    shoe = '<geom type="mesh" mesh="cube" pos="0.04 0 -0.06"/>'
    asset = '<asset><mesh name="cube" file="cube.obj" scale="0.1 0.04 0.02"/></asset>'
    robot = mjcf(biped(shoe), asset + '<compiler meshdir="shapes"/>')
    save(tmp_path, robot, "robot.xml")
    scene = save(tmp_path, '<mujoco><include file="robot.xml"/></mujoco>', "scene.xml")
    body = load(scene)
    assert set(body.assets) == {"cube.obj"}
    assert [len(foot.sites) for foot in body.feet] == [4, 4]
    check_stands(body)


@pytest.mark.parametrize("prefix", ["package://walker/meshes/", "meshes/", "../meshes/"])
def test_urdf_mesh_paths(tmp_path: Path, prefix: str) -> None:
    package = tmp_path / "walker"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    save(package / "meshes", CUBE, "cube.obj")
    mesh = f'<mesh filename="{prefix}cube.obj" scale="0.1 0.04 0.02"/>'
    text = urdf_biped().replace('<box size="0.2 0.08 0.04"/>', mesh)
    body = load_text(package / "urdf", text, "walker.urdf")
    assert set(body.assets) == {"cube.obj"}
    assert [len(foot.sites) for foot in body.feet] == [4, 4]
    check_stands(body)


def test_missing_meshes_are_told_and_inertias_stay(tmp_path: Path) -> None:
    whole = load_text(tmp_path, urdf_biped(), "whole.urdf")
    mesh = '<mesh filename="package://gone/sole.dae"/>'
    text = urdf_biped().replace('<box size="0.2 0.08 0.04"/>', mesh)
    body = load_text(tmp_path, text, "walker.urdf")
    assert any("sole.dae" in note for note in body.notes)
    assert body.mass == pytest.approx(whole.mass)
    assert len(body.feet) == 2
    check_stands(body)


def test_describe_says_what_was_found_and_its_snippet_is_valid(tmp_path: Path) -> None:
    inside = arm("left_u", 0.2) + arm("right_u", -0.2)
    text = mjcf(biped(inside=inside))
    first = load_text(tmp_path, text)
    words = describe(first)
    for part in ("base", "left_leg", "right_foot on right_c", "left_arm", "left_knee", "N m", "kg"):
        assert part in words
    assert "guessed" in words
    snippet = words.split("and edit\n")[1]
    (tmp_path / "model.amble.toml").write_text(snippet)
    again = load_text(tmp_path, text)
    assert [foot.body for foot in again.feet] == [foot.body for foot in first.feet]


def test_import_is_deterministic(tmp_path: Path) -> None:
    assert load_text(tmp_path, mjcf(biped())).xml == load_text(tmp_path, mjcf(biped())).xml
