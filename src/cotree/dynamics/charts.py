"""Coordinates of joints that are singular here: gimbal lock of three angles, whole turns of rotation vectors, half turns of
Cayley's parameters. The body can turn as before, its coordinates cannot follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import SingularError
from cotree.judge import REPORTED
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.system.system import System

Array = NDArray[np.float64]
WORDS = {
    "second": "gimbal lock: its three axes lie in one plane",
    "first": "its rotation vector has reached a full turn",
    "cayley": "it has turned by half a turn, where Cayley parameters are infinite",
}


def require_regular_charts(system: System, q: Array) -> None:
    """Raise where the coordinates of a joint in the tree are singular."""
    words = singular_chart(system, q)
    if words:
        raise SingularError(words)


def has_charts(system: System) -> bool:
    """Whether coordinates of its joints can be singular."""
    return bool(system.cached("charts", lambda: _charts(system)))


def singular_chart(system: System, q: Array, least: float = REPORTED) -> str:
    """Which joint's coordinates are singular at q, why, and what to do; empty for none."""
    for name, body, columns, rotations, kind in system.cached("charts", lambda: _charts(system)):
        s = np.linalg.svd(spatial_jacobian(system, q, body)[:3, columns], compute_uv=False)
        if not s[rotations - 1] > least * s[0]:
            return (
                f"the coordinates of joint {name!r} are singular here ({WORDS[kind]}): no rates of them describe some "
                f'rotations of its body; use coordinates="group" or "quaternion" instead of "{kind}"'
            )
    return ""


def _charts(system: System) -> list[tuple[str, Any, list[int], int, str]]:
    """(joint, outer body, columns, rotations, kind) of the joints whose three rotations have coordinates."""
    found = []
    for name, links in system.joint_links.items():
        link = system.mechanism.joints.get(name)
        if link is None:  # a body in absolute coordinates, on the group
            continue
        rotations = sum(i < 3 for i in link.joint.free)
        if rotations < 3 or link.joint.kind not in WORDS:
            continue
        columns = [j for j, dof in enumerate(system.dofs) if dof["link"] in links]
        outer = max(
            (link.parent, link.child), key=lambda b: np.abs(spatial_jacobian(system, system.q0, b)[:, columns]).max()
        )
        found.append((name, outer, columns, rotations, link.joint.kind))
    return found
