"""Random mechanisms with everything in them that a mechanism can hold, and a comparison of compiled tables bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import cotree as ct
from cotree.errors import CotreeError
from cotree.io import from_json, to_json
from cotree.io.native.function_names import names_of_functions
from cotree.model.functions import functions_of
from tests.closed_mechanisms import CATALOGUE, FAMILIES, random_loop
from tests.random_mechanisms import direction, direction_across, pose, random_rotation, random_tree

GALLERY = [getattr(ct.gallery, name) for name in ct.gallery.__all__]
CUTS = ("Revolute", "Helical", "Cylindrical", "Spherical", "Planar", "Universal")


def random_shape(rng: np.random.Generator) -> Any:
    a, b, r = rng.normal(size=3), rng.normal(size=3), float(rng.uniform(0.1, 1.0))
    kinds = [
        lambda: None,
        lambda: ct.Box(a, rng.uniform(0.1, 1.0, 3), random_rotation(rng) if rng.random() < 0.5 else None),
        lambda: ct.Cylinder(a, b, r),
        lambda: ct.Rod(a, b),
        lambda: ct.Sphere(a, r),
        lambda: ct.Mesh("part.stl", r, pose(random_rotation(rng), a) if rng.random() < 0.5 else None),
    ]
    return kinds[rng.integers(len(kinds))]()


def add_forces(mech: ct.Mechanism, rng: np.random.Generator) -> None:
    """Springs and loads on random bodies."""
    names = list(mech.bodies)
    for k in range(3):
        body, other = str(rng.choice(names)), str(rng.choice(["ground", *names]))
        if body != other:
            length = None if k == 0 else float(rng.uniform(0, 1))
            mech.spring(f"spring {k}", body, rng.normal(size=3), other, rng.normal(size=3), rng.normal(), length, k / 3)
        frame = str(rng.choice(["world", "body"]))
        mech.force(f"push {k}", body, rng.normal(size=3), None if k == 0 else rng.normal(size=3), frame)
        mech.torque(f"turn {k}", body, rng.normal(size=3), frame)


def add_joint_forces(mech: ct.Mechanism, rng: np.random.Generator) -> None:
    """Something on each coordinate that there is in relative coordinates."""
    cut = mech.compile().cut_joints
    for name, connection in mech.joints.items():
        if connection.joint.dof == 0 or name in cut:
            continue
        several = connection.joint.dof > 1
        suffix = connection.joint.coordinate_names()[-1].lstrip(".") if several else None
        mech.motor(f"motor {name}", name, rng.normal(), suffix)
        mech.joint_damper(f"damper {name}", name, rng.normal(), suffix)
        if not several:
            mech.joint_spring(f"spring {name}", name, rng.normal(), rng.normal())


def add_constraints(mech: ct.Mechanism, rng: np.random.Generator) -> None:
    """Those that need no function; they may contradict each other, which matters to the tables not at all."""
    names = list(mech.bodies)
    single = [name for name, c in mech.joints.items() if c.joint.dof == 1]
    body, other = names[0], str(rng.choice(["ground", *names[1:]]))
    mech.distance("bar", body, rng.normal(size=3), other, rng.normal(size=3), float(rng.uniform(1, 2)))
    mech.distance("bar as assembled", body, rng.normal(size=3), other, rng.normal(size=3))
    mech.knife_edge("another blade", body, rng.normal(size=3), rng.normal(size=3))
    normal = direction(rng)
    axis = direction_across(rng, normal) if rng.random() < 0.5 else None
    mech.rolling("wheel", body, rng.normal(size=3), 0.3, axis, rng.normal(size=3), 3.0 * normal, other)
    if single:
        mech.drive("drive", single[0], rng.normal())
    if len(single) > 1:
        mech.gear("gear", single[0], single[1], -0.25)
        mech.coupling("coupling", {single[0]: 1.5, single[1]: -0.5}, rng.normal())
    mech.conserve("spin", "angular momentum", rng.normal(size=3), rng.normal())


def furnish(mech: ct.Mechanism, seed: int, joint_forces: bool) -> ct.Mechanism:
    """The mechanism with shapes, forces and constraints."""
    rng = np.random.default_rng(seed)
    for name, body in list(mech.bodies.items()):
        mech.bodies[name] = type(body)(name, body.properties, body.frame, random_shape(rng))
    add_forces(mech, rng)
    if joint_forces:
        add_joint_forces(mech, rng)
    add_constraints(mech, rng)
    return mech


def drawn(kind: str, seed: int, n: int) -> ct.Mechanism:
    rng = np.random.default_rng(seed)
    if kind == "tree":
        return random_tree(rng, n).mechanism()
    if kind == "loop":
        families = (str(rng.choice(FAMILIES)), str(rng.choice(FAMILIES)))
        return random_loop(rng, families, str(rng.choice(CUTS)), (min(n, 3), 2)).mechanism()
    if kind == "catalogue":
        return list(CATALOGUE.values())[n][0]().mechanism()
    return GALLERY[n % len(GALLERY)]()


def mechanisms() -> st.SearchStrategy[ct.Mechanism]:
    """Furnished and bare, trees and loops, drawn by seed so that a failure shrinks to few bodies."""
    return st.builds(
        lambda kind, seed, n, joint_forces, bare: (
            drawn(kind, seed, n) if bare else furnish(drawn(kind, seed, n), seed, joint_forces)
        ),
        st.sampled_from(["tree", "loop", "catalogue", "gallery"]), st.integers(0, 2**32 - 1), st.integers(1, 8),
        st.booleans(), st.booleans(),
    )  # fmt: skip


def again(mech: ct.Mechanism) -> ct.Mechanism:
    """The mechanism written and read, its functions given by the names under which they were written."""
    names = names_of_functions(mech)
    return from_json(to_json(mech), {names[id(use.function)]: use.function for use in functions_of(mech)})


# -- comparison ----------------------------------------------------------------------------------------------


def bits(table: np.ndarray) -> Any:
    """The bytes of a table, field by field: what lies between the fields is no part of it."""
    if table.dtype.names:
        return {name: np.ascontiguousarray(table[name]).tobytes() for name in table.dtype.names}
    return table.tobytes()


def tables(mech: ct.Mechanism, **options: Any) -> Any:
    """Everything that a mechanism compiles to, or the words in which it is refused."""
    try:
        s = mech.compile(**options)
    except CotreeError as error:
        return str(error)
    arrays = {name: bits(getattr(s, name)) for name in ("q0", "world", "links", "dofs", "bodies", "cuts")}
    elements = ("springs", "loads", "joint_forces", "constants")
    names = (s.name, s.body_names, s.joint_names, s.coordinate_names, s.cut_joints, s.constraint_names, s.link_joints)
    rows = s.extra_rows
    return (
        arrays, [bits(getattr(s.elements, e)) for e in elements], [row for row, _ in s.elements.functions],
        [bits(table) for _, table in rows.kinds], *(bits(x) for x in (rows.rows, rows.pieces, rows.constants, rows.holonomic)),
        rows.owners, names,
    )  # fmt: skip


def same(mech: ct.Mechanism, other: ct.Mechanism) -> None:
    """Both compile to the same tables in every choice of coordinates."""
    for options in ({}, {"coordinates": "absolute"}, {"group": "SO3xR3", "regularize": False}):
        assert tables(other, **options) == tables(mech, **options)
