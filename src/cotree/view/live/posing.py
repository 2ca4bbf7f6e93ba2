"""A mechanism at rest in the browser: sliders for one-DOF joints, with loops closed again after each move."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble
from cotree.constraints.units import length_of
from cotree.errors import AssemblyError, ChoiceError, UnknownNameError
from cotree.kinematics.poses import poses
from cotree.lie import quaternion_of
from cotree.model.checks import number
from cotree.model.mechanism import nearest
from cotree.system.arguments import coordinates
from cotree.system.coordinate_labels import coordinate_labels
from cotree.system.system import System
from cotree.view.live.panels import add_words
from cotree.view.live.stage import sendable
from cotree.view.live.viewer import Viewer
from cotree.view.scene import scene_of
from cotree.view.scene.frames import still
from cotree.view.scene.outlook import round_above
from cotree.view.scene.reference import mass_centres

Array = NDArray[np.float64]
STEP = 0.1  # rad, or fraction of the system's length: longer moves are divided, so that loops stay on their branch
MOST = 40  # sliders
FARTHEST = 2000  # steps per move
ROOM = 1.4  # for moves: see `Stage`
TROUBLE = '<div style="padding: 0 0.8em; font-size: 12px">The loops do not close any further.</div>'


class PoseViewer(Viewer):
    """Live view of a mechanism. `q` is the displayed configuration and can be set; `move(coordinate, value)` moves one
    coordinate and closes the loops."""

    def __init__(self, system: System, q: Array, words: str, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.system, self._q = system, q.copy()
        self._local = mass_centres(system, np.zeros(3))[1:]
        super().__init__(scene_of(system, still(system, q)), host, port, ROOM)
        self._sliders()
        add_words(self.server.gui, "Mechanism", "\n".join([words, *self.stage.scene.drawing.notes]))
        self._shows()

    def _sliders(self) -> None:
        gui = self.server.gui
        self.sliders: dict[str, Any] = {}
        with gui.add_folder("Coordinates"):
            for name, i, unit in single_coordinates(self.system)[:MOST]:
                reach = 3.14 if unit == "rad" else round_above(length_of(self.system))
                value = float(self._q[i])
                ends = min(-reach, value), max(reach, value)
                slider = gui.add_slider(
                    sendable(f"{name} [{unit}]"), *ends, step=round_above(reach / 500), initial_value=value
                )
                slider.on_update(lambda event, name=name: self._slid(name, event))
                self.sliders[name] = slider
            self.trouble = gui.add_html("", visible=False)

    def _slid(self, name: str, event: Any) -> None:
        if event.client is not None:  # else it is this program that moved it
            slider, value = event.target, float(event.target.value)
            if math.isfinite(value):  # sliders never send NaN or values beyond their ends
                self.move(name, min(max(value, slider.min), slider.max))
            else:
                self._put(self.q)

    @property
    def q(self) -> Array:
        return self._q.copy()

    @q.setter
    def q(self, q: Any) -> None:
        self._put(coordinates(self.system, q).copy())

    def move(self, coordinate: str, value: float) -> bool:
        """Move the coordinate of a one-DOF joint to a value, as far as the loops can be closed; returns whether it got there.

        With loops or other constraints it moves in small steps, at most 2000 of 0.1 rad or a tenth of the system's length.
        """
        places = {name: i for name, i, _ in single_coordinates(self.system)}
        if coordinate not in places:
            known = nearest(coordinate, places)
            raise UnknownNameError(
                f"there is no one-DOF joint {coordinate!r} in the tree of {self.system.name!r}{known}"
            )
        i, value = places[coordinate], number(value, "value", f"joint {coordinate!r}")
        with self._lock:
            if self.closed:
                return False
            q, there = walked(self.system, self._q, coordinate, i, value, self._ending.is_set)
            self._put(q)
            self.trouble.visible, self.trouble.content = not there, "" if there else TROUBLE
        return there

    def _put(self, q: Array) -> None:
        with self._lock:
            if self.closed:
                return
            C = poses(self.system, q)[1:]
            centres = np.einsum("nij,nj->ni", C[:, :3, :3], self._local) + C[:, :3, 3] - self.stage.scene.frames.origin
            self.stage.put(quaternion_of(C[:, :3, :3]), centres)
            self._q = q
            for name, i, _ in single_coordinates(self.system):
                if name in self.sliders:
                    slider = self.sliders[name]
                    slider.value = float(np.clip(q[i], slider.min, slider.max))


def single_coordinates(system: System) -> list[tuple[str, int, str]]:
    """(name, index in q, unit) of the one-DOF joints of the tree."""
    joints, labels = system.mechanism.joints, coordinate_labels(system)
    one = {name for name, c in joints.items() if c.joint.dof == 1}
    rows = enumerate(zip(labels.names, labels.units, strict=True))
    return [(name, i, unit) for i, (name, unit) in rows if name in one]


def walked(
    system: System,
    q: Array,
    name: str,
    i: int,
    value: float,
    stopped: Callable[[], bool] = lambda: False,
    allowed: Callable[[Array], bool] = lambda q: True,
) -> tuple[Array, bool]:
    """Move coordinate i from q to the value in small steps with loops closed: the last configuration that is allowed, and
    whether it is the requested one."""
    for x in np.linspace(q[i], value, steps_to(system, q, name, i, value) + 1)[1:]:
        if stopped():
            return q, False
        ahead = q.copy()
        ahead[i] = x
        try:
            ahead = assemble(system, ahead, fixed=name, restarts=0)
        except AssemblyError:
            return q, False
        if not allowed(ahead):
            return q, False
        q = ahead
    return q, True


def steps_to(system: System, q: Array, name: str, i: int, value: float) -> int:
    """Number of small steps from q to the value of coordinate i; a tree takes a single step of any length."""
    if system.n_constraints == 0:
        return 1
    unit = coordinate_labels(system).units[i]
    step = STEP * (1.0 if unit == "rad" else length_of(system))
    count = abs(float(value) - float(q[i])) / float(step)
    if not count <= FARTHEST:
        raise ChoiceError(
            f"joint {name!r}: {value:g} {unit} is too far from {q[i]:g} for a view to move there, loops closed all the "
            f"way; choose a value within {FARTHEST * step:g} {unit} of it, or set viewer.q"
        )
    return max(1, int(np.ceil(count)))
