"""The terms of the mobility report, explained in one line each."""

from __future__ import annotations

KINDS = {
    "trivial": "each loop stays within one motion group (a plane, a sphere, ...), which explains its redundant equations",
    "exceptional": "loops combine different motion groups: axes that are parallel or meet explain the mobility, not lengths",
    "topological": "some parts are braced more often than needed; the mobility does not depend on their dimensions",
    "paradoxical": "the mobility depends on special dimensions and is lost when they change slightly",
    "structure": "nothing can move: a rigid structure",
}
SINGULAR = {
    "regular configuration": "",
    "singular configuration": "there are more admissible velocities than motions: branches meet, or the mechanism is shaky",
    "singular in all configurations nearby": "there are more admissible velocities than motions, here and in the neighbourhood",
}
SHOWN = 6  # names in a line
DRIVEN = "all motion is prescribed by drivers"


def explained(kind: str, owed_to: tuple[str, ...]) -> str:
    """Where the mobility comes from; owed_to: joints whose places decide about it."""
    names = ", ".join(repr(name) for name in owed_to[:SHOWN]) + (", ..." if len(owed_to) > SHOWN else "")
    return f"{KINDS[kind]}; moving one of these joints alone is enough: {names}" if owed_to else KINDS[kind]


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
