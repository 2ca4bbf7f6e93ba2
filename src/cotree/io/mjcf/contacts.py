"""Geoms that collide as contacts: MuJoCo's filter of pairs, its coefficients of sliding friction, and its explicit pairs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from cotree.io.mjcf.bodies import geom_shape
from cotree.io.mjcf.compiling import Compiled, mujoco
from cotree.io.mjcf.naming import Names
from cotree.io.notes import listed
from cotree.io.robots.contacts import Solid, Touching, add_contacts
from cotree.model.mechanism import Mechanism

FRICTIONLESS = 1  # contact dimension of MuJoCo without friction


def add_geom_contacts(mech: Mechanism, compiled: Compiled, names: Names) -> list[str]:
    """The contacts of a model, and notes on what is left out."""
    model = compiled.model
    solids: dict[int, Solid] = {}
    unknown = []
    for g in range(model.ngeom):
        shape = geom_shape(compiled, g)
        if shape is not None:
            solids[g] = Solid(names.bodies[int(model.geom_bodyid[g])], shape)
        elif model.geom_contype[g] or model.geom_conaffinity[g]:
            unknown.append(mujoco().mj_id2name(model, mujoco().mjtObj.mjOBJ_GEOM, g) or f"geom {g}")
    pairs = [Touching(solids[a], solids[b], mu) for a, b, mu in _pairs(model) if a in solids and b in solids]
    note = listed("geoms", unknown, "touch nothing: there is no contact for such shapes")
    return [*([note] if note else []), *add_contacts(mech, pairs)]


def _pairs(model: Any) -> Iterator[tuple[int, int, float]]:
    """Numbers of two geoms and their friction."""
    off = int(mujoco().mjtDisableBit.mjDSBL_CONTACT)
    if model.opt.disableflags & off:
        return
    told = set()
    for k in range(model.npair):
        a, b = int(model.pair_geom1[k]), int(model.pair_geom2[k])
        told.add(frozenset((a, b)))
        yield a, b, 0.0 if model.pair_dim[k] == FRICTIONLESS else float(model.pair_friction[k][0])
    for a, b in combinations(range(model.ngeom), 2):
        if frozenset((a, b)) not in told and _collide(model, a, b):
            yield a, b, _friction(model, a, b)


def _collide(model: Any, a: int, b: int) -> bool:
    """By their bits, and unless their bodies are the same, welded together, a parent and its child, or excluded."""
    bits = model.geom_contype[a] & model.geom_conaffinity[b] | model.geom_contype[b] & model.geom_conaffinity[a]
    one, two = int(model.geom_bodyid[a]), int(model.geom_bodyid[b])
    if not bits or model.body_weldid[one] == model.body_weldid[two] or _excluded(model, one, two):
        return False
    if model.opt.disableflags & int(mujoco().mjtDisableBit.mjDSBL_FILTERPARENT):
        return True
    w = [int(model.body_weldid[x]) for x in (one, two)]
    above = [int(model.body_weldid[model.body_parentid[x]]) for x in w]
    return not ((w[0] and w[0] == above[1]) or (w[1] and w[1] == above[0]))


def _excluded(model: Any, one: int, two: int) -> bool:
    low, high = sorted((one, two))
    return bool(np.isin((low << 16) + high, model.exclude_signature))


def _friction(model: Any, a: int, b: int) -> float:
    """Of the geom with the higher priority, else the larger one."""
    p, q = int(model.geom_priority[a]), int(model.geom_priority[b])
    chosen = [g for g, own, other in ((a, p, q), (b, q, p)) if own >= other]
    if max(int(model.geom_condim[g]) for g in chosen) == FRICTIONLESS:
        return 0.0
    return max(float(model.geom_friction[g][0]) for g in chosen)
