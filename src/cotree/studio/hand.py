"""The hand in the picture: a body is grabbed with the pointer and pulled; the mechanism follows with its loops closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.checks import floats
from cotree.studio.dragging import Grip
from cotree.view.scene.colours import rgb

if TYPE_CHECKING:
    from cotree.studio.studio import Studio

Array = NDArray[np.float64]
FAR = 1e6  # parts of the picture's size: no drag goes so far
COLOUR = "#e03131"


class Hand:
    """What is held: `grip`, a point of a body, and the line from it to the pointer. Events only leave a wish, which the
    studio fulfils when it has time for it; a newer one replaces it."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.grip: Grip | None = None
        self._line: Any = None

    def reach(self) -> None:
        """Make the bodies of the stage draggable."""
        self.grip, self._line = None, None  # they went with the stage before
        names = self.studio.bench.system.body_names
        for name, node in zip(names, self.studio.stage.bodies, strict=True):
            node.on_drag("left")(self._listener(name))

    def _listener(self, body: str) -> Any:
        async def moved(event: Any) -> None:  # in the order of events: viser's threads have none
            self.feel(body, event.phase, event.start_position, event.end_position)

        return moved

    def feel(self, body: str, phase: str, start: Any, end: Any) -> None:
        """A drag of this body has begun, goes on or has ended: from and to are places in the picture."""
        studio, a, b = self.studio, floats(start), floats(end)
        bound = FAR * studio.stage.scene.drawing.size
        if a is None or b is None or a.shape != (3,) or b.shape != (3,) or not np.abs([a, b]).max() < bound:
            return
        origin, bench = studio.stage.scene.frames.origin, studio.bench
        if studio.panels.picking.value:
            if phase == "end":
                studio.wish(lambda: studio.panels.pick(body, a + origin), last=True)
            return
        if phase == "start":
            studio.wish(lambda: self._take(bench, body, a + origin))
        elif phase == "end":
            studio.wish(lambda: self._pull(bench, body, b + origin, last=True), last=True)
        else:
            studio.wish(lambda: self._pull(bench, body, b + origin, a + origin))

    def _take(self, bench: Any, body: str, place: Array) -> None:
        self.grip = None
        if self.studio.playing is not None:
            self.studio.stop()
            self.studio.panels.say("Playing has stopped; now bodies can be dragged.")
        elif bench is self.studio.bench:
            self.grip = bench.grip(body, place)

    def _pull(self, bench: Any, body: str, place: Array, held: Array | None = None, last: bool = False) -> None:
        if bench is not self.studio.bench or self.studio.playing is not None:
            return
        if self.grip is None and held is not None:  # the first event was overtaken by this one
            self._take(bench, body, held)
        if self.grip is not None and self.grip.body == body:
            self.studio.pull(self.grip, place)
            self._draw(place)
        if last:
            self.grip = None
            if self._line is not None:
                self._line.visible = False

    def _draw(self, place: Array) -> None:
        """The line from the point that is held to the pointer."""
        studio = self.studio
        assert self.grip is not None
        ends = (
            np.array([self.grip.place(studio.bench.system, studio.bench.q), place]) - studio.stage.scene.frames.origin
        )
        if self._line is None:
            self._line = studio.server.scene.add_line_segments(
                "/hand", ends[None].astype(np.float32), rgb(COLOUR), thickness=3.0, thickness_units="screen"
            )
        self._line.points, self._line.visible = ends[None].astype(np.float32), True
