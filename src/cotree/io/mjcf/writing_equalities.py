"""Joints that close loops as equalities: a point held is a connect, a hinge two of them, a weld a weld."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.mjcf.layout import CANNOT
from cotree.io.mjcf.nodes import Layout
from cotree.io.mjcf.writing_values import element, name_of, words
from cotree.lie import inverse
from cotree.model.joints import Revolute, Spherical, Weld
from cotree.model.mechanism import Connection

Array = NDArray[np.float64]


def closing_lines(tree: Layout) -> list[str]:
    """One or two elements for each joint that closes a loop."""
    taken = {c.name for c, _, _ in tree.closing} | set(tree.steps)
    lines = list[str]()
    for c, on_parent, _ in tree.closing:
        points = _points(c, on_parent, tree)
        ends = {"body1": name_of(c.parent), "body2": name_of(c.child)}
        if isinstance(c.joint, Weld):
            lines.append(element("weld", {"name": c.name, **ends}))
        for k, point in enumerate(points):
            name = c.name if not k else f"{c.name} second point"
            while k and name in taken:
                name += "_"
            taken.add(name)
            local = inverse(tree.frames[c.parent]) @ (*point, 1.0)
            lines.append(element("connect", {"name": name, **ends, "anchor": words(local[:3])}))
    return lines


def _points(c: Connection, F: Array, tree: Layout) -> list[Array]:
    """Points in the world that hold the two bodies together as the joint does."""
    if isinstance(c.joint, Weld):
        return []
    if isinstance(c.joint, Spherical):
        return [F[:3, 3]]
    if isinstance(c.joint, Revolute):
        return [F[:3, 3], F[:3, 3] + _arm(tree) * F[:3, 2]]
    raise DocumentError(f"joint {c.name!r} closes a loop and is of type {type(c.joint).__name__}, {CANNOT}")


def _arm(tree: Layout) -> float:
    """Distance of the two points of a hinge: of the mechanism's size, in round numbers."""
    points = np.array([step.frame[:3, 3] for step in tree.steps.values()])
    size = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
    return 2.0 ** round(np.log2(size)) if size > 0.0 else 1.0
