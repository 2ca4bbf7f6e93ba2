"""`Studio`: the server, the picture, and what plays in it; the panel beside it is in `panels`."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CotreeError
from cotree.integrate.results.run import Run
from cotree.kinematics.poses import poses
from cotree.lie import quaternion_of
from cotree.studio.bench import Bench
from cotree.studio.dragging import Grip
from cotree.studio.hand import Hand
from cotree.studio.loops import REDUNDANT, marked_joints
from cotree.studio.panels import Panels
from cotree.studio.uploads import bound_uploads
from cotree.view.live.clock import passed
from cotree.view.live.stage import Stage, sendable
from cotree.view.live.viewer import Viewer
from cotree.view.scene import Scene, scene_of
from cotree.view.scene.frames import Frames, frames, still
from cotree.view.scene.motion import poses_at
from cotree.view.scene.reference import mass_centres

Array = NDArray[np.float64]
ROOM = 1.4  # for moves
TICK = 1 / 25  # seconds between pictures
QUIET = 0.3  # seconds without a move, after which the mobility is told


class Studio(Viewer):
    """A mechanism in the browser. `bench` holds it; `open(bench)` puts another one on it. `playing`: what moves, or None."""

    def __init__(self, bench: Bench, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.bench, self.shown_time = bench, 0.0
        self.playing: str | None = None
        self.running = False
        self._frames: Frames | None = None
        self._ghost: tuple[list[Any], Frames] | None = None
        self._swing: list[Array] = []
        self._marks: dict[str, str] = {}
        self._wish: tuple[Callable[[], Any], bool] | None = None
        self._wishing = threading.Lock()  # wishes come from several threads
        self._unmarked: float | None = None  # when the posture was changed, until its mobility is told
        super().__init__(self._scene(), host, port, ROOM)
        self.hand = Hand(self)
        self.hand.reach()
        self.panels = Panels(self)
        bound_uploads(self.server, lambda words: self.panels.say(words, wrong=True))
        self._mark()
        threading.Thread(target=self._tick, name="cotree studio", daemon=True).start()

    def _scene(self, run: Run | None = None) -> Scene:
        system = self.bench.system
        return scene_of(system, still(system, self.bench.q) if run is None else frames(run))

    # -- actions: all come through `attempt`, one at a time -----------------------------------------------------

    def attempt(self, action: Callable[[], Any], words: str = "") -> None:
        """Do something that the person asked for, with words while it goes on; what is wrong about it is shown."""
        if self.running:
            self.panels.say("A run is under way: wait for its end, or press Stop in the tab Run.", wrong=True)
            return
        with self._lock:
            if self.closed:
                return
            try:
                self.panels.say(words)
                action()
                if words and self.panels.said == words:
                    self.panels.say("")
            except CotreeError as error:
                self.panels.say(str(error), wrong=True)
            except Exception as error:
                traceback.print_exc(file=sys.stderr)
                self.panels.say(f"This failed for a reason that Cotree does not know: {error!r}", wrong=True)

    def wish(self, action: Callable[[], Any], last: bool = False) -> None:
        """Do something soon; the newest wish counts, except that one that is the last of its kind is not replaced."""
        with self._wishing:
            if self._wish is None or not self._wish[1]:
                self._wish = (action, last)

    def open_bench(self, bench: Bench) -> None:
        """Another mechanism."""
        self.stop()
        self.bench, self._ghost, self._frames, self._wish = bench, None, None, None
        self.restage()
        self.server.gui.set_panel_label(sendable(bench.name))
        self.panels.build()
        self._mark()
        if bench.cad is not None:
            self.panels.say(
                "Joints were found where a shaft is in its hole. Check them in the folder CAD assembly below."
            )

    def open_file(self, path: Path) -> None:
        self.open_bench(Bench.of_file(path))

    def restage(self, run: Run | None = None, look: bool = True) -> None:
        """Draw the mechanism anew: at rest, or with the volume that a run sweeps; look: in view, else seen as before."""
        self.server.scene.reset()
        before = self.stage.scene.frames.origin
        self._ghost = None
        self.stage = Stage(self.server, self._scene(run), ROOM if run is None else 1.0)
        self.hand.reach()
        for kind, box in self.panels.switches.items():
            self.stage.show(kind, bool(box.value))
        self.stage.paint_joints({name: c for name, c in self._marks.items() if run is None or c == REDUNDANT})
        camera, shift = self.server.initial_camera, before - self.stage.scene.frames.origin
        for client in self.server.get_clients().values():
            now = client.camera
            places = (camera.position, camera.look_at) if look else (now.position + shift, now.look_at + shift)
            now.position, now.look_at = places

    def _mark(self) -> None:
        """Colour the joints of redundant and singular loops, and say how well the loops close."""
        found = self.bench.mobility()
        self._marks = marked_joints(self.bench.system, self.bench.q, found)
        self.stage.paint_joints(self._marks)
        self.panels.tell_posture(found, self._marks)
        self._unmarked = None

    def move(self, joint: str, value: float) -> bool:
        """Move a joint, loops closed all the way."""
        self.stop()
        there = self.bench.move(joint, value, self._ending.is_set)
        self._moved(joint if there else None)
        if not there:
            self.panels.say("It goes no further: the loops do not close, or a limit is reached.", wrong=True)
        return there

    def pull(self, grip: Grip, place: Array) -> float:
        """Pull a point of a body to a place, loops closed all the way; the distance left."""
        left = self.bench.drag(grip, place, self._ending.is_set)
        self._moved()
        return left

    def _moved(self, by: str | None = None) -> None:
        self.put(self.bench.q)
        self.panels.tell_closure(by)
        self._unmarked = time.perf_counter()

    def changed(self) -> None:
        """Elements were added or taken away."""
        self.stop()
        self.restage(look=False)
        self._mark()

    # -- the picture -------------------------------------------------------------------------------------------

    def put(self, q: Array) -> None:
        """Show a configuration."""
        C = poses(self.bench.system, q)[1:]
        local = mass_centres(self.bench.system, np.zeros(3))[1:]
        centres = np.einsum("nij,nj->ni", C[:, :3, :3], local) + C[:, :3, 3] - self.stage.scene.frames.origin
        self.stage.put(quaternion_of(C[:, :3, :3]), centres)

    def show_run(self, name: str, beside: str | None = None) -> None:
        """Play a run, as through glass another one beside it."""
        run = self.bench.run_named(name)
        self.restage(run)
        self._frames, self.playing, self.shown_time = self.stage.scene.frames, "run", float(run.t[0])
        if beside:
            self._ghost = self._glass(self.bench.run_named(beside))

    def _glass(self, run: Run) -> tuple[list[Any], Frames]:
        found = frames(run)
        scene, nodes = scene_of(run.system, found), []
        for k, parts in enumerate(scene.drawing.parts):
            glassy = [{**part, "opacity": 0.25} for part in parts]
            nodes.append(self.stage._painted(f"/beside/{k}", glassy, "#667080"))
        return nodes, found

    def go_to(self, t: float) -> None:
        """Show the run that plays at a time."""
        if self._frames is None:
            return
        self.shown_time = min(max(t, float(self._frames.t[0])), float(self._frames.t[-1]))
        self.stage.put(*poses_at(self._frames, self.shown_time))
        if self._ghost is not None:
            nodes, found = self._ghost
            for node, e, p in zip(nodes, *poses_at(found, self.shown_time), strict=True):
                node.wxyz, node.position = e, p + found.origin - self._frames.origin

    def swing(self, pictures: list[Array]) -> None:
        """Play configurations over and over."""
        self._swing, self.playing, self.shown_time = pictures, "mode", 0.0

    def stop(self) -> None:
        """Nothing plays; the posture is shown."""
        if self.playing is None:
            return
        was, self.playing = self.playing, None
        if was == "run":
            self.restage(look=False)
        self.put(self.bench.q)

    def _tick(self) -> None:
        """Thread: what was wished, and a picture for each tick while something plays."""
        last = time.perf_counter()
        while not self._closed.wait(TICK):
            now = time.perf_counter()
            spent, last = now - last, now
            with self._wishing:
                asked, self._wish = self._wish, None
            if asked is not None and not self.running:
                self.attempt(asked[0])
            elif self._unmarked is not None and now - self._unmarked > QUIET and not self.running:
                with self._lock:
                    if not self.closed and self._unmarked is not None:
                        self._mark_in_time()
            if self.playing is None or not self._lock.acquire(timeout=TICK):
                continue
            try:
                if not self.closed:
                    self._play(spent)
            finally:
                self._lock.release()

    def _mark_in_time(self) -> None:
        """Mark what is redundant or singular; what goes wrong is shown, and nothing else is disturbed."""
        try:
            self._mark()
        except CotreeError as error:
            self.panels.say(str(error), wrong=True)
        except Exception:
            traceback.print_exc(file=sys.stderr)
        finally:
            self._unmarked = None  # also where it failed: it is not tried again for this posture

    def _play(self, seconds: float) -> None:
        if self.playing == "run" and self._frames is not None and self.panels.plays:
            start, end = float(self._frames.t[0]), float(self._frames.t[-1])
            self.go_to(passed(self.shown_time, seconds * self.panels.speed, start, end, True)[0])
            self.panels.tell_time(self.shown_time)
        elif self.playing == "mode" and self._swing:
            self.shown_time += seconds
            self.put(self._swing[int(self.shown_time / 2.0 * len(self._swing)) % len(self._swing)])
