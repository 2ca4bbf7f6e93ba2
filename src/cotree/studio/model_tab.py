"""The tab Model: open a mechanism, move it with the loops closed, and read what it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree import gallery
from cotree.constraints.mobility import Mobility
from cotree.constraints.units import length_of
from cotree.studio.bench import Bench
from cotree.studio.tab import Tab, words_in_html
from cotree.view.live.stage import AT_FIRST, sendable
from cotree.view.live.stage import KINDS as SHOWN
from cotree.view.scene.outlook import round_above

MOST_SLIDERS = 40


class ModelTab(Tab):
    """Opening, posture, report, and what is shown."""

    def _model(self) -> None:
        gui, bench = self.gui, self.bench
        with gui.add_folder("Open"):
            self.choice = gui.add_dropdown("gallery", tuple(gallery.__all__), initial_value=self._in_gallery())
            self.button("Open from gallery", lambda _: self.studio.open_bench(Bench.of_gallery(self.choice.value)))
            self.upload = gui.add_upload_button("Open a model file", hint="JSON, YAML, TOML, URDF, SDF or MJCF")
            self.upload.on_upload(lambda event: self.studio.attempt(lambda: self._opened(event.target.value)))
        with gui.add_folder("Posture"):
            self.sliders = {name: self._slider(name, i, unit) for name, i, unit in bench.coordinates[:MOST_SLIDERS]}
            self.posture = self.words("")
        with gui.add_folder("Tree, loops, mobility"):
            self.report = self.words(bench.words())
        with gui.add_folder("Show", expand_by_default=False):
            for kind in SHOWN:
                box = gui.add_checkbox(kind, kind in AT_FIRST)
                box.on_update(lambda event, kind=kind: self.studio.stage.show(kind, bool(event.target.value)))

    def _in_gallery(self) -> str:
        return self.bench.name if self.bench.name in gallery.__all__ else "four_bar"

    def _opened(self, file: Any) -> None:
        self.studio.open_bench(Bench.of_bytes(file.name, file.content))

    def _slider(self, name: str, i: int, unit: str) -> Any:
        reach = 3.14 if unit == "rad" else round_above(length_of(self.bench.system))
        value = float(self.bench.q[i])
        made = self.gui.add_slider(
            sendable(f"{name} [{unit}]"),
            min(-reach, value),
            max(reach, value),
            step=round_above(reach / 500),
            initial_value=value,
        )
        made.on_update(lambda event: self._slid(name, event))
        return made

    def _slid(self, name: str, event: Any) -> None:
        value = event.target.value
        if event.client is None or not isinstance(value, (int, float)) or not np.isfinite(value):
            return  # this program moved it, or the message did not come from a slider
        bounded = min(max(float(value), event.target.min), event.target.max)
        self.studio.attempt(lambda: self.studio.move(name, bounded))

    def tell_posture(self, found: Mobility) -> None:
        """Closure, degrees of freedom, colours; the sliders where the joints are."""
        bench = self.bench
        marks = (
            "\nyellow joints: loops with redundant equations; red: loops singular here" if bench.system.n_loops else ""
        )
        words = f"loops closed to {bench.closure():.2g}\n{found.local} DOF, {found.words}{marks}"
        self.posture.content = words_in_html(words)
        for name, i, _ in bench.coordinates:
            if name in self.sliders:
                slider = self.sliders[name]
                slider.value = float(np.clip(bench.q[i], slider.min, slider.max))
