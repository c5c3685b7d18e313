"""An OpenGL context for pictures, with or without a display."""

from __future__ import annotations

import os
import sys
from typing import Protocol

import mujoco

from amble.errors import InputError


class RenderUnavailable(InputError):
    """A picture is asked for that this machine cannot draw; everything else works without."""


class GLContext(Protocol):
    """What MuJoCo's contexts for GLFW, EGL and OSMesa have in common."""

    def make_current(self) -> None: ...

    def free(self) -> None: ...


def create_context(width: int, height: int) -> GLContext:
    """A context for pictures of up to this many pixels.

    The environment variable MUJOCO_GL decides where it is set; otherwise a machine without a
    display draws in software with OSMesa. MuJoCo itself reads the variable when it is imported.
    """
    try:
        if _should_draw_in_software():
            from mujoco.osmesa import GLContext as SoftwareContext

            return SoftwareContext(width, height)
        return mujoco.GLContext(width, height)
    # PyOpenGL raises an AttributeError where the library is missing.
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        raise RenderUnavailable(
            "pictures need OpenGL, which is missing here: install libosmesa6 "
            "(apt-get install libosmesa6) and set MUJOCO_GL=osmesa"
        ) from error


def _should_draw_in_software() -> bool:
    if os.environ.get("MUJOCO_GL"):
        return os.environ["MUJOCO_GL"].lower().strip() == "osmesa"
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform.startswith("linux") and not display
