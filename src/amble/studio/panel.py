"""Panel: sliders, buttons and keys of the studio. It tells `Studio` what was asked, and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from amble.characters import character_names
from amble.characters.character import GRAVITY
from amble.motion.export import WRITERS
from amble.parameters import parameter_infos
from amble.pose.style import styles
from amble.sketch.command import Command
from amble.studio.overlays import NAMES
from amble.studio.walker import WAYS
from amble.terrain import terrain_names

if TYPE_CHECKING:
    import viser

    from amble.studio.walker import Walker

GAITS = {4: ("by speed", "walk", "trot")}  # by the number of legs
PACES = ("1", "0.5", "0.25", "0.125")  # × real time
SIZES = ("length", "girth", "mass")
TOP_SPEED = {1: 2.0, 4: 2.5}  # [m/s] of the slider, by the number of legs; others:
TOP_SPEED_OF_TWO = 5.0
KEYS = (
    ("Faster", "arrowup", "speed", 0.2),
    ("Slower", "arrowdown", "speed", -0.2),
    ("Turn left", "arrowleft", "heading", 15.0),
    ("Turn right", "arrowright", "heading", -15.0),
)
HELP = (
    "**Drag a part of the body** to push it, the **blue disc** to say where to go. "
    "Arrow keys steer, space pauses. Drag elsewhere to look around."
)
Act = Callable[..., None]


class Panel:
    """The controls; `act(what, **values)` is called in threads of viser's."""

    def __init__(self, server: viser.ViserServer, act: Act) -> None:
        self.gui, self._act = server.gui, act
        self.gui.configure_theme(
            show_share_button=False, show_logo=False, brand_color=(31, 119, 220)
        )
        self.sliders: dict[str, Any] = {}
        self.status: Any = self.gui.add_markdown("…")
        self.gui.add_markdown(HELP)
        with self.gui.add_folder("Steer"):
            self._add_wishes()
        with self.gui.add_folder("Time"):
            self._add_time()
        with self.gui.add_folder("Body and ground", expand_by_default=False):
            self._add_setting()
        with self.gui.add_folder("Shape", expand_by_default=False):
            self._add_shape()
        with self.gui.add_folder("Show", expand_by_default=False):
            self._add_overlays()
        with self.gui.add_folder("Record and save", expand_by_default=False):
            self._add_recording()
        self._add_keys()

    def show_walker(self, walker: Walker) -> None:
        """Bring what can be chosen in line with a new body."""
        legs = len(walker.planner.body.legs)
        self.gait.options = GAITS.get(legs, ("by speed",))
        self.gait.value = walker.setting.gait or "by speed"
        self.sliders["speed"].max = TOP_SPEED.get(legs, TOP_SPEED_OF_TWO)
        self.part.options = tuple(walker.character.parts)
        if walker.setting.character in self.character.options:
            self.character.value = walker.setting.character
        self.show_wish(walker.wish)

    def show_wish(self, wish: Command) -> None:
        """Put the sliders where the wish is."""
        for key, slider in self.sliders.items():
            value = getattr(wish, key)
            if key in ("heading", "facing"):
                value = (value + 180.0) % 360.0 - 180.0
            if isinstance(value, float):
                value = min(max(value, slider.min), slider.max)
            if slider.value != value:
                slider.value = value

    def _add_wishes(self) -> None:
        infos = parameter_infos(Command)
        ranges = {
            "speed": (0.0, TOP_SPEED_OF_TWO, 0.05, 1.2),
            "heading": (-180.0, 180.0, 1.0, 0.0),
            "facing": (-180.0, 180.0, 1.0, 0.0),
            "stride": (0.6, 1.8, 0.05, 1.0),
            "width": (0.0, 3.0, 0.05, 1.0),
            "height": (-0.3, 0.1, 0.01, 0.0),
        }
        for key, (low, high, step, value) in ranges.items():
            info = infos[key]
            unit = f" [{info.unit}]" if info.unit else ""
            self.sliders[key] = self.gui.add_slider(
                *(f"{key.capitalize()}{unit}", low, high, step, value), hint=info.doc
            )
        self.sliders["style"] = self.gui.add_dropdown(
            "Style", styles(), initial_value="natural", hint="of people"
        )
        for key, slider in self.sliders.items():
            self._on_change(slider, "wish", key)
        self._button("Stop", "wish", speed=0.0)

    def _add_time(self) -> None:
        self.pace: Any = self.gui.add_dropdown("Slow motion", PACES)
        self._on_change(self.pace, "pace", "pace")
        self._button("Pause or go on", "pause")
        self._button("One step", "step")
        self._button("Reset", "reset")

    def _add_setting(self) -> None:
        self.character: Any = self.gui.add_dropdown(
            "Character", character_names(), initial_value="humanoid"
        )
        self._on_change(self.character, "setting", "character")
        own = self.gui.add_text("Own model", "", hint="MJCF or URDF in the working folder")
        self._button("Use own model", "setting", character=lambda: own.value)
        way = self.gui.add_dropdown("Way of moving", WAYS)
        self._on_change(way, "setting", "way")
        gravity = self.gui.add_slider("Gravity [m/s²]", 1.0, 20.0, 0.01, GRAVITY, hint="in physics")
        self._on_change(gravity, "setting", "gravity")
        self.gait: Any = self.gui.add_dropdown("Gait", ("by speed",))
        self._on_change(self.gait, "setting", "gait")
        self.terrain: Any = self.gui.add_dropdown("Ground", terrain_names())
        self._on_change(self.terrain, "setting", "terrain")
        text = self.gui.add_text("Own ground", "", hint="such as slope:degrees=8 or flat+blocks")
        self._button("Use own ground", "setting", terrain=lambda: text.value)

    def _add_shape(self) -> None:
        self.part: Any = self.gui.add_dropdown("Part", ("pelvis",))
        self.sizes = {
            size: self.gui.add_slider(size.capitalize(), 0.6, 1.6, 0.05, 1.0) for size in SIZES
        }
        values = {size: (lambda s=slider: s.value) for size, slider in self.sizes.items()}
        self._button("Reshape", "reshape", part=lambda: self.part.value, **values)
        self._button("Own shape again", "setting", sizes=dict)

    def _add_overlays(self) -> None:
        for name in NAMES:
            self._on_change(self.gui.add_checkbox(name, False), "overlay", name)
        self._on_change(self.gui.add_checkbox("Plots", False), "overlay", "Plots")
        self._on_change(self.gui.add_checkbox("Camera follows", True), "follow", "on")
        self._on_change(self.gui.add_checkbox("Shadows", True), "shadows", "on")

    def _add_recording(self) -> None:
        self.record: Any = self.gui.add_button("Record")
        self.record.on_click(lambda event: self._act("record"))
        self.kind: Any = self.gui.add_dropdown("Kind", tuple(WRITERS), initial_value=".npz")
        self.download: Any = self.gui.add_button("Download", disabled=True)
        self.download.on_click(
            lambda event: self._act("download", kind=self.kind.value, client=event.client)
        )
        self.name: Any = self.gui.add_text("File", "motion.npz", hint="in the working folder")
        self._button("Save", "save", name=lambda: self.name.value)

    def _add_keys(self) -> None:
        for label, key, parameter, step in KEYS:
            self._command(label, key, "nudge", key=parameter, step=step)
        self._command("Pause or go on", "space", "pause")
        self._command("Reset", "R", "reset")

    def _command(self, label: str, hotkey: Any, what: str, **values: Any) -> None:
        command = self.gui.add_command(label, hotkey=hotkey)
        command.on_trigger(lambda event: self._act(what, **values))

    def _button(self, label: str, what: str, **values: Any) -> None:
        """A button; values that can be called are, when it is pressed."""

        def pressed(event: Any) -> None:
            self._act(what, **{k: v() if callable(v) else v for k, v in values.items()})

        self.gui.add_button(label).on_click(pressed)

    def _on_change(self, control: Any, what: str, key: str) -> None:
        """Tell of changes by people, not of those by the studio itself."""

        def changed(event: Any) -> None:
            if event.client is not None:
                self._act(what, key=key, value=control.value)

        control.on_update(changed)
