"""The regularization as a report: what each possible cut of each loop would keep and drop, and why [Reg]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.constraints.motion_of_bodies import MotionAlgebra, shown_group
from cotree.constraints.row_words import RowWords, words_of_rows
from cotree.model.joints import Joint
from cotree.model.mechanism import Mechanism
from cotree.screws import closure
from cotree.system.arguments import system_of
from cotree.system.cuts import choose_rows
from cotree.system.motion_algebra import joint_screws
from cotree.system.reference_assembly import Assembly, assemble_graph
from cotree.system.regularization import LoopRows, selector
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cut(Shown):
    """One loop cut at one joint.

    side_a, side_b: what the joint's parent and child can do against the body `root` while the loop is open at the joint.
    B (6, k): twists (w, v) in the joint frame that the two sides can make between them, lengths in `length` [m]; W (full, 6):
    what the joint holds of them; singular_values: of W B, those near zero belong to equations that hold anyway; U (full, kept):
    the part of W that has to be held, U^T W in SI units. kept, dropped: the equations in words.
    """

    joint: str
    chosen: bool
    full: int
    root: str
    side_a: MotionAlgebra
    side_b: MotionAlgebra
    B: Array
    W: Array
    singular_values: Array
    U: Array
    length: float
    kept: tuple[str, ...]
    dropped: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"cut at {self.joint!r}{' (chosen)' if self.chosen else ''}: {len(self.kept)} of {self.full} constraint equations",
            f"  against {self.root!r}: {self.side_a.words}; {self.side_b.words}",
        ]
        lines += [f"  keeps {', '.join(self.kept)}"] if self.kept else []
        lines += [f"  drops {', '.join(self.dropped)}"] if self.dropped else []
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class LoopCuts(Shown):
    """One loop: its joints in order, the cut that was made, and all cuts that are possible, the one that was made first."""

    number: int
    joints: tuple[str, ...]
    cuts: tuple[Cut, ...]

    @property
    def chosen(self) -> Cut:
        """The cut that the system has."""
        return self.cuts[0]

    def __str__(self) -> str:
        others = ", ".join(f"{c.joint!r} {len(c.kept)} of {c.full}" for c in self.cuts[1:])
        body = str(self.chosen).replace("\n", "\n  ")
        return f"loop {self.number}, {body}" + (f"\n    elsewhere: {others}" if others else "")


@dataclass(frozen=True, eq=False)
class Regularization(Shown):
    """All loops of a system, in the order of `system.loop_rows`."""

    name: str
    loops: tuple[LoopCuts, ...]

    @property
    def kept(self) -> int:
        """Constraint equations of all loops that are kept."""
        return sum(len(loop.chosen.kept) for loop in self.loops)

    @property
    def full(self) -> int:
        """Constraint equations of all cut joints before any are dropped."""
        return sum(loop.chosen.full for loop in self.loops)

    def __str__(self) -> str:
        if not self.loops:
            return f"{self.name or 'mechanism'}: no loops"
        first = f"{self.name or 'mechanism'}: {self.kept} of {self.full} constraint equations of loops are kept"
        return "\n".join([first, *(f"  {loop!s}".replace("\n", "\n  ") for loop in self.loops)])


def regularization(mechanism_or_system: Mechanism | System) -> Regularization:
    """Explain which constraint equations the loops keep, and which are redundant in every configuration.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.

    Returns
    -------
    Regularization
        By loop and by joint at which it can be cut; `print` shows it. [Reg (24)-(29)]

    Examples
    --------
    >>> report = ct.regularization(ct.gallery.four_bar())
    >>> "loop 1" in str(report)
    True
    """
    system = system_of(mechanism_or_system, regularization)
    choices, noted = system.choices, dict[int, list[LoopRows]]()
    cut = choices["cut"]
    assembly = assemble_graph(system.mechanism, system.coordinates == "absolute", () if cut is None else cut)
    _, rows = choose_rows(assembly, cut is None, choices["regularize"], noted.__setitem__)
    screws = joint_screws(assembly)
    loops = []
    for number, chosen in enumerate(rows):
        others = [r for r in noted[number] if r.joint != chosen.joint]
        axes = {r.joint: screws[r.loop.cut].frames[r.loop.cut][:3, :3] for r in (chosen, *others)}
        cuts = [_cut(assembly, r, r is chosen, axes[r.joint]) for r in (chosen, *others)]
        loops.append(LoopCuts(number + 1, _joints_of(assembly, chosen), tuple(cuts)))
    return Regularization(system.name, tuple(loops))


def _joints_of(assembly: Assembly, rows: LoopRows) -> tuple[str, ...]:
    """Names of the joints of a loop of the tree, once around, the cut one last; those of a floating analysis the cut one
    alone."""
    tree, loop = assembly.tree, rows.loop
    edges = [tree.edge[k] for k in (*loop.tail_chain[::-1], *loop.head_chain)]
    names = [assembly.joints[e].name for e in edges if e < len(assembly.joints) and e != loop.cut]
    return (*names, rows.joint)


def _cut(assembly: Assembly, rows: LoopRows, chosen: bool, axes: Array) -> Cut:
    joint = assembly.joints[rows.loop.cut].joint
    W = held_rows(joint, rows.scale.length)
    image = W @ rows.space
    U, s, _ = np.linalg.svd(image, full_matrices=True) if image.size else (np.eye(len(W)), np.zeros(0), None)
    words = _words(joint, rows, axes)
    sides = (shown_group(closure(rows.scale.apply(x)) if x.shape[1] else x, rows.scale) for x in _screws(rows))
    a, b = sides
    return Cut(
        rows.joint, chosen, rows.full, assembly.bodies[rows.root].name, a, b, rows.space, W, s, U[:, : rows.kept],
        rows.scale.length, words.kept, words.dropped,
    )  # fmt: skip


def _screws(rows: LoopRows) -> tuple[Array, Array]:
    """Screws of the two sides in world coordinates."""
    a, b = (rows.scale.undo(side) if side.shape[1] else side for side in (rows.side_a, rows.side_b))
    return a, b


def held_rows(joint: Joint, length: float) -> Array:
    """(full, 6): what a joint holds of a twist in its frame, lengths in `length`; a universal joint its point and the turn
    about the normal of its axes."""
    if joint.crossed is None:
        return selector(joint, length)
    W = np.zeros((4, 6))
    W[:3, 3:], W[3, 2] = np.eye(3), 1.0
    return W


def _words(joint: Joint, rows: LoopRows, axes: Array) -> RowWords:
    if joint.crossed is None:
        return words_of_rows(rows.select, selector(joint), axes)
    W = held_rows(joint, 1.0)
    return words_of_rows(rows.select @ W, W, axes)
