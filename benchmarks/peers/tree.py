"""Spanning tree of a mechanism for the programs that work in joint coordinates, and joint rates from body rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cotree as ct

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tree:
    """Edges (joint, inner body, outer body), nearest to ground first; `cuts` are the joints that close loops."""

    edges: list[tuple[Any, str, str]]
    cuts: list[Any]


def spanning_tree(mech: ct.Mechanism) -> Tree:
    """Breadth first, so of least depth, as Cotree's own; without the joints that the mechanism would rather cut."""
    edges, reached, front = [], {"ground"}, {"ground"}
    used = set(mech.preferred_cut)
    while front:
        level: set[str] = set()
        for j in mech.joints.values():
            inner, outer = (j.parent, j.child) if j.parent in front else (j.child, j.parent)
            if j.name in used or inner not in front or outer in reached:
                continue
            edges.append((j, inner, outer))
            used.add(j.name)
            reached.add(outer)
            level.add(outer)
        front = level
    used -= set(mech.preferred_cut)
    return Tree(edges, [j for j in mech.joints.values() if j.name not in used])


def axis_points(joint: Any) -> list[Array]:
    """Points whose coincidence makes the joint: one for a spherical or planar loop, two on the axis of a revolute."""
    p = np.asarray(joint.point, dtype=float)
    return [p] if isinstance(joint, ct.Spherical) else [p, p + joint.axis / np.linalg.norm(joint.axis)]


def is_planar(mech: ct.Mechanism) -> bool:
    """Revolutes about z only."""
    return all(isinstance(j.joint, ct.Revolute) and abs(j.joint.axis[2]) == 1.0 for j in mech.joints.values())


def closing_points(mech: ct.Mechanism, joint: Any) -> list[Array]:
    """As few points as the loop needs: one in a planar mechanism."""
    return axis_points(joint)[:1] if is_planar(mech) else axis_points(joint)


def joint_rates(mech: ct.Mechanism, tree: Tree, w: dict[str, Array]) -> list[Array]:
    """Rates along the tree from the bodies' angular velocities (or accelerations) in the reference assembly."""
    found = []
    for j, inner, outer in tree.edges:
        relative = w[outer] - w[inner]
        axis = None if isinstance(j.joint, ct.Spherical) else j.joint.axis / np.linalg.norm(j.joint.axis)
        found.append(relative if axis is None else np.array([axis @ relative]))
    return found
