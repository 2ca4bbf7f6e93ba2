"""The tab Run: simulate with progress, read the certificate, play a run beside another."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from cotree.model.checks import positive
from cotree.studio.bench import LONGEST
from cotree.studio.tab import NOTHING, Tab, words_in_html

SPEEDS = ("0.1", "0.2", "0.5", "1", "2", "5")


class RunTab(Tab):
    """Runs."""

    stopping: threading.Event

    def _run(self) -> None:
        gui = self.gui
        self.t_end = gui.add_number("end [s]", 5.0, min=0.001, max=LONGEST)
        self.button("Run", lambda _: self._start())
        gui.add_button("Stop").on_click(lambda _: self.stopping.set())
        self.bar = gui.add_progress_bar(0.0)
        self.certificate = self.words("no run yet")
        with gui.add_folder("Play"):
            self.which = gui.add_dropdown("shown", (NOTHING,))
            self.beside = gui.add_dropdown("beside it", (NOTHING,))
            self.play_box = gui.add_checkbox("play", True)
            self.pace = gui.add_dropdown("speed", SPEEDS, initial_value="1")
            self.time = gui.add_slider("t [s]", 0.0, 1.0, 0.001, 0.0)
        for choice in (self.which, self.beside):
            self.asked(choice, self._show)
        self.time.on_update(self._timed)

    @property
    def plays(self) -> bool:
        return bool(self.play_box.value)

    @property
    def speed(self) -> float:
        return float(self.pace.value) if self.pace.value in SPEEDS else 1.0

    def _start(self) -> None:
        """Simulate; the bar moves, and Stop ends it."""
        end = positive(self.t_end.value, "end", "run")
        self.studio.stop()
        self.stopping.clear()

        def at(t: float) -> None:
            self.bar.value = float(np.clip(100.0 * t / end, 0.0, 100.0))
            if self.stopping.is_set() or self.studio._ending.is_set():
                stop = KeyboardInterrupt()
                raise stop

        self.studio.running = True
        self.studio.panels.say("Running ...")
        try:
            name, run = self.bench.run(end, at)
        finally:
            self.studio.running = False
        self.studio.panels.say("")
        self.bar.value = 100.0
        names = tuple(self.bench.runs)
        self.which.options, self.beside.options = names, (NOTHING, *names)
        self.which.value = name
        self._show()
        self.studio.panels.draw()
        if run.status not in ("done", "event"):
            self.studio.panels.say(
                f"{name} {run.status} at t = {run.t[-1] if len(run.t) else 0.0:g} s: {run.message}", wrong=True
            )

    def _show(self) -> None:
        """The chosen run, and the one beside it."""
        run = self.bench.run_named(self.which.value)
        self.certificate.content = words_in_html(self._words(self.which.value), table=True)
        if len(run.t) < 2:  # it failed at the start: there is nothing to play
            return
        self.time.min, self.time.max, self.time.step = (
            float(run.t[0]),
            float(run.t[-1]),
            max(1e-6, float(np.ptp(run.t)) / 1000),
        )
        other = self.beside.value
        self.studio.show_run(
            self.which.value, other if other in self.bench.runs and other != self.which.value else None
        )

    def _words(self, name: str) -> str:
        """Certificate, warnings, and what the run was made with."""
        run = self.bench.run_named(name)
        return "\n".join([f"{name}: {run}", *map(str, run.warnings), "made with: " + self.bench.settings[name]])

    def _timed(self, event: Any) -> None:
        if (
            event.client is not None
            and isinstance(event.target.value, (int, float))
            and np.isfinite(event.target.value)
        ):
            self.play_box.value = False
            self.studio.attempt(lambda: self.studio.go_to(float(event.target.value)))

    def tell_time(self, t: float) -> None:
        self.time.value = t
