"""The data of the page of a run, or of a mechanism at rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import cotree
from cotree.errors import ChoiceError
from cotree.integrate.results.run import Run
from cotree.model.checks import shown
from cotree.model.mesh_files import MOST
from cotree.system.coordinate_labels import coordinate_labels
from cotree.view.scene import Scene, scene_of
from cotree.view.scene.arrows import arrow_data
from cotree.view.scene.arrows import arrows as drawn_arrows
from cotree.view.scene.frames import MOST_NUMBERS, Frames, about, frames, notes
from cotree.view.scene.marks import marks
from cotree.view.scene.parts import encoded, numbers
from cotree.view.scene.reference import mass_centres

Array = NDArray[np.float64]
SHOWN = 4  # coordinates plotted at first


def page_data(
    run: Run, most_numbers: int = MOST_NUMBERS, most_triangles: int = MOST, arrows: Any = None, compare: Any = None
) -> dict[str, Any]:
    """Names, poses, parts, curves of a run; arrows: see `scene.arrows`; compare: other runs by name."""
    others = compared(compare)
    found = frames(run, most_numbers // (1 + len(others)))
    scene = scene_of(run.system, found, most_triangles)
    drawn = drawn_arrows(run, found, arrows)
    size = float(np.linalg.norm(np.subtract(scene.view["high"], scene.view["low"])))
    beside = [
        _other(name, one, found, most_numbers // (1 + len(others)), most_triangles) for name, one in others.items()
    ]
    return scene_data(scene) | {
        "view": around_all(scene.view, [other.pop("view") for other in beside]),
        "status": run.status,
        "certificate": str(run),
        "notes": [*notes(run, found), *scene.drawing.notes],
        "marks": marks(run),
        "curves": curves(run, found),
        "coordinates": _coordinates(run, found),
        "arrows": arrow_data(drawn, size),
        "others": beside,
    }


def compared(compare: Any) -> dict[str, Run]:
    """Runs by name: of a run, a list of them, or a dict."""
    if compare is None:
        return {}
    given = {"compared": compare} if isinstance(compare, Run) else compare
    if isinstance(given, (list, tuple)):
        given = {f"run {k}": one for k, one in enumerate(given, start=2)}
    if not isinstance(given, dict) or not all(isinstance(k, str) and isinstance(x, Run) for k, x in given.items()):
        raise ChoiceError(f"compare is {shown(compare)}; give a run, a list of runs, or a dict of them by name")
    for name, one in given.items():
        if not len(one.t):
            raise ChoiceError(f"compare: {name!r} has no output rows to show")
    return given


def _other(name: str, run: Run, first: Frames, most_numbers: int, most_triangles: int) -> dict[str, Any]:
    """A run to compare with, about the origin of the first."""
    found = frames(run, most_numbers)
    found = about(found, first.origin)
    scene = scene_of(run.system, found, most_triangles)
    kept = ("time", "motion", "bodies", "ties")
    return {key: x for key, x in scene_data(scene).items() if key in kept} | {
        "name": name, "status": run.status, "certificate": str(run), "curves": curves(run, found),
        "coordinates": _coordinates(run, found), "view": scene.view,
    }  # fmt: skip


def still_data(scene: Scene, words: str) -> dict[str, Any]:
    """A configuration, with a text in place of the certificate."""
    labels = coordinate_labels(scene.system)
    return scene_data(scene) | {
        "status": "at rest",
        "certificate": words,
        "notes": scene.drawing.notes,
        "marks": [],
        "curves": {},
        "coordinates": {"names": labels.names, "units": labels.units, "values": "", "shown": []},
        "arrows": {"scales": {}, "items": []},
        "others": [],
    }


def around_all(view: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    """The view of the first run, so far away that the others are seen too."""
    every = [view, *others]
    low, high = np.min([x["low"] for x in every], axis=0), np.max([x["high"] for x in every], axis=0)
    return view | {"low": numbers(low), "high": numbers(high), "hull": [p for x in every for p in x["hull"]]}


def scene_data(scene: Scene) -> dict[str, Any]:
    """The scene; arrays as base64 in single precision, times in double precision."""
    found, picture = scene.frames, scene.drawing
    motion = np.concatenate([found.quaternions, found.centres, found.spins, found.speeds], axis=2)
    return {
        "version": cotree.__version__,
        "name": scene.system.name or "run",
        "time": encoded(found.t, "<f8"),
        "motion": encoded(motion),
        "origin": found.origin.tolist(),
        "bodies": _bodies(scene),
        "joints": picture.joints,
        "ties": picture.ties,
        "fittings": picture.fittings,
        "scenery": picture.scenery,
        "traces": picture.traces,
        "size": numbers(picture.size),
        "view": scene.view,
    }


def _bodies(scene: Scene) -> list[dict[str, Any]]:
    """`place`: index in the user's order; `centre`: mass centre in the frame of the data, whose pose `run.poses()` gives."""
    centres = mass_centres(scene.system, np.zeros(3))[1:].tolist()
    rows = zip(scene.system.body_names, scene.places, centres, scene.drawing.parts, strict=True)
    return [{"name": name, "place": place, "centre": centre, "parts": parts} for name, place, centre, parts in rows]


def curves(run: Run, found: Frames) -> dict[str, str]:
    """Energies [J] and violations at the frames; none without rows."""
    if not len(found.rows):
        return {}
    e, out = run.energy, {}
    for name in ("kinetic", "potential", "total", "supplied", "dissipated", "balance"):
        values = getattr(e, name)
        if name not in ("supplied", "dissipated") or np.any(values):
            out[name] = encoded(values[found.rows])
    if run.system.n_constraints:
        out |= {"position": encoded(run.violation[found.rows]), "velocity": encoded(run.velocity_violation[found.rows])}
    return out


def _coordinates(run: Run, found: Frames) -> dict[str, Any]:
    """All coordinates, and the indices of those that move most among the ones with the most common unit."""
    labels = coordinate_labels(run.system)
    q = run.q[found.rows] if len(found.rows) else np.zeros((0, run.system.nq))
    return {"names": labels.names, "units": labels.units, "values": encoded(q.T), "shown": liveliest(labels.units, q)}


def liveliest(units: list[str], q: Array) -> list[int]:
    """Indices of the coordinates that move most among those with the most common unit; parts of quaternions, which say little
    to the eye, only where there is nothing else."""
    moved = np.ptp(q, axis=0) if len(q) else np.zeros(len(units))
    readable = [unit for unit in units if unit != "1"] or units
    usual = max(readable, key=readable.count, default="")
    order = [int(i) for i in np.argsort(-moved, kind="stable") if units[i] == usual]
    return sorted(order[:SHOWN])
