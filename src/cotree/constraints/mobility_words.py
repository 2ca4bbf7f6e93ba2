"""The terms of the mobility report, explained in one line each."""

from __future__ import annotations

KINDS = {
    "trivial": "each loop stays within one motion group (a plane, a sphere, ...), which explains its redundant equations",
    "exceptional": "loops combine different motion groups: axes that are parallel or meet explain the mobility, not lengths",
    "topological": "some parts are braced more often than needed; the mobility does not depend on their dimensions",
    "paradoxical": "the mobility depends on special dimensions and is lost when they change slightly",
    "structure": "nothing can move: a rigid structure",
    "uncertain": "the word depends on the number of degrees of freedom, which could not be decided",
}
COUNTED = "Grübler's formula gives the mobility: no constraint equation of a loop is redundant"
AS_GIVEN = "with the numbers as given nothing can move"
SINGULAR = {
    "regular configuration": "",
    "singular configuration": "there are more admissible velocities than motions: branches meet, or the mechanism is shaky",
    "perhaps a singular configuration": "it is one if there are fewer motions than admissible velocities",
    "singular in all configurations nearby": "there are more admissible velocities than motions, here and in the neighbourhood",
}
SHOWN = 6  # names in a line
DRIVEN = "all motion is prescribed by drivers"


def counted(local: int, bounds: tuple[int, int] | None) -> str:
    """How many degrees of freedom, or between which numbers they are."""
    return f"{bounds[0]} to {bounds[1]}" if bounds else f"{local}"


def named(kind: str) -> str:
    """The word in the first line of a report."""
    return kind if kind == "structure" else f"{kind} mobility"


def explained(kind: str, owed_to: tuple[str, ...], near: bool = False, redundant: bool = True) -> str:
    """Where the mobility comes from; owed_to: joints whose places decide about it; near: whether slightly other numbers would
    let it move; redundant: whether loops have constraint equations that are."""
    if near and kind == "structure":
        return AS_GIVEN
    if kind == "trivial" and not redundant:
        return COUNTED
    names = ", ".join(repr(name) for name in owed_to[:SHOWN]) + (", ..." if len(owed_to) > SHOWN else "")
    return f"{KINDS[kind]}; moving one of these joints alone is enough: {names}" if owed_to else KINDS[kind]


def nearly(extra: int, size: float) -> str:
    """Text about constraint equations that are almost redundant."""
    return (
        f"uncertain: {extra} DOF more if axes and dimensions are accurate to {size:.0e} only; give more digits, or "
        "a larger tolerance="
    )


def undecided(least: int, most: int, size: float = 0.0) -> str:
    """Text about degrees of freedom that could not be told; size: to what the digits of dimensions would have to be exact."""
    found = f"uncertain: between {least} and {most} DOF"
    if size:
        return f"{found}, the larger number if axes and dimensions are accurate to {size:.0e} only; give more digits"
    return (
        f"{found}; constraints touch here in a way that could not be resolved: give more digits, look at a configuration "
        "a little farther on, or simulate it from there"
    )
