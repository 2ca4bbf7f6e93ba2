"""Laws over time in a model file: type and fields are those of the classes of `cotree.model.time_laws`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from cotree.model import time_laws
from cotree.model.time_laws import Components, Integral, Sum, TimeLaw


class OverTime(Struct, forbid_unknown_fields=True, tag_field="type", tag=str.lower):
    """Base of the laws over time."""


class Polynomial(OverTime):
    """coefficients[0] + coefficients[1] (t - begin) and so on."""

    coefficients: Annotated[tuple[float, ...], Meta(min_length=1)]
    begin: float = 0.0


class Harmonic(OverTime):
    """offset + amplitude sin(2 pi frequency t + phase); frequency in Hz."""

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0


class Table(OverTime):
    """Cubic spline, or lines with degree 1, through points."""

    t: Annotated[tuple[float, ...], Meta(min_length=2)]
    x: Annotated[tuple[float, ...], Meta(min_length=2)]
    periodic: bool = False
    degree: Literal[1, 3] = 3
    ends: Literal["straight", "rest", "hold"] = "straight"


class Trapezoid(OverTime):
    """From start to end with a trapezoidal profile of the speed."""

    start: float
    end: float
    speed: float
    acceleration: float
    begin: float = 0.0
    deceleration: float | None = None


class Steps(OverTime):
    """values[k] from times[k] on; rise: time that each change takes."""

    times: Annotated[tuple[float, ...], Meta(min_length=1)]
    values: Annotated[tuple[float, ...], Meta(min_length=1)]
    rise: float = 0.0


class Term(Struct, forbid_unknown_fields=True):
    """A law times a number."""

    law: Polynomial | Harmonic | Table | Trapezoid | Steps
    factor: float = 1.0


class Terms(OverTime, tag="sum"):
    """A sum of laws."""

    terms: Annotated[list[Term], Meta(min_length=1)]


class Vector(OverTime):
    """Three laws, one a component."""

    x: Simple
    y: Simple
    z: Simple


class IntegralOf(OverTime, tag="integral"):
    """start + integral of a law from t = 0 on."""

    law: Simple
    start: float = 0.0


Simple = Polynomial | Harmonic | Table | Trapezoid | Steps | Terms
AnyTimeLaw = Simple | IntegralOf | Vector


def time_struct(law: TimeLaw | Components) -> Any:
    """The structure of a law."""
    if isinstance(law, Components):
        return Vector(*map(time_struct, law.laws))
    if isinstance(law, Integral):
        return IntegralOf(time_struct(law.law), law.start)
    if isinstance(law, Sum):
        return Terms([Term(time_struct(one), f) for one, f in zip(law.terms, law.factors, strict=True)])
    struct = _STRUCTS[type(law)]
    return struct(**{name: getattr(law, name) for name in struct.__struct_fields__})


def time_law(node: Any) -> TimeLaw | Components:
    """The law of a structure."""
    if isinstance(node, Vector):
        return Components(tuple(time_law(x) for x in (node.x, node.y, node.z)))  # type: ignore[misc]
    if isinstance(node, IntegralOf):
        return Integral(time_law(node.law), node.start)  # type: ignore[arg-type]
    if isinstance(node, Terms):
        return Sum(tuple(time_law(x.law) for x in node.terms), tuple(x.factor for x in node.terms))  # type: ignore[misc]
    make: Callable[..., TimeLaw] = getattr(time_laws, type(node).__name__)
    return make(**{name: getattr(node, name) for name in node.__struct_fields__})


_STRUCTS: dict[type, Any] = {
    getattr(time_laws, struct.__name__): struct for struct in (Polynomial, Harmonic, Table, Trapezoid, Steps)
}
