"""`Studio`: the server, the picture, and what plays in it; the panel beside it is in `panels`."""

from __future__ import annotations

import threading
import time
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
from cotree.studio.loops import marked_joints
from cotree.studio.panels import Panels
from cotree.view.live.clock import passed
from cotree.view.live.stage import Stage
from cotree.view.live.viewer import Viewer
from cotree.view.scene import Scene, scene_of
from cotree.view.scene.frames import Frames, frames, still
from cotree.view.scene.motion import poses_at
from cotree.view.scene.reference import mass_centres

Array = NDArray[np.float64]
ROOM = 1.4  # for moves
TICK = 1 / 25  # seconds between pictures


class Studio(Viewer):
    """A mechanism in the browser. `bench` holds it; `open(bench)` puts another one on it. `playing`: what moves, or None."""

    def __init__(self, bench: Bench, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.bench, self.shown_time = bench, 0.0
        self.playing: str | None = None
        self._frames: Frames | None = None
        self._ghost: tuple[list[Any], Frames] | None = None
        self._swing: list[Array] = []
        super().__init__(self._scene(), host, port, ROOM)
        self.panels = Panels(self)
        self._mark()
        threading.Thread(target=self._tick, name="cotree studio", daemon=True).start()

    def _scene(self, run: Run | None = None) -> Scene:
        system = self.bench.system
        return scene_of(system, still(system, self.bench.q) if run is None else frames(run))

    # -- actions: all come through `attempt`, one at a time -----------------------------------------------------

    def attempt(self, action: Callable[[], Any]) -> None:
        """Do something that the person asked for; what is wrong about it is shown in words."""
        with self._lock:
            if self.closed:
                return
            try:
                self.panels.say("")
                action()
            except CotreeError as error:
                self.panels.say(str(error), wrong=True)

    def open_bench(self, bench: Bench) -> None:
        """Another mechanism."""
        self.stop()
        self.bench, self._ghost, self._frames = bench, None, None
        self.restage()
        self.panels.build()
        self._mark()

    def open_file(self, path: Path) -> None:
        self.open_bench(Bench.of_file(path))

    def restage(self, run: Run | None = None) -> None:
        """Draw the mechanism anew: at rest, or with the volume that a run sweeps in view."""
        self.server.scene.reset()
        self._ghost = None
        self.stage = Stage(self.server, self._scene(run), ROOM if run is None else 1.0)
        camera = self.server.initial_camera
        for client in self.server.get_clients().values():
            client.camera.position, client.camera.look_at = camera.position, camera.look_at

    def _mark(self) -> None:
        """Colour the joints of redundant and singular loops, and say how well the loops close."""
        found = self.bench.mobility()
        self.stage.paint_joints(marked_joints(self.bench.system, self.bench.q, found))
        self.panels.tell_posture(found)

    def move(self, joint: str, value: float) -> bool:
        """Move a joint, loops closed all the way."""
        self.stop()
        there = self.bench.move(joint, value, self._ending.is_set)
        self.put(self.bench.q)
        self._mark()
        if not there:
            self.panels.say("The loops do not close any further.", wrong=True)
        return there

    def changed(self) -> None:
        """Elements were added or taken away."""
        self.stop()
        self.restage()
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
        if self.playing is not None:
            self.playing = None
            self.put(self.bench.q)

    def _tick(self) -> None:
        """Thread: a picture for each tick while something plays."""
        last = time.perf_counter()
        while not self._closed.wait(TICK):
            now = time.perf_counter()
            spent, last = now - last, now
            if self.playing is None or not self._lock.acquire(timeout=TICK):
                continue
            try:
                if not self.closed:
                    self._play(spent)
            finally:
                self._lock.release()

    def _play(self, seconds: float) -> None:
        if self.playing == "run" and self._frames is not None and self.panels.plays:
            start, end = float(self._frames.t[0]), float(self._frames.t[-1])
            self.go_to(passed(self.shown_time, seconds * self.panels.speed, start, end, True)[0])
            self.panels.tell_time(self.shown_time)
        elif self.playing == "mode" and self._swing:
            self.shown_time += seconds
            self.put(self._swing[int(self.shown_time / 2.0 * len(self._swing)) % len(self._swing)])
