"""What the words of the mobility report mean, a line each."""

from __future__ import annotations

KINDS = {
    "trivial": "each loop stays within one motion group (a plane, a sphere, ...), which explains its redundant equations",
    "exceptional": "the two sides of a loop move in different motion groups, and what they share explains the mobility",
    "topological": "some parts are braced more often than needed; the mobility does not depend on their dimensions",
    "paradoxical": "the mobility is owed to special dimensions: it is lost when these are changed a little",
    "structure": "nothing can move: a rigid structure",
}
SINGULAR = {
    "regular here": "",
    "singular here": "more velocities are admissible than motions begin: branches meet, or the mechanism is shaky",
    "singular all along": "more velocities are admissible than motions begin, in all configurations nearby",
}
DRIVEN = "nothing moves but as driven"


def nearly(extra: int, size: float) -> str:
    """What almost vanishing equations tell."""
    return (
        f"doubtful: {extra} dof more if axes and dimensions are exact to {size:.0e} only; give them with more "
        "digits, or a larger tolerance="
    )
