"""`amble show`: a saved clip in the browser, with a timeline."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from amble.motion.browser import add_footprints
from amble.motion.clip import Clip
from amble.motion.page import followed
from amble.studio.gate import LOOPBACK, MOST_CLIENTS, PORT, close_server, open_server
from amble.studio.replay import ReplayMotion
from amble.studio.stage import Stage

RATE = 60.0  # updates a second
SPEEDS = ("0.1", "0.25", "0.5", "1", "2")


class Show:
    """Plays one clip to everybody who looks."""

    def __init__(
        self,
        clip: Clip,
        name: str,
        host: str = LOOPBACK[0],
        port: int = PORT,
        most_clients: int = MOST_CLIENTS,
    ) -> None:
        self.clip, self.time = clip, 0.0
        self.motion = ReplayMotion(clip)
        self._targets = followed(clip)
        self.server = open_server(host, port, most_clients)
        self.stage = Stage(self.server)
        self.stage.set_body(clip.character, None)
        self.stage.set_ground(clip.terrain)
        add_footprints(self.server, clip)
        self._moved = False  # the timeline, by somebody
        self._add_controls(name)
        self._stopped = False

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def run(self, seconds: float = np.inf) -> None:
        """Play for some time, by default until `stop`."""
        begin = last = time.perf_counter()
        while not self._stopped and (now := time.perf_counter()) - begin < seconds:
            self._step(now - last)
            last = now
            time.sleep(max(0.0, 1 / RATE - (time.perf_counter() - now)))

    def stop(self) -> None:
        """End it and close the server."""
        self._stopped = True
        close_server(self.server)

    def _step(self, passed: float) -> None:
        if self._moved:
            self._moved, self.time = False, float(self._timeline.value)
        elif self._plays.value:
            self.time += passed * float(self._speed.value)
            if self.time > self.clip.seconds:
                self.time = 0.0
            self._showing = round(self.time, 2)
            self._timeline.value = self._showing
        index = min(round(self.time * self.clip.fps), len(self.clip) - 1)
        target = self._targets[index]
        self.stage.follows = False
        if self._follow.value:
            self.stage.offset_w = target
        self.motion.seek(self.time)
        self.stage.reshape(self.motion.model)
        self.stage.place(self.motion.moment.places_w, self.motion.moment.quats_w, passed)

    def _add_controls(self, name: str) -> None:
        gui, clip = self.server.gui, self.clip
        gui.configure_theme(show_share_button=False, show_logo=False, brand_color=(31, 119, 220))
        gui.add_markdown(
            f"**{name}** · {clip.character.name}, {clip.seconds:.1f} s, {clip.fps:g} frames/s"
        )
        longest = max(round(clip.seconds, 2), 0.01)
        self._showing = 0.0
        self._timeline: Any = gui.add_slider("Time [s]", 0.0, longest, 0.01, 0.0)
        self._plays: Any = gui.add_checkbox("Play", True)
        self._speed: Any = gui.add_dropdown("Speed", SPEEDS, initial_value="1")
        self._follow: Any = gui.add_checkbox("Camera follows", True)

        @self._timeline.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # by somebody, not by the clip that plays
                self._moved = True

        @gui.add_command("Play or pause", hotkey="space").on_trigger
        def _(event: Any) -> None:
            self._plays.value = not self._plays.value
