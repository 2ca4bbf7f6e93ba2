"""The group of each body, [Lie]: SE(3), with velocities fixed to the body, or SO(3) x R3, with those of its origin along the
axes of the parent. It concerns bodies on free joints, so all of them in absolute coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CoordinatesError, UnknownNameError
from cotree.lie import cross
from cotree.model.checks import choice, shown
from cotree.model.mechanism import Body, Connection, Mechanism, nearest
from cotree.screws import contains
from cotree.system.motion_bounds import MotionBounds
from cotree.system.reference_assembly import Assembly, assemble_graph
from cotree.system.tables import GROUP

if TYPE_CHECKING:
    from cotree.system.system import System

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Choice = str | dict[str, str]
SE3, DIRECT, AUTO = "SE3", "SO3xR3", "auto"


def checked_groups(mech: Mechanism, group: Any) -> Choice:
    """One word for all bodies, or {name of a body: word}; bodies that are not named are on SE(3)."""
    if not isinstance(group, Mapping) or not group:
        return choice(group, (SE3, DIRECT, AUTO), "group", CoordinatesError)
    out: dict[str, str] = {}
    for key, word in group.items():
        name = key.name if isinstance(key, Body) else key
        if not isinstance(name, str) or name not in mech.bodies:
            raise UnknownNameError(
                f"group: no body {shown(name)} in mechanism {mech.name!r}{nearest(name, mech.bodies)}"
            )
        out[name] = choice(word, (SE3, DIRECT, AUTO), f"group of body {name!r}", CoordinatesError)
    return out


def directly(
    mech: Mechanism, assembly: Assembly, order: Numbers, own: Sequence[Connection], group: Choice
) -> NDArray[np.bool_]:
    """For each vertex of `order`, carried by the tree joint `own`, whether it is on SO(3) x R3.

    "auto" asks what the body's joints and closed
    loops leave it against its parent in the tree, [Lie] 6; joints that may be open do not count.
    """
    free = [c.joint.floats for c in own]
    names = [assembly.bodies[k].name for k in order.tolist()]
    words = [group if isinstance(group, str) else group.get(name, SE3) for name in names]
    if not isinstance(group, str):
        for name, word, c, floats in zip(names, words, own, free, strict=True):
            if word == DIRECT and not floats:
                raise CoordinatesError(
                    f"group: body {name!r} has the coordinates of joint {c.name!r} ({type(c.joint).__name__}) and not those "
                    f"of a free body, so that it cannot be on {DIRECT!r}; use coordinates='absolute', or leave it out"
                )
    if not any(floats and word == AUTO for floats, word in zip(free, words, strict=True)):
        return np.array([floats and word == DIRECT for floats, word in zip(free, words, strict=True)], dtype=np.bool_)
    drawn = assemble_graph(mech, False, mech.joints_to_drop)  # whatever is cut here
    bounds, out = MotionBounds.of(drawn, mech.joints_to_drop), np.zeros(len(own), dtype=np.bool_)
    for i, k in enumerate(order.tolist()):
        if free[i] and words[i] == AUTO:
            above = assembly.tree.parent[k]
            basis, _ = bounds.between(above, k) if above else bounds.from_ground(k)
            out[i] = kept_directly(basis)
        else:
            out[i] = free[i] and words[i] == DIRECT
    return out


def kept_directly(basis: Array) -> bool:
    """Whether steps on SO(3) x R3 stay within a motion group as those on SE(3) do, so that SE(3) has no advantage.

    basis: orthonormal, of scaled screws. The velocities (w, R v) of the group must be the same at each R that it has, and
    so for any choice of the body's origin: with T the translations that belong to the group, y x v and y x (w x p) are in T
    for all its (w, v) and (y, u) and all points p. Planar motions, translations and their like are kept so, rotations about
    a fixed axis or point and screw motions are not. A body that can do anything is kept in any case.
    """
    if basis.shape[1] in (0, 6):
        return True
    w, v = basis[:3].T, basis[3:].T
    changes = [cross(y, x) for y in w for x in (*v, *(cross(u, e) for u in w for e in np.eye(3)))]
    shifts = np.concatenate([np.zeros((len(changes), 3)), changes], axis=1).T
    return contains(basis, shifts)


def groups_of(system: System) -> dict[str, str]:
    """{body: "SE3" or "SO3xR3"}: the group whose velocities the joint has that carries the body; a welded body has that of the
    one it is welded to."""
    links, dofs, out = system.links, system.dofs, {}
    for name, link in zip(system.body_names, links[system.bodies["link"][1:]], strict=True):
        floats = link["kind"] == GROUP and link["nv"] == 6
        out[name] = DIRECT if floats and dofs[link["iv"] + 3]["carried"] == link["inverted"] else SE3
    return out
