"""Write the table of docs/elements.md: each element of examples/elements.py is run, read, saved and drawn.

`python tools/element_table.py` after a change; a test compares.
"""

from __future__ import annotations

import re
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import cotree as ct  # noqa: E402
from cotree.errors import CotreeError  # noqa: E402
from cotree.view.scene import scene_of  # noqa: E402
from cotree.view.scene.arrows import arrows  # noqa: E402
from cotree.view.scene.frames import frames  # noqa: E402

PAGE, EXAMPLE = ROOT / "docs" / "elements.md", ROOT / "examples" / "elements.py"
PLACE = re.compile(r"(<!-- table: elements -->\n).*?(<!-- end of table -->)", re.DOTALL)
HEAD = "| `examples/elements.py` | energy | sensor, beside `power` and `work` | files | drawn as |\n|---|---|---|---|---|\n"
ELEMENTS = runpy.run_path(str(EXAMPLE))["ELEMENTS"]
FORMATS = {"MJCF": "xml", "URDF": "urdf"}  # beside those of the package
SOME = 1e-6  # joules that count


def bare(mech: ct.Mechanism) -> ct.Mechanism:
    """Its bodies, joints and gravity alone."""
    made = ct.Mechanism(mech.name, gravity=mech.gravity)
    for body in mech.bodies.values():
        p = body.properties
        made.body(body.name, p.mass, p.com, p.inertia, shape=body.shape)
    for c in mech.joints.values():
        made.joint(c.name, c.parent, c.child, c.joint)
    return made


def energy(one: Any, run: Any) -> str:
    """What it does with energy: the run's beside those of the bodies alone."""
    system = bare(one.mech).compile()
    alone = [ct.energy(system, q, v) for q, v in zip(run.q, run.v, strict=True)]
    elastic = run.energy.potential - np.array([e.potential for e in alone])
    rotor = run.energy.kinetic - np.array([e.kinetic for e in alone])
    engine = run.element("engine").work if "engine" in one.mech.joint_forces else 0.0
    found = {
        "potential": np.ptp(elastic), "kinetic": np.ptp(rotor), "supplied": np.abs(run.energy.supplied - engine).max(),
        "dissipated": run.energy.dissipated.max(), "lost in impacts": sum(e.energy_loss for e in run.events),
    }  # fmt: skip
    return ", ".join(word for word, size in found.items() if size > SOME)


def sensor(run: Any) -> str:
    """Names of what it reads."""
    it = run.element("it")
    force = "`force`" + (" in the world" if it.force.ndim == 2 else "")
    return ", ".join([force, *(f"`{name}`" for name in it.units if name not in ("force", "power", "work"))])


def files(one: Any) -> str:
    """Formats of other programs that can say it, beside the package's own."""
    out = ["JSON, YAML, TOML"]
    with tempfile.TemporaryDirectory() as folder:
        for word, ending in FORMATS.items():
            try:
                ct.save(one.mech, Path(folder) / f"it.{ending}")
            except CotreeError:
                continue
            out.append(word)
    return ", ".join(out)


def looks(run: Any) -> list[str]:
    """Kinds of what a picture shows of it, arrows among them."""
    found = frames(run)
    drawn = scene_of(run.system, found).drawing
    kinds = [x["kind"] for x in (*drawn.ties, *drawn.fittings) if x["name"] == "it"]
    return sorted(set(kinds)) + (["arrow"] if any(a.name == "it" for a in arrows(run, found, "forces")) else [])


def row(name: str, one: Any, run: Any) -> str:
    return f"| `{name}` | {energy(one, run)} | {sensor(run)} | {files(one)} | {', '.join(looks(run))} |\n"


def filled(text: str, rows: list[str]) -> str:
    return PLACE.sub(lambda found: found[1] + HEAD + "".join(rows) + found[2], text)


def main() -> None:
    rows = []
    for name, make in ELEMENTS.items():
        one = make()
        rows.append(row(name, one, ct.simulate(one.mech, one.t_end, v=one.v)))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main()
