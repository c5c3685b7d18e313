"""What others read: Blender, three.js, the Khronos validator, USD's own library, numpy, csv."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.spatial import cKDTree

import amble
from amble.characters.reshape import Scale
from amble.motion.clip import Clip, Event
from amble.motion.clip_skeleton import clip_skeleton
from amble.motion.surfaces import body_surfaces, geom_surface
from amble.scenarios import Growth, scenario

MakeClip = Callable[..., Clip]
HERE = Path(__file__).parent
TOOLS = HERE.parents[1] / ".venv" / "tools"
BLENDER = TOOLS / "blender" / "bin" / "python"
VALIDATOR = TOOLS / "node" / "node_modules" / "gltf-validator"
THREE = VALIDATOR.parent / "three"


@pytest.fixture(scope="module", params=["humanoid-walk", "anymal-trot"])
def walk(request: pytest.FixtureRequest) -> Clip:
    chosen = scenario(request.param)
    return chosen.make(chosen.request(seconds=1.5)).clip


def in_blender(clip: Clip, kinds: tuple[str, ...], folder: Path) -> dict[str, dict[str, Any]]:
    """What Blender has read of each kind of file, turned to the clip's axes."""
    if not BLENDER.exists():
        pytest.skip(f"no Blender in {BLENDER.parent}; .ci/tools installs it")
    jobs = []
    for kind in kinds:
        amble.write(clip, folder / f"clip{kind}")
        job = {"file": str(folder / f"clip{kind}"), "fps": clip.fps, "frames": len(clip)}
        jobs.append(job | {"result": str(folder / f"clip{kind}.npz")})
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = subprocess.run(
        [BLENDER, HERE / "blender_joints.py", folder / "jobs.json"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    seen = {}
    for kind in kinds:
        with np.load(folder / f"clip{kind}.npz") as archive:
            found = dict(archive)
        if kind != ".usda":  # Blender turns y-up files upright: their z, forward, is its −y
            for name in ("places", "first", "last"):
                x, y, z = np.moveaxis(found[name], -1, 0)
                found[name] = np.stack([-y, x, z], -1)
        seen[kind] = found
    return seen


def test_blender_sees_every_joint_where_the_clip_has_it(walk: Clip, tmp_path: Path) -> None:
    motion = clip_skeleton(walk)
    for kind, found in in_blender(walk, (".bvh", ".glb", ".usda"), tmp_path).items():
        names = list(found["names"])
        assert sorted(names) == sorted(motion.skeleton.names), kind
        order = [names.index(name) for name in motion.skeleton.names]
        assert np.abs(found["places"][:, order] - motion.places_w).max() < 1e-4, kind
        assert kind == ".bvh" or found["meshes"] > 0


@pytest.fixture(scope="module")
def growing() -> Clip:
    """Somebody stands while a forearm and the head grow: a straight and a crooked way to a size."""
    chosen = scenario("balance")
    growths = (
        Growth(0.1, "left_forearm", Scale(1.6, 1.3)),
        Growth(0.1, "head", Scale(1.0, 1.4)),
    )
    return chosen.make(chosen.request(seconds=1.3, growths=growths)).clip


def surface_w(clip: Clip, index: int) -> np.ndarray:
    """All vertices of a frame (V, 3) [m], in the size that the body has then."""
    for frame in clip.frames():
        if frame.index == index:
            break
    data = frame.data
    return np.concatenate(
        [
            surface.vertices @ data.xmat[body].reshape(3, 3).T + data.xpos[body]
            for body in range(1, frame.model.nbody)
            for surface in body_surfaces(frame.model, body)
        ]
    )


def test_blender_sees_surfaces_grow(growing: Clip, tmp_path: Path) -> None:
    truth = {"first": surface_w(growing, 0), "last": surface_w(growing, len(growing) - 1)}
    assert cKDTree(truth["first"]).query(truth["last"])[0].max() > 0.05  # a longer forearm
    for kind, found in in_blender(growing, (".glb", ".usda"), tmp_path).items():
        for name, wanted in truth.items():
            away, _ = cKDTree(found[name]).query(wanted)
            back, _ = cKDTree(wanted).query(found[name])
            assert max(away.max(), back.max()) < 6e-4, (kind, name)


def in_node(script: Path, package: Path, *words: object) -> Any:
    """The JSON that a script of Node prints, which uses a package."""
    if not (package.exists() and shutil.which("node")):
        pytest.skip(f"no node, or no {package.name} in {package.parent}; .ci/tools installs it")
    command = ["node", script, package, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def validated(clip: Clip, folder: Path) -> dict[str, Any]:
    """What the Khronos validator knows of the clip's glTF, in which it finds nothing wrong."""
    amble.write(clip, folder / "clip.glb")
    report = in_node(HERE / "validate_gltf.cjs", VALIDATOR, folder / "clip.glb")
    assert report["issues"]["numErrors"] == report["issues"]["numWarnings"] == 0, report["issues"]
    info: dict[str, Any] = report["info"]
    assert info["animationCount"] == 1 and info["hasSkins"]
    return info


def test_the_khronos_validator_finds_nothing(walk: Clip, tmp_path: Path) -> None:
    assert validated(walk, tmp_path)["totalTriangleCount"] > 1000


def test_the_khronos_validator_finds_nothing_in_what_grows(growing: Clip, tmp_path: Path) -> None:
    assert validated(growing, tmp_path)["hasMorphTargets"]


def test_threejs_sees_every_joint_where_the_clip_has_it(walk: Clip, tmp_path: Path) -> None:
    amble.write(walk, tmp_path / "walk.glb")
    script = HERE / "three_joints.mjs"
    found = in_node(script, THREE, tmp_path / "walk.glb", walk.fps, len(walk))
    motion = clip_skeleton(walk)
    assert sorted(found["names"]) == sorted(motion.skeleton.names) and found["skins"] > 0
    order = [found["names"].index(name) for name in motion.skeleton.names]
    x, y, z = np.moveaxis(np.array(found["places"])[:, order], -1, 0)  # y up, z forward
    assert np.abs(np.stack([z, x, y], -1) - motion.places_w).max() < 1e-4


def test_usds_own_library_poses_the_same_joints_and_skin(walk: Clip, tmp_path: Path) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    from pxr import Gf, UsdGeom, UsdSkel  # type: ignore[import-not-found]

    amble.write(walk, tmp_path / "walk.usda")
    stage = usd.Stage.Open(str(tmp_path / "walk.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetTimeCodesPerSecond() == walk.fps
    root = UsdSkel.Root(stage.GetDefaultPrim())
    cache = UsdSkel.Cache()
    cache.Populate(root, usd.PrimDefaultPredicate)
    skeletons = [prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)]
    query = cache.GetSkelQuery(UsdSkel.Skeleton(skeletons[0]))
    motion = clip_skeleton(walk)
    for k in (0, len(walk) // 2, len(walk) - 1):
        found = query.ComputeJointSkelTransforms(usd.TimeCode(k))
        places = np.array([Gf.Matrix4d(each).ExtractTranslation() for each in found])
        assert np.abs(places - motion.places_w[k]).max() < 1e-5
    skins = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert skins and all(cache.GetSkinningQuery(prim).HasJointInfluences() for prim in skins)


@pytest.mark.parametrize("name", ["humanoid", "anymal", "luxo", "cassie"])
def test_surfaces_are_closed_and_as_large_as_the_shapes(name: str) -> None:
    """The volume by the divergence theorem is that of MuJoCo's shape; normals look outwards."""
    kinds = mujoco.mjtGeom
    model = amble.character(name).model
    for geom in range(model.ngeom):
        for surface in geom_surface(model, geom):
            corners = surface.vertices[surface.faces]
            assert np.isfinite(corners).all()
            np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=1), 1, atol=1e-5)
            volume = np.linalg.det(corners).sum() / 6
            size = model.geom_size[geom]
            exact = {
                kinds.mjGEOM_SPHERE: 4 / 3 * np.pi * size[0] ** 3,
                kinds.mjGEOM_CAPSULE: np.pi * size[0] ** 2 * (4 / 3 * size[0] + 2 * size[1]),
                kinds.mjGEOM_ELLIPSOID: 4 / 3 * np.pi * np.prod(size),
                kinds.mjGEOM_CYLINDER: np.pi * size[0] ** 2 * 2 * size[1],
                kinds.mjGEOM_BOX: 8 * np.prod(size),
            }.get(kinds(int(model.geom_type[geom])))
            if exact is not None:
                assert 0.93 * exact < volume <= 1.0001 * exact, model.geom_type[geom]
            a, b, c = np.moveaxis(corners, 1, 0)
            flat = np.cross(b - a, c - a)
            mean = surface.normals[surface.faces].sum(axis=1)
            large = np.linalg.norm(flat, axis=1) > 1e-9
            assert (np.einsum("ij,ij->i", flat, mean)[large] >= 0).mean() > 0.97
    assert sum(len(body_surfaces(model, body)) for body in range(1, model.nbody)) > 3


def test_reshapes_move_joints_in_every_format(make_clip: MakeClip, tmp_path: Path) -> None:
    longer = Event(0.1, "reshape", "left_thigh", {"length": 1.5, "girth": 1.0, "mass": 1.0})
    clip = make_clip(0.2, events=(longer,))
    amble.write(clip, tmp_path / "a.glb")
    content = (tmp_path / "a.glb").read_bytes()
    tree = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])
    moved = [c["target"] for c in tree["animations"][0]["channels"]]
    moved = [tree["nodes"][t["node"]]["name"] for t in moved if t["path"] == "translation"]
    assert moved == ["pelvis", "left_shank"]


def test_reference_motion_is_plain_and_true_to_the_clip(
    make_clip: MakeClip, tmp_path: Path
) -> None:
    body = amble.character("humanoid").reshaped({"left_thigh": Scale(length=1.1)})
    rng, T = np.random.default_rng(0), 21
    qpos = np.tile(body.model.qpos0, (T, 1))
    data, model = mujoco.MjData(body.model), body.model
    for k in range(1, T):
        mujoco.mj_integratePos(model, qpos[k], rng.normal(size=model.nv), 0.1)
    points = sum(len(e.sites) for e in body.end_effectors)
    clip = make_clip(
        0.2,
        character=body,
        qpos=qpos,
        qvel=rng.normal(size=(T, model.nv)),
        torque=rng.normal(size=(T, model.nv - 6)),
        touching=rng.random((T, points)) > 0.5,
        contact_force_w=rng.normal(size=(T, points, 3)),
    )
    amble.write(clip, tmp_path / "a.reference.npz")
    amble.write(clip, tmp_path / "b.reference.npz")
    assert (tmp_path / "a.reference.npz").read_bytes() == (
        tmp_path / "b.reference.npz"
    ).read_bytes()
    with np.load(tmp_path / "a.reference.npz", allow_pickle=False) as archive:
        found = dict(archive)
    assert found["fps"] == clip.fps and len(found["joint_names"]) == model.nv - 6
    for k in (0, T - 1):
        data.qpos[:], data.qvel[:] = qpos[k], clip.qvel[k]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(found["body_position"][k], data.xpos[1:], atol=1e-9)
        velocity = np.empty(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, 1, velocity, 0)
        np.testing.assert_allclose(found["root_angular_velocity"][k], velocity[:3], atol=1e-9)
        np.testing.assert_allclose(found["root_linear_velocity"][k], velocity[3:], atol=1e-9)
    step = np.concatenate([np.zeros(6), found["joint_position"][-1]])
    rest = model.qpos0.copy()
    mujoco.mj_integratePos(model, rest, step, 1.0)
    np.testing.assert_allclose(np.abs(rest[7:]), np.abs(qpos[-1, 7:]), atol=1e-9)
    total = clip.contact_force_w.sum(axis=1)
    np.testing.assert_allclose(found["contact_force"].sum(axis=1), total, atol=1e-9)
    assert found["contact"].shape == (T, len(body.end_effectors))


def test_tables_name_every_column(make_clip: MakeClip, tmp_path: Path) -> None:
    clip = make_clip(0.1)
    amble.write(clip, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open() as file:
        names, *rows = list(csv.reader(file))
    assert len(rows) == len(clip) and {len(row) for row in rows} == {len(names)}
    assert len(set(names)) == len(names)
    column = {name: np.array([float(row[k]) for row in rows]) for k, name in enumerate(names)}
    np.testing.assert_allclose(column["root z [m]"], clip.qpos[:, 2], atol=1e-8)
    np.testing.assert_allclose(column["left_foot z [m]"], 0.06, atol=1e-8)
    force = column["left_foot force z [N]"] + column["right_foot force z [N]"]
    np.testing.assert_allclose(force, clip.contact_force_w[..., 2].sum(axis=1), rtol=1e-6)
    assert (column["left_foot touches"] == 1).all()
