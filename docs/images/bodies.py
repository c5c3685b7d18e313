"""Makes bodies.png: every body of the library at one scale, side by side."""

from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

from amble.characters import character, character_names
from amble.characters.character import Character
from amble.motion.gl import create_context
from amble.motion.scenery import dress
from amble.terrain import Flat

WIDTH, HEIGHT, SUPERSAMPLING = 1600, 620, 2
GAP = 0.55  # [m] between two bodies
AZIMUTH, ELEVATION = 152.0, -9.0  # [deg]


def extent_y(body: Character) -> tuple[float, float]:
    """Least and greatest y of the body's visible geoms at rest [m]."""
    data = mujoco.MjData(body.model)
    mujoco.mj_kinematics(body.model, data)
    y, reach = data.geom_xpos[:, 1], np.minimum(body.model.geom_rbound, 0.3)
    return float((y - reach).min()), float((y + reach).max())


def line_up() -> tuple[mujoco.MjModel, float]:
    """All bodies in one model, facing x, from right to left; and the length of the line [m]."""
    spec = mujoco.MjSpec()
    place = 0.0
    for name in character_names():
        body = character(name)
        low, high = extent_y(body)
        frame = spec.worldbody.add_frame(pos=[0, place - low, 0])
        spec.attach(body.spec(), prefix=f"{name}/", frame=frame)
        place += high - low + GAP
    Flat().add_to(spec)
    return dress(spec, WIDTH * SUPERSAMPLING, HEIGHT * SUPERSAMPLING), place - GAP


def main() -> None:
    model, length = line_up()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    context = create_context(WIDTH * SUPERSAMPLING, HEIGHT * SUPERSAMPLING)
    context.make_current()
    with mujoco.Renderer(model, HEIGHT * SUPERSAMPLING, WIDTH * SUPERSAMPLING) as renderer:
        camera = mujoco.MjvCamera()
        camera.lookat[:] = (0, length / 2, 0.75)
        camera.azimuth, camera.elevation, camera.distance = AZIMUTH, ELEVATION, 0.8 * length
        option = mujoco.MjvOption()
        option.geomgroup[3:] = 0
        option.sitegroup[:] = 0
        renderer.update_scene(data, camera, option)
        picture = Image.fromarray(renderer.render())
    small = picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    small.save(Path(__file__).with_suffix(".png"), optimize=True)


if __name__ == "__main__":
    main()
