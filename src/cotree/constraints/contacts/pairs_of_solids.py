"""Spheres, rods and boxes among each other: the features of both that may touch, each a point of its own.

A feature that meets another one only between their ends hands over to its neighbours there (`Touch`, inside). So each pair
has a fixed number of points, and two bodies may touch at several of them.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from cotree.constraints.contacts.ball_on_box import BallOnBox
from cotree.constraints.contacts.ball_on_line import BallOnLine
from cotree.constraints.contacts.corner_on_box import CornerOnBox
from cotree.constraints.contacts.edge_on_edge import EdgeOnEdge
from cotree.constraints.contacts.pairs import Side, pair
from cotree.constraints.contacts.solids import box_corner, box_data, box_edges, box_rotation, corners, rod_edge
from cotree.constraints.contacts.touch import Touch
from cotree.model.contact_shapes import Point
from cotree.model.contacts import Contact
from cotree.model.shapes import Box, Rod, Sphere

SIGNS = tuple(product((-1.0, 1.0), repeat=3))


def _balls(contact: Contact, a: Side, b: Side, between: bool = False) -> list[Touch]:
    """Corners and round ends of b on a sphere or rod."""
    line: dict[str, Any] = {"origin": corners(a.shape)[0][0], "axis": np.array((0.0, 0.0, 1.0))}
    if isinstance(a.shape, Rod):
        edge = rod_edge(a.shape)
        line = {"origin": edge.start, "axis": edge.along, "high": edge.length}
    line["around"] = corners(a.shape)[0][1]
    return [
        BallOnLine("", contact.name, a.body, b.body, center=c, radius=r, between=between, **line)
        for c, r in corners(b.shape)
    ]


@pair(Sphere, Sphere, Point)
def on_sphere(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """One ball on another."""
    return _balls(contact, a, b)


@pair(Rod, Sphere, Point)
def on_rod(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """A ball on the rod."""
    return _balls(contact, a, b)


@pair(Rod, Rod)
def rods(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """The ends of b on a, those of a on b between its ends, and the two where they cross."""
    crossing = EdgeOnEdge("", contact.name, a.body, b.body, edge_a=rod_edge(a.shape), edge_b=rod_edge(b.shape))
    return [*_balls(contact, a, b), *_balls(contact, b, a, between=True), crossing]


@pair(Box, Sphere, Point)
def on_box(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """A ball on the box."""
    return [
        BallOnBox("", contact.name, a.body, b.body, center=c, radius=r, **box_data(a.shape))
        for c, r in corners(b.shape)
    ]


@pair(Box, Rod)
def rod_on_box(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """The round ends on the box, the corners of the box on the rod between its ends, and the edges that it crosses."""
    axis = rod_edge(b.shape)
    crossing = [EdgeOnEdge("", contact.name, a.body, b.body, edge_a=edge, edge_b=axis) for edge in box_edges(a.shape)]
    return [*on_box(contact, a, b), *_balls(contact, b, a, between=True), *crossing]


@pair(Box, Box)
def boxes(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """The corners of each on the faces of the other, and all pairs of edges."""
    crossing = [
        EdgeOnEdge("", contact.name, a.body, b.body, edge_a=one, edge_b=two)
        for one, two in product(box_edges(a.shape), box_edges(b.shape))
    ]
    return [*_corners(contact, a, b), *_corners(contact, b, a), *crossing]


def _corners(contact: Contact, a: Side, b: Side) -> list[Touch]:
    """The corners of b on the faces of a."""
    return [
        CornerOnBox(
            "", contact.name, a.body, b.body, center=box_corner(b.shape, s), out=(box_rotation(b.shape) * s).T,
            **box_data(a.shape),
        )
        for s in SIGNS
    ]  # fmt: skip
