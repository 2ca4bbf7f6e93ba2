"""Self-stress: multipliers that move nothing, J^T lam = 0 over all rows, and what they change in the joints.

Reactions are unique just where there is none. A planar four-bar in space has three states of it, out of its plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown, listed
from cotree.constraints.api import constraint_jacobian, constraint_residual
from cotree.constraints.rank import REPORTED_PER_GAP, count, unit_rows
from cotree.constraints.units import column_units, length_of, row_units
from cotree.dynamics.reactions import transmitted
from cotree.formulations.reactions.wrenches import add_locks, constraint_wrenches
from cotree.judge import REPORTED, ZERO
from cotree.system.arguments import coordinates, of_system, time_of
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SelfStress(Shown):
    """States of self-stress: changes of the reaction of each joint (states, 6) about the sweep's origin, and the names of
    joints and of other constraints that change; count: how many there are; system: its name."""

    joints: dict[str, Array]
    undetermined: tuple[str, ...]
    constraints: tuple[str, ...]
    count: int = 0
    system: str = ""

    def __str__(self) -> str:
        who = self.system or "mechanism"
        if not self.count:
            return f"{who}: no self-stress; the reactions of all joints are unique"
        lines = [
            f"{who}: {self.count} state{'s' * (self.count != 1)} of self-stress: forces and moments in the joints that "
            "balance each other and move nothing"
        ]
        for what, found in (("reactions of joints", self.undetermined), ("forces of constraints", self.constraints)):
            if found:
                lines.append(f"{what} that are not determined: {listed(found)}")
        lines.append(
            "any multiple of a state may be added to the reactions (.joints); to remove a state, remove a joint or constraint, "
            "or give one more freedom"
        )
        return "\n  ".join(lines)


@of_system
def self_stress(system: System, q: ArrayLike | None = None, t: float = 0.0) -> SelfStress:
    """Find the forces in joints that balance each other without any load.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,), optional
        Coordinates; the reference assembly by default.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    SelfStress
        `.joints`: wrenches by joint, one for each state of self-stress. Reactions are
        determined where there are none.

    Examples
    --------
    >>> len(ct.self_stress(ct.gallery.four_bar().compile()).joints["A"])
    3
    """
    q = system.q0 if q is None else coordinates(system, q)
    t = time_of("t", t)
    lam, scaled = _null_space(system, q, t)
    names, length = system.joint_names, length_of(system)
    joints = {name: np.zeros((len(lam), 6)) for name in names}
    for k, multipliers in enumerate(lam):
        cuts, touching, on_bodies = constraint_wrenches(system, q, multipliers, regularized=False)
        found = transmitted(system, -on_bodies) | dict(zip(system.cut_joints, cuts, strict=True))
        add_locks(system, touching, found)
        for name, W in found.items():
            joints[name][k] = W
    size = {name: _size(joints[name], length) for name in names}
    least = REPORTED * max(size.values(), default=0.0)
    others = system.extra_rows.owners
    part = np.abs(scaled[:, scaled.shape[1] - len(others) :]).max(axis=0, initial=0.0)
    changed = {name for name, x in zip(others, part, strict=True) if x > REPORTED}
    return SelfStress(
        joints,
        tuple(name for name in names if size[name] > least),
        tuple(name for name in system.constraints if name in changed),
        len(lam), system.name,
    )  # fmt: skip


def _size(W: Array, length: float) -> float:
    return float(np.abs(W / np.repeat([length, 1.0], 3)).max(initial=0.0))


def _null_space(system: System, q: Array, t: float) -> tuple[Array, Array]:
    """(states, rows): multipliers with J^T lam = 0, and the same in units of their rows, orthonormal."""
    J, g = constraint_jacobian(system, q, t, regularized=False), constraint_residual(system, q, t, regularized=False)
    units, first = row_units(system, len(J)), len(J) - len(system.extra_rows.names)
    J = J / units[:, None] * column_units(system)
    size = np.ones(len(J))
    size[first:] = np.linalg.norm(J[first:], axis=1)
    J[first:] = unit_rows(J[first:])
    U, s, _ = np.linalg.svd(J)
    gap = np.abs(g / units).max(initial=0.0)
    rank = count(s, max(REPORTED, REPORTED_PER_GAP * gap))
    x = U[:, rank:].T
    return x / (units * np.where(size > ZERO, size, 1.0)), x
