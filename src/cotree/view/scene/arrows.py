"""Forces as arrows: reactions of joints, loads, and the forces of elements at the points where they act, along a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ChoiceError, UnknownNameError
from cotree.judge import NEGLIGIBLE
from cotree.model.checks import shown
from cotree.model.force_elements import (
    Belt,
    BumpStop,
    Bushing,
    Cable,
    CentralGravity,
    Drag,
    ForceBetween,
    LineElement,
    Tyre,
)
from cotree.model.naming import unknown
from cotree.view.scene.frames import Frames
from cotree.view.scene.parts import encoded, numbers
from cotree.view.scene.reference import Reference, in_data, reference

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]
LENGTH = 0.22  # of a long arrow, as a fraction of the picture's size
KINDS = ("reactions", "forces")


@dataclass(frozen=True, eq=False)
class Arrow:
    """vectors (k, 3) in world axes at the frames: [N], or [N m] of a moment. It begins at a point of a body (row 0: ground),
    about its mass centre. source: "reaction" or "force"."""

    name: str
    source: str
    unit: str
    body: int
    point: Array
    vectors: Array


def arrows(run: Run, found: Frames, which: Any) -> list[Arrow]:
    """which: True for all, "reactions", "forces" (loads and elements), or names of joints, loads and elements."""
    if which is None or which is False or not len(found.rows):
        return []
    at = reference(run.system, found.origin)
    makers = {**{c.name: "reactions" for c in at.joints}, **dict.fromkeys(_elements(run), "forces")}
    names = _chosen(which, makers, run.system.name)
    return [
        arrow
        for name in names
        for arrow in (_reaction if makers[name] == "reactions" else _force)(run, at, found, name)
        if np.any(arrow.vectors)
    ]


def _elements(run: Run) -> list[str]:
    mech = run.system.mechanism
    known = (LineElement, CentralGravity, Drag, Tyre, Bushing, Cable, Belt)
    return [*mech.springs, *mech.loads, *(e.name for e in mech.elements.values() if isinstance(e, known))]


def _chosen(which: Any, known: dict[str, str], system: str) -> list[str]:
    if which is True:
        return list(known)
    if isinstance(which, str) and which in KINDS and which not in known:
        return [name for name, kind in known.items() if kind == which]
    given = [which] if isinstance(which, str) else which
    if not isinstance(given, (list, tuple, set, frozenset)):
        raise ChoiceError(f"arrows is {shown(which)}; give True, 'reactions', 'forces', or a list of names")
    for name in given:
        if not isinstance(name, str) or name not in known:
            raise UnknownNameError(
                f"arrows: {unknown(name, f'joint, load, spring or other element of {system!r}', known, 'the names are')}"
            )
    return list(given)


def _reaction(run: Run, at: Reference, found: Frames, name: str) -> Iterator[Arrow]:
    """Force and moment that a joint transmits to its child, at the joint."""
    k = [c.name for c in at.joints].index(name)
    row, read = int(at.ends[k, 1]), run.reaction(name)
    point = at.on_child[k, :3, 3]
    yield Arrow(name, "reaction", "N", row, point, read.force[found.rows])
    yield Arrow(name, "reaction", "N m", row, point, read.moment[found.rows])


def _force(run: Run, at: Reference, found: Frames, name: str) -> Iterator[Arrow]:
    mech, rows = run.system.mechanism, at.system.body_rows
    force = run.element(name).force[found.rows]
    if name in mech.loads:
        load = mech.loads[name]
        row = rows[load.body]
        point = np.zeros(3) if load.point is None else load.point - at.centres[row]
        yield Arrow(name, "force", "N m" if load.is_moment else "N", row, point, force)
        return
    e: Any = mech.springs[name] if name in mech.springs else mech.elements[name]
    if isinstance(e, Belt):
        yield from _torques(at, e, force, run, found)
        return
    for body, point, vectors in _pushes(run, at, found, e, force):
        if rows[body]:
            yield Arrow(name, "force", "N", rows[body], np.asarray(point) - at.centres[rows[body]], vectors)


def _pushes(run: Run, at: Reference, found: Frames, e: Any, force: Array) -> list[tuple[str, Any, Array]]:
    """(body, point, forces on it (k, 3) in world axes); the force of a tyre is drawn at the centre of its wheel."""
    if isinstance(e, Cable):
        return _along_route(run, found, e, force)
    if isinstance(e, (Drag, Tyre)):
        return [(e.body, e.point if isinstance(e, Drag) else e.center, force)]
    if isinstance(e, Bushing):
        return [(body, in_data(at, body, e.point), s * force) for body, s in ((e.body_a, -1.0), (e.body_b, 1.0))]
    pull = (-force if isinstance(e, (BumpStop, ForceBetween)) else force)[:, None]
    a, b = (
        run.point(body, point).position[found.rows] for body, point in ((e.body_a, e.point_a), (e.body_b, e.point_b))
    )
    along = _unit(a - b)
    return [(e.body_a, e.point_a, -pull * along), (e.body_b, e.point_b, pull * along)]


def _along_route(run: Run, found: Frames, e: Cable, force: Array) -> list[tuple[str, Any, Array]]:
    """At each point of a cable the pulls of the two stretches that meet there."""
    places = np.array([run.point(body, point).position[found.rows] for body, point in e.route])
    along = force[:, None] * np.array([_unit(d) for d in np.diff(places, axis=0)])
    none = np.zeros((1, *along.shape[1:]))
    total = np.concatenate([along, none]) - np.concatenate([none, along])
    return [(body, point, f) for (body, point), f in zip(e.route, total, strict=True)]


def _torques(at: Reference, e: Belt, force: Array, run: Run, found: Frames) -> Iterator[Arrow]:
    """Torques of a belt on its pulleys, along the axes of their joints."""
    names = [c.name for c in at.joints]
    for joint, radius in ((e.joint_a, -e.radius_a), (e.joint_b, e.radius_b)):
        k = names.index(joint)
        row = int(at.ends[k, 1])
        axis = run.poses()[found.rows][:, row, :3, :3] @ at.on_child[k, :3, 2]
        yield Arrow(e.name, "force", "N m", row, at.on_child[k, :3, 3], radius * force[:, None] * axis)


def _unit(d: Array) -> Array:
    return np.asarray(d / np.maximum(np.linalg.norm(d, axis=-1, keepdims=True), 1e-300))


def lengths(made: list[Arrow], size: float) -> dict[str, float]:
    """Metres of the picture for a newton, and for a newton metre: the largest ones are LENGTH of its size. Moments that are
    rounding errors beside the forces, or forces beside the moments, have no length and are not drawn."""
    most = {unit: _largest([a.vectors for a in made if a.unit == unit]) for unit in ("N", "N m")}
    least = {"N": NEGLIGIBLE * most["N m"] / size, "N m": NEGLIGIBLE * most["N"] * size} if size > 0.0 else {}
    return {unit: LENGTH * size / x for unit, x in most.items() if x > least.get(unit, 0.0)}


def _largest(vectors: list[Array]) -> float:
    """Of nearly all of them: a blow does not make the others invisible."""
    if not vectors:
        return 0.0
    sizes = np.concatenate([np.linalg.norm(x, axis=1) for x in vectors])
    return float(np.percentile(sizes, 98)) or float(sizes.max(initial=0.0))


def arrow_data(made: list[Arrow], size: float) -> dict[str, Any]:
    """For the page: `scales`, and of each arrow its vectors in base64."""
    scales = lengths(made, size)
    items = [
        {"name": x.name, "source": x.source, "unit": x.unit, "body": x.body, "point": numbers(x.point),
         "vectors": encoded(x.vectors)}
        for x in made if x.unit in scales
    ]  # fmt: skip
    return {"scales": {unit: numbers(s) for unit, s in scales.items()}, "items": items}
