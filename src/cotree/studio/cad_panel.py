"""The folder CAD assembly of the tab Model: what a STEP file does not say, and a person knows."""

from __future__ import annotations

from cotree.studio.bench import Bench
from cotree.studio.cad import DOWN, CadFile
from cotree.studio.tab import Tab
from cotree.view.live.stage import sendable

MOST_JOINTS = 60  # that can be changed one by one


class CadPanel(Tab):
    """Density, gravity, the part that stays, and the kind of each joint that was found."""

    def _cad(self, cad: CadFile) -> None:
        gui = self.gui
        with gui.add_folder("CAD assembly"):
            density = gui.add_number("density [kg/m^3]", cad.density, min=1e-6, hint="steel 7850, aluminium 2700")
            down = gui.add_dropdown("gravity along", tuple(DOWN), initial_value=cad.down)
            ground = gui.add_dropdown("stays fixed", tuple(cad.assembly.solids), initial_value=cad.ground)
            kinds = {}
            for proposal in list(cad.assembly.proposals)[:MOST_JOINTS]:
                n = proposal.number
                kinds[n] = gui.add_dropdown(
                    sendable(proposal.name), cad.kinds_of(n), initial_value=cad.kinds[n], hint=sendable(proposal.reason)
                )

            def build() -> None:
                cad.choose(density.value, down.value, ground.value, {n: box.value for n, box in kinds.items()})
                self.studio.open_bench(Bench.of_cad(cad))

            self.button("Build again", lambda _: build(), "with these choices; what was set and run is forgotten")
