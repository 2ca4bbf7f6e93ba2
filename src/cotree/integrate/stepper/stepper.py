"""`Stepper`: a simulation that is advanced step by step from Python."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.dynamics.cut_springs import REMEDY, cut_springs
from cotree.engine.status import DONE, USER_FAILED
from cotree.errors import ArgumentError, ForceError, ShapeError, StepError, SwitchError, UnknownNameError
from cotree.formulations.choices import FormulationChoice
from cotree.integrate.checks.missing_functions import check_functions
from cotree.integrate.checks.run_warnings import announce, warning
from cotree.integrate.checks.start_doubts import mistaken
from cotree.integrate.choices import MethodChoice, StabilizationChoice
from cotree.integrate.contacts.history import ContactReading
from cotree.integrate.contacts.steps.preparing import STEPPING, needs_steps, settings_for, stepping_system
from cotree.integrate.contacts.steps.route import Rows as ContactRows
from cotree.integrate.contacts.steps.route import history, run_of
from cotree.integrate.driver import Driver
from cotree.integrate.guided_start import guided_start
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.old_keywords import takes_old_keywords
from cotree.integrate.results.run import Run
from cotree.integrate.settings import Settings
from cotree.integrate.start import initial_state
from cotree.integrate.stepper.held import held
from cotree.integrate.stepper.inputs import (
    input_name,
    joint_coordinates,
    refuse_tiny_steps,
    slots_of,
    with_motors,
)
from cotree.integrate.stepper.stepping import Rows, refresh_at, take_steps
from cotree.integrate.tolerances import positive
from cotree.model.checks import flag, floats, shown
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism, nearest
from cotree.sensors.accelerating import Accelerated
from cotree.sensors.readable import Readable
from cotree.sensors.sensors import Sensors
from cotree.sensors.states import Block, SteppedBlock
from cotree.system.arguments import system_of, time_of
from cotree.system.system import System

Array = NDArray[np.float64]
# without contacts and devices a step is divided where laws switch
STEPPER = declare("ct.Stepper", SwitchError, handles=("switching laws",), on=(STEPPING,))
MOST_STEPS = 10**7  # in one call
CHUNK = 4096  # steps between looks for Ctrl-C
WATCHED = 10  # steps between looks at springs that may jump
Change = tuple[float, str, tuple[float, ...]]  # time, input, numbers from then on


class Stepper(Readable):
    """Advance a mechanism by steps of one size, with inputs that may change between them.

    The states are those of `simulate` with the same step and method, to the last bit. Contacts,
    brakes, limits and locks are stepped through, without their instants being located; what acts
    at given times, and docks, need `simulate`.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    step : float
        Step [s].
    method : str or value, optional
        Method with a fixed step, as for `simulate`; "auto" is "rk4", and "moreau-jean" with contacts,
        brakes and limits.
    q : array_like or dict, optional
        Start, as for `simulate`.
    v : array_like or dict, optional
        Start velocities, as for `simulate`.
    t_start : float, optional
        Time at the start [s].
    formulation : str or value, optional
        As for `simulate`.
    stabilize : str or value, optional
        As for `simulate`.
    record : bool, optional
        Keep the rows for `run()`.

    Raises
    ------
    ChoiceError
        For a method without fixed steps, or one that does not step through contacts.
    SwitchError
        For a mechanism with docks or with what acts at given times.

    See Also
    --------
    BatchStepper : Many copies at once.

    Examples
    --------
    >>> stepper = ct.Stepper(ct.gallery.four_bar(), step=1e-3)
    >>> stepper.step(100)
    >>> round(stepper.t, 6)
    0.1
    """

    @takes_old_keywords("baumgarte", "spectral_radius")
    def __init__(
        self,
        mechanism_or_system: Mechanism | System,
        step: float,
        method: str | MethodChoice = "auto",
        q: Mapping[str, float] | ArrayLike | None = None,
        v: Mapping[str, float] | ArrayLike | None = None,
        *,
        t_start: float = 0.0,
        formulation: str | FormulationChoice = "auto",
        stabilize: str | StabilizationChoice = "auto",
        record: bool = True,
    ) -> None:
        given = mechanism_or_system
        base = given.compiled() if isinstance(given, Mechanism) else system_of(given, Stepper)
        STEPPER.admit(base.features)
        if step is None:
            raise ShapeError("step is None; give the size of the steps in seconds, such as step=1e-3")
        settings = settings_for(Settings.of(positive("step", step), method, formulation, stabilize), base)
        start = guided_start(base, settings, time_of("t_start", t_start), q, v).determined()
        base = start.system
        self._free, self._base, self._record = base, base, flag(record, "record")  # without locks, and with them
        self._coordinates = joint_coordinates(base)
        self._used: tuple[str, ...] = ()  # coordinates whose torque was set
        self.system, self._slots = base, slots_of(base)
        self.settings = start.settings
        self.step_size = float(self.settings.step or 0.0)
        self._noted = [*check_functions(base.mechanism), *(w for w in start.noted if w.kind == "rank")]
        self._springs = cut_springs(base)  # those that have not jumped yet
        self.reset(q, v, t_start)

    # -- state ------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """The present time [s]."""
        return float(self._driver.state.clock["t_now"])

    @property
    def q(self) -> Array:
        """Coordinates (nq,), a copy; `system.q_names` names them."""
        return self._now.q.copy()

    @property
    def v(self) -> Array:
        """Velocities (nv,), a copy; `system.v_names` names them."""
        return self._now.v.copy()

    @property
    def states(self) -> Array:
        """States of the laws, a copy; `system.state_names` names them."""
        return self._driver.state.work[2, 2 : 2 + self.system.n_states].copy()

    @property
    def v_dot(self) -> Array:
        """Accelerations (nv,) under the present inputs, a copy."""
        if needs_steps(self.system):
            return self.sensors.v_dot[0]  # says that they are not known
        self._refresh()
        return self._now.v_dot.copy()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names that `set` takes as torques and forces: coordinates of joints, then motors and loads."""
        return (*self._coordinates, *slots_of(self._base))

    def reset(
        self,
        q: Mapping[str, float] | ArrayLike | None = None,
        v: Mapping[str, float] | ArrayLike | None = None,
        t: float = 0.0,
    ) -> None:
        """Start again at a state; inputs are zero, or what the mechanism says, and rows are discarded.

        Parameters
        ----------
        q : array_like or dict, optional
            Start, as for `simulate`.
        v : array_like or dict, optional
            Start velocities, as for `simulate`.
        t : float, optional
            Time [s].

        Examples
        --------
        >>> stepper = ct.Stepper(ct.gallery.four_bar(), step=1e-3)
        >>> stepper.step(10)
        >>> stepper.reset(v={"A": 1.5})
        >>> stepper.t
        0.0
        """
        begin = time_of("t", t)
        refuse_tiny_steps(self.step_size, begin)
        x, u, moved = initial_state(self._free, self.settings, begin, q, v)
        told = (*moved, *mistaken(self._free, q))
        if self._free.mechanism.devices:
            self._base, u = stepping_system(self._free, begin, x, u)
            self.system = self._with_inputs()
        self._warnings = (*self._noted, *told)
        for noted in told:  # a control loop may never ask for the run
            warnings.warn(noted, stacklevel=2)
        self._begin(begin, x, u)

    def _drive(self, t: float, q: Array, v: Array) -> None:
        self._driver = Driver(self.system, self.settings, t, q, v, np.array([t]), t + 1.0, ())
        self._now, self._here = self._driver.state.at("now"), self._driver.state.here
        p = self._driver.state.problem
        self._plain = not (p.n_instants or p.n_switches or METHODS[self.settings.method].implicit)
        self._places: dict[str, memoryview[float]] = {}  # of single numbers that were set, for the next time

    def _begin(self, t: float, q: Array, v: Array) -> None:
        self._drive(t, q, v)
        self._rows = Rows(self.system.nq, self.system.nv, self._driver.state.work.shape[1], self._record)
        self._free_rows = 0
        self._stale, self._changes = False, list[Change]()
        self._seen = [spring.seen(self.system, q) for spring in self._springs]
        if self._record:
            self._rows.add(t, q, v, self._driver.state.work[2])

    # -- inputs and steps -----------------------------------------------------------------------------------------

    def set(self, torque: Mapping[str, float] | None = None, force: Mapping[str, ArrayLike] | None = None) -> None:
        """Set inputs, from now on.

        Parameters
        ----------
        torque : dict, optional
            {name: torque [N m] or force [N]} along coordinates of joints, or of motors and
            loads; loads take three numbers. Others stay as they are.
        force : dict, optional
            The same under another name.

        Raises
        ------
        UnknownNameError
            For a name that is not in `inputs`.

        Examples
        --------
        >>> stepper = ct.Stepper(ct.gallery.four_bar(), step=1e-3)
        >>> stepper.set(torque={"A": 2.0})
        """
        for given in (torque, force):
            if given is None:
                continue
            if type(given) is not dict and not isinstance(given, Mapping):
                raise ArgumentError(f"set takes values by name, such as torque={{'A': 2.0}}; got {shown(given)}")
            for name, value in given.items():
                place = self._places.get(name)
                if place is None or type(value) is not float or value - value != 0.0:
                    self._set(name, value)
                elif place[0] != value:
                    place[0] = value
                    self._stale = True
                    if self._record:
                        self._changes.append((self.t, name, (value,)))

    def _set(self, name: str, value: Any) -> None:
        row, size = self._slot(name)
        x = floats(value)
        if x is None or x.size != size or not np.isfinite(x).all():
            raise ForceError(f"input {name!r} takes {size} finite number{'s' * (size > 1)}, got {shown(value)}")
        place = self._driver.state.values[row, :size]
        if size == 1:
            self._places[name] = memoryview(place)
        if np.any(place != x.ravel()):
            self._put(name, place, tuple(x.ravel().tolist()))

    def _put(self, name: str, place: Array, x: tuple[float, ...]) -> None:
        place[:] = x
        self._stale = True
        if self._record:
            self._changes.append((self.t, name, x))

    def _slot(self, name: str) -> tuple[int, int]:
        """Where the numbers of an input are; a torque along a coordinate gets its place when it is first set."""
        if not isinstance(name, str):
            self._complain(name)
        if name in self._coordinates and name not in self._used:
            self._use(name)
        found = self._slots.get(input_name(name) if name in self._coordinates else name)
        return self._complain(name) if found is None else found

    def _use(self, name: str) -> None:
        """Go on with a system that has an input along this coordinate, at the same state."""
        self._used += (name,)
        self.system = self._with_inputs()
        self._slots = slots_of(self.system)
        before, now = self._driver, self._driver.state.at("now")
        self._drive(self.t, now.q.copy(), now.v.copy())
        before.copy_state_to(self._driver)

    def _with_inputs(self) -> System:
        motors: Any = {input_name(n): (*self._coordinates[n], 0.0) for n in self._used}
        return with_motors(self._base, motors) if motors else self._base

    def _complain(self, name: Any) -> Any:
        if isinstance(name, str) and name in self._base.mechanism.motors_and_loads:
            raise ForceError(f"{name!r} is given by a function, which a stepper calls; only numbers can be set")
        cut = isinstance(name, str) and name in self.system.joint_names
        hint = "; name one of its coordinates" if cut else nearest(name, self.inputs)
        raise UnknownNameError(f"no input {shown(name)} of system {self.system.name!r}{hint}")

    def step(self, n: int = 1) -> None:
        """Advance by steps.

        Parameters
        ----------
        n : int, optional
            Number of steps.

        Raises
        ------
        StepError
            If a step fails; the state stays at the last good one.

        Examples
        --------
        >>> stepper = ct.Stepper(ct.gallery.four_bar(), step=1e-3)
        >>> stepper.step(10)
        >>> round(stepper.t, 6)
        0.01
        """
        if type(n) is not int or not 0 <= n <= MOST_STEPS:
            if not isinstance(n, np.integer) or not 0 <= n <= MOST_STEPS:
                raise ShapeError(f"n is {shown(n)}; give a whole number of steps, at most {MOST_STEPS:.0e} in one call")
            n = int(n)
        chunk = WATCHED if self._springs else CHUNK
        while n > chunk:
            self._advance(chunk)
            n -= chunk
        self._advance(n)

    def _advance(self, n: int) -> None:
        """So many steps in one compiled call."""
        if self._record and n > self._free_rows:
            self._free_rows = self._rows.make_room(n)
        self._free_rows -= n
        brief = self._stale and self._plain  # forces set before this step will probably be set before the next one
        status = take_steps(self._here, self._rows.here, n, self.step_size, self._stale, brief)
        self._stale = brief and n > 0
        if status != DONE:
            self._failed(int(status))
        if self._springs:
            self._look_at_springs()

    def _look_at_springs(self) -> None:
        """Say once where a spring on a joint that is cut has jumped; a control loop may never ask for the run."""
        seen = [spring.seen(self.system, self._now.q) for spring in self._springs]
        jumped = [abs(x - before) > np.pi for x, before in zip(seen, self._seen, strict=True)]
        for spring, far in zip(self._springs, jumped, strict=True):
            if far:
                passed = f"the joint passed half a turn before t = {self.t:.6g} s, and the spring jumped"
                warnings.warn(warning("functions", f"{spring.words}; {passed}. {REMEDY}", self.t), stacklevel=4)
        self._springs = tuple(s for s, far in zip(self._springs, jumped, strict=True) if not far)
        self._seen = [x for x, far in zip(seen, jumped, strict=True) if not far]

    def _failed(self, status: int) -> None:
        self._stale = True
        self._driver.callback.check(failed=status == USER_FAILED)
        raise StepError(
            f"system {self.system.name!r}: {self._driver.failure(status)}; take a smaller step, or ct.simulate"
        )

    def contact(self, name: str) -> ContactReading:
        """Read a contact: gap, point and slip now, and its force in the last step.

        Parameters
        ----------
        name : str
            The contact.

        Returns
        -------
        ContactReading
            As of `run.contact`, with one row.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> ball = ct.Mechanism("ball")
        >>> body = ball.body("ball", shape=ct.Sphere((0, 0, 0.1), 0.1), density=1000)
        >>> free = ball.joint("free", ball.ground, body, ct.Free())
        >>> floor = ball.contact("floor", ball.ground, ct.Plane((0, 0, 0), (0, 0, 1)), body, None)
        >>> stepper = ct.Stepper(ball, step=1e-3)
        >>> stepper.step()
        >>> round(float(stepper.contact("floor").normal_force[0]), 6)
        41.092032
        """
        steps, now = self._driver.attached, self._driver.state.at("now")
        rows = self._driver.state.work[2][None]
        found = None
        if steps is not None:
            parts = np.array([self.t]), now.q[None].copy(), now.v[None].copy(), rows
            found = history(steps, ContactRows.of(steps, self.system.n_states, *parts))
        if found is None:
            raise UnknownNameError(f"there is no contact {shown(name)}: system {self.system.name!r} has none")
        return found.reading(name)

    # -- results ------------------------------------------------------------------------------------------------

    @property
    def sensors(self) -> Sensors:
        """What can be read of the present state by name; `joint`, `point` and so on are methods of the stepper too."""
        rows = np.array([self.t]), self.q[None], self.v[None], self.states[None]
        if needs_steps(self.system):
            return Sensors(self.system, [SteppedBlock(self.system, *rows)], single=True)
        self._refresh()
        state, block = self._driver.state, Block(self.system, *rows)
        known = Accelerated(
            self._now.v_dot[None].copy(), state.lam[None].copy(), state.b[None].copy(), state.values[None].copy(),
            state.work[3, 2 : 2 + self.system.n_states][None].copy(),
        )  # fmt: skip
        block.__dict__["accelerated"] = known
        return Sensors(self.system, [block], single=True)

    def _refresh(self) -> None:
        """Accelerations and forces of the present state under the present inputs."""
        status = int(refresh_at(self._here))
        self._driver.callback.check()
        if status < 0:
            self._failed(status)
        self._stale = False

    def run(self) -> Run:
        """Return the steps so far as a Run, one row per step.

        Returns
        -------
        Run
            Inputs that were set are motors of its system, named "A torque".

        Examples
        --------
        >>> stepper = ct.Stepper(ct.gallery.four_bar(), step=1e-3)
        >>> stepper.step(10)
        >>> stepper.run().t.shape
        (11,)
        """
        if not self._record:
            raise StepError("this stepper keeps no rows (record=False), so there is no run to give")
        t, q, v, rows = self._rows.all()
        if self._driver.attached is not None:
            parts = self._driver, self._driver.attached, self.settings, (t, q, v, rows), self._warnings
            return announce(replace(run_of(*parts), system=self._system_of_run()))
        work = np.hstack([rows[:, :2], np.zeros((len(t), 1))])
        run = Run(
            self._system_of_run(), t, q, v, "done", "", self._driver.statistics(), self.settings, work=work,
            noted=self._warnings, states=rows[:, 2:],
        )  # fmt: skip
        return announce(run)

    def _system_of_run(self) -> System:
        """The system with the inputs over time."""
        changes: dict[str, list[tuple[float, Any]]] = {}
        for at, name, value in self._changes:
            changes.setdefault(name, []).append((at, value if len(value) > 1 else value[0]))
        base, motors, other = self._base, {}, {}
        for name, found in changes.items():
            if name in self._coordinates:
                motors[input_name(name)] = (*self._coordinates[name], held(found, 0.0))
            else:
                row, size = self._slots[name]
                before = self.system.elements.constants[row]
                other[name] = held(found, tuple(before.tolist()) if size > 1 else float(before[0]))
        return with_motors(base, motors, other) if changes else base

    def copy(self) -> Stepper:
        """Copy the stepper; the two go on independently.

        Returns
        -------
        Stepper
            Another one at the same state, with the same inputs and rows.

        Examples
        --------
        >>> stepper = ct.Stepper(ct.gallery.four_bar(), step=1e-3)
        >>> other = stepper.copy()
        >>> other.step(10)
        >>> stepper.t, round(other.t, 6)
        (0.0, 0.01)
        """
        new = object.__new__(Stepper)
        new.__dict__.update(self.__dict__)
        new._begin(self.t, self.q, self.v)
        self._driver.copy_state_to(new._driver)
        new._stale, new._changes = self._stale, list(self._changes)
        if self._record:
            rows = self._rows.all()
            new._rows.make_room(len(rows[0]))
            for mine, theirs in zip(new._rows.arrays, rows, strict=True):
                mine[: len(theirs)] = theirs
            new._rows.record["count"] = len(rows[0])
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Stepper:
        return self.copy()

    def __reduce__(self) -> Any:
        raise StepError(
            "a stepper holds memory of this process and cannot be pickled; send stepper.system, t, q and v, and make another "
            "there"
        )

    def __repr__(self) -> str:
        return f"<Stepper of {self.system.name!r} at t = {self.t:.6g} s, {self.settings.method}, {self.step_size:g} s a step>"
