"""A simulation begins with the soles on the ground, whatever its shape."""

from __future__ import annotations

import numpy as np
import pytest

from amble.characters import character
from amble.terrain import parse_terrain
from amble.world import MuJoCoWorld

GROUNDS = ("slope:degrees=12", "slope:degrees=10,direction_degrees=90", "slope:degrees=-8")


def sole_heights(world: MuJoCoWorld) -> np.ndarray:
    """Of the feet's contact points over the ground [m]."""
    sites = [site for foot in world.character.feet for site in foot.sites]
    x, y, z = np.array([world.data.site(site).xpos for site in sites]).T
    return np.asarray(z - world.terrain.height(x, y))


@pytest.mark.parametrize("name", ("humanoid", "asymmetric", "ostrich", "anymal"))
@pytest.mark.parametrize("ground", GROUNDS)
def test_soles_lie_on_slopes(name: str, ground: str) -> None:
    world = MuJoCoWorld(character(name), parse_terrain(ground))
    heights = sole_heights(world)
    assert abs(heights.min()) < 1e-6, "the lowest touches"
    assert heights.max() < 0.01 * world.character.com_height, "none floats"
    upright = world.data.body(world.character.root).xmat.reshape(3, 3)[2, 2]
    assert upright > np.cos(np.radians(6))


def test_the_mirrored_slope_gives_the_mirrored_pose() -> None:
    body = character("humanoid")
    assert body.mirror is not None
    left, right = (
        MuJoCoWorld(body, parse_terrain(f"slope:degrees={degrees},direction_degrees=90")).data
        for degrees in (8, -8)
    )
    np.testing.assert_allclose(body.mirror.mirror_pose(left.qpos), right.qpos, atol=1e-6)


def test_level_ground_leaves_the_rest_pose_alone() -> None:
    body = character("humanoid")
    np.testing.assert_array_equal(MuJoCoWorld(body).data.qpos[7:], body.rest_qpos()[7:])
