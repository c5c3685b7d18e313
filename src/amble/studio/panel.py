"""Panel: sliders, buttons and keys of the studio. It tells `Studio` what was asked, and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from amble.characters import character_names
from amble.characters.character import GRAVITY
from amble.motion.export import WRITERS
from amble.parameters import parameter_infos
from amble.pose.style import styles
from amble.scenarios import scenario_names
from amble.sketch.command import Command
from amble.studio.overlays import NAMES
from amble.studio.setting import GROUNDS, OBSTACLES, WAYS, top_speed
from amble.studio.tuning import Tuning

if TYPE_CHECKING:
    import viser

    from amble.studio.walker import Walker

NONE = "none: steer freely"
PLOTS, RESIDUALS = "Plots", "What priorities miss"
GAITS = {4: ("by speed", "walk", "trot")}  # by the number of legs
PACES = ("1", "0.5", "0.25", "0.125")  # × real time
SIZES = ("length", "girth", "mass")
RANGES = {
    "speed": (0.0, 5.0, 0.05, 1.2),
    "heading": (-180.0, 180.0, 1.0, 0.0),
    "facing": (-180.0, 180.0, 1.0, 0.0),
    "stride": (0.6, 1.8, 0.05, 1.0),
    "width": (0.0, 3.0, 0.05, 1.0),
    "height": (-0.3, 0.1, 0.01, 0.0),
}
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
        with self.gui.add_folder("Body and way of moving", expand_by_default=False):
            self._add_body()
        with self.gui.add_folder("Ground and gravity", expand_by_default=False):
            self._add_ground()
        with self.gui.add_folder("Shape", expand_by_default=False):
            self._add_shape()
        self.tuning = Tuning(server, lambda key, value: act("tune", key=key, value=value))
        with self.gui.add_folder("Show", expand_by_default=False):
            self._add_overlays()
        with self.gui.add_folder("Record and save", expand_by_default=False):
            self._add_recording()
        self._add_keys()

    def show_walker(self, walker: Walker) -> None:
        """Bring what can be chosen in line with a new motion."""
        setting, follows = walker.setting, walker.motion.follows
        legs = sum(limb.kind == "leg" for limb in walker.character.limbs)
        for key, slider in self.sliders.items():
            slider.disabled = key not in follows
        self.sliders["speed"].max = top_speed(setting.way, legs)
        self.gait.options = GAITS.get(legs, ("by speed",))
        self.gait.value = setting.gait or "by speed"
        self.part.options = tuple(walker.character.parts) or ("",)
        self.way.value = setting.way if setting.way in WAYS else WAYS[0]
        self.scenario.value = setting.scenario if setting.scenario in scenario_names() else NONE
        if setting.character_name in self.character.options:
            self.character.value = setting.character_name
        if self.gravity.value != setting.gravity:
            self.gravity.value = setting.gravity
        self.tuning.show(walker.motion)
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
        for key, (low, high, step, value) in RANGES.items():
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
        pace: Any = self.gui.add_dropdown("Slow motion", PACES)
        self._on_change(pace, "pace", "pace")
        self._button("Pause or go on", "pause")
        self._button("One step", "step")
        self._button("Reset", "reset")

    def _add_body(self) -> None:
        self.character: Any = self.gui.add_dropdown(
            "Character", character_names(), initial_value="humanoid"
        )
        self._on_change(self.character, "setting", "character")
        self.way: Any = self.gui.add_dropdown("Way of moving", WAYS)
        self._on_change(self.way, "setting", "way")
        self.gait: Any = self.gui.add_dropdown("Gait", ("by speed",))
        self._on_change(self.gait, "setting", "gait")
        self.scenario: Any = self.gui.add_dropdown(
            "Scenario", (NONE, *scenario_names()), hint="as for: amble make"
        )
        self._on_change(self.scenario, "setting", "scenario")
        own = self.gui.add_text("Own model", "", hint="MJCF or URDF in the working folder")
        self._button("Use own model", "setting", character=lambda: own.value)
        clip = self.gui.add_text("Own clip", "", hint=".npz or .bvh in the working folder")
        self._button("Play own clip", "setting", scenario=lambda: clip.value)

    def _add_ground(self) -> None:
        self.terrain: Any = self.gui.add_dropdown("Ground", tuple(GROUNDS))
        self._on_change(self.terrain, "ground", "terrain")
        text = self.gui.add_text("Own ground", "", hint="such as slope:degrees=8 or flat+blocks")
        self._button("Use own ground", "setting", terrain=lambda: text.value)
        kind = self.gui.add_dropdown("Obstacle", tuple(OBSTACLES))
        self._button("Lay it ahead", "obstacle", kind=lambda: kind.value)
        self._button("Clear obstacles", "setting", obstacles=())
        self.gravity: Any = self.gui.add_slider("Gravity [m/s²]", 1.0, 20.0, 0.01, GRAVITY)
        self._on_change(self.gravity, "setting", "gravity")

    def _add_shape(self) -> None:
        self.part: Any = self.gui.add_dropdown("Part", ("pelvis",))
        self._on_change(self.part, "part", "part")
        self.both: Any = self.gui.add_checkbox("Left and right alike", True)
        self.sizes: dict[str, Any] = {
            size: self.gui.add_slider(size.capitalize(), 0.6, 1.6, 0.05, 1.0) for size in SIZES
        }
        for size, slider in self.sizes.items():
            self._on_change(slider, "reshape", size)
        self._button("Own shape again", "setting", sizes=dict)

    def _add_overlays(self) -> None:
        for name in (*NAMES, PLOTS, RESIDUALS):
            self._on_change(self.gui.add_checkbox(name, False), "overlay", name)
        self._on_change(self.gui.add_checkbox("Camera follows", True), "follow", "on")
        self.shadows: Any = self.gui.add_checkbox("Shadows", True)
        self._on_change(self.shadows, "shadows", "on")

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
        self._command("One step", "S", "step")
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
