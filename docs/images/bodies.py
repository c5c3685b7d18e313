"""Makes bodies.png: every body of the library at one scale, side by side."""

from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

from amble.characters import character
from amble.characters.character import Character
from amble.motion.gl import create_context
from amble.motion.scenery import add_lights, add_sky, move_sun, set_look
from amble.terrain import Flat

WIDTH, HEIGHT, SUPERSAMPLING = 1600, 400, 2
LINE = (  # from left to right
    *("anymal-large", "anymal", "luxo", "cassie", "baby"),
    *("humanoid-tracking", "humanoid", "asymmetric", "ostrich", "dinosaur"),
)
GAP = 0.30  # [m] between two bodies
TURN = 62.0  # [deg] by which the bodies look away from the camera, to their left
ELEVATION, DISTANCE = -4.0, 26.0  # [deg], [m]: far away, so that all have one scale


def width(body: Character) -> tuple[float, float]:
    """Least and greatest y of the turned body's visible geoms at rest [m]."""
    model, data = body.model, mujoco.MjData(body.model)
    mujoco.mj_kinematics(model, data)
    across = np.array([np.sin(np.radians(TURN)), np.cos(np.radians(TURN)), 0.0])
    shown = (model.geom_bodyid > 0) & (model.geom_group < 3)
    along = across @ data.geom_xmat[shown].reshape(-1, 3, 3)
    middle = data.geom_xpos[shown] @ across + np.sum(along * model.geom_aabb[shown, :3], axis=1)
    half = np.sum(np.abs(along) * model.geom_aabb[shown, 3:], axis=1)
    return float((middle - half).min()), float((middle + half).max())


def line_up() -> tuple[mujoco.MjModel, float]:
    """All bodies in one model, in a row along y; and the length of the row [m]."""
    spec = mujoco.MjSpec()
    place = 0.0
    half = np.radians(TURN) / 2
    for name in LINE:
        body = character(name)
        low, high = width(body)
        frame = spec.worldbody.add_frame(
            pos=[0, place - low, 0], quat=[np.cos(half), 0, 0, np.sin(half)]
        )
        spec.attach(body.spec(), prefix=f"{name}/", frame=frame)
        place += high - low + GAP
    Flat().add_to(spec)
    add_sky(spec)
    add_lights(spec)
    model = spec.compile()
    set_look(model, WIDTH * SUPERSAMPLING, HEIGHT * SUPERSAMPLING, size=5.0)
    model.vis.map.fogstart, model.vis.map.fogend = 3.2, 8.0
    model.vis.quality.shadowsize = 8192
    model.vis.global_.fovy = 7.7
    return model, place - GAP


def draw(model: mujoco.MjModel, data: mujoco.MjData, middle_w: np.ndarray) -> np.ndarray:
    """The picture (height, width, 3) with `middle_w` in its middle."""
    width, height = WIDTH * SUPERSAMPLING, HEIGHT * SUPERSAMPLING
    camera, option = mujoco.MjvCamera(), mujoco.MjvOption()
    camera.lookat[:] = middle_w
    camera.azimuth, camera.elevation, camera.distance = 180.0, ELEVATION, DISTANCE
    option.geomgroup[3:] = 0
    option.sitegroup[:] = 0
    scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 10)
    scene.flags[mujoco.mjtRndFlag.mjRND_FOG] = scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = 1
    everything = mujoco.mjtCatBit.mjCAT_ALL
    mujoco.mjv_updateScene(model, data, option, None, camera, everything, scene)
    gl = create_context(width, height)
    gl.make_current()
    context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
    picture = np.empty((height, width, 3), dtype=np.uint8)
    rectangle = mujoco.MjrRect(0, 0, width, height)
    mujoco.mjr_render(rectangle, scene, context)
    mujoco.mjr_readPixels(picture, None, rectangle, context)
    context.free()
    gl.free()
    return picture[::-1]


def main() -> None:
    """Write the picture beside this file."""
    model, length = line_up()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    middle = np.array([0, length / 2, 1.1])
    move_sun(model, data, middle, size=5.0)
    picture = Image.fromarray(draw(model, data, middle))
    small = picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    small.save(Path(__file__).with_suffix(".png"), optimize=True)


if __name__ == "__main__":
    main()
