"""Mobility report: how many degrees of freedom, and why [Reg]."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown, listed
from cotree.constraints.api import first_jobs
from cotree.constraints.assembly import assemble
from cotree.constraints.local_dof import Local, local_dof
from cotree.constraints.measured_rank import nearly_free, rank
from cotree.constraints.mobility_words import DRIVEN, SINGULAR, counted, explained, named, nearly, undecided
from cotree.constraints.perturbed import bare, decisive_joints, has_rigid_parts, survives
from cotree.constraints.redundancy import redundant_rows
from cotree.constraints.tangents import Rows
from cotree.engine.together import compile_together
from cotree.errors import CoordinatesError, MotionError
from cotree.kinematics.other_coordinates import carried_configuration
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

PLACES = re.compile(r"\([^()]*\)")  # points and directions in words
OPEN, NEARLY_CLOSED = 1e-10, 2e-6  # gaps after a step of 0.05 rad: not rounding, and too small for an obstruction
PER_ROUNDING = 100.0  # gaps of a loop far away from the rest are rounding up to this many times the last digit


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
        return f"loop {self.number}, cut at {self.joint!r}: {self.words}"

    @property
    def words(self) -> str:
        """What is said of it beside its number and the joint at which it is cut."""
        dropped = f", {self.full - self.kept} redundant in every configuration" if self.kept < self.full else ""
        rows = f"{self.kept} of {self.full} constraint equations kept{dropped}"
        return f"{rows} (sides: {self.side_a}; {self.side_b})"


@dataclass(frozen=True)
class Mobility(Shown):
    """Degrees of freedom by count and by measurement.

    grubler: joints' freedoms minus six a loop and the rows of other constraints; regularized: minus the rows that the motion
    groups leave and the independent ones of the others; differential: at the configuration, non-holonomic rows included;
    local: of the configurations nearby. kind: "trivial" (each loop in its own motion group), "exceptional" (by intersection of
    motion groups), "topological" (parts are braced more than once), "paradoxical" (by dimensions: a change of them destroys
    it), "structure" (rigid), "uncertain" (it differs between the numbers in `bounds`); a property of the mechanism, whatever
    is cut. singular: differential and local differ.
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
    bounds: tuple[int, int] | None = None  # least and most of `local`, where they could not be told apart
    owed_to: tuple[str, ...] = ()  # of paradoxical mobility: joints that cannot be moved on their own without losing it
    margin: float = (
        np.inf
    )  # decades by which a singular value would have to change for `differential` to be another number

    @property
    def words(self) -> str:
        """Whether the configuration is regular or singular."""
        if self.bounds and self.bounds[1] >= self.differential:
            return "perhaps a singular configuration"
        if self.singular_everywhere:
            return "singular in all configurations nearby"
        return "singular configuration" if self.singular else "regular configuration"

    def __str__(self) -> str:
        dof = counted(self.local, self.bounds)
        lines = [
            f"{self.name or 'mechanism'}: {dof} DOF, {named(self.kind)}, {self.words}",
            f"  Grübler {self.grubler}, regularized {self.regularized}, differential {self.differential}, local {dof}",
        ]
        if self.rows:
            redundant = self.grubler != self.local or any(loop.kept < loop.full for loop in self.rows)
            why = explained(self.kind, self.owed_to, bool(self.nearly), redundant)
            lines.append(f"  {self.kind}: {why}")
        if self.singular:
            lines.append(f"  {self.words}: {SINGULAR[self.words]}")
        if self.bounds:
            lines.append(f"  {undecided(*self.bounds, self.nearly_size)}")
        elif self.nearly:
            lines.append(f"  {nearly(self.nearly, self.nearly_size)}")
        lines += [f"  {snapping}" for snapping in self.snappings]
        if self.extra_rows:
            lines.append(f"  {_counted(self.extra_rows, 'constraint equation')} of drivers and other constraints")
        if self.non_holonomic:
            lines.append(f"  {_counted(self.non_holonomic, 'non-holonomic constraint equation')}")
        if self.redundant:
            lines.append(f"  redundant in this configuration: {', '.join(self.redundant)}")
        if self.local == 0 and self.extra_rows and not self.bounds:
            lines.append(f"  {DRIVEN}")
        return "\n".join([*lines, *(f"  {words}" for words in _grouped(self.rows))])


def _grouped(rows: tuple[LoopReport, ...]) -> list[str]:
    """Words for all loops; those that are alike but for where their joints are in one line."""
    alike: dict[str, list[LoopReport]] = {}
    for row in rows:
        alike.setdefault(PLACES.sub("(...)", row.words), []).append(row)
    return [
        str(group[0])
        if len(group) == 1
        else f"{len(group)} loops, cut at {listed(repr(x.joint) for x in group)}: {words}"
        for words, group in alike.items()
    ]


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def mobility(
    mechanism_or_system: Mechanism | System, q: ArrayLike | None = None, t: float = 0.0, tolerance: float | None = None
) -> Mobility:
    """Count degrees of freedom and explain redundant constraints.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,), optional
        Coordinates; the reference assembly by default.
    t : float, optional
        Time [s], for drives and functions of time.
    tolerance : float, optional
        That of `Mechanism.compile`; for a system, what is to be made exact besides.

    Returns
    -------
    Mobility
        `.grubler`, `.regularized`, `.differential`, `.local`, `.kind`, `.singular`, `.rows`
        by loop; `print` explains them.

    See Also
    --------
    singularities : Along a motion or over a grid.

    Examples
    --------
    >>> report = ct.mobility(ct.gallery.four_bar())
    >>> report.grubler, report.local, report.kind
    (-2, 1, 'trivial')
    """
    if tolerance is not None and isinstance(mechanism_or_system, Mechanism):
        mechanism_or_system = compile_mechanism(mechanism_or_system, tolerance=tolerance)
    system = _with_tolerance(system_of(mechanism_or_system, mobility), tolerance)
    if system.n_constraints:
        compile_together(first_jobs())
    q = assemble(system, system.q0 if q is None else q, t=t)
    others = system.extra_rows
    counted_rows = rank(system, q, t)
    differential = system.nv - counted_rows
    own, x = in_joint_coordinates(system, q)
    local = local_dof(own, x, differential, t)
    kind, owed_to = _kind_within(system, q, t, local)
    redundant = tuple(name for name in redundant_rows(system, q, t) if name in others.names) if others.names else ()
    extra, size, bounds = _doubt(own, x, t, differential, local)
    return Mobility(
        system.name, _freedoms(system) - 6 * system.n_loops - len(others.names), _regularized(system, q, t), differential,
        local.dof, kind, differential != local.dof,
        tuple(_report(i, r) for i, r in enumerate(system.loop_rows, 1)),
        len(others.names), int(np.count_nonzero(~others.holonomic)), redundant, local.everywhere, extra, size, system.snappings,
        bounds, owed_to, counted_rows.margin,
    )  # fmt: skip


def _doubt(
    system: System, q: Array, t: float, differential: int, local: Local
) -> tuple[int, float, tuple[int, int] | None]:
    """(extra, size, bounds): degrees of freedom more if numbers are exact to `size` only, which are directions that equations
    almost leave free and admissible velocities that almost are motions; bounds of the count where it is not decided."""
    free, size = nearly_free(system, q, t)
    least, most = local.bounds
    bounds = (least, most + free) if least < most else None
    rounding = PER_ROUNDING * Rows.of(system, t).rounding
    if local.dof < differential and max(OPEN, rounding) < local.gap < NEARLY_CLOSED:
        return free + differential - local.dof, max(size, local.gap), bounds
    return free, size, bounds


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


def _kind_within(system: System, q: Array, t: float, local: Local) -> tuple[str, tuple[str, ...]]:
    """The word, if it is the same for all numbers of degrees of freedom that are possible."""
    found = _kind(system, q, t, local.dof)
    others = (_kind(system, q, t, dof)[0] for dof in set(local.bounds) - {local.dof})
    return found if all(kind == found[0] for kind in others) else ("uncertain", ())


def _kind(system: System, q: Array, t: float, local: int) -> tuple[str, tuple[str, ...]]:
    """Where the mobility comes from, and to which joints it is owed: of the mechanism as it is compiled by default, whatever
    was cut and regularized here."""
    if local == 0 and not system.extra_rows.names and system.loop_rows:
        return "structure", ()
    rows = _plain_rows(system)
    if local <= _regularized(system, q, t) + _taken(system, system.loop_rows) - _taken(system, rows):
        return ("trivial" if all(r.in_one_group for r in rows) else "exceptional"), ()
    return _by_change(system.mechanism, local if not system.extra_rows.names else None)


def _by_change(mech: Mechanism, dof: int | None) -> tuple[str, tuple[str, ...]]:
    """The same where motion groups do not explain the mobility, by a change of dimensions. dof: None where other constraints
    take some; the loops' own count then, which they owe to themselves."""
    if dof is None:
        mech = bare(mech)
        dof = _local_at_reference(mech.compiled())
    changed = survives(mech, dof, _local_at_reference)
    if changed is None:
        return "paradoxical", decisive_joints(mech, dof, _local_at_reference)
    return ("topological" if has_rigid_parts(changed) else "exceptional"), ()


def _local_at_reference(system: System) -> int:
    """Degrees of freedom; of large systems, whose dimensions are in general position, those of velocities."""
    differential = system.nv - rank(system, system.q0)
    return differential if system.nv > STEPWISE else local_dof(system, system.q0, differential).dof


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
