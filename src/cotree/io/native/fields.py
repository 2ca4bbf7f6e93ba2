"""What the structures of a model file are made of: names, numbers, vectors, poses, names of functions."""

from __future__ import annotations

import re
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from cotree.errors import DocumentError
from cotree.io.native.time_structs import AnyTimeLaw

Name = Annotated[str, Meta(min_length=1)]
Mass = Annotated[float, Meta(ge=0, description="kg")]
Size = Annotated[float, Meta(gt=0)]
Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]
Row = tuple[float, float, float, float]
Pose = tuple[Row, Row, Row, Row]  # by rows


class Node(Struct, forbid_unknown_fields=True):
    """Base of everything in a model file."""


def fields_of(node: Node) -> dict[str, Any]:
    """Values by the names of the fields."""
    return {name: getattr(node, name) for name in node.__struct_fields__}


class Function(Node, omit_defaults=True):
    """A law over time by numbers, or a function in Python, which a file cannot hold: its name, under which it is given when the
    file is loaded. Of a `Law` also its states with their start values, its period and offset [s], and the names of its
    switching functions."""

    function: Name = ""
    states: dict[str, float] = field(default_factory=dict)
    period: Size | None = None
    offset: float = 0.0
    switching: tuple[str, ...] = ()
    over_time: AnyTimeLaw | None = None

    def __post_init__(self) -> None:
        if bool(self.function) == (self.over_time is not None):
            raise DocumentError("give either the name of a function, or over_time, a law by numbers")


def method_name(class_name: str) -> str:
    """KnifeEdge: knife_edge. Forces and constraints have the names of the methods of `Mechanism` that make them."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()
