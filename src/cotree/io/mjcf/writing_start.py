"""The start of a mechanism as a keyframe: MuJoCo's coordinates of the tree that is written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.io.mjcf.imported import tree_places
from cotree.io.mjcf.measuring import measured
from cotree.io.mjcf.nodes import Layout, Step, preorder
from cotree.io.mjcf.writing_values import element, words
from cotree.lie import inverse
from cotree.model.joints import Free, Prismatic, Revolute
from cotree.model.mechanism import Mechanism

Array = NDArray[np.float64]


def key_line(mech: Mechanism, tree: Layout) -> str:
    """The key "home", or nothing for a mechanism without a start of its own."""
    if mech.q_start is None:
        return ""
    from cotree.kinematics.poses import poses  # slow to load

    system = mech.compile()
    now = dict(zip(("ground", *system.body_names), poses(system, mech.q_start), strict=True))
    places = dict(tree_places(system))
    steps = [(node.body, step) for node in preorder(tree.root) for step in node.steps]
    qpos = [_coordinate(body, step, tree, now, mech.q_start, places) for body, step in steps]
    return element("key", {"name": "home", "qpos": words(np.concatenate(qpos))}) if qpos else ""


def _coordinate(
    body: str, step: Step, tree: Layout, now: dict[str, Array], q: Array, places: dict[str, slice]
) -> Array:
    """Coordinates of a joint of a body as MuJoCo has them."""
    joint: Any = step.joint.joint
    if isinstance(joint, Revolute | Prismatic) and step.joint.name in places:
        return np.array(q[places[step.joint.name]])
    if isinstance(joint, Free):
        C = now[step.outer]
        e = measured(joint, np.eye(4), C)
        return np.array([*e[4:], *e[:4]])
    moves = [now[name] @ inverse(tree.frames[name]) for name in (step.inner, step.outer)]
    N = inverse(moves[0]) @ moves[1]
    if isinstance(joint, Revolute | Prismatic):
        value = measured(joint, step.frame, N)
        return -value if step.backward else value
    F = tree.frames[body].copy()  # a ball's axes are those of its body
    F[:3, 3] = step.frame[:3, 3]
    return measured(joint, F, N)
