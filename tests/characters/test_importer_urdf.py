"""URDF files as people write them: COLLADA meshes, impossible inertias, links without mass."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest
from legged_models import (
    check_runs,
    check_stands,
    load_text,
    save,
    urdf_biped,
    urdf_joint,
    urdf_link,
)
from test_importer_files import CUBE

from amble.errors import InputError

BOX = '<box size="0.2 0.08 0.04"/>'
CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SIDES = ["0 1 3 2", "4 6 7 5", "0 4 5 1", "2 3 7 6", "0 2 6 4", "1 5 7 3"]


def collada(unit: float, node: str, polygons: str) -> str:
    """A cube of ±1 before the node's transforms, in the unit given [m]."""
    numbers = " ".join(str(x) for corner in CORNERS for x in corner)
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
      <asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
      <library_geometries><geometry id="cube"><mesh>
        <source id="p"><float_array>{numbers}</float_array>
          <technique_common><accessor stride="3"/></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{polygons}
      </mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene><node>{node}
        <node><instance_geometry url="#cube"/></node></node></visual_scene></library_visual_scenes>
    </COLLADA>"""


def with_normals(side: str) -> str:
    return " ".join(f"{i} 0" for i in side.split())


POLYLIST = f"""<polylist><input semantic="NORMAL" offset="1" source="#n"/>
  <input semantic="VERTEX" offset="0" source="#v"/><vcount>{"4 " * 6}</vcount>
  <p>{" ".join(with_normals(side) for side in SIDES)}</p></polylist>"""
POLYGONS = f"""<polygons><input semantic="VERTEX" offset="0" source="#v"/>
  {"".join(f"<p>{side}</p>" for side in SIDES)}</polygons>"""


def soles(body: object) -> np.ndarray:
    data = mujoco.MjData(body.model)  # type: ignore[attr-defined]
    mujoco.mj_kinematics(body.model, data)  # type: ignore[attr-defined]
    feet = body.feet  # type: ignore[attr-defined]
    return np.array([data.site(s).xpos for foot in feet for s in foot.sites])


@pytest.mark.parametrize(
    ("unit", "node", "polygons"),
    [
        (1.0, "<scale>0.1 0.04 0.02</scale>", POLYLIST),
        (0.01, "<matrix>10 0 0 0 0 4 0 0 0 0 2 0 0 0 0 1</matrix>", POLYGONS),
        (1.0, "<rotate>0 0 1 90</rotate><scale>0.04 0.1 0.02</scale>", POLYGONS),
    ],
)
def test_a_collada_mesh_is_the_shape_it_draws(
    tmp_path: Path, unit: float, node: str, polygons: str
) -> None:
    box = load_text(tmp_path, urdf_biped(), "box.urdf")
    save(tmp_path, collada(unit, node, polygons), "sole.dae")
    mesh = '<mesh filename="package://walker/sole.dae"/>'
    body = load_text(tmp_path, urdf_biped().replace(BOX, mesh), "walker.urdf")
    assert [len(foot.sites) for foot in body.feet] == [4, 4]
    np.testing.assert_allclose(soles(body), soles(box), atol=2e-3)
    check_stands(body)


def test_ascii_stl_is_read(tmp_path: Path) -> None:
    faces = [(a, b, c) for side in SIDES for i in (1, 2) for a, b, c in [_fan(side, i)]]
    rows = [
        "facet normal 0 0 0 outer loop "
        + " ".join("vertex {} {} {}".format(*np.array(CORNERS[i]) * [0.1, 0.04, 0.02]) for i in f)
        + " endloop endfacet"
        for f in faces
    ]
    save(tmp_path, "solid sole\n" + "\n".join(rows) + "\nendsolid", "sole.stl")
    text = urdf_biped().replace(BOX, '<mesh filename="sole.stl"/>')
    body = load_text(tmp_path, text, "walker.urdf")
    assert [len(foot.sites) for foot in body.feet] == [4, 4]


def _fan(side: str, i: int) -> tuple[int, int, int]:
    corners = [int(c) for c in side.split()]
    return corners[0], corners[i], corners[i + 1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<COLLADA><library_geometries>", "broken COLLADA"),
        (b"<COLLADA/>", "no faces"),
        (b"solid x\nfacet vertex 0 0 z", "broken STL"),
        (bytes(80) + struct.pack("<I", 300_000) + bytes(50 * 300_000), "300000 faces"),
    ],
)
def test_an_unread_mesh_is_left_out_and_told(tmp_path: Path, content: bytes, words: str) -> None:
    name = "sole.dae" if b"COLLADA" in content else "sole.stl"
    (tmp_path / name).write_bytes(content)
    text = urdf_biped().replace(BOX, f'<mesh filename="{name}"/>')
    body = load_text(tmp_path, text, "walker.urdf")
    assert any(words in note and name in note for note in body.notes)


def test_a_mesh_without_volume_counts_as_a_shell(tmp_path: Path) -> None:
    flat = CUBE.replace("v -1 -1 -1", "v -1 -1 0.9999")
    for x, y in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        flat = flat.replace(f"v {x} {y} -1", f"v {x} {y} 0.9999999")
    save(tmp_path, flat, "plate.obj")
    mesh = '<mesh filename="plate.obj" scale="0.1 0.04 0.02"/>'
    body = load_text(tmp_path, urdf_biped().replace(BOX, mesh), "walker.urdf")
    assert [len(foot.sites) for foot in body.feet] == [4, 4]


def test_meshes_of_one_stem_stay_apart(tmp_path: Path) -> None:
    save(tmp_path, CUBE, "part.obj")
    save(tmp_path, collada(1.0, "<scale>0.1 0.04 0.02</scale>", POLYGONS), "part.dae")
    text = urdf_biped().replace(BOX, '<mesh filename="part.dae"/>')
    text = text.replace(
        '<box size="0.2 0.3 0.2"/>', '<mesh filename="part.obj" scale="0.1 0.1 0.1"/>'
    )
    body = load_text(tmp_path, text, "walker.urdf")
    assert len(body.assets) == 2
    assert np.ptp(soles(body)[:4, 0]) == pytest.approx(0.2, abs=0.01)


def test_an_inertia_no_body_can_have_is_repaired_and_told(tmp_path: Path) -> None:
    ones = " ".join(f'{k}="1e-3"' for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    moment = 'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"'
    body = load_text(tmp_path, urdf_biped().replace(moment, ones), "walker.urdf")
    assert any("l_hip" in note and "inertia" in note for note in body.notes)
    assert (body.model.body_inertia[body.model.body("l_hip").id] > 0).all()
    check_stands(body)


def test_a_negative_inertia_is_refused(tmp_path: Path) -> None:
    text = urdf_biped().replace('ixx="0.04"', 'ixx="-0.04"')
    with pytest.raises(InputError, match="inertia"):
        load_text(tmp_path, text, "walker.urdf")


def test_links_between_the_axes_of_a_joint_need_no_mass(tmp_path: Path) -> None:
    text = urdf_biped()
    for s in ("l", "r"):
        hip = urdf_joint(f"{s}_hip_pitch", "revolute", f"{s}_hip", f"{s}_thigh", "0 0 0")
        assert hip in text
        between = [
            f'<link name="{s}_virtual"/>',
            urdf_joint(f"{s}_hip_yaw", "revolute", f"{s}_hip", f"{s}_virtual", "0 0 0", "0 0 1"),
            urdf_joint(f"{s}_hip_pitch", "revolute", f"{s}_virtual", f"{s}_thigh", "0 0 0"),
        ]
        text = text.replace(hip, "".join(between))
    body = load_text(tmp_path, text, "walker.urdf")
    assert body.dof == 6 + 10
    assert any("l_virtual" in note and "without mass" in note for note in body.notes)
    check_stands(body)
    check_runs(body)


def test_a_joint_that_moves_no_mass_is_fixed(tmp_path: Path) -> None:
    finger = '<link name="finger"/>' + urdf_joint("bend", "revolute", "base", "finger", "0 0 0.1")
    mimic = "<mimic joint='bend'/></joint>"
    follows = urdf_link("lid", 0.2, '<geometry><sphere radius="0.03"/></geometry>')
    follows += urdf_joint("lift", "revolute", "base", "lid", "0 0 0.2").replace("</joint>", mimic)
    text = urdf_biped().replace("</robot>", finger + follows + "</robot>")
    body = load_text(tmp_path, text, "walker.urdf")
    assert "bend" not in body.dof_names and "lift" in body.dof_names
    assert any("bend" in note for note in body.notes)


def test_shapes_weigh_nothing_where_masses_are_given(tmp_path: Path) -> None:
    shell = (
        '<link name="shell"><visual><geometry><box size="0.4 0.4 0.4"/></geometry></visual></link>'
    )
    shell += urdf_joint("hold", "fixed", "base", "shell", "0 0 0.3")
    plain = load_text(tmp_path, urdf_biped(), "plain.urdf")
    body = load_text(tmp_path, urdf_biped().replace("</robot>", shell + "</robot>"), "walker.urdf")
    assert body.mass == pytest.approx(plain.mass)


def test_a_model_without_any_shape_stands_on_boxes(tmp_path: Path) -> None:
    text = re.sub("<(visual|collision)>.*?</(visual|collision)>", "", urdf_biped(fixed_toe=False))
    body = load_text(tmp_path, text, "walker.urdf")
    assert any("no shapes" in note for note in body.notes)
    assert [foot.name for foot in body.feet] == ["left_foot", "right_foot"]
    assert body.height > 0.5
    check_stands(body)


def test_macros_are_refused_in_one_line(tmp_path: Path) -> None:
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    text = f'<robot name="a" {space}><xacro:include filename="b"/><link name="c"/></robot>'
    with pytest.raises(InputError, match=r"walker\.urdf: <xacro:include> is a macro"):
        load_text(tmp_path, text, "walker.urdf")


@pytest.mark.parametrize("drawn", ["as its link", "as its file says"])
def test_meshes_with_y_up_are_turned_where_the_masses_say_so(tmp_path: Path, drawn: str) -> None:
    """A shank along -z of its link: drawn along -z, or along -y and meant to be turned."""
    if drawn == "as its link":
        node = "<translate>0 0 -0.2</translate><scale>0.04 0.04 0.2</scale>"
    else:
        node = "<translate>0 -0.2 0</translate><scale>0.04 0.2 0.04</scale>"
    save(tmp_path, collada(1.0, node, POLYGONS), "rod.dae")
    rod = '<origin xyz="0 0 -0.2"/><geometry><cylinder radius="0.04" length="0.34"/></geometry>'
    text = urdf_biped().replace(rod, '<geometry><mesh filename="rod.dae"/></geometry>')
    text = text.replace(
        '<inertial><mass value="4"/>', '<inertial><origin xyz="0 0 -0.2"/><mass value="4"/>'
    )
    body = load_text(tmp_path, text, "walker.urdf")
    assert any("turned" in note for note in body.notes) == (drawn == "as its file says")
    model = body.model
    geom = model.body_geomadr[model.body("l_thigh").id]
    np.testing.assert_allclose(model.geom_pos[geom], [0, 0, -0.2], atol=1e-3)
