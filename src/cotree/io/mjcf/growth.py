"""Elements of MJCF by which a short file becomes a huge model, or reads others: bounded, or refused, before MuJoCo sees them.

MuJoCo never returns for a count of a hundred million, and crashes, with the whole process, on a model that attaches itself.
"""

from __future__ import annotations

import math
from math import prod

from cotree.errors import UnsafeFileError
from cotree.io.xml.elements import Element, shown

MOST_COPIES = 10_000  # elements that all <replicate> together make
MOST_POINTS = 1_000_000  # of all height fields, of all textures, and so on, together
COUNTED = {
    "hfield": ("nrow", "ncol"), "texture": ("width", "height"), "mesh": ("params", "params"), "numeric": ("size",),
    "user": ("dim",), "composite": ("count",), "flexcomp": ("count",),
}  # fmt: skip
MOST = {"composite": 1000, "flexcomp": 1000}  # each point is a body
# attributes of any element: states and samples of an actuator; of a mesh that MuJoCo makes, whose points grow with their square
NUMBERS = {"actdim": 1000, "nsample": 1000, "params": 100}
# sizes, and how large they may be: those of keys and users come for each element of a model
SIZES = {"memory": 10**9, "njmax": 10**6, "nconmax": 10**6, "nstack": 10**6, "nuserdata": 10**6, "nkey": 100}
SIZES |= {f"nuser_{kind}": 100 for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")}
LETTERS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}  # of sizes of memory


def check_growth(root: Element) -> None:
    """Nothing that makes more of a model than any mechanism needs."""
    made, points, waiting = 0, dict.fromkeys(COUNTED, 0), [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        _check(element, copies)
        if element.tag in COUNTED:
            points[element.tag] += copies * prod(max(1, _whole(element, name)) for name in COUNTED[element.tag])
            most = MOST.get(element.tag, MOST_POINTS)
            if points[element.tag] > most:
                raise UnsafeFileError(
                    f"{element.who} has, together with others, more than {most} points; the file is refused"
                )
        if element.tag == "replicate":
            copies = min(copies * _whole(element, "count"), MOST_COPIES + 1)
        made += copies if copies > 1 else 0
        if made > MOST_COPIES:
            raise UnsafeFileError(
                f"<replicate> makes more than {MOST_COPIES} elements, which no mechanism needs; the file is not read"
            )
        waiting += [(inner, copies) for inner in element.inside]


def _check(element: Element, copies: int) -> None:
    if element.tag == "attach" or (element.tag == "model" and "file" in element.attributes):
        raise UnsafeFileError(
            f"<{element.tag}> takes another model into this one, which is not done here; compile the file with MuJoCo, save it "
            "as one, and read that"
        )
    if element.tag == "include" and copies > 1:
        raise UnsafeFileError("<include> within <replicate> is not read; put what is included in its place")
    if element.tag == "flexcomp" and "file" in element.attributes:
        raise UnsafeFileError(f"{element.who} is made from a file; flexible bodies are not supported: remove it")
    if element.tag == "size":
        for name, most in SIZES.items():
            _whole(element, name, most)
    for name, most in NUMBERS.items():
        _whole(element, name, most)


def _whole(element: Element, name: str, most: float = MOST_POINTS) -> int:
    """Product of the counts in an attribute; what is none is left for MuJoCo to complain about."""
    words = element.attributes.get(name, "").split()[:10]
    try:
        numbers = [_number(word) for word in words]
    except ValueError:
        return 1
    if not all(math.isfinite(x) and x <= most for x in numbers):
        raise UnsafeFileError(
            f"{element.who}: {name} is {shown(element.attributes[name])}, more than any mechanism needs; the file is "
            f"refused"
        )
    return prod(int(x) for x in numbers)


def _number(word: str) -> float:
    return float(word[:-1]) * LETTERS[word[-1].upper()] if word[-1].upper() in LETTERS else float(word)
