"""Elements, numbers and poses as MJCF has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Attributes = dict[str, str | float]


def words(values: Iterable[float]) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(x)) for x in values)


def element(tag: str, attributes: Mapping[str, str | float], close: bool = True) -> str:
    """An element without anything inside, or its opening tag."""
    told = " ".join(f"{key}={quoteattr(x if isinstance(x, str) else repr(float(x)))}" for key, x in attributes.items())
    return f"<{tag}{' ' if told else ''}{told}{'/' if close else ''}>"


def pose_attributes(C: Array) -> dict[str, str]:
    """Place and first two axes of a frame; those of its parent are left out."""
    out = {"pos": words(C[:3, 3])} if C[:3, 3].any() else {}
    if not np.array_equal(C[:3, :3], np.eye(3)):
        out["xyaxes"] = words((*C[:3, 0], *C[:3, 1]))
    return out


def name_of(body: str) -> str:
    return "world" if body == "ground" else body
