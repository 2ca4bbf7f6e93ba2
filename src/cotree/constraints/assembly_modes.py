"""All ways to assemble a mechanism with given inputs: its assembly modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.constraints.api import constraint_jacobian
from cotree.constraints.assembly import closed_with
from cotree.constraints.assembly_search import Problem, turns
from cotree.constraints.dyad_loops import solved_by_dyads
from cotree.constraints.named_coordinates import Held, held_values
from cotree.constraints.rank import count, unit_columns
from cotree.constraints.units import column_units, length_of, row_units
from cotree.errors import ArgumentError, AssemblyError
from cotree.judge import REPORTED, SAME_CONFIGURATION
from cotree.kinematics.coordinates import displace, normalize
from cotree.kinematics.poses import poses
from cotree.model.checks import whole
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import system_of
from cotree.system.system import System

Array = NDArray[np.float64]
STARTS, MOST_STARTS = 200, 100_000


@dataclass(frozen=True, eq=False)
class AssemblyModes(Shown):
    """Closed configurations with given inputs.

    configurations: (n, nq); the first is the one next to the reference assembly. complete: whether there are no others, which
    algebra knows of loops that are planar or spherical dyads one after the other; otherwise they were looked for from many
    starts, and some may be missing. how: the same in words.
    """

    system: System
    fixed: dict[str, float]
    configurations: Array
    complete: bool
    how: str

    def __len__(self) -> int:
        return len(self.configurations)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.configurations)

    def __getitem__(self, i: int) -> Array:
        return np.asarray(self.configurations[i])

    def __str__(self) -> str:
        given = ", ".join(f"{name} = {x:.6g}" for name, x in self.fixed.items()) or "nothing"
        n = len(self)
        lines = [
            f"{self.system.name or 'mechanism'}: {n} assembly mode{'s' * (n != 1)} with {given} fixed ({self.how})"
        ]
        for k, q in enumerate(self, 1):
            values = ", ".join(f"{name} {x:.4g}" for name, x in zip(self.system.q_names, q, strict=True))
            lines.append(f"  {k}: {values}")
        return "\n".join(lines)


def assembly_modes(
    mechanism_or_system: Mechanism | System, fixed: Mapping[str, float], t: float = 0.0, starts: int = STARTS
) -> AssemblyModes:
    """Find all closed configurations with given values of some coordinates.

    Planar and spherical loops of hinges and slides that can be solved one after the other with
    three unknown joints each (four-bars, slider-cranks, dyads) are solved algebraically: the
    list is complete. Others are searched from random starts.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    fixed : dict
        {coordinate: value}, as many as there are degrees of freedom.
    t : float, optional
        Time [s], for drives and functions of time.
    starts : int, optional
        Number of random starts, the same ones at every call.

    Returns
    -------
    AssemblyModes
        A sequence of configurations; `.complete` says whether there may be others.

    Examples
    --------
    >>> len(ct.assembly_modes(ct.gallery.four_bar(), {"A": 0.0}))
    2
    """
    system = system_of(mechanism_or_system, assembly_modes)
    if not isinstance(fixed, Mapping):
        raise ArgumentError(f"fixed of system {system.name!r} is a dict of values by name, such as {{'A': 0.3}}")
    starts = whole(starts, "starts", 1, MOST_STARTS)
    held = held_values(system, fixed)
    values = {str(name): float(np.asarray(x, dtype=float).ravel()[0]) for name, x in fixed.items()}
    found = solved_by_dyads(system, held, t)
    if found is not None:
        return _listed(system, held, values, found, t, True, "complete: by algebra, one dyad after the other")
    found = list(_searched(held, t, starts))
    how = f"found from {starts} starts; there may be others"
    return _listed(system, held, values, found, t, False, how)


def _listed(
    system: System, held: Held, fixed: dict[str, float], found: list[Array], t: float, complete: bool, how: str
) -> AssemblyModes:
    found = _different(system, [np.asarray(normalize(system, q)) for q in found])
    found.sort(key=lambda q: _distance(system, q, system.q0))
    if found:
        _require_isolated(system, held, found, t)
    q = np.array(found).reshape(len(found), system.nq)
    q.flags.writeable = False
    return AssemblyModes(system, fixed, q, complete, how)


def _searched(held: Held, t: float, starts: int) -> Iterator[Array]:
    """Closed configurations that searches from many starts end in: the reference, then all free coordinates at random."""
    system, rng = held.system, np.random.default_rng(0)
    free = np.delete(np.arange(system.nv), held.columns)
    problem, units = Problem.of(system, t, free), column_units(system)
    for k in range(starts):
        step = np.zeros(system.nv)
        step[free] = rng.uniform(-1.0, 1.0, len(free)) * np.where(units[free] == 1.0, np.pi, units[free])
        q = held.q if k == 0 else held.exactly(displace(system, held.q, step))
        try:
            yield closed_with(Held(system, q, held.columns, held.names, held.entries), problem.t, restarts=0)
        except AssemblyError:
            continue


def _different(system: System, found: list[Array]) -> list[Array]:
    """Without configurations in which all bodies are where they are in another one; angles between -pi and pi."""
    out: list[Array] = []
    for q in (_reduced(system, x) for x in found):
        if all(_distance(system, q, other) > SAME_CONFIGURATION for other in out):
            out.append(q)
    return out


def _reduced(system: System, q: Array) -> Array:
    """q with plain angles between -pi and pi."""
    q = q.copy()
    for i in range(system.nv):
        if turns(system, i):
            k = system.dofs["iq"][i]
            if abs(q[k]) > np.pi:
                q[k] = (q[k] + np.pi) % (2.0 * np.pi) - np.pi
    return q


def _distance(system: System, q: Array, other: Array) -> float:
    D = poses(system, q) - poses(system, other)
    D[:, :3, 3] /= length_of(system)
    return float(np.abs(D).max())


def _require_isolated(system: System, held: Held, found: list[Array], t: float) -> None:
    """Refuse inputs that leave the mechanism free to move in every configuration found."""
    free = np.delete(np.arange(system.nv), held.columns)
    if not len(free):
        return
    left = []
    for q in found:
        J = constraint_jacobian(held.system, q, t, regularized=False)
        J = (J / row_units(held.system, len(J))[:, None] * column_units(system))[:, free]
        left.append(len(free) - count(np.linalg.svd(unit_columns(J), compute_uv=False), REPORTED))
    if min(left) > 0:
        names = ", ".join(repr(system.coordinate_names[i]) for i in free[:6])
        raise ArgumentError(
            f"assembly_modes of system {system.name!r}: with {', '.join(map(repr, held.names)) or 'nothing'} fixed it can "
            f"still move, with {min(left)} degree{'s' * (min(left) != 1)} of freedom; fix as many coordinates more (one of "
            f"{names})"
        )
