"""The tab Set: motors, springs, dampers, loads, and the rates at the start."""

from __future__ import annotations

from typing import Any

from cotree.errors import ChoiceError
from cotree.studio.bench import KINDS
from cotree.studio.readings import sensors
from cotree.studio.tab import NOTHING, Tab, words_in_html


class SetTab(Tab):
    """What is added to the model."""

    def _set(self) -> None:
        gui, bench = self.gui, self.bench
        joints = tuple(name for name, _, _ in bench.coordinates) or (NOTHING,)
        with gui.add_folder("Motors, springs, dampers"):
            kind = gui.add_dropdown("what", tuple(KINDS), hint="; ".join(f"{k}: {words}" for k, words in KINDS.items()))
            joint, self.size = gui.add_dropdown("joint", joints), gui.add_number("value", 1.0)
            self.button(
                "Set", lambda _: self._added("add", kind.value, joint.value, self.size.value), "0 takes it away"
            )
        with gui.add_folder("Loads"):
            body = gui.add_dropdown("body", tuple(bench.mech.bodies))
            force = gui.add_vector3("force [N]", (0.0, 0.0, 0.0))
            self.button("Set load", lambda _: self._added("push", body.value, force.value), "0 takes it away")
        with gui.add_folder("Start"):
            moved, rate = gui.add_dropdown("joint at start", joints), gui.add_number("rate [rad/s, m/s]", 0.0)
            self.button("Set rate", lambda _: self._started(moved.value, rate.value))
        self.added = self.words(self._list())

    def _added(self, what: str, *values: Any) -> None:
        """Call a method of the bench with what the widgets hold."""
        try:
            getattr(self.bench, what)(*values)
        except TypeError as error:  # a widget was sent something of another kind
            raise ChoiceError(f"this cannot be set: {error}") from None
        self.studio.changed()
        self.added.content = words_in_html(self._list())
        self.studio.panels.sensor.options = tuple(sensors(self.bench.system))

    def _started(self, joint: str, rate: float) -> None:
        self.bench.set_rate(joint, rate)
        self.added.content = words_in_html(self._list())

    def _list(self) -> str:
        rates = [f"start: rate of {name} {value:g}" for name, value in self.bench.rates.items()]
        return "\n".join([*self.bench.added.values(), *rates]) or "nothing was set: the model is as it was opened"
