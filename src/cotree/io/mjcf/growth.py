"""Elements of MJCF by which a short file becomes a huge model, or reads others: bounded, or refused, before MuJoCo sees them.

MuJoCo goes on for ever with a count of a hundred million, and breaks down, with the whole process, on a model that attaches
itself.
"""

from __future__ import annotations

import math
from math import prod

from cotree.errors import UnsafeFileError
from cotree.io.xml.elements import Element, shown

MOST_COPIES = 10_000  # elements that all <replicate> together make
MOST_POINTS = 1_000_000  # of a height field, a texture, a grid of a <composite> or <flexcomp>
COUNTED = {
    "hfield": ("nrow", "ncol"), "texture": ("width", "height"), "composite": ("count",), "flexcomp": ("count",),
}  # fmt: skip
SIZES = ("memory", "njmax", "nconmax", "nstack", "nuserdata", "nkey")


def check_growth(root: Element) -> None:
    """Nothing that makes more of a model than any mechanism needs."""
    made, waiting = 0, [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        _check(element)
        if element.tag == "replicate":
            copies = min(copies * _whole(element, "count"), MOST_COPIES + 1)
        made += copies if copies > 1 else 0
        if made > MOST_COPIES:
            raise UnsafeFileError(
                f"<replicate> makes more than {MOST_COPIES} elements, which no mechanism needs; the file is not read"
            )
        waiting += [(inner, copies) for inner in element.inside]


def _check(element: Element) -> None:
    if element.tag == "attach" or (element.tag == "model" and "file" in element.attributes):
        raise UnsafeFileError(
            f"<{element.tag}> takes another model into this one, which is not done here; compile the file with MuJoCo, save it "
            "as one, and read that"
        )
    if element.tag in COUNTED:
        points = prod(max(1, _whole(element, name)) for name in COUNTED[element.tag])
        if points > MOST_POINTS:
            raise UnsafeFileError(f"{element.who} has more than {MOST_POINTS} points; the file is not read")
    if element.tag == "size":
        for name in SIZES:
            _whole(element, name)


def _whole(element: Element, name: str) -> int:
    """Product of the counts in an attribute; what is none is left for MuJoCo to complain about."""
    words = element.attributes.get(name, "").split()[:4]
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return 1
    if not all(math.isfinite(x) and x <= MOST_POINTS for x in numbers):
        raise UnsafeFileError(
            f"{element.who}: {name} is {shown(element.attributes[name])}, more than any mechanism needs; it is not read"
        )
    return prod(int(x) for x in numbers)
