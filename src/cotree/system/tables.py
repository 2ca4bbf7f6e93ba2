"""The record tables behind a System and the workspaces of the kernels: one row per link, a dof, a body, an element.

A *link* is a tree joint with what it moves; bodies welded together share one. Row 0 is ground and `parent[k] < k`.
A joint in coordinates of the second kind is a row of one-dof links of which all but the last are massless.
A *dof* is one velocity coordinate; its row number is its place in v. Everything is about the system's `origin`.
"""

from __future__ import annotations

import numpy as np

from cotree.engine.records import array_t, entry_t
from cotree.model.curves import MOST

# kinds of a link's relative motion E(q)
FIXED, SCREW, GROUP, FIRST, CAYLEY = range(5)

link_t = np.dtype(
    [
        ("parent", "i8"),
        ("kind", "i8"),
        ("nv", "i8"),
        ("iv", "i8"),
        ("iq", "i8"),
        ("rotations", "i8"),  # GROUP: 0, 1 (about e3) or 3
        ("translations", "i8"),  # GROUP: bits 1, 2, 4 for e1, e2, e3
        ("inverted", "i8"),  # 1 when the joint points against the tree
        ("vectorial", "i8"),  # 1 when q is integrated as plain numbers (quaternion coordinates)
        ("mass", "f8"),
        ("com", "f8", 3),
        ("inertia", "f8", 6),  # about com: xx, xy, xz, yy, yz, zz
        ("before", "f8", 12),  # GROUP: E = before N(q)^(+-1) after
        ("after", "f8", 12),
    ],
    align=True,
)

dof_t = np.dtype(
    [
        ("Y", "f8", 6),  # reference screw, signed as the tree runs
        ("foot", "f8", 3),  # SCREW: point of the axis, w x v
        ("slide", "f8", 3),  # SCREW: translation for unit q
        ("link", "i8"),
        ("iq", "i8"),  # place in q where q-dot equals v, else -1
        ("carried", "i8"),  # 1: the screw moves with the child, 0: with the parent
        ("inertia", "f8"),  # of rotors that turn with the coordinate, reflected to it
    ],
    align=True,
)

body_t = np.dtype([("link", "i8"), ("frame", "f8", 12)], align=True)  # frame: reference pose of the body's own frame

spring_t = np.dtype(
    [
        ("link_a", "i8"),
        ("link_b", "i8"),
        ("point_a", "f8", 3),
        ("point_b", "f8", 3),
        ("stiffness", "f8"),
        ("length", "f8"),
        ("damping", "f8"),
    ],
    align=True,
)

load_t = np.dtype(
    [
        ("body", "i8"),
        ("link", "i8"),
        ("is_moment", "i8"),
        ("in_body", "i8"),  # numbers are in the body's own axes
        ("point", "f8", 3),
        ("axes", "f8", 9),  # those axes in the reference assembly
    ],
    align=True,
)

# n points x of a curve, values y, slopes m, integrals s from the first point on
curve_t = np.dtype([("n", "i8"), *((name, "f8", MOST) for name in ("x", "y", "m", "s"))], align=True)

joint_force_t = np.dtype(
    [
        ("iv", "i8"),  # in the tree: place in v, and in q or -1
        ("iq", "i8"),
        ("stiffness", "f8"),
        ("rest", "f8"),
        ("damping", "f8"),
        ("slot", "i8"),  # row of the values, -1 without a motor
        ("cut", "i8"),  # cut joint: its row, else -1
        ("component", "i8"),  # and the component of the twist in its frame
        ("friction", "i8"),  # 1: the work of the slot's value counts as dissipated, not as supplied
        ("viscous", "f8"),  # of friction: what is added with the rate,
        ("excess", "f8"),  # and what static friction is more than sliding friction, as a part of it,
        ("speed", "f8"),  # which goes down with the rate in so much, 0 for at once
        ("elastic", curve_t),  # spring, damper and motor by tables
        ("resisting", curve_t),
        ("driving", curve_t),
    ],
    align=True,
)

world_t = np.dtype([("gravity", "f8", 3), ("origin", "f8", 3), ("base", "i8")], align=True)

link_work_t = np.dtype(
    [
        ("C", "f8", 12),  # displacement from the reference assembly
        ("V", "f8", 6),  # spatial twist
        ("a", "f8", 6),  # bias, then spatial acceleration
        ("p", "f8", 6),  # bias wrench
        ("J", "f8", 21),  # inertia: rigid, composite or articulated
    ],
    align=True,
)

dof_work_t = np.dtype([("S", "f8", 6), ("U", "f8", 6), ("d", "f8"), ("u", "f8"), ("tau", "f8")], align=True)

# Cut joints: rows select . Ad_T^-1 (V_b - V_a), T the joint frame on body a or b, Geo (35), Reg (21)
cut_t = np.dtype(
    [
        ("row", "i8"),  # the first of its rows, and of their pieces
        ("piece", "i8"),
        ("body_a", "i8"),  # the user's parent and child: rows of the bodies, and their links
        ("body_b", "i8"),
        ("link_a", "i8"),
        ("link_b", "i8"),
        ("on_a", "i8"),  # 1: T is fixed on a
        ("world", "i8"),  # 1: the rows of the joint's point are in world axes, each body has its own
        ("universal", "i8"),
        ("rotations", "i8"),  # as for GROUP links
        ("translations", "i8"),
        ("pitch", "f8"),
        ("frame_a", "f8", 12),
        ("frame_b", "f8", 12),
        ("axis_a", "f8", 3),  # universal: axis on a, in frame_a, and on b, in frame_b
        ("axis_b", "f8", 3),
        ("full", "i8"),  # rows of the joint
        ("kept", "i8"),  # rows after regularization
        ("select", "f8", 36),  # kept x 6 by rows; universal: kept x 4, on (v, turn out of the two axes)
    ],
    align=True,
)

# Constraint rows: those of the cut joints, then all others that are compiled. A row is a sum of pieces. A piece is a pair of
# wrenches on two bodies, or a multiple of one velocity of the tree; what kinds of rows write into `wrench_t`, others read.
row_t = np.dtype(
    [
        ("first", "i8"),  # of its pieces
        ("count", "i8"),
        ("slot", "i8"),  # row of the functions of time, or -1
        ("holonomic", "i8"),  # 1: it holds positions, 0: only velocities
    ],
    align=True,
)

piece_t = np.dtype(
    [
        ("row", "i8"),
        ("iv", "i8"),  # velocity of the tree, and its place in q; -1 for wrenches
        ("iq", "i8"),
        ("ratio", "f8"),
        ("body_a", "i8"),  # the wrenches: rows of the bodies, and their links
        ("body_b", "i8"),
        ("link_a", "i8"),
        ("link_b", "i8"),
        ("cut", "i8"),  # cut joint within which they act, or -1
        ("component", "i8"),  # of the twist in its frame, where the piece is that coordinate, or -1
    ],
    align=True,
)

wrench_t = np.dtype(
    [
        ("Wa", "f8", 6),  # the row adds Wb . V_b - Wa . V_a; they differ by no more than the gap
        ("Wb", "f8", 6),
        ("Wa_dot", "f8", 6),  # and how they change
        ("Wb_dot", "f8", 6),
    ],
    align=True,
)

row_kind_t = np.dtype(
    [
        ("gaps", entry_t),  # spans, by address
        ("wrenches", entry_t),
        ("rates", entry_t),
        ("base", "i8"),  # from where `row` and `piece` of its table count
        ("table", array_t),
    ],
    align=True,
)

# Force elements of kinds that are registered: pieces as of rows, on bodies; what kinds write into `effort_t`, others read
effort_t = np.dtype(
    [("W", "f8", 6), ("u", "f8")], align=True
)  # wrench on body b, its opposite acts on body a; what it is along its line, for sensors

force_kind_t = np.dtype(
    [
        ("wrenches", entry_t),  # spans, by address
        ("energies", entry_t),
        ("powers", entry_t),
        ("table", array_t),
    ],
    align=True,
)
