"""Forward dynamics of any system: accelerations, multipliers and joint reactions, by the formulation asked for.

A tree goes through articulated bodies; with constraints the dense formulations `index1`, `projection` and `voronets` solve
M v_dot + J^T lam = f, J v_dot = eta; `odca` divides and conquers without these matrices. They agree.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.rank import rank_tolerance
from cotree.constraints.units import length_of
from cotree.dynamics.charts import require_regular_charts
from cotree.dynamics.forward import NO_ROWS, ForwardDynamics, no_inertia, quick_forward_dynamics
from cotree.dynamics.forward import forward_dynamics as tree_dynamics
from cotree.dynamics.forward_many import forward_dynamics_many, forward_dynamics_of_trees, joined
from cotree.engine.kernel import kernel
from cotree.engine.vectors import both_finite
from cotree.errors import ChoiceError, SingularWarning
from cotree.formulations import registered  # noqa: F401  all of them
from cotree.formulations.careful import Answer, Terms, known_regular, settled
from cotree.formulations.chart import Chart, chart_at
from cotree.formulations.choice import divides_call
from cotree.formulations.choices import FormulationChoice, word_and_options
from cotree.formulations.contract import FORMULATIONS
from cotree.formulations.odca.forward import by_division
from cotree.formulations.reactions.constrained import Constrained
from cotree.formulations.terms import terms_at
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import coordinates, not_finite, of_systems, require_finite, velocities
from cotree.system.families import Doors, Systems
from cotree.system.members import Members, members_of
from cotree.system.sizes import DECOMPOSED
from cotree.system.system import System

Array = NDArray[np.float64]

UNLIKE = 1e4  # ratio of the roots of inertias beyond which rows are judged by their directions
# of the squared parts of rows that others leave, by divide and conquer: least that is accurate to 1e-8, most that is nothing,
# and least that is accurate to 1e-6
DOUBTFUL, NOTHING, WRONG = 1e-8, 1e-13, 1e-10


def forward_dynamics(
    system: Mechanism | System | Systems,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    formulation: str | FormulationChoice = "auto",
    t: float = 0.0,
    independent: Sequence[str] | None = None,
) -> ForwardDynamics:
    """Compute accelerations under gravity, force elements, joint forces and constraints.

    At a singular configuration the acceleration is that of the motion which passes along v.

    Parameters
    ----------
    system : System, Mechanism or Systems
        A mechanism is compiled with the default options.
    q : array_like of shape (..., nq)
        Coordinates of one state or of many.
    v : array_like of shape (..., nv), optional
        Velocities; zero by default.
    tau : array_like of shape (..., nv), optional
        Forces along the coordinates [N m or N]; zero by default.
    formulation : str or value, optional
        "auto" (articulated bodies for a tree, else "projection" or "odca"), "index1",
        "projection", "voronets" or "odca".
    t : float, optional
        Time [s], for drives and functions of time.
    independent : sequence of str, optional
        With "voronets": coordinates in which the equations are solved.

    Returns
    -------
    ForwardDynamics
        `.v_dot`, `.multipliers`, `.reactions` by joint; `.doubt` says where v does not
        decide the acceleration.

    Warns
    -----
    SingularWarning
        Where the acceleration is not unique.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> result = ct.forward_dynamics(system, system.q0)
    >>> result.v_dot.shape, sorted(result.reactions)
    ((3,), ['A', 'B', 'C', 'D'])
    """
    if (
        independent is None
        and type(formulation) is str
        and formulation == "auto"
        and type(t) is float
        and -inf < t < inf
    ):
        v_dot = quick_forward_dynamics(system, q, v, tau)
        if type(v_dot) is ndarray:
            return ForwardDynamics(system, q, v, t, v_dot, NO_ROWS)  # type: ignore[arg-type]  # quick for systems only
    word, options = word_and_options(formulation, FormulationChoice, FORMULATIONS, "formulation")
    named = options.get("independent") if independent is None else independent
    return _forward_dynamics_of(
        system, q, v, tau, word, t, None if isinstance(named, str) and named == "auto" else named
    )


def _of_systems(systems: Systems, many: Members, single: Any, others: dict[str, Any]) -> ForwardDynamics | None:
    """Of several trees without functions on lanes."""
    if others["formulation"] != "auto" or not systems.cached("plain", lambda: all(map(_is_plain, systems))):
        return None
    return forward_dynamics_of_trees(systems, many, single, others["t"])


def _is_plain(system: System) -> bool:
    """Whether it is a tree without forces that are functions."""
    return not (system.n_constraints or len(system.cuts) or system.elements.functions)


@of_systems(Doors("q", "v", "tau", lanes=_of_systems, joined=joined), forward_dynamics)
def _forward_dynamics_of(
    system: System, q: Any, v: Any, tau: Any, formulation: str, t: float, independent: Any
) -> ForwardDynamics:
    """The same for arguments that must be converted, or that something is wrong with, and for all but plain trees."""
    if independent is not None and formulation != "voronets":
        raise ChoiceError(f"independent= is for formulation='voronets', not for {formulation!r}")
    many = members_of(system, q=q, v=v, tau=tau)
    if many is not None:
        plain = formulation == "auto" and _is_plain(system)

        def single(q: Array, v: Array, tau: Array) -> ForwardDynamics:
            return _forward_dynamics_of(system, q, v, tau, formulation, t, independent)

        return forward_dynamics_many(system, many, t, None if plain else single)
    if formulation == "auto" and not system.n_constraints:
        found = tree_dynamics(system, q, v, tau, t)
        if not len(system.cuts):
            return found
        return Constrained(system, found.q, found.v, t, Answer(found.v_dot, found.multipliers, 0))
    q, v, tau = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    if formulation == "odca" or (formulation == "auto" and divides_call(system)):
        answer = _divided(system, q, v, tau, t)
    else:
        chart = None if independent is None else chart_at(system, q, t, independent)
        answer = _dense(*terms_at(system, q, v, tau, t), tau, formulation, chart)
    require_regular_charts(system, q)
    if answer.doubt:
        warnings.warn(SingularWarning(answer.doubt), stacklevel=4)  # the public function and its door are between
    return Constrained(system, q, v, t, answer)


@kernel
def _are_unlike(M):
    """Whether the numbers on the diagonal are of very different sizes."""
    least, most = np.inf, 0.0
    for i in range(M.shape[0]):
        least, most = min(least, abs(M[i, i])), max(most, abs(M[i, i]))
    return most > UNLIKE * least


def _dense(terms: Terms, gaps: Array, tau: Array, formulation: str, chart: Chart | None = None) -> Answer:
    """By a formulation with matrices, looked at again where rows depend on each other or weights are very unlike."""
    system, (M, J) = terms.system, (terms.M.copy(), terms.J.copy())
    v_dot, lam = np.empty(system.nv), np.empty(len(J))
    tolerance = rank_tolerance(gaps, system.cached("length", lambda: length_of(system)))
    solver = FORMULATIONS[formulation].solver
    assert solver is not None
    more: tuple[NDArray[np.int64], ...] = ()
    if chart is not None:
        wanted = np.full(system.nv, -1)
        wanted[chart.independent] = 0
        more = (wanted,)
    status = int(solver(M, J, terms.f, terms.eta, tolerance, v_dot, lam, *more))
    if status < 0:
        require_finite(system, q=terms.q, v=terms.v, tau=tau)
        no_inertia(system, -status - 1, terms.q)
    if not both_finite(v_dot, lam):
        not_finite(system, "forward_dynamics", q=terms.q, v=terms.v, tau=tau)
    found = Answer(v_dot, lam, status)
    # roots of the mass matrix, but for Voronets equations, which do not mind
    unlike = len(J) > 0 and formulation != "voronets" and bool(_are_unlike(M))
    if chart is not None or (known_regular(system, status) and not unlike) or system.nv > DECOMPOSED:
        return found
    return settled(terms, found, unlike)


def _divided(system: System, q: Array, v: Array, tau: Array, t: float) -> Answer:
    """By divide and conquer; looked at again, with matrices, where its pivots leave doubt."""
    v_dot, lam, rank, (least, dropped) = by_division(system, q, v, tau, t)
    doubtful, small = least < DOUBTFUL or dropped > NOTHING, system.nv <= DECOMPOSED
    most = system.cache["greatest rank"] = max(rank, system.cache.get("greatest rank", 0))
    if known_regular(system, rank) and (not doubtful or not system.n_constraints):
        return Answer(v_dot, lam, rank)
    if small:
        return settled(terms_at(system, q, v, tau, t)[0], Answer(v_dot, lam, rank), doubtful)
    if rank == most and least > WRONG and dropped <= NOTHING:
        return Answer(v_dot, lam, rank, None)
    return Answer(v_dot, lam, rank, None, _doubt(system, rank, most, least))


def _doubt(system: System, rank: int, most: int, least: float) -> str:
    lost = f"rank {rank} here, {most} elsewhere" if rank < most else f"pivots of {least:.0e}"
    return (
        f"system {system.name!r}: with formulation 'odca' it is uncertain which constraint equations are independent "
        f"here ({lost}), and therefore the acceleration; the configuration is close to a singular one, or some "
        f"bodies are too light. Check with a dense formulation such as 'projection'"
    )
