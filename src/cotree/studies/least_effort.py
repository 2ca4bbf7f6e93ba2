"""`least_effort`: forces that take a mechanism from one state to another with least effort, by direct collocation.

States at nodes and forces at nodes and midpoints are the unknowns; motion between nodes follows the method of Hermite and
Simpson, and the integral of the squared forces is least. IPOPT solves it with exact derivatives of the dynamics, in which loops
are closed at the level of accelerations: positions keep to them as well as the method does, to fourth order in the steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.initial_state import named_configuration, own_start
from cotree.errors import ArgumentError, StudyError, UnknownNameError
from cotree.integrate.choices import Adaptive
from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate
from cotree.io.native.texts import package
from cotree.model.checks import floats, number, shown, whole
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism, nearest
from cotree.studies.functions.dynamics import DYNAMICS_FUNCTION, DynamicsFunction, dynamics_function
from cotree.system.arguments import coordinates, of_system, time_of, velocities
from cotree.system.system import System
from cotree.typing import Coordinates
from cotree.view.plots import finished

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

Array = NDArray[np.float64]
RATE = ".rate"
LEAST_EFFORT = declare("ct.least_effort", on=(DYNAMICS_FUNCTION,))
MOST_STEPS = 2000
QUIET = {
    "ipopt.hessian_approximation": "limited-memory", "ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": 0,
    "ipopt.max_iter": 1000,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class LeastEffort:
    """t (T,), q (T, nq), v (T, nv): the motion at its nodes; force_t, force (2 T - 1, inputs): at nodes and midpoints, by
    `inputs`; effort: the integral of the squared forces."""

    t: Array
    q: Array
    v: Array
    force_t: Array
    force: Array
    inputs: tuple[str, ...]
    effort: float
    system: System = field(repr=False)

    def at(self, t: float) -> Array:
        """(inputs,): forces at a time, by quadratics within each interval; zero before and after."""
        if not self.t[0] <= t <= self.t[-1]:
            return np.zeros(len(self.inputs))
        last = len(self.force) - 1
        s = (t - self.t[0]) / (self.t[-1] - self.t[0]) * last
        i = 2 * min(int(s / 2), last // 2 - 1)
        (a, b, c), s = self.force[i : i + 3], s - i
        return np.asarray(a * (1 - s) * (2 - s) / 2 + b * s * (2 - s) + c * s * (s - 1) / 2)

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Coordinates and forces over time; written to a file if a path is given."""
        package("matplotlib", "plot")
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.0, 5.0), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(self.t, self.q, ".-", label=self.system.q_names)
        below.plot(self.force_t, self.force, label=self.inputs)
        above.set_ylabel("coordinates [rad, m]")
        below.set(xlabel="t [s]", ylabel="forces [N m, N]")
        for panel in (above, below):
            panel.legend(fontsize="small")
            panel.grid(alpha=0.3)
        return finished(figure, path, dpi=110)

    def run(self, t_end: float | None = None, **options: Any) -> Run:
        """A simulation under these forces, which must arrive where the optimum does; options: as for `simulate`."""
        mech = deepcopy(self.system.mechanism)
        for k, name in enumerate(self.inputs):
            joint, _, coordinate = name.partition(".")
            mech.motor(f"least effort of {name}", joint, lambda t, k=k: float(self.at(t)[k]), coordinate or None)
        step = float(self.t[1] - self.t[0])
        end = float(self.t[-1]) if t_end is None else t_end
        steps = {} if "max_step" in options else {"step": Adaptive(max_step=step / 2)}
        return simulate(mech, end, **({"q": self.q[0], "v": self.v[0], **steps} | options))


@of_system
def least_effort(
    system: System | Mechanism,
    t_end: float,
    inputs: Sequence[str],
    end: Mapping[str, float],
    *,
    q: Coordinates | None = None,
    v: Coordinates | None = None,
    most: float | None = None,
    steps: int = 40,
    guess: ArrayLike | None = None,
    tolerance: float = 1e-6,
) -> LeastEffort:
    """Find forces that take a mechanism from a start to an end in a given time with least effort.

    Needs casadi: pip install 'cotree[casadi]'.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    t_end : float
        Time [s].
    inputs : sequence of str
        Coordinates that are driven.
    end : dict of str to float
        Coordinates, and rates as name + ".rate", at the end. Rates of named coordinates are
        zero there by default.
    q : array_like or dict, optional
        Start, as for `simulate`.
    v : array_like or dict, optional
        Start velocities, as for `simulate`.
    most : float, optional
        Largest force [N m or N].
    steps : int, optional
        Intervals of the collocation.
    guess : array_like of shape (steps + 1, states), optional
        Where the search begins.
    tolerance : float, optional
        Tolerance of the search.

    Returns
    -------
    LeastEffort
        Times, states and forces.

    Raises
    ------
    MissingPackageError
        Without casadi.
    StudyError
        If the search ends without a motion.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> ct.least_effort(mech, 1.0, ["J1"], {"J1": 0.5}, steps=10).q.shape
    (11, 1)
    """
    assert isinstance(system, System)
    f, time, count = dynamics_function(system, inputs), time_of("t_end", t_end), whole(steps, "steps", 1, MOST_STEPS)
    if not f.inputs or not set(f.inputs) <= set(system.v_names):
        raise ArgumentError(f"least_effort: inputs is {shown(inputs)}; name coordinates along which forces act")
    x, u = _start(system, q, v)
    wanted = _end(f, end)
    begin = _guess(system, x, u, wanted, count) if guess is None else _given(guess, (count + 1, len(f.states)))
    begin[0] = np.concatenate([x, u])
    states, forces, effort = _solved(f, begin, wanted, time, most, tolerance)
    states[0] = begin[0]
    t, between = np.linspace(0.0, time, count + 1), np.linspace(0.0, time, 2 * count + 1)
    return LeastEffort(t, states[:, : system.nq], states[:, system.nq :], between, forces, f.inputs, effort, system)


def _start(system: System, q: Coordinates | None, v: Coordinates | None) -> tuple[Array, Array]:
    own_q, own_v, _ = own_start(system)
    x = named_configuration(system, q, own_q, 0.0) if isinstance(q, Mapping) else own_q if q is None else q
    x = assemble(system, coordinates(system, x))
    u = own_v if v is None else v if isinstance(v, Mapping) else velocities(system, v)
    return x, consistent_velocity(system, x, u)


def _end(f: DynamicsFunction, end: Any) -> dict[str, float]:
    """Values of states at the end, with rates of zero."""
    if not isinstance(end, Mapping) or not end:
        raise ArgumentError(f'least_effort: end is {shown(end)}; give a dict by names as in {{"hinge": 3.14}}')
    for name in end:
        if name not in f.states:
            raise UnknownNameError(f"least_effort: end: no coordinate or rate {shown(name)}{nearest(name, f.states)}")
    values = {name: number(value, name, "end") for name, value in end.items()}
    still = [name + RATE for name in values if not name.endswith(RATE) and name + RATE in f.states]
    return dict.fromkeys(still, 0.0) | values


def _guess(system: System, q: Array, v: Array, end: dict[str, float], steps: int) -> Array:
    """A motion of the coordinates named at the end by a polynomial that begins and ends at rest."""
    names = [n for n in end if n in system.q_names and n in system.v_names]
    rows, x = list[Array](), q
    first = {n: float(q[system.q_index(n)]) for n in names}
    for s in np.linspace(0.0, 1.0, steps + 1):
        part = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        x = x.copy()
        for n in names:
            x[system.q_index(n)] = first[n] + part * (end[n] - first[n])
        x = assemble(system, x, fixed=names) if system.n_constraints else x
        rows.append(np.concatenate([x, np.zeros(system.nv)]))
    return np.array(rows)


def _given(guess: Any, shape: tuple[int, int]) -> Array:
    found = floats(guess)
    if found is None or found.shape != shape or not np.isfinite(found).all():
        raise ArgumentError(f"least_effort: guess is {shown(guess)}; give {shape[0]} rows of {shape[1]} states")
    return found.copy()


def _solved(
    f: DynamicsFunction, guess: Array, end: dict[str, float], time: float, most: float | None, tolerance: float
) -> tuple[Array, Array, float]:
    """States at nodes, forces at nodes and midpoints, and the effort."""
    casadi = package("casadi", "casadi")
    steps, h, call = len(guess) - 1, time / (len(guess) - 1), f.to_casadi()
    opti = casadi.Opti()
    x, u = opti.variable(len(f.states), steps + 1), opti.variable(len(f.inputs), 2 * steps + 1)
    slopes = [call(0.0, x[:, k], u[:, 2 * k]) for k in range(steps + 1)]
    for k in range(steps):
        middle = (x[:, k] + x[:, k + 1]) / 2 + h / 8 * (slopes[k] - slopes[k + 1])
        between = call(0.0, middle, u[:, 2 * k + 1])
        opti.subject_to(x[:, k + 1] - x[:, k] == h / 6 * (slopes[k] + 4 * between + slopes[k + 1]))
    opti.subject_to(x[:, 0] == guess[0])
    for name, value in end.items():
        opti.subject_to(x[f.states.index(name), steps] == value)
    if most is not None:
        bound = number(most, "most", "least_effort")
        opti.subject_to(opti.bounded(-bound, casadi.vec(u), bound))
    opti.minimize(casadi.sum1(u**2) @ (h / 6 * np.array([1, *([4, 2] * steps)[:-1], 1])))  # Simpson's weights
    opti.set_initial(x, guess.T)
    opti.solver("ipopt", QUIET | {"ipopt.tol": tolerance})
    try:
        found = opti.solve()
    except RuntimeError:
        said = str(opti.stats().get("return_status", "failed")).replace("_", " ")
        raise StudyError(
            f"least_effort: no motion was found that ends where it is asked to ({said}); give more time, a larger `most`, more "
            "steps, or a guess that is nearer"
        ) from None
    states, forces = (np.asarray(found.value(y)).reshape(n, -1).T for y, n in ((x, len(f.states)), (u, len(f.inputs))))
    return states, forces, float(found.value(opti.f))
