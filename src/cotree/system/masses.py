"""Masses of the links: those of the bodies that each of them carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.errors import MassError
from cotree.model.mechanism import Body
from cotree.system.reference_assembly import Assembly

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Masses(NamedTuple):
    """Of n bodies in one frame: mass (n,), mass centre (n, 3), inertia about it (n, 3, 3)."""

    mass: Array
    com: Array
    inertia: Array

    def of(self, which: Numbers) -> Masses:
        return Masses(self.mass[which], self.com[which], self.inertia[which])


def mass_centres(bodies: Sequence[Body], frames: Array) -> Array:
    """R c + p, (n, 3), for bodies whose own frames are given."""
    com = np.concatenate([b.properties.com for b in bodies]).reshape(-1, 3)
    return (frames[:, :3, :3] @ com[:, :, None])[:, :, 0] + frames[:, :3, 3]


def moved_masses(bodies: Sequence[Body], frames: Array) -> Masses:
    """The bodies' masses seen from where their own frames are given."""
    inertia = np.concatenate([b.properties.inertia for b in bodies]).reshape(-1, 3, 3)
    R = frames[:, :3, :3]
    mass = np.array([b.properties.mass for b in bodies])
    return Masses(mass, mass_centres(bodies, frames), R @ inertia @ R.swapaxes(1, 2))


def put_masses(links: NDArray[np.void], assembly: Assembly, masses: Masses, of_vertex: Numbers) -> None:
    """Mass properties of each link, the sum over the bodies that it carries; every moving branch needs mass."""
    order = np.array(assembly.tree.order[1:])
    rows = of_vertex[order]
    alone = np.bincount(rows, minlength=len(links))[rows] == 1
    _put(links, rows[alone], masses.of(order[alone]))
    shared: dict[int, list[int]] = {}
    for row, k in zip(rows[~alone].tolist(), order[~alone].tolist(), strict=True):
        shared.setdefault(row, []).append(k)
    for row, vertices in shared.items():
        _put(links, np.array([row]), _sum_of(masses.of(np.array(vertices))))
    _check_branches(links, assembly, of_vertex)


def _put(links: NDArray[np.void], rows: Numbers, masses: Masses) -> None:
    links["mass"][rows], links["com"][rows] = masses.mass, masses.com
    links["inertia"][rows] = masses.inertia[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def _sum_of(parts: Masses) -> Masses:
    """One rigid body of several."""
    mass = parts.mass.sum()
    if mass == 0.0:
        return Masses(mass[None], parts.com[:1], parts.inertia.sum(axis=0)[None])
    com = parts.mass @ parts.com / mass
    d = parts.com - com
    apart = np.sum(d * d, axis=1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None, :]
    return Masses(mass[None], com[None], np.sum(parts.inertia + parts.mass[:, None, None] * apart, axis=0)[None])


def _check_branches(links: NDArray[np.void], assembly: Assembly, of_vertex: Numbers) -> None:
    behind = (links["mass"] + links["inertia"][:, [0, 3, 5]].sum(axis=1)).tolist()
    parents = links["parent"].tolist()
    for row in range(len(links) - 1, 0, -1):
        if behind[row] <= 0.0:
            k = next(k for k in assembly.tree.order if of_vertex[k] == row)
            raise MassError(
                f"body {assembly.bodies[k].name!r} can move, but neither it nor any body attached to it has mass; "
                f"give it a positive mass, or attach it with a weld"
            )
        behind[parents[row]] += behind[row]
