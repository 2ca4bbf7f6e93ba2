"""Rest positions: where a mechanism stays when it is put there, with loops, springs, motors, drivers and stops."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.constraints.assembly import assemble
from cotree.constraints.initial_state import named_configuration, own_start
from cotree.dynamics.api import energy, mass_matrix
from cotree.dynamics.charts import require_regular_charts
from cotree.dynamics.cut_springs import REMEDY, cut_springs
from cotree.dynamics.law_states import with_states
from cotree.errors import AssemblyError, EquilibriumError, StudyError, StudyWarning
from cotree.formulations.careful import Answer
from cotree.formulations.reactions.constrained import Constrained
from cotree.formulations.reactions.self_stress import self_stress
from cotree.judge import NEGLIGIBLE, SATISFIED
from cotree.model.checks import names, whole
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.studies.acting_devices import NO_LOADS, NO_SAMPLES
from cotree.studies.law_states import LawStates, law_states
from cotree.studies.load_steps import balanced
from cotree.studies.relaxation import Settled, relax, solve_forces
from cotree.studies.rest_problem import RestProblem, rest_problem, sliding
from cotree.studies.rest_stability import GROWING, kind_of
from cotree.studies.rest_with_laws import rest_with_laws, small_motions
from cotree.studies.starts import distinct, shaken
from cotree.studies.statics import Rest
from cotree.studies.words import forces, position, share_of_load
from cotree.system.arguments import coordinates, of_system, require_finite
from cotree.system.system import System
from cotree.typing import Coordinates

Array = NDArray[np.float64]
MOST_STARTS = 100_000
JUMPS = np.pi - 1e-3  # rad: a spring on a cut joint that is so near to half a turn has stopped the search


@dataclass(frozen=True, eq=False)
class Equilibrium(Shown):
    """A rest position.

    q: the position. stable: whether small disturbances stay small; kind: "stable", "unstable", or "indifferent", where some
    displacement meets no force. reactions: (moment, force) [N m, N] that each joint transmits to its child, by name, in world
    axes about the world's origin. holding: force [N m or N] that holds each coordinate named in `fixed`. stops: force of each
    stop that is leant on, along its coordinate. unique: whether redundant constraints leave all reactions determined.
    stiffness (k, k): along the displacements that are free, of unit size in the metric of the masses; potential: energy [J].
    unbalanced: what is left of the forces, relative to those that act. others: all rest positions that were found, this one
    first. law_states: values of the states that laws have of their own, by name, at which they do not change. system: what
    rests.
    """

    q: Array
    stable: bool
    kind: str
    reactions: dict[str, Array]
    holding: dict[str, float]
    stops: dict[str, float]
    unique: bool
    stiffness: Array
    potential: float
    unbalanced: float
    others: tuple[Equilibrium, ...] = field(default=(), repr=False)
    law_states: dict[str, float] = field(default_factory=dict)
    system: System = field(repr=False, kw_only=True)

    def __str__(self) -> str:
        lines = [
            f"{self.system.name}: rest position, {self.kind}; potential energy {self.potential:.6g} J",
            position(self.system, self.q),
        ]
        for what, found in (("held by", self.holding), ("leaning on", self.stops), ("states of laws", self.law_states)):
            if found:
                lines.append(f"{what} {forces(found)}")
        lines.append(share_of_load(self.unique))
        if len(self.others) > 1:
            lines.append(f"{len(self.others)} rest positions were found, see .others")
        return "\n  ".join(lines)


EQUILIBRIUM = declare(
    "ct.equilibrium",
    refuses={"contacts": "it does not know what bodies that touch bear; leave them out", **NO_SAMPLES, **NO_LOADS},
)


@of_system
def equilibrium(
    system: System | Mechanism,
    q: Coordinates | None = None,
    fixed: Iterable[str] = (),
    t: float = 0.0,
    starts: int = 1,
) -> Equilibrium:
    """Find a rest position.

    The mechanism sinks from q as in thick oil until all forces balance; a q that is a rest
    position already is returned as it is, stable or not. Drives stay where they are at time t,
    limits stop, locks that are closed from the start hold, brakes hold up to their torque.

    Parameters
    ----------
    system : System or Mechanism
        What rests.
    q : array_like or dict, optional
        Coordinates to begin with; by default the mechanism's start or the reference
        assembly.
    fixed : str or iterable of str, optional
        Coordinates that keep their values.
    t : float, optional
        Time [s], for drives and functions of time.
    starts : int, optional
        With more than one, other positions are tried as well; `.others` lists all rest
        positions, stable ones first.

    Returns
    -------
    Equilibrium
        `.q`, `.stable`, `.kind`, `.reactions` by joint, `.holding` by fixed coordinate and
        more.

    Raises
    ------
    EquilibriumError
        If there is no rest position to be found, with the force that remains.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> ct.equilibrium(mech, {"J1": 0.2}).kind
    'stable'
    """
    assert isinstance(system, System)
    EQUILIBRIUM.admit(system.features)
    count = whole(starts, "starts", 1, MOST_STARTS)
    start = _start(system, q, t)
    problem = rest_problem(system, start, names(fixed, "fixed"), t)
    laws = law_states(system, start, np.zeros(system.nv), t, None)
    if len(laws.places):
        rest_of_laws = _with_laws(problem, start, laws, count)
        _look_at_springs(system, [rest_of_laws])
        return rest_of_laws
    first = _settled(problem, start)
    found = [first] if first is not None and first[1].found else []
    if count > 1:
        found = distinct(system, found + _others(problem, start, count - 1))
    if not found:
        raise EquilibriumError(_not_found(problem, first))
    made = [_equilibrium(*pair) for pair in found]
    if count > 1 and not (first is not None and first[1].found):
        made.sort(key=lambda e: e.kind == "unstable")
    _look_at_springs(system, made)
    best = made[0]
    rest = sorted(made[1:], key=lambda e: (e.kind == "unstable", e.potential))
    object.__setattr__(best, "others", (best, *rest))
    return best


def _look_at_springs(system: System, found: Iterable[Equilibrium]) -> None:
    """Warn of springs on joints that are cut and have turned further than the spring sees."""
    for spring in cut_springs(system):
        angles = [spring.angle(system, e.q) for e in found]
        far = max(angles, key=abs)
        if abs(far) > np.pi:
            text = f"equilibrium of mechanism {system.name!r}: {spring.words}; the joint is at {far:.4g} rad. {REMEDY}"
            warnings.warn(text, StudyWarning, stacklevel=4)


def _with_laws(problem: RestProblem, start: Array, laws: LawStates, count: int) -> Equilibrium:
    """A rest position of which states of laws are a part; stable if its small motions are."""
    whose = f"system {problem.base.name!r} has laws with states of their own ({', '.join(laws.names)})"
    if count > 1:
        raise StudyError(f"equilibrium: {whose}, with which rest is sought from one start only; leave out starts=")
    q, laws = rest_with_laws(problem.rest, start, laws)
    t = problem.rest.t
    with with_states(laws.z):
        found = _settled(problem, q)
        made = _equilibrium(*found) if found is not None and found[1].found else None
    moved = made is not None and float(np.abs(made.q - q).max(initial=0.0)) > SATISFIED
    if found is None or made is None or moved or made.stops or problem.brakes:
        against = [*(problem.stops if made is None else made.stops), *problem.brakes]
        why = f"rests against {', '.join(against)}" if against else "is not kept at rest while they are held"
        raise StudyError(
            f"equilibrium: {whose} and {why}; stops that are leant on and brakes are not known together with such states, nor "
            "positions that only the states make stable: leave them out, give another q, or use ct.simulate"
        )
    kind = made.kind
    if len(made.stiffness):
        values = np.linalg.eigvals(small_motions(found[1].statics, laws, t))
        growth, size = float(values.real.max()), float(np.abs(values).max())
        least = float(np.abs(values).min())
        kind = "unstable" if growth > GROWING * size else "stable" if least > NEGLIGIBLE * size else "indifferent"
    made = replace(made, kind=kind, stable=kind == "stable", law_states=laws.values)
    object.__setattr__(made, "others", (made,))
    return made


def _start(system: System, q: Coordinates | None, t: float) -> Array:
    if isinstance(q, dict):
        return named_configuration(system, q, own_start(system, t)[0], t)
    x = own_start(system, t)[0] if q is None else coordinates(system, q)
    require_finite(system, q=x)
    return assemble(system, x, t=t)


def _settled(problem: RestProblem, q: Array) -> tuple[RestProblem, Settled] | None:
    """From q to rest; brakes that cannot hold slide until they can. Beams are bent by growing loads first."""
    if "beams" in problem.base.features and not problem.stops and not problem.brakes:
        settled = _bent(problem.rest, q)
        if settled is not None:
            return problem, settled
    settled = relax(problem.rest, problem.stops, q)
    while settled is not None:  # each brake slides once
        slipping = sliding(problem, settled)
        if slipping is None:
            return problem, settled
        problem = slipping
        settled = relax(problem.rest, problem.stops, settled.statics.q)
    return None


def _bent(rest: Rest, q: Array) -> Settled | None:
    """The rest position that growing loads lead to."""
    closed = rest.closed(q, mass_matrix(rest.system, q))
    settled = None if closed is None else balanced(rest, closed)
    return None if settled is None else Settled(rest.at(settled), rest, True)


def _others(problem: RestProblem, start: Array, count: int) -> list[tuple[RestProblem, Settled]]:
    found = []
    for q in shaken(problem.rest.system, start, count, problem.rest.columns):
        try:
            x = problem.rest.closed(q, np.eye(problem.rest.system.nv))
            if x is None:
                continue
            pair = _settled(problem, x)
            if pair is not None and pair[1].found:
                found.append(pair)
            any_kind = solve_forces(problem.rest, problem.stops, x)
            if any_kind is not None and any_kind.found:
                found.append((problem, any_kind))
        except (AssemblyError, ArithmeticError):
            continue
    return found


def _equilibrium(problem: RestProblem, settled: Settled) -> Equilibrium:
    now, rest = settled.statics, settled.rest
    system, m = rest.system, len(rest.rows)
    require_regular_charts(system, now.q)
    lam = np.zeros(system.n_constraints)
    lam[rest.rows] = now.lam[:m]
    still = np.zeros(system.nv)
    answer = Constrained(system, now.q, still, rest.t, Answer(still, lam, m))
    kind = kind_of(now, "beams" in system.features)
    return Equilibrium(
        q=now.q,
        stable=kind == "stable",
        kind=kind,
        reactions=answer.reactions,
        holding=problem.holding(lam, now.lam[m:]),
        stops={n: -float(lam[s.row]) for n, s in problem.stops.items() if s.row in rest.shut},
        unique=_is_determined(problem.in_force(rest, now.q) if rest.open else system, now.q, rest.t),
        stiffness=now.K,
        potential=energy(problem.base, now.q, still).potential,
        unbalanced=now.unbalanced,
        system=problem.base,
    )


def _is_determined(system: System, q: Array, t: float) -> bool:
    stress = self_stress(system, q, t)
    return not stress.undetermined and not stress.constraints


def _not_found(problem: RestProblem, last: tuple[RestProblem, Settled] | None) -> str:
    name = problem.base.name
    if last is None:
        return (
            f"system {name!r}: loops, drivers and stops cannot all be closed from this start, so that no rest position was "
            "found; give another q, or starts=50 to try others"
        )
    now = last[1].statics
    force = now.f - now.J.T @ now.lam
    k = int(np.argmax(np.abs(force)))
    spring = next((s for s in cut_springs(problem.base) if abs(s.seen(problem.base, now.q)) > JUMPS), None)
    if spring is not None:
        return (
            f"system {name!r}: no rest position was found from this start; {spring.words}, and the joint is at half a turn, "
            f"where the spring jumps. {REMEDY}"
        )
    return (
        f"system {name!r}: no rest position was found from this start; along coordinate {problem.base.v_names[k]!r} a force of "
        f"{force[k]:.6g} stays out of balance. Where nothing resists a motion there is no rest position: add a spring or a "
        f"limit, hold a coordinate by fixed=[...], or give another q, or starts=50 to try others"
    )
