"""Loops solved one after the other, each with three unknown joints in a plane or on a sphere (`dyads`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly_search import Problem
from cotree.constraints.dyads import Undetermined, Unknown, solutions
from cotree.constraints.named_coordinates import Held
from cotree.lie import Ad, inverse
from cotree.model.joints import Joint, Prismatic, Revolute
from cotree.screws import Kind, identify, normalise, span
from cotree.system.system import System

Array = NDArray[np.float64]
MOST = 4096  # configurations that are followed at once


@dataclass(frozen=True, eq=False)
class _Factor:
    """One joint of a loop: coordinate of the tree, or -1 for the cut joint; its screw, signed as the loop runs."""

    place: int
    screw: Array
    sign: float

    def displacement(self, x: float) -> Array:
        return Unknown.of(self.screw).moved(self.sign * x)


def solved_by_dyads(system: System, held: Held, t: float) -> list[Array] | None:
    """All closed configurations with the held columns as they are; None where algebra does not tell them."""
    if system.coordinates != "relative" or held.system is not system or system.extra_rows.names:
        return None
    loops = [_factors(system, k) for k in range(len(system.loop_rows))]
    if not loops or any(loop is None for loop in loops):
        return None
    waiting = [loop for loop in loops if loop is not None]
    known = set(held.columns)
    found = [held.q.copy()]
    try:
        while waiting:
            solvable = [loop for loop in waiting if len(_unknown(loop, known)) == 3]
            if not solvable or len(found) > MOST:
                return None
            loop = solvable[0]
            waiting = [x for x in waiting if x is not loop]
            found = [q for before in found for q in _closed(system, loop, known, before)]
            known |= {f.place for f in loop if f.place >= 0}
    except Undetermined:
        return None
    if known != set(range(system.nv)):
        return None
    problem = Problem.of(system, t, np.arange(system.nv))
    return [held.exactly(q) for q in found if problem.closed(q)]


def _unknown(loop: tuple[_Factor, ...], known: set[int]) -> list[int]:
    return [i for i, f in enumerate(loop) if f.place not in known]


def _factors(system: System, number: int) -> tuple[_Factor, ...] | None:
    """Joints of a loop, once around from its root through the cut joint back; None if one is neither a hinge nor a slide, or
    they share neither a plane nor a point."""
    rows, tree, names = system.loop_rows[number], system.tree, system.joint_names
    loop = rows.loop
    joints = [names[tree.edge[k]] for k in (*loop.tail_chain, *loop.head_chain) if tree.edge[k] < len(names)]
    if len(joints) < len(loop.tail_chain) + len(loop.head_chain):
        return None
    kinds = [system.mechanism.joints[name].joint for name in (*joints, rows.joint)]
    if not all(type(j) in (Revolute, Prismatic) and _plain(j) for j in kinds):
        return None
    tail = [_factor(system, name, 1.0) for name in joints[: len(loop.tail_chain)]]
    head = [_factor(system, name, -1.0) for name in joints[len(loop.tail_chain) :]]
    cut = system.cuts[system.cut_joints.index(rows.joint)]
    R, p = cut["frame_a"][:9].reshape(3, 3), cut["frame_a"][9:]
    e = R[:, 2]
    screw = np.concatenate([e, np.cross(p, e)]) if isinstance(kinds[-1], Revolute) else np.concatenate([0.0 * e, e])
    factors = (*tail, _Factor(-1, screw, 1.0), *head[::-1])
    return factors if _centre(factors)[0] else None


def _plain(joint: Joint) -> bool:
    return joint.coordinates in ("auto", "second", "group", "first")


def _factor(system: System, name: str, sign: float) -> _Factor:
    i = system.velocity_index(name)
    return _Factor(i, system.dofs["Y"][i].copy(), sign)


def _centre(loop: tuple[_Factor, ...]) -> tuple[bool, Array | None]:
    """(whether the joints are of one planar or spherical group, the centre of the latter)."""
    screws = np.array([f.screw for f in loop]).T
    scale = normalise(screws)
    group = identify(span(scale.apply(screws)))
    if group.kind in (Kind.PLANAR, Kind.PLANAR_TRANSLATION):
        return True, None
    if group.kind is Kind.SPHERICAL and group.point is not None:
        return True, scale.origin + scale.length * np.array(group.point)
    return False, None


def _closed(system: System, loop: tuple[_Factor, ...], known: set[int], q: Array) -> list[Array]:
    """Configurations that close a loop, its known coordinates as in q."""
    centre = _centre(loop)[1]
    first, second, third = _unknown(loop, known)
    segments = [np.eye(4) for _ in range(4)]
    part = 0
    for i, f in enumerate(loop):
        if i in (first, second, third):
            part += 1
        else:
            segments[part] = segments[part] @ f.displacement(float(q[system.dofs["iq"][f.place]]))
    K0, K1, K2, K3 = segments
    moved = (np.eye(4), K1, K1 @ K2)
    places = (first, second, third)
    unknowns = [Unknown.of(Ad(M) @ loop[i].screw) for M, i in zip(moved, places, strict=True)]
    goal = inverse(K0) @ inverse(K3) @ inverse(K1 @ K2)
    out = []
    for values in solutions((unknowns[0], unknowns[1], unknowns[2]), goal, centre):
        there = q.copy()
        for i, x in zip(places, values, strict=True):
            if loop[i].place >= 0:
                there[system.dofs["iq"][loop[i].place]] = loop[i].sign * x
        out.append(there)
    return out
