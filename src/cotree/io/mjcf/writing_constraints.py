"""Couplings and distances as equalities of joints and tendons."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.mjcf.layout import CANNOT
from cotree.io.mjcf.nodes import Layout
from cotree.io.mjcf.writing_values import element, words
from cotree.model.constraints import Constraint, Coupling, Distance

Array = NDArray[np.float64]
Ends = tuple[str, Array, str, Array]


@dataclass
class Actions:
    """Attributes by joint, sites by body, shares of the weight that are carried by body, and lines of the other sections."""

    joints: dict[str, dict[str, str | float]] = field(default_factory=dict)
    sites: dict[str, list[str]] = field(default_factory=dict)
    compensation: dict[str, float] = field(default_factory=dict)
    tendons: list[str] = field(default_factory=list)
    equalities: list[str] = field(default_factory=list)
    actuators: list[str] = field(default_factory=list)


def put_constraint(c: Constraint, tree: Layout, simple: set[str], out: Actions) -> None:
    """A coupling of hinges and slides (`simple`), or a constant distance; all others are refused."""
    if isinstance(c, Coupling) and c.motion.constant and {t.joint for t in c.terms} <= simple:
        _put_coupling(c, out)
    elif isinstance(c, Distance) and (c.length is None or c.length.constant):
        ends = (c.body_a, c.point_a, c.body_b, c.point_b)
        drawn = distance_of(tree, *ends)
        length = drawn if c.length is None else float(c.length.value)  # type: ignore[arg-type]
        put_line(out, f"distance {c.name}", f"distance {c.name}", ends, {})
        out.equalities.append(element("tendon", _equality(c.name, f"distance {c.name}", length - drawn)))
    else:
        raise DocumentError(
            f"constraint {c.name!r} is neither a coupling of hinges and slides nor a constant distance, {CANNOT}"
        )


def _equality(name: str, tendon: str, offset: float) -> dict[str, str | float]:
    return {"name": name, "tendon1": tendon, "polycoef": words((offset, 0.0, 0.0, 0.0, 0.0))}


def _put_coupling(c: Coupling, out: Actions) -> None:
    """One joint held, two in a line, or more by a fixed tendon."""
    offset, first = float(c.motion.value), c.terms[0]  # type: ignore[arg-type]
    if len(c.terms) > 2:
        parts = [element("joint", {"joint": term.joint, "coef": term.ratio}) for term in c.terms]
        out.tendons += [
            element("fixed", {"name": f"coupling {c.name}"}, close=False),
            *(f"  {p}" for p in parts),
            "</fixed>",
        ]
        out.equalities.append(element("tendon", _equality(c.name, f"coupling {c.name}", offset)))
        return
    told: dict[str, str | float] = {"name": c.name, "joint1": first.joint}
    slope = 0.0
    if len(c.terms) == 2:
        told["joint2"], slope = c.terms[1].joint, -c.terms[1].ratio / first.ratio
    out.equalities.append(element("joint", {**told, "polycoef": words((offset / first.ratio, slope, 0.0, 0.0, 0.0))}))


def distance_of(tree: Layout, a: str, point_a: Array, b: str, point_b: Array) -> float:
    """Of two points as assembled."""
    ends = [tree.frames[body] @ (*point, 1.0) for body, point in ((a, point_a), (b, point_b))]
    return float(np.linalg.norm(ends[1] - ends[0]))


def put_line(out: Actions, prefix: str, name: str, ends: Ends, attributes: dict[str, float]) -> None:
    """A tendon between two points, with their sites."""
    sites = [f"{prefix} from", f"{prefix} to"]
    for site, body, point in zip(sites, ends[::2], ends[1::2], strict=True):
        out.sites.setdefault(str(body), []).append(element("site", {"name": site, "pos": words(point)}))
    inside = [f"  {element('site', {'site': site})}" for site in sites]
    out.tendons += [element("spatial", {"name": name, **attributes}, close=False), *inside, "</spatial>"]
