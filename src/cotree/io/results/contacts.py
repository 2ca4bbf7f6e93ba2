"""What contacts did, in a results file: histories of their points as arrays, rows first, and one row for each impact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from cotree.errors import DocumentError
from cotree.io.native.texts import as_json
from cotree.io.results.hdf5_files import put_numbers, put_text
from cotree.io.results.hdf5_reading import numbers, structured, whole_numbers
from cotree.model.contacts import Contact

if TYPE_CHECKING:
    from cotree.integrate.contacts.history import ContactHistory, Impact
    from cotree.integrate.results.run import Run
    from cotree.system.system import System

UNITS = {"gap": "m", "force": "N", "normal_force": "N", "point": "m", "slip": "m/s", "codes": "0 open, 1 stick, 2 slip"}
SPATIAL = ("force", "point")


class Place(msgspec.Struct):
    """A point of contact."""

    point: str
    contact: str


class ImpactWords(msgspec.Struct):
    """An impact, but for its numbers; pushed: the contacts whose impulses follow each other in `impulses`."""

    contacts: tuple[str, ...]
    pushed: tuple[str, ...]
    law: Literal["newton", "poisson", "plastic"]
    simultaneous: bool


def size_of_contacts(run: Run) -> int:
    """Bytes of their numbers."""
    return 0 if run.contacts is None else sum(x.nbytes for x in run.contacts.arrays.values())


def write_contacts(file: Any, run: Run) -> None:
    """Groups `contacts` and `impacts`; none where there are no contacts."""
    if run.contacts is None:
        return
    h, group = run.contacts, file.create_group("contacts")
    put_text(group, "points", as_json([{"point": p, "contact": c} for p, c in zip(h.points, h.contacts, strict=True)]))
    for name, x in h.arrays.items():
        put_numbers(group, name, x, units=UNITS[name])
    _write_impacts(file.create_group("impacts"), run.impacts)


def _write_impacts(group: Any, impacts: tuple[Impact, ...]) -> None:
    put_numbers(group, "t", np.array([i.t for i in impacts], dtype=float), units="s")
    put_numbers(group, "energy_loss", np.array([i.energy_loss for i in impacts], dtype=float), units="J")
    rows = [P for i in impacts for P in i.impulses.values()]
    put_numbers(group, "impulses", np.array(rows, dtype=float).reshape(-1, 3), units="N s")
    words = [
        {"contacts": i.contacts, "pushed": tuple(i.impulses), "law": i.law, "simultaneous": i.simultaneous}
        for i in impacts
    ]
    put_text(group, "what", as_json(words))


def read_contacts(file: Any, system: System, rows: int) -> ContactHistory | None:
    """The history; rows: how many the run has. Files from before it was stored have none."""
    from cotree.integrate.contacts.history import ContactHistory

    if "contacts" not in file:
        return None
    group = file["contacts"]
    places = structured(group, "points", list[Place])
    for place in places:
        if not isinstance(system.mechanism.devices.get(place.contact), Contact):
            raise DocumentError(
                f"contacts/points: {place.contact!r} is not a contact of the model; the file is damaged"
            )
    flat = (rows, len(places))
    arrays = {name: numbers(group, name, (*flat, 3) if name in SPATIAL else flat) for name in UNITS if name != "codes"}
    codes = whole_numbers(group, "codes", flat, 2).astype(np.int8)
    return ContactHistory(tuple(p.point for p in places), tuple(p.contact for p in places), **arrays, codes=codes)


def read_impacts(file: Any) -> tuple[Impact, ...]:
    """The impacts."""
    from cotree.integrate.contacts.history import Impact

    if "impacts" not in file:
        return ()
    group = file["impacts"]
    t, words = numbers(group, "t", (None,)), structured(group, "what", list[ImpactWords])
    loss, impulses = numbers(group, "energy_loss", (len(t),)), numbers(group, "impulses", (None, 3))
    if len(words) != len(t) or sum(len(w.pushed) for w in words) != len(impulses) or np.any(np.diff(t) < 0.0):
        raise DocumentError("impacts: their times, contacts and impulses are inconsistent; the file is damaged")
    given = iter(impulses)
    return tuple(
        Impact(float(a), w.contacts, dict(zip(w.pushed, given, strict=False)), float(b), w.law, w.simultaneous)
        for a, b, w in zip(t, loss, words, strict=True)
    )
