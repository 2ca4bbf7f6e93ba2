"""The tab Set: motors, springs, dampers, loads, and the rates at the start."""

from __future__ import annotations

from typing import Any

from cotree.errors import ChoiceError
from cotree.studio.bench import KINDS
from cotree.studio.readings import sensors
from cotree.studio.spring_folder import SpringFolder
from cotree.studio.tab import NOTHING, words_in_html


class SetTab(SpringFolder):
    """What is added to the model."""

    moved: Any
    rate: Any

    def _set(self) -> None:
        gui, bench = self.gui, self.bench
        self.rate = None
        self.units = {name: unit for name, _, unit in bench.coordinates}
        joints = tuple(self.units) or (NOTHING,)
        with gui.add_folder("Motors, springs, dampers"):
            self.kind, self.joint = gui.add_dropdown("what", tuple(KINDS)), gui.add_dropdown("joint", joints)
            self.size = gui.add_number("value", 1.0, hint="a spring is at rest where the joint is now")
            for box in (self.kind, self.joint):
                box.on_update(lambda _: self._name())
            self._name()
            self.button(
                "Set",
                lambda _: self._added("add", self.kind.value, self.joint.value, self.size.value),
                "0 takes it away",
            )
        self._springs(self._added)
        with gui.add_folder("Loads"):
            body = gui.add_dropdown("body", tuple(bench.mech.bodies))
            force = gui.add_vector3("force [N]", (0.0, 0.0, 0.0), hint="along x, y, z, at the mass centre")
            self.button("Set load", lambda _: self._added("push", body.value, force.value), "0 takes it away")
        with gui.add_folder("Gravity"):
            down = gui.add_vector3("[m/s^2]", tuple(map(float, bench.mech.gravity)), step=0.01)
            self.button("Set gravity", lambda _: self._added("set_gravity", down.value))
        with gui.add_folder("Start"):
            self.words("The posture is where the bodies are now.")
            self.moved = gui.add_dropdown("joint at start", joints)
            self.rate = gui.add_number("rate", 0.0, hint="0: it follows from the others")
            self.moved.on_update(lambda _: self._name())
            self._name()
            self.button("Set rate", lambda _: self._started(self.moved.value, self.rate.value))
        self.added = self.words(self._list())

    def _name(self) -> None:
        """What the numbers are, for what is chosen beside them."""
        kind, unit = self.kind.value, self.units.get(self.joint.value, "rad")
        if kind in KINDS:
            self.size.label = KINDS[kind][unit != "rad"]
        if self.rate is not None:
            self.rate.label = f"rate [{self.units.get(self.moved.value, 'rad')}/s]"

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
        return self.bench.set_words() or "nothing was set: the model is as it was opened"
