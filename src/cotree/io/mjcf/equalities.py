"""Equality constraints: connects and welds close loops as joints, joints and tendons are coupled.

One connect is a spherical joint. Several between the same two bodies are one joint: a hinge through their points, or a weld
where these are not in a line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.mjcf.bodies import body_pose
from cotree.io.mjcf.compiling import mujoco
from cotree.io.mjcf.naming import Names, body_at
from cotree.io.mjcf.tendons import add_tendon_equality
from cotree.io.native.error_paths import located
from cotree.judge import COINCIDENT
from cotree.model.joints import Joint, Revolute, Spherical, Weld
from cotree.model.mechanism import Mechanism

Array = NDArray[np.float64]


def add_equalities(mech: Mechanism, model: Any, data: Any, names: Names, zero: dict[str, float]) -> tuple[str, ...]:
    """All that are active; names of the joints that close loops."""
    kinds, closing, seen = mujoco().mjtEq, list[str](), set[frozenset[int]]()
    active = active_equalities(model)
    connects = [e for e in active if is_connect(model, e)]
    for e in active:
        kind, name = kinds(int(model.eq_type[e])), names.equalities[e]
        with located(f"equality {name!r}"):
            if is_connect(model, e):
                pair = _pair(model, e)
                if frozenset(pair) not in seen:
                    seen.add(frozenset(pair))
                    alike = [d for d in connects if frozenset(_pair(model, d)) == frozenset(pair)]
                    joint = _through(np.array([anchor(model, data, d) for d in alike]))
                    mech.joint(name, names.bodies[pair[0]], names.bodies[pair[1]], joint)
                    closing.append(name)
            elif kind == kinds.mjEQ_WELD:
                first, second = _pair(model, e)
                mech.joint(name, names.bodies[first], names.bodies[second], Weld())
                closing.append(name)
            elif kind == kinds.mjEQ_JOINT:
                _couple(mech, model, names, zero, e)
            elif kind == kinds.mjEQ_TENDON:
                add_tendon_equality(mech, model, names, zero, e)
            else:
                word = kind.name.removeprefix("mjEQ_").lower()
                raise DocumentError(f"an equality of type {word} does not apply to rigid bodies; remove it")
    return tuple(closing)


def active_equalities(model: Any) -> list[int]:
    """Numbers of the equalities that hold."""
    bits = mujoco().mjtDisableBit
    if model.opt.disableflags & (int(bits.mjDSBL_EQUALITY) | int(bits.mjDSBL_CONSTRAINT)):
        return []
    return [e for e in range(model.neq) if model.eq_active0[e]]


def is_connect(model: Any, e: int) -> bool:
    """A connect, or a weld that is told not to hold the orientation."""
    kinds = mujoco().mjtEq
    kind = kinds(int(model.eq_type[e]))
    return bool(kind == kinds.mjEQ_CONNECT or (kind == kinds.mjEQ_WELD and model.eq_data[e, 10] == 0.0))


def _pair(model: Any, e: int) -> tuple[int, int]:
    return body_at(model, e, int(model.eq_obj1id[e])), body_at(model, e, int(model.eq_obj2id[e]))


def anchor(model: Any, data: Any, e: int) -> Array:
    """Point of a connect in the world, from its position on the first body."""
    first = int(model.eq_obj1id[e])
    if int(model.eq_objtype[e]) == int(mujoco().mjtObj.mjOBJ_SITE):
        return np.array(data.site_xpos[first])
    connect = int(model.eq_type[e]) == int(mujoco().mjtEq.mjEQ_CONNECT)
    local = model.eq_data[e, :3] if connect else model.eq_data[e, 3:6]  # a weld's is told on the second body first
    return np.array(body_pose(data, first) @ (*local, 1.0))[:3]


def _through(points: Array) -> Joint:
    """The joint that holds points together."""
    apart = points - points[0]
    s = np.linalg.svd(apart, compute_uv=False)
    tiny = COINCIDENT * max(1.0, float(np.abs(points).max()))
    if len(points) == 1 or s[0] <= tiny:
        return Spherical(tuple(points[0].tolist()))
    if s[1:2].max(initial=0.0) > tiny:
        return Weld()
    farthest = apart[np.linalg.norm(apart, axis=1).argmax()]
    return Revolute(tuple(points[0].tolist()), tuple((farthest / np.linalg.norm(farthest)).tolist()))


def _couple(mech: Mechanism, model: Any, names: Names, zero: dict[str, float], e: int) -> None:
    """y - y0 = c0 + c1 (x - x0), in the mechanism's coordinates; with one joint it is held at c0."""
    first, second, c = int(model.eq_obj1id[e]), int(model.eq_obj2id[e]), model.eq_data[e, :5].tolist()
    name, y = names.equalities[e], names.joints[first]
    offset = c[0] - moved(model, names, zero, first)
    if second < 0 or c[1:] == [0.0] * 4:
        mech.drive(name, y, offset)
        return
    if any(c[2:]):
        raise DocumentError(
            f"polycoef has the terms {', '.join(f'{x:g}' for x in c[2:])} of higher order; only linear couplings are "
            f"supported"
        )
    mech.coupling(name, {y: 1.0, names.joints[second]: -c[1]}, offset + c[1] * moved(model, names, zero, second))


def moved(model: Any, names: Names, zero: dict[str, float], j: int) -> float:
    """How far a joint of the reference is from qpos0."""
    return zero[names.joints[j]] - float(model.qpos0[model.jnt_qposadr[j]])
