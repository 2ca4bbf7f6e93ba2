"""The tab Model: open a mechanism, move it with the loops closed, and read what it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree import gallery
from cotree.constraints.mobility import Mobility
from cotree.constraints.units import length_of
from cotree.studio.bench import Bench
from cotree.studio.cad_panel import CadPanel
from cotree.studio.loops import REDUNDANT, SINGULAR
from cotree.studio.tab import words_in_html
from cotree.view.live.stage import AT_FIRST, sendable
from cotree.view.live.stage import KINDS as SHOWN
from cotree.view.scene.outlook import round_above

MOST_SLIDERS = 40
MOST_NAMES = 12
MEANINGS = {
    REDUNDANT: "yellow joints are in loops with more constraint equations than needed (redundant). The motion is not "
    "affected, but how they share some of the forces is not determined",
    SINGULAR: "red joints are in loops that are singular in this posture: the mechanism can branch or lock here",
}


class ModelTab(CadPanel):
    """Opening, posture, report, and what is shown."""

    switches: dict[str, Any]

    def _model(self) -> None:
        gui, bench = self.gui, self.bench
        with gui.add_folder("Open"):
            self.choice = gui.add_dropdown("gallery", tuple(gallery.__all__), initial_value=self._in_gallery())
            self.button("Open from gallery", lambda _: self.studio.open_bench(Bench.of_gallery(self.choice.value)))
            self.upload = gui.add_upload_button(
                "Open a file", hint="a model (JSON, YAML, TOML), a robot (URDF, SDF, MJCF) or a CAD assembly (STEP)"
            )
            self.upload.on_upload(lambda event: self._uploaded(event.target.value))
        if bench.cad is not None:
            self._cad(bench.cad)
        with gui.add_folder("Posture"):
            self.words("Drag a body in the picture with the pointer, or use a slider. Drag beside it to turn the view.")
            self.sliders = {name: self._slider(name, i, unit) for name, i, unit in bench.coordinates[:MOST_SLIDERS]}
            self.posture = self.words("")
        with gui.add_folder("Tree, loops, mobility"):
            self.report = self.words(bench.words(), table=True)
        with gui.add_folder("Show", expand_by_default=False):
            self.switches = {kind: gui.add_checkbox(kind, kind in AT_FIRST) for kind in SHOWN}
            for kind, box in self.switches.items():
                box.on_update(lambda event, kind=kind: self.studio.stage.show(kind, bool(event.target.value)))

    def _in_gallery(self) -> str:
        return self.bench.name if self.bench.name in gallery.__all__ else "four_bar"

    def _uploaded(self, file: Any) -> None:
        def opened() -> None:
            self.studio.open_bench(Bench.of_bytes(file.name, file.content))

        self.studio.attempt(opened, f"Reading {file.name!r} ...")

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
        self.studio.wish(lambda: name in self.sliders and self.studio.move(name, bounded))

    def tell_closure(self, by: str | None = None) -> None:
        """How well the loops close; the sliders where the joints are, but the one that is being moved."""
        bench = self.bench
        self.posture.content = words_in_html(self._closure())
        for name, i, _ in bench.coordinates:
            if name in self.sliders and name != by:
                slider = self.sliders[name]
                slider.value = float(np.clip(bench.q[i], slider.min, slider.max))

    def _closure(self) -> str:
        constrained = bool(self.bench.system.n_constraints)
        return (
            f"loops closed to {self.bench.closure():.2g} (m, rad)"
            if constrained
            else "no loops: every joint moves by itself"
        )

    def tell_posture(self, found: Mobility, marks: dict[str, str]) -> None:
        """Closure, degrees of freedom, and what the colours of joints mean."""
        self.tell_closure()
        dof = f"{found.local} degree{'' if found.local == 1 else 's'} of freedom, {found.words}"
        lines = [self._closure(), dof]
        for colour, words in MEANINGS.items():
            names = [name for name in self.bench.mech.joints if marks.get(name) == colour]
            if names:
                some = ", ".join(names[:MOST_NAMES]) + (" ..." if len(names) > MOST_NAMES else "")
                lines.append(f"{words}: {some}")
        self.posture.content = words_in_html("\n".join(lines))
