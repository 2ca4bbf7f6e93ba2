"""The tabs Plot, Modes and Save."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.studio.cad import plain_name
from cotree.studio.modes import Modes, modes_near
from cotree.studio.readings import read, sensors
from cotree.studio.tab import NOTHING, Tab, words_in_html
from cotree.view.live.stage import sendable
from cotree.view.scene.colours import LIGHT, hue

MOST_POINTS = 400


class PlotTab(Tab):
    """Curves of all runs, modes that play, and files to take away."""

    modes: Modes | None
    plot: Any

    def _plot(self) -> None:
        self.sensor = self.gui.add_dropdown("sensor", tuple(sensors(self.bench.system)))
        self.asked(self.sensor, self.draw)
        self.range = self.words("the curves of all runs come here")
        self.plot_place = self.gui.add_folder("Curves")

    def draw(self) -> None:
        """The chosen sensor of all runs."""
        label = self.sensor.value
        curves = {
            name: (run.t, read(run, label))
            for name, run in self.bench.runs.items()
            if len(run.t) > 1 and label in sensors(run.system)
        }
        if not curves:
            return
        t = np.linspace(0.0, max(float(x[-1]) for x, _ in curves.values()), MOST_POINTS)
        lines = [np.interp(t, x, y, left=np.nan, right=np.nan) for x, y in curves.values()]
        series: list[dict[str, Any]] = [{"label": "t [s]"}]
        for k, name in enumerate(curves):
            series.append({"label": name, "stroke": LIGHT[hue(k)], "width": 1.6, "points": {"show": False}})
        if self.plot is not None:
            self.plot.remove()
        with self.plot_place:
            self.plot = self.gui.add_uplot(
                (t, *lines), tuple(series), title=sendable(label), height=260, scales={"x": {"time": False}},
                legend={"show": True, "live": True},
            )  # fmt: skip
        ends = [f"{name}: {y.min():.6g} to {y.max():.6g}" for name, (_, y) in curves.items()]
        self.range.content = words_in_html("\n".join([label, *ends]))

    def _modes(self) -> None:
        self.button("Find modes", lambda _: self._find(), "small oscillations about the rest position near the posture")
        self.mode = self.gui.add_dropdown("mode", (NOTHING,))
        self.button("Play mode", lambda _: self._swing())
        self.button("Stop playing", lambda _: self.studio.stop())
        self.found = self.words("modes of the rest position that is nearest to the posture")

    def _find(self) -> None:
        self.modes = modes_near(self.bench.system, self.bench.q)
        names = [f"{k}. {mode}" for k, mode in enumerate(self.modes.modes, start=1)]
        self.mode.options = tuple(names) or (NOTHING,)
        self.mode.value = self.mode.options[0]
        stable = {True: "stable", False: "not stable", None: "of unknown stability"}[self.modes.stable]
        self.found.content = words_in_html("\n".join([f"rest position, {stable}; {len(names)} modes", *names]))

    def _swing(self) -> None:
        if self.modes is not None and self.mode.value in self.mode.options and self.modes.modes:
            self.studio.restage(look=False)
            self.studio.swing(self.modes.pictures(self.mode.options.index(self.mode.value)))

    def _save(self) -> None:
        def send(event: Any, ending: str, content: bytes) -> None:
            name = f"{plain_name(self.bench.name)}{ending}"
            event.client.send_file_download(name, content, save_immediately=True)

        def model(event: Any) -> None:
            send(event, ".json", self.bench.model_file())
            if self.bench.cad is not None:
                self.studio.panels.say("Saved, with boxes in place of the CAD shapes, which are in the STEP file only.")

        def run(event: Any) -> None:
            send(event, ".h5", self.bench.run_file(self.studio.panels.which.value))

        def page(event: Any) -> None:
            content = self.bench.page_file(self.studio.panels.which.value, bool(self.arrows.value))
            send(event, ".html", content)

        self.words("Files come down by way of the browser. The run is the one that is shown.")
        self.button("Save model", model, "with the posture as its start")
        self.button("Save run", run, "all results, as HDF5")
        self.arrows = self.gui.add_checkbox("forces as arrows", False)
        self.button("Save page", page, "a page that plays the run offline, beside the other runs")
