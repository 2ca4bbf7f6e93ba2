"""The data of the page of a run, or of a mechanism at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import cotree
from cotree.system.coordinate_labels import coordinate_labels
from cotree.view.scene import Scene, scene_of
from cotree.view.scene.frames import MOST_NUMBERS, Frames, frames, notes
from cotree.view.scene.marks import marks
from cotree.view.scene.meshes import MOST
from cotree.view.scene.parts import encoded, numbers
from cotree.view.scene.reference import mass_centres

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]
SHOWN = 4  # coordinates plotted at first


def page_data(run: Run, most_numbers: int = MOST_NUMBERS, most_triangles: int = MOST) -> dict[str, Any]:
    """Names, poses, parts, curves of a run."""
    found = frames(run, most_numbers)
    scene = scene_of(run.system, found, most_triangles)
    return scene_data(scene) | {
        "status": run.status,
        "certificate": str(run),
        "notes": [*notes(run, found), *scene.drawing.notes],
        "marks": marks(run),
        "curves": curves(run, found),
        "coordinates": _coordinates(run, found),
    }


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
    }


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
    """Indices of the coordinates that move most among those with the most common unit."""
    moved = np.ptp(q, axis=0) if len(q) else np.zeros(len(units))
    usual = max(units, key=units.count, default="")
    order = [int(i) for i in np.argsort(-moved, kind="stable") if units[i] == usual]
    return sorted(order[:SHOWN])
