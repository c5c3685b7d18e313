"""Tuning: the parameters of a controller in physics, each with a box, while it acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from amble.parameters import ParameterInfo, Value
from amble.studio.motion import Motion
from amble.studio.physics import PhysicsMotion

if TYPE_CHECKING:
    import viser


class Tuning:
    """A folder that is there while a controller acts."""

    def __init__(self, server: viser.ViserServer, changed: Callable[[str, Any], None]) -> None:
        self._gui, self._changed = server.gui, changed
        self._folder: Any = self._gui.add_folder(
            "Controller", expand_by_default=False, visible=False
        )
        self.boxes: dict[str, Any] = {}

    def show(self, motion: Motion) -> None:
        """The parameters of this motion's controller, if it has one."""
        for box in self.boxes.values():
            box.remove()
        self.boxes = {}
        self._folder.visible = isinstance(motion, PhysicsMotion)
        if not isinstance(motion, PhysicsMotion):
            return
        with self._folder:
            for name, (info, value) in motion.tunable.items():
                self.boxes[name] = self._box(name, info, value)

    def _box(self, name: str, info: ParameterInfo, value: Value) -> Any:
        unit = f" [{info.unit}]" if info.unit else ""
        label = name.replace("_", " ").capitalize() + unit
        box: Any
        if isinstance(value, bool):
            box = self._gui.add_checkbox(label, value, hint=info.doc)
        elif info.choices:
            box = self._gui.add_dropdown(label, info.choices, initial_value=str(value))
        elif isinstance(value, str):
            box = self._gui.add_text(label, value, hint=info.doc)
        else:
            step = 1 if isinstance(info.default, int) else 0.001
            box = self._gui.add_number(
                label, value, min=info.low, max=info.high, step=step, hint=info.doc
            )

        def changed(event: Any) -> None:
            if event.client is not None:
                self._changed(name, box.value)

        box.on_update(changed)
        return box
