"""`export_page`: one file in which a mechanism is simulated live, by any browser."""

from __future__ import annotations

import base64
import gzip
import html
import re
from collections.abc import Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from cotree.engine.native_code import code_for
from cotree.engine.targets import TARGETS
from cotree.engine.wasm import module_of
from cotree.export.library import asset
from cotree.export.model import DOORS
from cotree.export.preparing import HEAD, Model, prepare
from cotree.formulations.choices import FormulationChoice
from cotree.integrate.choices import MethodChoice
from cotree.io.atomic import write_whole
from cotree.io.paths import path_of
from cotree.model.mechanism import Mechanism
from cotree.system.coordinate_labels import coordinate_labels
from cotree.system.system import System
from cotree.view.page.data import still_data
from cotree.view.page.writing import harmless_json
from cotree.view.scene import scene_of
from cotree.view.scene.colours import style_rules
from cotree.view.scene.frames import still

VIEWER = ("vectors", "data", "motion", "triangles", "webgl", "camera", "painted", "arrows", "scene", "labels")
FORCE_ALONG = {"rad": "N m", "m": "N", "1": "N m"}  # by the unit of a coordinate; "1" are Cayley parameters
MOST_SLIDERS = 12
G = 9.81  # m/s^2, for the ranges of sliders


def export_page(
    mech: Mechanism,
    path: str | PathLike[str],
    inputs: Sequence[str] | None = None,
    *,
    step: float = 1e-3,
    method: str | MethodChoice = "rk4",
    formulation: str | FormulationChoice = "auto",
) -> Path:
    """Write an HTML page that simulates a mechanism live in the browser.

    The page needs neither a server nor a network nor Python: the compiled mechanism is in it.
    It has play, pause and reset, sliders for forces, torques and the start, and plots of a
    coordinate, the energy and the closure of the loops as they are computed.

    Parameters
    ----------
    mech : Mechanism
        What `ct.export_library` takes.
    path : str or path
        File to write.
    inputs : sequence of str, optional
        Forces and torques with sliders, as `Stepper.set(torque=...)` takes them; by default as
        for `ct.export_library`.
    step : float, optional
        Step [s].
    method : str or value, optional
        Method with a fixed step.
    formulation : str or value, optional
        As for `Stepper`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ExportError
        If the mechanism has what code without Python cannot do.

    Examples
    --------
    >>> ct.export_page(ct.gallery.four_bar(), "four_bar.html")  # doctest: +SKIP
    """
    place = Path(path_of(path, "export_page(mech, path)"))
    model = prepare(mech, inputs, step, method, formulation, "export_page")
    write_whole(place, page(model).encode("utf-8", "xmlcharrefreplace"))
    return place


def page(model: Model) -> str:
    """Text of the page."""
    system, q = model.stepper.system, model.stepper.q
    data = still_data(scene_of(system, still(system, q)), "") | {"live": live_data(model)}
    scripts = [_of_viewer(f"{name}.js") for name in VIEWER] + [asset("instance.js"), asset("live.js")]
    pieces = {
        "title": html.escape(data["name"]), "style": style_rules() + _of_viewer("page.css"),
        "data": harmless_json(data), "script": "\n".join(scripts),
    }  # fmt: skip
    return re.sub(r"\{\{(\w+)\}\}", lambda m: pieces[m[1]], asset("live.html"))


def _of_viewer(name: str) -> str:
    return (files("cotree.view.page") / "assets" / name).read_text(encoding="utf-8")


def live_data(model: Model) -> dict[str, Any]:
    """The compiled module, the model, and what there are sliders for."""
    system, labels = model.stepper.system, coordinate_labels(model.stepper.system)
    code, runtime = runtime_of(model)
    single = [name for name in system.v_names if name in system.q_names]
    starts = [
        {"name": name, "unit": labels.units[system.q_index(name)], "q": system.q_index(name), "v": system.v_index(name),
         "range": 3.1416 if labels.units[system.q_index(name)] == "rad" else 2.0 * _length(system)}
        for name in single[:MOST_SLIDERS]
    ]  # fmt: skip
    reach = _torque_range(system)
    along = {name: FORCE_ALONG[labels.units[system.q_index(name)]] for name in single}
    inputs = [
        {"name": name, "unit": along.get(name, "N m, N"), "range": reach} for name, _ in model.inputs[:MOST_SLIDERS]
    ]
    return {
        "code": _packed(code), "model": _packed(model.data), "runtime": runtime, "step": model.stepper.step_size,
        "names": labels.names, "units": labels.units, "plotted": 0, "inputs": inputs, "starts": starts,
    }  # fmt: skip


def runtime_of(model: Model) -> tuple[bytes, dict[str, Any]]:
    """WebAssembly of all kernels that the model needs, and what is to be known of it."""
    entries, doors = [e.symbol for e in model.entries], {name: door.symbol for name, door in DOORS.items()}
    obj = code_for([*model.entries, *DOORS.values()], TARGETS["wasm32"])
    module = module_of(obj, [*entries, *doors.values()])
    return module.code, {
        "pages": module.pages, "table": module.table, "version": str(model.head["version"]), "names": list(HEAD),
        "entries": entries, "doors": doors,
    }  # fmt: skip


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def _length(system: System) -> float:
    """A length of the mechanism, from the scene that it fills."""
    view = scene_of(system, still(system, system.q0)).view
    return float(np.linalg.norm(np.subtract(view["high"], view["low"]))) / 2.0


def _torque_range(system: System) -> float:
    """What holds the whole weight at that length, as a round number."""
    mass = float(sum(system.links["mass"]))
    power = 10.0 ** np.floor(np.log10(max(mass * G * _length(system), 1e-12)))
    return float(power * np.ceil(max(mass * G * _length(system), 1e-12) / power))
