"""Joints that are there twice: the same joint between the same bodies at the same place, under two names."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np

from cotree.errors import ModelWarning
from cotree.model.mechanism import Connection
from cotree.system.reference_assembly import Assembly


def warn_of_twins(assembly: Assembly, mechanism: str) -> None:
    """Warn of each pair; two joints between the same bodies are a loop, so that one of them is cut."""
    tree, edges, joints = assembly.tree, assembly.graph.edges, assembly.joints
    between: dict[tuple[int, int], list[int]] = {}
    for a in (a for a in tree.cotree if a < len(joints)):
        between.setdefault((min(edges[a]), max(edges[a])), []).append(a)
    for (u, v), found in between.items():
        kept = [tree.edge[k] for k, other in ((u, v), (v, u)) if tree.parent[k] == other and tree.edge[k] < len(joints)]
        several = [joints[a] for a in sorted((*kept, *found))]
        for k, c in enumerate(several):
            twin = next((b for b in several[:k] if same(b, c)), None)
            if twin is not None:
                warnings.warn(
                    f"mechanism {mechanism!r}: joints {twin.name!r} and {c.name!r} are the same "
                    f"{type(c.joint).__name__} between {c.parent!r} and {c.child!r} at the same location; remove the "
                    f"second, which adds nothing",
                    ModelWarning,
                    stacklevel=5,
                )


def same(a: Connection, b: Connection) -> bool:
    """Whether two joints between the same bodies are alike in all but name and coordinates."""
    if type(a.joint) is not type(b.joint):
        return False
    fields = [f.name for f in dataclasses.fields(a.joint) if f.name != "coordinates"]
    pairs = [(getattr(a.joint, name), getattr(b.joint, name)) for name in fields]
    framed = a.joint.frame_parent is not None or a.joint.frame_child is not None
    return (a.parent == b.parent or not framed) and all(_equal(x, y) for x, y in pairs)


def _equal(x: object, y: object) -> bool:
    return x is y or (x is not None and y is not None and np.array_equal(np.asarray(x), np.asarray(y)))
