"""Tables of the divide-and-conquer algorithm: parts, their algebras, groups of rows, nodes of the plan, one arena of numbers.

A *part* is a link with inertia; massless links between it and the next one above belong to its joint. A *group* is a set of
rows imposed together: a joint of the tree, a cut joint, another constraint; it *touches* parts. A *node* is a part or an
assembly of two nodes, with the parts that it keeps as handles. Offsets `*_at` are places in the arena.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray
from numpy.typing import NDArray

from cotree.engine.kernel import inlined, kernel
from cotree.engine.records import integers_at, matrix_at, pointer_to, vector_at

JOINT, CUT, COUPLING, DISTANCE, EDGE, ROLLING, CLOSING = range(7)  # kinds of groups

algebra_t = np.dtype(
    [
        ("rotations", "i8"),
        ("translations", "i8"),
        ("w", "f8", 9),  # orthonormal angular velocities, by rows
        ("v", "f8", 9),  # and their velocities of the system's origin
        ("e", "f8", 9),  # orthonormal translations
    ],
    align=True,
)

part_t = np.dtype(
    [
        ("link", "i8"),
        ("parent", "i8"),  # part, -1 for ground
        ("iv", "i8"),  # its joint's velocities
        ("nv", "i8"),
        ("algebra", "i8"),
        ("size", "i8"),  # of the algebra
        ("rotations", "i8"),
        ("group", "i8"),  # of its joint
        ("u_at", "i8"),  # velocities of the rotations about the mass centre, rotations x 3
        ("zeta_at", "i8"),  # inverse inertia, size x size
        ("Q_at", "i8"),  # orthogonal factor of the joint's screws, size x size: motions first, then what is held
        ("R_at", "i8"),  # triangular factor, nv x nv
        ("bias_at", "i8"),  # joint's bias acceleration, size
        ("z_at", "i8"),  # acceleration under the applied forces alone, size
        ("force_at", "i8"),  # applied forces, size
        ("alpha_at", "i8"),  # acceleration, size
    ],
    align=True,
)

group_t = np.dtype(
    [
        ("kind", "i8"),
        ("index", "i8"),  # row of its own table
        ("rows", "i8"),
        ("row", "i8"),  # first among the system's constraints, -1 for joints of the tree
        ("touch", "i8"),  # first of its touches
        ("touches", "i8"),
        ("c_at", "i8"),  # right-hand side, rows
        ("scale_at", "i8"),  # mobility of the free parts along the rows, rows
        ("lambda_at", "i8"),  # multipliers, rows
    ],
    align=True,
)

touch_t = np.dtype([("part", "i8"), ("C_at", "i8")], align=True)  # coefficients rows x size of the part

node_t = np.dtype(
    [
        ("part", "i8"),  # of a leaf, -1 for an assembly
        ("left", "i8"),
        ("right", "i8"),
        ("n_left", "i8"),  # size of the left node's handles (of the leaf's part), and of the right one's
        ("n_right", "i8"),
        ("rows", "i8"),
        ("kept", "i8"),  # size of the handles kept
        ("entry", "i8"),  # first of its entries: where rows act
        ("entries", "i8"),
        ("block", "i8"),  # first of its blocks: what is kept
        ("blocks", "i8"),
        ("Z_at", "i8"),  # kept x kept
        ("z_at", "i8"),  # kept
        ("F_at", "i8"),  # forces on the handles, kept
        ("Y_at", "i8"),  # rows x kept
        ("L_at", "i8"),  # rows x rows, rows at the permutation
        ("y_at", "i8"),  # rows
        ("order_at", "i8"),  # place of its rows' permutation
        ("height", "i8"),
        ("plain", "i8"),  # 1: one joint of two rows between two nodes, whose handles kept are contiguous
        ("first_left", "i8"),  # of those kept, among the left node's
        ("kept_left", "i8"),
        ("first_right", "i8"),
    ],
    align=True,
)

entry_t = np.dtype(
    [
        ("group", "i8"),
        ("row", "i8"),  # of the node
        ("rows", "i8"),
        ("column", "i8"),  # among the handles of left and right
        ("size", "i8"),
        ("C_at", "i8"),
    ],
    align=True,
)

block_t = np.dtype([("column", "i8"), ("size", "i8"), ("place", "i8")], align=True)

ORDER = (algebra_t, part_t, group_t, touch_t, node_t, entry_t, block_t)


_algebras, _parts, _groups, _touches, _nodes, _entries, _blocks = map(pointer_to, ORDER)
HANDLE_SIZE, NODES = 2 * len(ORDER) + 13, 8
(
    ARENA, ARENA_SIZE, ORDERS, SCRATCH, PART_OF, N_LINKS, PART_OF_DOF, N_DOFS, JOINT_ROWS, PUT_ROWS, SOLVE, TEAM,
    N_JOINTS,
) = range(2 * len(ORDER), HANDLE_SIZE)  # fmt: skip


def make_handle(tables: list[NDArray[Any]]) -> NDArray[np.int64]:
    """Addresses and lengths of the record tables; the places behind them are filled by the caller."""
    o = np.zeros(HANDLE_SIZE, dtype=np.int64)
    for k, (table, expected) in enumerate(zip(tables, ORDER, strict=True)):
        assert table.dtype == expected
        o[2 * k], o[2 * k + 1] = table.ctypes.data, table.size
    return o


@kernel
def open_parts(o):
    """(algebras, parts, groups, touches)."""
    return (
        carray(_algebras(o[0]), (o[1],)),
        carray(_parts(o[2]), (o[3],)),
        carray(_groups(o[4]), (o[5],)),
        carray(_touches(o[6]), (o[7],)),
    )


@kernel
def open_nodes(o):
    """(nodes, entries, blocks)."""
    return carray(_nodes(o[8]), (o[9],)), carray(_entries(o[10]), (o[11],)), carray(_blocks(o[12]), (o[13],))


@inlined
def matrix(base, at, m, n):
    """Matrix at a place of the arena, whose address is `base`; indices that begin at zero compile best."""
    return matrix_at(base + 8 * at, m, n)


@inlined
def vector(base, at, n):
    return vector_at(base + 8 * at, n)


@kernel
def arena_of(o):
    return vector_at(o[ARENA], o[ARENA_SIZE])


@kernel
def owners_of(o):
    """(part of each link, -1 for ground, part of each dof)."""
    return integers_at(o[PART_OF], o[N_LINKS]), integers_at(o[PART_OF_DOF], o[N_DOFS])
