"""The folder of springs between two points: two bodies, a point of each, typed or picked in the picture."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.studio.tab import Tab

Array = NDArray[np.float64]
ENDS = ("from", "to")


class SpringFolder(Tab):
    """`ends`: the widgets of both ends, (body, point); `picking`: the box that turns drags into picks."""

    ends: list[tuple[Any, Any]]
    picking: Any
    _next: int

    def _springs(self, added: Any) -> None:
        """added: what adds to the bench and shows it."""
        gui, bodies = self.gui, ("ground", *self.bench.mech.bodies)
        self._next, self.ends = 0, []
        with gui.add_folder("Spring between two points"):
            self.words("Places are those of this posture, and the spring is at rest as it is now.")
            self.picking = gui.add_checkbox("pick in the picture", False, hint="press on a body: from, then to")
            for k, word in enumerate(ENDS):
                body = gui.add_dropdown(word, bodies, initial_value=bodies[min(k, len(bodies) - 1)])
                place = gui.add_vector3(f"{word}: x, y, z [m]", self._centre(body.value), step=0.001)
                self.asked(body, partial(self._centred, k))
                self.ends.append((body, place))
            stiffness = gui.add_number("stiffness [N/m]", 100.0)
            damping = gui.add_number("damping [N s/m]", 0.0, hint="not negative")
            self.button(
                "Set spring",
                lambda _: added("tie", *self._chosen(), stiffness.value, damping.value),
                "one for each pair of bodies; both numbers 0 take it away",
            )

    def _chosen(self) -> tuple[Any, ...]:
        return tuple(widget.value for end in self.ends for widget in end)

    def _centre(self, body: str) -> tuple[float, ...]:
        return tuple(float(x) for x in np.round(self.bench.centre(body), 6))

    def _centred(self, k: int) -> None:
        """The mass centre of the body that was chosen for an end."""
        body, place = self.ends[k]
        place.value = self._centre(body.value)

    def pick(self, body: str, place: Array) -> None:
        """A point of a body was pressed on: it becomes one end, the next one the other."""
        k, self._next = self._next, 1 - self._next
        chosen, where = self.ends[k]
        chosen.value, where.value = body, tuple(float(x) for x in np.round(place, 6))
        at = ", ".join(f"{x:.4g}" for x in place)
        more = "now press on the other body." if k == 0 else "now Set spring in the tab Set."
        self.studio.panels.say(f"The spring goes {ENDS[k]} a point of {body!r} at ({at}) m; {more}")
