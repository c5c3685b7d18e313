"""`amble studio`: a body that walks on while people steer, push and reshape it in the browser."""

from __future__ import annotations

import queue
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from amble.characters.reshape import Scale, read_factor
from amble.errors import AmbleError, InputError, UnknownName
from amble.motion.clip import Clip
from amble.motion.export import check_ending, write
from amble.studio.gate import LOOPBACK, MOST_CLIENTS, PORT, close_server, open_server
from amble.studio.motion import FPS
from amble.studio.overlays import Overlays
from amble.studio.panel import NONE, PLOTS, RESIDUALS, SIZES, Panel
from amble.studio.plots import RATE as PLOT_RATE
from amble.studio.plots import Plots
from amble.studio.setting import GROUNDS, Setting, check_inside
from amble.studio.stage import Stage
from amble.studio.walker import Walker

BEHIND = 0.1  # [s] that frames may be late before time is let go
PLAIN = {"by speed": "", NONE: ""}  # what the panel calls the gait and scenario without a name
SIDES = ("left_", "right_")
MOST_WAITING = 500  # actions


class Studio:
    """The page's server, and the loop that moves the body; callbacks only put actions in a row."""

    def __init__(
        self,
        setting: Setting | None = None,
        host: str = LOOPBACK[0],
        port: int = PORT,
        most_clients: int = MOST_CLIENTS,
    ) -> None:
        self.server = open_server(host, port, most_clients)
        try:
            self.walker = Walker(setting)
        except BaseException:
            close_server(self.server)
            raise
        self.stage, self.overlays = Stage(self.server), Overlays(self.server)
        self.plots = Plots(self.server)
        self._actions: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue(MOST_WAITING)
        self.panel = Panel(self.server, self._put)
        self._writing = ThreadPoolExecutor(1)
        self._paused = self._stopped = False
        self._pace, self._rate = 1.0, 1.0
        self._moved = self._passed = 1.0
        self._seen = (-1, -1, -1)  # generation, shape and ground that the page shows
        self._said = ""
        self._next_slow = 0.0
        self._wished_plots: set[str] = set()
        self.updates = 0  # of the page
        self.stage.add_goal(lambda place: self._put("goal", place=place))
        self._show_changes()

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def run(self, seconds: float = np.inf) -> None:
        """Go on for some time, by default until `stop`. When it is late, motion is slower: frames
        are never left out, and the page says how fast it is."""
        begin = due = last = time.perf_counter()
        while not self._stopped and (now := time.perf_counter()) - begin < seconds:
            if now < due:
                time.sleep(due - now)
                continue
            due = now if now - due > BEHIND else due
            due += 1 / FPS
            moved = self._tick(now)
            if not self._paused:
                self._keep_rate(moved, now - last)
            last = now

    def _keep_rate(self, moved: float, passed: float) -> None:
        """How fast the motion goes, over about a second."""
        self._moved = 0.98 * self._moved + moved
        self._passed = 0.98 * self._passed + passed
        self._rate = self._moved / max(self._passed, 1e-6)

    def stop(self) -> None:
        """End it and close the server."""
        self._stopped = True
        close_server(self.server)
        self.walker.close()
        self._writing.shutdown(wait=False, cancel_futures=True)

    def _put(self, what: str, **values: Any) -> None:
        with suppress(queue.Full):  # somebody asks for more than can be done
            self._actions.put_nowait((what, values))

    def _tick(self, now: float) -> float:
        """One update; returns by how much the motion went on [s]."""
        while not self._actions.empty():
            what, values = self._actions.get()
            try:
                getattr(self, f"_do_{what}")(**values)
            except AmbleError as error:
                self.walker.message = str(error)
            except (TypeError, ValueError, KeyError) as error:
                self.walker.message = f"'{what}' was not understood ({error})."
        moved = 0.0 if self._paused else self._pace / FPS
        begin = time.perf_counter()
        if moved:
            self.walker.step(moved)
        else:
            self.walker.prepare()
        compute = time.perf_counter() - begin
        self._show_changes()
        self.stage.place(self.walker.moment.places_w, self.walker.moment.quats_w, moved)
        self.updates += 1
        if now >= self._next_slow:
            self._next_slow = now + 1 / PLOT_RATE
            self._slow(1e3 * compute)
        return moved

    def _slow(self, compute_ms: float) -> None:
        """What need not change with every frame."""
        walker = self.walker
        if self.overlays.wished:
            self.overlays.update(walker.motion.sight(), walker.character.mass)
        self.stage.show_drag(walker.arrow())
        if walker.goal_w is None:
            self.stage.keep_goal_near(walker.moment.com_w[:2], walker.wish.heading)
        if not self._paused:
            self.plots.add(walker, compute_ms)
        self.plots.show(PLOTS in self._wished_plots, RESIDUALS in self._wished_plots)
        said = self._status()
        if said != self._said:
            self.panel.status.content = self._said = said
        label = "Stop recording" if walker.recording else "Record"
        if self.panel.record.label != label:
            self.panel.record.label = label
        if self.panel.download.disabled == (walker.clip is not None):
            self.panel.download.disabled = walker.clip is None

    def _status(self) -> str:
        walker = self.walker
        speed = float(np.linalg.norm(walker.moment.velocity_w[:2]))
        if self._paused:
            pace = "paused"
        elif self._rate < 0.93 * self._pace:
            pace = f"**{self._rate:.1f} × real time: this machine is behind**"
        else:
            pace = "real time" if self._pace == 1 else f"{self._pace:.1f} × real time, as asked"
        text = (
            f"**{walker.character.name}** · {walker.moment.time:.0f} s · {speed:.1f} m/s · {pace}"
        )
        setting = walker.setting
        text += f"\n\n{setting.scenario or setting.way}"
        if setting.recipe is not None and setting.scenario:
            text += f": {setting.recipe.summary}"
        if walker.recording:
            text += f"\n\n● recording, {walker.recorded_seconds:.0f} s"
        if walker.building:
            text += "\n\nPreparing …"
        return text + (f"\n\n{walker.message}" if walker.message else "")

    def _show_changes(self) -> None:
        """Bring the page in line with a new motion, or with one that goes on otherwise."""
        walker = self.walker
        seen, self._seen = self._seen, (walker.generation, walker.shape, walker.ground)
        if seen == self._seen:
            return
        if seen[0] != walker.generation:
            self.overlays.clear()
            self.stage.set_body(walker.character, self._dragged, walker.model)
            self.stage.set_ground(walker.motion.terrain)
            self.panel.show_walker(walker)
            self._show_part()
            return
        self.stage.reshape(walker.model)
        if seen[2] != walker.ground:
            self.stage.set_ground(walker.motion.terrain)

    def _show_part(self) -> None:
        """The sliders of the shape where the chosen part is."""
        scale = self.walker.setting.sizes.get(self.panel.part.value, Scale())
        values = {"length": scale.length, "girth": scale.girth, "mass": scale.mass_factor}
        for size, slider in self.panel.sizes.items():
            slider.value = min(max(values[size], slider.min), slider.max)

    def _dragged(self, part: str, point: np.ndarray, pull: np.ndarray, going_on: bool) -> None:
        if going_on:
            self._put("drag", part=part, point=point, pull=pull)
        else:
            self._put("release")

    # What people ask for; each runs in the loop, between two frames.

    def _do_wish(self, key: str = "", value: Any = None, **wish: Any) -> None:
        wish = wish or {key: value}
        if "heading" in wish or "speed" in wish:
            self.walker.goal_w = None
        self.walker.command(**wish)
        self.panel.show_wish(self.walker.wish)

    def _do_nudge(self, key: str, step: float) -> None:
        slider = self.panel.sliders[key]
        value = getattr(self.walker.wish, key) + step
        if key == "speed":
            value = min(max(value, slider.min), slider.max)
        self._do_wish(key, value)

    def _do_goal(self, place: np.ndarray) -> None:
        self.walker.goal_w = np.asarray(place, dtype=float)
        if self.walker.wish.speed == 0:
            self.walker.command(speed=min(1.2, self.panel.sliders["speed"].max))
            self.panel.show_wish(self.walker.wish)

    def _do_pace(self, key: str, value: float) -> None:
        self._pace = min(max(float(value), 0.1), 1.0)

    def _do_pause(self) -> None:
        self._paused = not self._paused

    def _do_step(self) -> None:
        self._paused = True
        self.walker.step(1 / FPS)

    def _do_reset(self) -> None:
        self._paused = False
        self.walker.reset()

    def _do_setting(self, key: str = "", value: Any = None, **setting: Any) -> None:
        self.walker.change(**(setting or {key: PLAIN.get(value, value)}))

    def _do_ground(self, key: str, value: str) -> None:
        self.walker.change(terrain=GROUNDS[value])

    def _do_obstacle(self, kind: str) -> None:
        self.walker.lay_obstacle(kind)

    def _do_tune(self, key: str, value: Any) -> None:
        self.walker.tune(**{key: value})

    def _do_part(self, key: str, value: str) -> None:
        self._show_part()

    def _do_reshape(self, key: str, value: Any) -> None:
        part, both = self.panel.part.value, self.panel.both.value
        before = self.walker.pending.sizes.get(part, Scale())
        if key not in SIZES:
            raise UnknownName("size", key, SIZES)
        scale = replace(before, **{key: read_factor(key, value)})
        parts = {part}
        if both and part.startswith(SIDES):
            side, other = SIDES if part.startswith(SIDES[0]) else SIDES[::-1]
            parts.add(other + part.removeprefix(side))
        self.walker.reshape({each: scale for each in parts if each in self.walker.character.parts})

    def _do_drag(self, part: str, point: np.ndarray, pull: np.ndarray) -> None:
        self.walker.pull(part, point, pull)

    def _do_release(self) -> None:
        self.walker.release()

    def _do_overlay(self, key: str, value: bool) -> None:
        wished = self._wished_plots if key in (PLOTS, RESIDUALS) else self.overlays.wished
        if value:
            wished.add(key)
            return
        wished.discard(key)
        if not self.overlays.wished:
            self.overlays.clear()

    def _do_follow(self, key: str, value: bool) -> None:
        self.stage.follows = bool(value)

    def _do_shadows(self, key: str, value: bool) -> None:
        self.server.scene.configure_default_lights(enabled=True, cast_shadow=bool(value))

    def _do_record(self) -> None:
        if not self.walker.recording:
            self.walker.start_recording()
            return
        clip = self.walker.stop_recording()
        seconds = f"{clip.seconds:.1f} s are recorded" if clip else "too short to be a clip"
        self.walker.message = f"{seconds}.".capitalize()

    def _do_download(self, kind: str, client: Any) -> None:
        clip = self._recorded()
        check_ending(f"motion{kind}")

        def send() -> None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"motion{kind}"
                write(clip, path)
                client.send_file_download(path.name, path.read_bytes(), save_immediately=True)

        self._later(send, f"motion{kind} is sent.")

    def _do_save(self, name: str) -> None:
        clip, path = self._recorded(), check_inside(Path(name))
        check_ending(path)
        self._later(lambda: write(clip, path), f"{path.name} is saved.")

    def _recorded(self) -> Clip:
        if self.walker.clip is None:
            raise InputError("nothing is recorded yet; press Record, and again to stop")
        return self.walker.clip

    def _later(self, work: Callable[[], None], done: str) -> None:
        """Write in a thread; say how it went."""

        def run() -> None:
            try:
                work()
                self._put("say", message=done)
            except Exception as error:  # a lost connection or a full disk ends no motion
                self._put("say", message=f"It could not be written: {error}")

        self._writing.submit(run)

    def _do_say(self, message: str) -> None:
        self.walker.message = message
