"""Tendons: one between two sites is a spring, or a distance where an equality holds it; a fixed one couples joints.

All others, and what else a tendon does (limits, friction), is left out and noted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.errors import DocumentError
from cotree.io.mjcf.compiling import mujoco
from cotree.io.mjcf.joints import HINGE, SLIDE
from cotree.io.mjcf.naming import Names, fresh
from cotree.model.mechanism import Mechanism

Ends = tuple[str, tuple[float, ...], str, tuple[float, ...]]


def parts(model: Any, t: int) -> list[int]:
    """Numbers of the parts of a tendon's path."""
    return list(range(int(model.tendon_adr[t]), int(model.tendon_adr[t]) + int(model.tendon_num[t])))


def two_sites(model: Any, names: Names, t: int) -> Ends | None:
    """Bodies and points in their frames of a straight tendon; None for any other."""
    path = parts(model, t)
    if len(path) != 2 or any(int(model.wrap_type[w]) != int(mujoco().mjtWrap.mjWRAP_SITE) for w in path):
        return None
    a, b = (int(model.wrap_objid[w]) for w in path)
    bodies = [names.bodies[model.site_bodyid[s]] for s in (a, b)]
    if bodies[0] == bodies[1]:
        return None
    points = [tuple(model.site_pos[s].tolist()) for s in (a, b)]
    return bodies[0], points[0], bodies[1], points[1]


def line_of(model: Any, names: Names, t: int) -> dict[int, float] | None:
    """Joints and coefficients of a fixed tendon, whose length is the sum of coefficient times coordinate; None for others."""
    path, ratios = parts(model, t), dict[int, float]()
    if any(int(model.wrap_type[w]) != int(mujoco().mjtWrap.mjWRAP_JOINT) for w in path):
        return None
    for w in path:
        j = int(model.wrap_objid[w])
        if model.jnt_type[j] not in (HINGE, SLIDE):
            return None
        ratios[j] = ratios.get(j, 0.0) + float(model.wrap_prm[w])
    return {j: ratio for j, ratio in ratios.items() if ratio}


def add_springs(mech: Mechanism, model: Any, names: Names) -> tuple[str, ...]:
    """Springs and dampers of straight tendons; names of tendons of which something is left out."""
    bits, left = mujoco().mjtDisableBit, list[str]()
    sprung, damped = (not model.opt.disableflags & int(b) for b in (bits.mjDSBL_SPRING, bits.mjDSBL_DAMPER))
    for t, name in enumerate(names.tendons):
        stiffness = float(model.tendon_stiffness[t]) if sprung else 0.0
        damping = float(model.tendon_damping[t]) if damped else 0.0
        low, high = (float(x) for x in model.tendon_lengthspring[t])
        ends = two_sites(model, names, t)
        if ends is not None and low == high and (stiffness or damping):
            taken = {*mech.springs, *mech.loads, *mech.joint_forces}
            mech.spring(fresh(name, taken), *ends, stiffness, low, damping)
            stiffness = damping = 0.0
        if stiffness or damping or _does_more(model, t):
            left.append(name)
    return tuple(left)


def _does_more(model: Any, t: int) -> bool:
    """Limits, friction, inertia and higher powers of a tendon."""
    fields = ("limited", "frictionloss", "armature", "stiffnesspoly", "dampingpoly")
    return any(np.any(getattr(model, f"tendon_{field}")[t]) for field in fields if hasattr(model, f"tendon_{field}"))


def add_tendon_equality(mech: Mechanism, model: Any, names: Names, zero: dict[str, float], e: int) -> None:
    """L - L0 = c0 of a straight tendon, or of a fixed one (L - L0) = c0 + c1 (M - M0) with a second; L0 is that of qpos0."""
    name, (first, second) = names.equalities[e], (int(model.eq_obj1id[e]), int(model.eq_obj2id[e]))
    c = model.eq_data[e, :5].tolist()
    ends = two_sites(model, names, first)
    if ends is not None and second < 0:
        mech.distance(name, *ends, float(model.tendon_length0[first]) + c[0])
        return
    ratios = line_of(model, names, first)
    if second >= 0:
        other = line_of(model, names, second)
        if any(c[2:]) or other is None or ratios is None:
            raise DocumentError(
                "only linear couplings of fixed tendons are supported; remove the higher terms of polycoef"
            )
        ratios = {j: ratios.get(j, 0.0) - c[1] * other.get(j, 0.0) for j in (*ratios, *other)}
    if not ratios:
        raise DocumentError(f"tendon {names.tendons[first]!r} is neither between two sites nor of joints; remove it")
    qpos0 = {j: float(model.qpos0[model.jnt_qposadr[j]]) for j in ratios}
    offset = c[0] - sum(r * (zero[names.joints[j]] - qpos0[j]) for j, r in ratios.items())
    mech.coupling(name, {names.joints[j]: r for j, r in ratios.items() if r}, offset)
