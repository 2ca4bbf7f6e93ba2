"""What a body can do against another one: the motion group that its joints and the closed loops leave it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.model.mechanism import Body, Mechanism
from cotree.screws import Scale, Subgroup, closure, identify, in_world, normalise
from cotree.system.arguments import system_of
from cotree.system.masses import mass_centres
from cotree.system.motion_algebra import Network, joint_screws, networks
from cotree.system.reference_assembly import Assembly, assemble_graph
from cotree.system.system import System
from cotree.topology import ClosedGraph, SpanningTree, closing_cycles, shortest_first

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionAlgebra(Shown):
    """A motion group of SE(3) in the world frame of the reference assembly; what does not apply is None.

    kind: "revolute", "planar", "spherical", "schoenflies" and so on, "weld" for none and "free" for all motions; axis: unit
    vector of the rotation, translation or normal; point: on the axis, next to the origin, or the centre of a spherical group
    [m]; pitch: of helical kinds [m/rad]; basis: (6, dimension), twists (w, v) that span the Lie algebra.
    """

    kind: str
    dimension: int
    axis: tuple[float, float, float] | None
    point: tuple[float, float, float] | None
    pitch: float | None
    basis: Array
    words: str

    def __str__(self) -> str:
        return f"{self.words} ({self.dimension} dimension{'s' * (self.dimension != 1)})"


def motion_algebra(
    mechanism_or_system: Mechanism | System, body: Body | str | int, relative_to: Body | str | int = "ground"
) -> MotionAlgebra:
    """The smallest motion group known to hold all that `body` does against another body, in every assembled configuration.

    It follows from the joints between the two and from closed loops [Reg (25)]. The body may do less: dimensions
    (`ct.mobility` tells how many degrees of freedom there are) and constraints other than joints are not looked at.
    """
    system = system_of(mechanism_or_system, motion_algebra)
    names = ["ground", *system.mechanism.bodies]
    rows = {row: name for name, row in system.body_rows.items()}
    a, b = (names.index(rows[system.row_of(x)]) for x in (relative_to, body))
    assembly = assemble_graph(system.mechanism, False, ())
    parts = _parts(assembly, _closed_networks(assembly), _path(assembly.tree, a, b))
    points = mass_centres(assembly.bodies[1:], assembly.frames[1:])
    screws = np.concatenate([np.zeros((6, 0)), *parts], axis=1)
    scale = normalise(screws, points)
    basis = closure(scale.apply(screws)) if screws.shape[1] else screws
    return shown_group(basis, scale)


def shown_group(basis: Array, scale: Scale) -> MotionAlgebra:
    """The group of a Lie algebra whose basis is scaled, in world coordinates."""
    return _shown(in_world(identify(basis), scale), scale.undo(basis) if basis.shape[1] else basis)


def _shown(group: Subgroup, basis: Array) -> MotionAlgebra:
    return MotionAlgebra(
        str(group.kind), group.dimension, group.axis, group.point, group.pitch, basis, group.describe()
    )


def _closed_networks(assembly: Assembly) -> list[Network]:
    """For each joint the network of its block, all loops closed."""
    graph, tree = assembly.graph, assembly.tree
    by_joint, closed = networks(joint_screws(assembly)), ClosedGraph.of(graph, tree.cotree)
    for cut in shortest_first(graph, tree, tree.cotree):
        by_joint[cut].close(closing_cycles(graph, tree, closed, cut)[0])
        closed.close(cut)
    return by_joint


def _path(tree: SpanningTree, a: int, b: int) -> list[int]:
    """Bodies from a to b along the tree."""
    up, down = [0, *tree.path(a)], [0, *tree.path(b)]
    common = sum(1 for _ in _alike(up, down))
    return [*up[common - 1 :][::-1], *down[common:]]


def _alike(one: list[int], other: list[int]) -> list[int]:
    """What two lists have in common at their beginning."""
    out = []
    for x, y in zip(one, other, strict=False):
        if x != y:
            break
        out.append(x)
    return out


def _parts(assembly: Assembly, by_joint: list[Network], path: list[int]) -> list[Array]:
    """World screws that span the bounds along a path, one array for each block that it goes through."""
    tree, out = assembly.tree, []
    steps = [(tree.edge[y] if tree.parent[y] == x else tree.edge[x], x, y) for x, y in pairwise(path)]
    for _, group in groupby(steps, key=lambda s: id(by_joint[s[0]])):
        own = list(group)
        network = by_joint[own[0][0]]
        bodies = [own[0][1], *(y for _, _, y in own)]
        bound = network.along(bodies, [network.across(e, x, y) for e, x, y in own])[-1]
        out.append(network.screws.scale.undo(network.algebras.bases[bound]))
    return out
