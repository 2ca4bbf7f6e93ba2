"""All that the page knows of a run, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import cotree
from cotree.io.labels import coordinate_labels
from cotree.view.page.drawing import Drawing, drawing
from cotree.view.page.frames import Frames, frames, notes
from cotree.view.page.outlook import outlook, swept_points, tied_points
from cotree.view.page.parts import encoded, numbers
from cotree.view.page.reference import mass_centres

if TYPE_CHECKING:
    from cotree.integrate.run import Run

Array = NDArray[np.float64]
SHOWN = 4  # coordinates plotted at first


def page_data(run: Run) -> dict[str, Any]:
    """Names, poses, parts, curves; arrays as base64 of single precision, times of double."""
    found = frames(run)
    picture = drawing(found, run.system)
    motion = np.concatenate([found.quaternions, found.centres, found.spins, found.speeds], axis=2)
    points = np.concatenate([swept_points(found, picture.parts), tied_points(found, picture.ties)])
    return {
        "version": cotree.__version__,
        "name": run.system.name or "run",
        "status": run.status,
        "certificate": str(run),
        "notes": [*notes(run, found), *picture.notes],
        "time": encoded(found.t, "<f8"),
        "motion": encoded(motion),
        "origin": found.origin.tolist(),
        "bodies": _bodies(run, picture),
        "joints": picture.joints,
        "ties": picture.ties,
        "size": numbers(picture.size),
        "view": outlook(points, run.system.mechanism.gravity),
        "marks": _marks(run),
        "curves": curves(run, found),
        "coordinates": _coordinates(run, found),
    }


def _bodies(run: Run, picture: Drawing) -> list[dict[str, Any]]:
    """`place` in the user's order; `centre`: the mass centre in the frame of the data, whose pose `run.poses()` tells."""
    centres = mass_centres(run.system, np.zeros(3))[1:].tolist()
    places = {name: k for k, name in enumerate(run.system.mechanism.bodies)}
    rows = zip(run.system.body_names, centres, picture.parts, strict=True)
    return [{"name": name, "place": places[name], "centre": centre, "parts": parts} for name, centre, parts in rows]


def _marks(run: Run) -> list[dict[str, Any]]:
    """Events and singular configurations, in the order of their times."""
    events = [{"kind": "event", "text": e.name, "t": float(e.t)} for e in run.events]
    crossings = [{"kind": "crossing", "text": str(c), "t": float(c.t)} for c in run.crossings]
    return sorted([*events, *crossings], key=lambda mark: mark["t"])


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
    """All coordinates, and the places of those that move most among the ones of the commonest unit."""
    labels = coordinate_labels(run.system)
    q = run.q[found.rows] if len(found.rows) else np.zeros((0, run.system.nq))
    moved = np.ptp(q, axis=0) if len(q) else np.zeros(run.system.nq)
    usual = max(labels.units, key=labels.units.count, default="")
    order = [int(i) for i in np.argsort(-moved, kind="stable") if labels.units[i] == usual]
    return {"names": labels.names, "units": labels.units, "values": encoded(q.T), "shown": sorted(order[:SHOWN])}
