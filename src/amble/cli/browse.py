"""`amble show` and `amble studio`: what is seen in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

from amble.errors import InputError, UnknownName
from amble.motion.clip import Clip
from amble.motion.skeleton_clip import read_bvh_clip

KINDS = (".npz", ".bvh")


def load_clip(path: Path, scale: float, up: str, forward: str | None, skip: int) -> Clip:
    """A clip from a file that amble wrote, or from BVH."""
    ending = path.suffix.lower()
    if ending not in KINDS:
        raise UnknownName("kind of clip", ending, KINDS, where=f"'{path}'")
    if ending == ".bvh":
        return read_bvh_clip(path, scale=scale, up=up, forward=forward, skip=skip)
    if scale != 1.0 or up != "y" or forward is not None or skip:
        raise InputError(f"{path}: --scale, --up, --forward and --skip are for .bvh files only")
    return Clip.load(path)


def serve(page: Any, host: str, open_page: bool) -> int:
    """Tell the address, open a browser where there is one, and go on until interrupted."""
    from amble.studio.gate import is_loopback

    if not is_loopback(host):
        print(
            f"amble: anybody who reaches {host} can see and steer this page, and nothing asks for "
            "a password; use it in networks that you trust only",
            file=sys.stderr,
        )
    print(f"{page.address}  (Ctrl-C ends it)", flush=True)
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if open_page and (screen or sys.platform in ("darwin", "win32")):
        webbrowser.open(page.address)
    try:
        page.run()
    except KeyboardInterrupt:
        pass
    finally:
        page.stop()
    return 0
