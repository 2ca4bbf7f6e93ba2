"""A motion in the browser: it plays, and its time can be set from the browser and from the program."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from cotree.system.arguments import time_of
from cotree.view.live.clock import passed
from cotree.view.live.viewer import Viewer
from cotree.view.scene import Scene
from cotree.view.scene.motion import poses_at

SPEEDS = ("0.1", "0.2", "0.5", "1", "2", "5", "10")
TICK = 1 / 30  # seconds between pictures


class Player(Viewer):
    """Live view of the motion of a scene. `time` [s] is the displayed time and can be set; `play()`, `pause()`, `playing`."""

    def __init__(self, scene: Scene, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.frames = scene.frames
        super().__init__(scene, host, port)
        self.start, self.end = float(self.frames.t[0]), float(self.frames.t[-1])
        self._time, self._plays = self.start, threading.Event()

    def _begin(self) -> None:
        """Play from now on where that is asked for: once all is made that `_moved` needs."""
        self._shows()
        threading.Thread(target=self._run, name="cotree view", daemon=True).start()

    def _moved(self, t: float) -> None:
        """What a view moves besides the bodies."""

    def _controls(self, ticks: list[float]) -> None:
        gui, span = self.server.gui, self.end - self.start
        with gui.add_folder("Time"):
            inside = tuple(sorted({t for t in ticks if self.start <= t <= self.end}))
            step = max(span / 1000, 1e-9)
            self.slider = gui.add_slider("t [s]", self.start, self.end, step, self.start, marks=inside or None)
            self.button = gui.add_button("Play", disabled=span <= 0)
            self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
            self.loop = gui.add_checkbox("loop", True)
        self.slider.on_update(self._slid)
        self.button.on_click(lambda _: self.pause() if self.playing else self.play())

    def _slid(self, event: Any) -> None:
        if event.client is not None:  # otherwise this program moved it
            self.pause()
            t = float(event.target.value)
            self.time = t if math.isfinite(t) else self._time  # sliders never send NaN

    def _jump(self, t: float) -> None:
        self.pause()
        self.time = t

    @property
    def time(self) -> float:
        return self._time

    @time.setter
    def time(self, t: float) -> None:
        self._go(min(max(time_of("time", t), self.start), self.end))

    def _go(self, t: float) -> None:
        with self._lock:
            if self.closed:
                return
            self._time = t
            self.stage.put(*poses_at(self.frames, t))
            self.slider.value = t
            self._moved(t)

    @property
    def playing(self) -> bool:
        return self._plays.is_set()

    def play(self) -> None:
        """Play from the displayed time, or from the start if that is the end."""
        if self.end > self.start and not self.closed:
            if self._time >= self.end:
                self._go(self.start)
            self._plays.set()
            self.button.label = "Pause"

    def pause(self) -> None:
        self._plays.clear()
        with self._lock:
            if not self.closed:
                self.button.label = "Play"

    def close(self) -> None:
        self._plays.clear()
        super().close()

    def _run(self) -> None:
        """Thread body: one picture per tick while playing."""
        last = None
        while not self.closed:
            if not self._plays.wait(0.2):
                last = None
                continue
            now = time.perf_counter()
            if last is not None:
                self._tick(now - last)
            last = now
            self._closed.wait(TICK)

    def _tick(self, seconds: float) -> None:
        """Show the time after these seconds. Whoever pauses waits for it, so that nothing moves after `pause`."""
        with self._lock:
            if not self.playing:
                return
            speed = float(self.speed.value) if self.speed.value in SPEEDS else 1.0
            t, on = passed(self._time, seconds * speed, self.start, self.end, self.loop.value)
            self._go(t)
            if not on:
                self.pause()
