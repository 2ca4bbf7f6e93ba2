"""Tables of the divide-and-conquer algorithm: parts, their algebras, groups of rows, nodes of the plan, one arena of numbers.

A *part* is a link with inertia; massless links between it and the next one above belong to its joint. A *group* is a set of
rows imposed together: a joint of the tree, a cut joint, another constraint; it *touches* parts. A *node* is a part or an
assembly of two nodes, with the parts that it keeps as handles. Offsets `*_at` are places in the arena.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cotree.engine.entry import header_t
from cotree.engine.kernel import kernel
from cotree.engine.records import addresses, arrays, at_t, integers, opener, rows_of, vector

JOINT = (
    -1
)  # kind of a group that is a joint of the tree; others have the place of their kind among the system's kinds of rows

FIRST, AGAIN = 0.0, 1.0  # ways of solving: with new factors, with those that are there

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
        ("rotors", "i8"),  # of its joint's velocities, those that a rotor takes part in
        ("u_at", "i8"),  # velocities of the rotations about the mass centre, rotations x 3
        ("zeta_at", "i8"),  # inverse inertia, size x size
        ("Q_at", "i8"),  # orthogonal factor of the joint's screws, size x size: motions first, then what is held
        ("R_at", "i8"),  # triangular factor, nv x nv
        ("bias_at", "i8"),  # joint's bias acceleration, size
        ("z_at", "i8"),  # acceleration under the applied forces alone, size
        ("force_at", "i8"),  # applied forces, size
        ("alpha_at", "i8"),  # acceleration, size
        ("share", "f8"),  # of the link's mass and forces: less than 1 for copies of a hub
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
        ("sorted", "?"),  # its touches are in the order of the parts
        ("soft_at", "i8"),  # compliance of the rows, 1 / inertia for those of rotors, else 0; -1 where there are none
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

TABLES = {
    "algebras": algebra_t, "parts": part_t, "groups": group_t, "touches": touch_t, "nodes": node_t, "entries": entry_t,
    "blocks": block_t,
}  # fmt: skip
division_t = np.dtype(
    [
        *((name, header_t[name]) for name in header_t.names or ()),
        ("system", at_t),  # the system's record that is worked with, by address
        ("team", at_t),  # record of the threads, by address; 0 where one works alone
        ("n_joints", "i8"),  # of the tree: their groups come first
        ("joint_rows", "i8"),
        ("border_first", "i8"),  # groups that the plan leaves to the border, and their rows
        ("border_last", "i8"),
        ("border_rows", "i8"),
        ("alone", "?"),  # rows hold coordinates of the tree, for which those of one joint share its room
        ("ratios", "f8", (2,)),  # least pivot kept, largest left out, at the last solution
        ("entries", addresses("put_rows", "solve", "border")),
        (
            "arrays",
            arrays(*TABLES, "arena", "order", "scratch", "part_of", "part_of_dof", "rotors", "border", "border_order"),
        ),
    ],
    align=True,
)
team_t = np.dtype(
    [("threads", "i8"), ("arrays", arrays("starts", "first", "last", "top", "room", "notes"))], align=True
)
division_at, team_at = opener(division_t), opener(team_t)
_algebras, _parts, _groups, _touches, _nodes, _entries, _blocks = map(rows_of, TABLES.values())


class Parts(NamedTuple):
    """Tables of the parts and of the rows between them."""

    algebras: Any
    parts: Any
    groups: Any
    touches: Any


class Nodes(NamedTuple):
    """Tables of the plan."""

    nodes: Any
    entries: Any
    blocks: Any


class Owners(NamedTuple):
    """Part of each link, -1 for ground, and of each dof."""

    of_link: Any
    of_dof: Any


@kernel
def open_parts(d):
    """`Parts` of a division."""
    a = d.arrays
    return Parts(_algebras(a.algebras), _parts(a.parts), _groups(a.groups), _touches(a.touches))


@kernel
def open_nodes(d):
    """`Nodes` of a division."""
    a = d.arrays
    return Nodes(_nodes(a.nodes), _entries(a.entries), _blocks(a.blocks))


@kernel
def arena_of(d):
    """All numbers of a division."""
    return vector(d.arrays.arena)


@kernel
def owners_of(d):
    """`Owners` of links and dofs."""
    return Owners(integers(d.arrays.part_of), integers(d.arrays.part_of_dof))


@kernel
def rotors_of(d):
    """Inertias of the rotors along the tree's velocities."""
    return vector(d.arrays.rotors)
