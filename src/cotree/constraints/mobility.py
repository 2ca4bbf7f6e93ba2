"""Mobility report: how many degrees of freedom, and why [Reg]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.constraints.api import constraint_jacobian, constraint_residual
from cotree.constraints.assembly import assemble
from cotree.constraints.mobility_words import DRIVEN, KINDS, SINGULAR, nearly
from cotree.constraints.perturbed import has_rigid_parts, survives
from cotree.constraints.rank import REPORTED, reported, unit_columns, unit_rows
from cotree.constraints.redundancy import redundant_rows
from cotree.constraints.slices import least_gap, slice_dimension
from cotree.constraints.tangents import Rows, Tangent
from cotree.constraints.units import column_units, length_of, row_units
from cotree.errors import AssemblyError, CoordinatesError, MotionError
from cotree.kinematics.coordinates import displace
from cotree.kinematics.other_coordinates import carried_configuration
from cotree.kinematics.poses import poses
from cotree.lie import inverse
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import system_of
from cotree.system.compile import compile_mechanism
from cotree.system.cuts import choose_rows
from cotree.system.reference_assembly import assemble_graph
from cotree.system.regularization import LoopRows
from cotree.system.sizes import STEPWISE
from cotree.system.snapping import Snapping, checked_tolerance
from cotree.system.system import System

Array = NDArray[np.float64]

SAMPLES = 8
NEARLY = 5e-4  # singular values of the scaled Jacobian below this are suspect: numbers with four decimals
OPEN, NEARLY_CLOSED = (
    1e-10,
    1e-5,
)  # gaps after a step of 0.05 rad that are not rounding, and too small for an obstruction
CLOSED = 1e-10  # neighbours that are open by more are next to no closed configuration
ENOUGH = 3  # configurations with fewer dof show that there are no others


@dataclass(frozen=True)
class LoopReport:
    """One loop: its cut joint, rows of that joint and rows kept, and what its two sides can do against the loop's root."""

    number: int
    joint: str
    full: int
    kept: int
    side_a: str
    side_b: str

    def __str__(self) -> str:
        dropped = f", {self.full - self.kept} redundant in every configuration" if self.kept < self.full else ""
        rows = f"{self.kept} of {self.full} constraint equations kept{dropped}"
        return f"loop {self.number}, cut at {self.joint!r}: {rows} (sides: {self.side_a}; {self.side_b})"


@dataclass(frozen=True)
class Mobility(Shown):
    """Degrees of freedom by count and by measurement.

    grubler: joints' freedoms minus six a loop and the rows of other constraints; regularized: minus the rows that the motion
    groups leave and the independent ones of the others; differential: at the configuration, non-holonomic rows included;
    local: of the configurations nearby. kind: "trivial" (each loop in its own motion group), "exceptional" (by intersection of
    motion groups), "topological" (parts are braced more than once), "paradoxical" (by dimensions: a change of them destroys
    it), "structure" (rigid); a property of the mechanism, whatever is cut. singular: differential and local differ.
    nearly: degrees of freedom more if axes and dimensions are exact to `nearly_size` only.
    """

    name: str
    grubler: int
    regularized: int
    differential: int
    local: int
    kind: str
    singular: bool
    rows: tuple[LoopReport, ...] = field(default=())
    extra_rows: int = 0  # drivers, couplings, contacts and the like
    non_holonomic: int = 0  # those of them that hold velocities only
    redundant: tuple[str, ...] = ()  # those of them that follow from the rest here
    singular_everywhere: bool = False  # the configurations nearby are as singular
    nearly: int = 0
    nearly_size: float = 0.0
    snappings: tuple[Snapping, ...] = ()  # joints that were made exact

    @property
    def words(self) -> str:
        """Whether the configuration is regular or singular."""
        if self.singular_everywhere:
            return "singular in all configurations nearby"
        return "singular configuration" if self.singular else "regular configuration"

    def __str__(self) -> str:
        lines = [
            f"{self.name or 'mechanism'}: {self.local} DOF, {self.kind} mobility, {self.words}",
            f"  Grübler {self.grubler}, regularized {self.regularized}, differential {self.differential}, local {self.local}",
        ]
        if self.rows:
            lines.append(f"  {self.kind}: {KINDS[self.kind]}")
        if self.singular:
            lines.append(f"  {self.words}: {SINGULAR[self.words]}")
        if self.nearly:
            lines.append(f"  {nearly(self.nearly, self.nearly_size)}")
        lines += [f"  {snapping}" for snapping in self.snappings]
        if self.extra_rows:
            lines.append(f"  {_counted(self.extra_rows, 'constraint equation')} of drivers and other constraints")
        if self.non_holonomic:
            lines.append(f"  {_counted(self.non_holonomic, 'non-holonomic constraint equation')}")
        if self.redundant:
            lines.append(f"  redundant in this configuration: {', '.join(self.redundant)}")
        if self.local == 0 and self.extra_rows:
            lines.append(f"  {DRIVEN}")
        return "\n".join([*lines, *(f"  {row}" for row in self.rows)])


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def mobility(
    mechanism_or_system: Mechanism | System, q: ArrayLike | None = None, t: float = 0.0, tolerance: float | None = None
) -> Mobility:
    """Report at q (the reference assembly by default) and time t.

    tolerance: that of `Mechanism.compile`; of a system, what is to be made exact besides what was when it was compiled."""
    if tolerance is not None and isinstance(mechanism_or_system, Mechanism):
        mechanism_or_system = compile_mechanism(mechanism_or_system, tolerance=tolerance)
    system = _with_tolerance(system_of(mechanism_or_system, mobility), tolerance)
    q = assemble(system, system.q0 if q is None else q, t=t)
    others = system.extra_rows
    differential = system.nv - rank(system, q, t)
    own, x = in_joint_coordinates(system, q)
    local = local_dof(own, x, differential, t)
    redundant = tuple(name for name in redundant_rows(system, q, t) if name in others.names) if others.names else ()
    extra, size = (
        nearly_free(own, x, t) if local.dof == differential else _nearly_passes(own, x, t, differential - local.dof)
    )
    return Mobility(
        system.name, _freedoms(system) - 6 * system.n_loops - len(others.names), _regularized(system, q, t), differential,
        local.dof, _kind(system, q, t, local.dof), differential != local.dof,
        tuple(_report(i, r) for i, r in enumerate(system.loop_rows, 1)),
        len(others.names), int(np.count_nonzero(~others.holonomic)), redundant, local.everywhere, extra, size, system.snappings,
    )  # fmt: skip


def _with_tolerance(system: System, tolerance: float | None) -> System:
    """The system, or the one that its mechanism gives with another tolerance."""
    if tolerance is None or checked_tolerance(tolerance) == system.choices["tolerance"]:
        return system
    choices = {**system.choices, "tolerance": tolerance}
    if system.coordinates == "relative" and system.cut_joints:
        choices["cut"] = list(system.cut_joints)
    found: System = system.mechanism.compile(**choices)
    return found


def _freedoms(system: System) -> int:
    return sum(c.joint.dof for c in system.mechanism.joints.values())


def _regularized(system: System, q: Array, t: float) -> int:
    """Freedoms of the joints minus what the loops take after regularization and the independent rows of the others."""
    independent = rank(system, q, t) - rank(system, q, t, loops_only=True) if system.extra_rows.names else 0
    return _freedoms(system) - _taken(system, system.loop_rows) - independent


def in_joint_coordinates(system: System, q: Array) -> tuple[System, Array]:
    """The same mechanism and configuration in joint coordinates, of which there are fewer; as given where that cannot be."""
    own = system if system.coordinates == "relative" else system.mechanism.compiled()
    if own is system or own.constraints.keys() != system.constraints.keys():
        return system, q
    try:
        return own, carried_configuration(own, system, q)
    except MotionError:
        return system, q


def _report(number: int, rows: LoopRows) -> LoopReport:
    a, b = rows.words()
    return LoopReport(number, rows.joint, rows.full, rows.kept, a.describe(), b.describe())


def _kind(system: System, q: Array, t: float, local: int) -> str:
    """Where the mobility comes from: of the mechanism as it is compiled by default, whatever was cut and regularized here."""
    if local == 0 and not system.extra_rows.names and system.loop_rows:
        return "structure"
    rows = _plain_rows(system)
    if local <= _regularized(system, q, t) + _taken(system, system.loop_rows) - _taken(system, rows):
        return "trivial" if all(r.trivial for r in rows) else "exceptional"
    if system.nv > STEPWISE or system.extra_rows.names:
        return "paradoxical"
    changed = survives(system.mechanism, local, _local_at_reference)
    if changed is None:
        return "paradoxical"
    return "topological" if has_rigid_parts(changed) else "exceptional"


def _local_at_reference(system: System) -> int:
    return local_dof(system, system.q0, system.nv - rank(system, system.q0)).dof


def _plain_rows(system: System) -> tuple[LoopRows, ...]:
    """Rows of the loops if nothing is told about where to cut them."""
    if system.choices["regularize"] and not system.choices["cut"] and system.coordinates == "relative":
        return system.loop_rows
    try:
        return choose_rows(assemble_graph(system.mechanism, False, ()), True, True)[1]
    except CoordinatesError:  # loops of joints that cannot be cut
        return system.loop_rows


def _taken(system: System, rows: tuple[LoopRows, ...]) -> int:
    """Rows and freedoms that loops take."""
    joints = system.mechanism.joints
    return sum(r.kept + joints[r.joint].joint.dof for r in rows)


def rank(system: System, q: Array, t: float = 0.0, loops_only: bool = False) -> int:
    """Rank of the full constraint Jacobian, lengths in units of the system and columns of unit size."""
    J, units = _scaled_jacobian(system, q, t)
    J = J[: len(J) - len(system.extra_rows.names)] if loops_only else J
    s = np.linalg.svd(unit_columns(J), compute_uv=False)
    gap = np.abs(constraint_residual(system, q, t, regularized=False) / units).max(initial=0.0)
    return reported(s, gap)


def nearly_free(system: System, q: Array, t: float = 0.0) -> tuple[int, float]:
    """(degrees of freedom more, size): those that equations take away which almost vanish, and the largest of these; where
    numbers have too few digits."""
    J = _scaled_jacobian(system, q, t)[0]
    s = np.linalg.svd(unit_columns(J), compute_uv=False)[: system.nv]
    few = s[(s > REPORTED) & (s < NEARLY)]
    return (len(few), float(few.max())) if len(few) and s[-1] < NEARLY and len(s) == system.nv else (0, 0.0)


def _nearly_passes(system: System, q: Array, t: float, more: int) -> tuple[int, float]:
    """(degrees of freedom more, gap): where velocities that begin no motion leave hardly any gap."""
    gap = least_gap(Tangent.at(Rows.of(system, t), q))
    return (more, gap) if OPEN < gap < NEARLY_CLOSED else (0, 0.0)


def _scaled_jacobian(system: System, q: Array, t: float) -> tuple[Array, Array]:
    """Jacobian of all rows in radians and the system's length, those of no joint of unit size; units of the rows."""
    J = constraint_jacobian(system, q, t, regularized=False)
    units, first = row_units(system, len(J)), len(J) - len(system.extra_rows.names)
    J = J / units[:, None] * column_units(system)
    J[first:] = unit_rows(J[first:])
    return J, units


@dataclass(frozen=True)
class Local:
    """Dimension of the closed configurations about one of them; everywhere: whether those nearby in general position still
    admit more velocities than that, so that the set is singular all along."""

    dof: int
    everywhere: bool = False


def local_dof(system: System, q: Array, differential: int, t: float = 0.0) -> Local:
    """Largest dimension of the branches of closed configurations through q.

    Neighbours in general position are reached by steps along admissible velocities. There second derivatives bound the
    dimension from above, and planes that fix as many coordinates decide whether it is reached."""
    if not differential:
        return Local(0)
    rows, best = Rows.of(system, t), Local(0)
    found = [Tangent.at(rows, there) for there in neighbours(system, q, differential, t)]
    closed = [x for x in found if np.abs(rows.residual(x.q)).max(initial=0.0) < CLOSED]
    bounds = [tangent.unobstructed().shape[1] for tangent in closed or found]
    for k, tangent in sorted(zip(bounds, closed or found, strict=True), key=lambda x: -x[0]):
        rolling = (
            0 if np.all(rows.holonomic) else system.nv - rank(system, tangent.q, t) - tangent.dimension
        )  # at most 0
        if k + rolling > best.dof:
            d = k if _independent(system, tangent) else slice_dimension(tangent, k, max(best.dof - rolling, 0))
            if d + rolling > best.dof:
                best = Local(d + rolling, d < tangent.dimension)
    if best.dof < differential and len(closed) < len(found) and np.all(rows.holonomic):
        return _at_least(best, slice_dimension(Tangent.at(rows, q), differential, best.dof))
    return best


def _at_least(best: Local, dof: int) -> Local:
    """What planes next to the configuration itself show, where steps in general position leave the set."""
    return Local(dof, True) if dof > best.dof else best


def _independent(system: System, tangent: Tangent) -> bool:
    """Whether the rows that regularization keeps are independent, so that the configuration is a regular one; or too many to
    be looked at otherwise."""
    return tangent.dimension == system.nv - int(np.count_nonzero(system.holonomic)) or system.nv > STEPWISE


def moves_freely(system: System, q: Array, differential: int, t: float = 0.0) -> bool:
    """Whether configurations next to q, in a direction at random, have as many dof as q; decided by a few of them."""
    if differential == 0:
        return True
    dofs = (system.nv - rank(system, there, t) for there in islice(neighbours(system, q, differential, t), ENOUGH))
    return any(dof == differential for dof in dofs)


def neighbours(system: System, q: Array, differential: int, t: float) -> Iterator[Array]:
    """Closed configurations next to q, by steps in admissible directions at random; those that cannot be made are left out."""
    J, columns = _scaled_jacobian(system, q, t)[0], column_units(system)
    null = np.linalg.svd(J)[2][-differential:].T if len(J) else np.eye(system.nv)
    rng = np.random.default_rng(1)
    for k in range(SAMPLES):
        x = null @ rng.standard_normal(differential)
        step = (0.02, 0.1)[k % 2]
        there = _moved_aside(system, q, step * columns * x / np.linalg.norm(x), int(np.argmax(np.abs(x))), t)
        if there is not None and 1e-2 * step < _distance(system, q, there) < 20.0 * step:
            yield there


def _moved_aside(system: System, q: Array, step: Array, leader: int, t: float) -> Array | None:
    """Closed configuration next to q + step at which one coordinate, the leader, has made its step: else the search might
    fall back to q, where the branches meet."""
    try:
        return assemble(system, displace(system, q, step), fixed=system.coordinate_names[leader], t=t, restarts=0)
    except AssemblyError:
        return None


def _distance(system: System, q: Array, other: Array) -> float:
    """Largest turn and displacement of a body from q to another configuration, about the system's origin and in its length."""
    D, origin = poses(system, other) @ inverse(poses(system, q)), system.world["origin"][0]
    shift = (D[:, :3, :3] @ origin + D[:, :3, 3] - origin) / length_of(system)
    return float(max(np.abs(D[:, :3, :3] - np.eye(3)).max(), np.abs(shift).max()))
