"""Errors of assembly in words: which loops and constraints contradict each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_residual, cut_gaps
from cotree.system.system import System

Array = NDArray[np.float64]
CONCERNED = 1e-3  # part of the largest gap above which a constraint counts as concerned
AT_MOST = 4


def not_assembled(system: System, q: Array, held: list[str], t: float) -> str:
    """Why no configuration near q satisfies all constraints."""
    gaps, opposite = cut_gaps(system, q)
    others = _by_owner(system, constraint_residual(system, q, t))
    worst = int(np.argmax(gaps)) if len(gaps) else -1
    if worst >= 0 and opposite[worst]:
        return f"{_cut(system, worst)}: its axes are antiparallel; turn one of the bodies around, or reverse an axis"
    also = _with(held)
    least = CONCERNED * max([*gaps, *others.values()], default=0.0)
    others_open = [_word(system, name) for name, gap in others.items() if gap > least or not np.isfinite(gap)]
    if not others_open and worst < 0:
        return (
            f"system {system.name!r}: {', '.join(_word(system, name) for name in others)} cannot be satisfied{also}, by "
            f"rounding alone; check whether ratios or lengths are too large"
        )
    if not others_open:
        gap = f"a gap of {gaps[worst]:.3g} remains"
        return (
            f"{_cut(system, worst)} cannot be closed{also}: {gap}; check lengths and axes, or start closer to a "
            f"closed configuration"
        )
    joints = [k for k in np.argsort(-gaps) if gaps[k] > least or not np.isfinite(gaps[k])]
    named = [*others_open[:AT_MOST], *(_cut(system, int(k)) for k in joints[:AT_MOST])]
    off = f"residual {max([*gaps, *others.values()]):.3g} at t = {t:g}{also}"
    if len(named) == 1:
        return f"{named[0]} cannot be satisfied; {off}; check its numbers, or start closer to a solution"
    return (
        f"{' and '.join(named)} contradict each other; {off}; leave one out, change its numbers, or start closer "
        f"to a solution"
    )


def not_consistent(system: System, left: Array, held: list[str]) -> str:
    """Why no velocity satisfies all rows."""
    worst = np.abs(left).max()
    return (
        f"{concerned(system, left)} require contradictory velocities{_with(held)}; residual {worst:.3g}; change a rate"
    )


def not_on_branch_with(held: list[str], off: float) -> str:
    """Why no motion begins with these rates."""
    return (
        f"at this singular configuration no motion was found that starts{_with(held)}: a rate would have to differ by "
        f"{off:.3g}; start at a regular configuration, or hold another rate"
    )


def _with(held: list[str]) -> str:
    return f" with {', '.join(map(repr, held))} held" if held else ""


def concerned(system: System, left: Array) -> str:
    """Names of the constraints and loops whose rows (regularized ones) are not satisfied, but for small remainders."""
    least = CONCERNED * float(np.abs(left).max())
    named = [_word(system, name) for name, x in _by_owner(system, left).items() if x > least]
    off = [np.abs(left[row["row"] : row["row"] + row["kept"]]).max(initial=0.0) for row in system.cuts]
    named += [_cut(system, k) for k, x in enumerate(off) if x > least][:AT_MOST]
    return " and ".join(named)


def on_no_branch(system: System, left: Array, near: bool) -> str:
    """Why no motion begins with a velocity; left: what remains of J v_dot = eta; near: whether a nearby one was sought."""
    what = "no motion starts with this velocity or one near it" if near else "no motion starts with this velocity"
    return (
        f"{concerned(system, left)}: at this singular configuration {what}; no acceleration closes the loops "
        f"(residual {np.abs(left).max():.3g}). Start on a branch, at a regular configuration"
        + ("" if near else ", or use branches='nearest'")
    )


def _by_owner(system: System, values: Array) -> dict[str, float]:
    """Largest entry of each constraint that is not a joint."""
    others = system.extra_rows
    out: dict[str, float] = {}
    for name, x in zip(others.owners, values[len(values) - len(others.names) :], strict=True):
        out[name] = max(out.get(name, 0.0), abs(float(x)))
    return out


def _word(system: System, name: str) -> str:
    return f"{system.constraints[name].word} {name!r}"


def _cut(system: System, k: int) -> str:
    name = system.cut_joints[k]
    number = next((i for i, r in enumerate(system.loop_rows, 1) if r.joint == name), None)
    return f"loop {number}, cut at joint {name!r}" if number else f"joint {name!r}"
