"""The terms of the mobility report, explained in one line each."""

from __future__ import annotations

KINDS = {
    "trivial": "each loop stays within one motion group (a plane, a sphere, ...), which explains its redundant equations",
    "exceptional": "the two sides of a loop move in different motion groups, and what they share explains the mobility",
    "topological": "some parts are braced more often than needed; the mobility does not depend on their dimensions",
    "paradoxical": "the mobility depends on special dimensions and is lost when they change slightly",
    "structure": "nothing can move: a rigid structure",
}
SINGULAR = {
    "regular configuration": "",
    "singular configuration": "there are more admissible velocities than motions: branches meet, or the mechanism is shaky",
    "singular in all configurations nearby": "there are more admissible velocities than motions, here and in the neighbourhood",
}
DRIVEN = "all motion is prescribed by drivers"


def nearly(extra: int, size: float) -> str:
    """Text about constraint equations that are almost redundant."""
    return (
        f"uncertain: {extra} DOF more if axes and dimensions are accurate to {size:.0e} only; give more digits, or "
        "a larger tolerance="
    )


def undecided(least: int, most: int) -> str:
    """Text about degrees of freedom that could not be told."""
    return (
        f"uncertain: between {least} and {most} DOF; constraints touch here in a way that could not be resolved: "
        "look at a configuration a little farther on, or simulate it from there"
    )
