"""`BatchStepper`: many copies of one mechanism, advanced together step by step, with live arrays."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.engine.lane_type import LANES
from cotree.engine.records import address_of
from cotree.engine.status import DONE
from cotree.errors import ArgumentError, ChoiceError, RunWarning, ShapeError, StepError, SwitchError, UnknownNameError
from cotree.formulations.choices import FormulationChoice
from cotree.integrate.choices import MethodChoice, StabilizationChoice
from cotree.integrate.driver import Driver
from cotree.integrate.guided_start import guided_start
from cotree.integrate.lanes.batch_steps import copies, take_batch_steps
from cotree.integrate.lanes.group import LANES_OF_RUNS, Group, structure
from cotree.integrate.many_starts import Starts, starts
from cotree.integrate.settings import Settings
from cotree.integrate.start import initial_state
from cotree.integrate.stepper.inputs import input_name, joint_coordinates, slots_of, with_motors
from cotree.integrate.stepper.stepper import STEPPER
from cotree.integrate.tolerances import positive
from cotree.model.checks import names, shown
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism, nearest
from cotree.system.arguments import system_of
from cotree.system.system import System

Array = NDArray[np.float64]
BATCH_STEPPER = declare(
    "ct.BatchStepper",
    SwitchError,
    refuses={
        "switches": "lanes do not step through contacts, limits and brakes, which differ from lane to lane; use ct.Stepper"
    },
    on=(STEPPER, LANES_OF_RUNS),
)
CHUNK = 4096  # steps of members between looks for Ctrl-C
MOST_STEPS = 10**7


class BatchStepper:
    """Advance many copies of a mechanism together by steps of one size, for control and learning.

    The arrays `q` (count, nq), `v` (count, nv) and `torque` (count, inputs) are live: what is
    written there acts in the next step. A member that fails stays at its last good state;
    `failed` marks it, `message(i)` says why, and `reset` starts it again. User functions and
    locks need `Stepper` or `simulate`.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    step : float
        Step [s].
    count : int, optional
        Number of copies; by default that of the starts.
    method : str or value, optional
        Method with a fixed step.
    q : array_like or dict, optional
        Starts (count, nq), or one for all.
    v : array_like or dict, optional
        Start velocities, likewise.
    inputs : sequence of str, optional
        Coordinates along which torques can be set, the columns of `torque`; those of all
        joints by default.
    formulation : str or value, optional
        As for `simulate`.
    stabilize : str or value, optional
        As for `simulate`.

    Raises
    ------
    ChoiceError
        For a mechanism with user functions or locks.

    Examples
    --------
    >>> batch = ct.BatchStepper(ct.gallery.four_bar(), step=1e-3, count=3, inputs=["A"])
    >>> batch.torque[:, 0] = [0.0, 1.0, 2.0]
    >>> batch.step(100)
    >>> batch.q.shape, bool(batch.v[0, 0] < batch.v[1, 0] < batch.v[2, 0])
    ((3, 3), True)
    """

    def __init__(
        self,
        mechanism_or_system: Mechanism | System,
        step: float,
        count: int | None = None,
        method: str | MethodChoice = "rk4",
        q: ArrayLike | Mapping[str, ArrayLike] | None = None,
        v: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        inputs: Sequence[str] | None = None,
        formulation: str | FormulationChoice = "auto",
        stabilize: str | StabilizationChoice = "auto",
    ) -> None:
        given = mechanism_or_system
        base = given.compiled() if isinstance(given, Mechanism) else system_of(given, BatchStepper)
        BATCH_STEPPER.admit(base.features)
        if step is None:
            raise ShapeError("step is None; give the size of the steps in seconds, such as step=1e-3")
        settings = Settings.of(positive("step", step), method, formulation, stabilize)
        start = guided_start(base, settings, 0.0, None, None).determined()
        self.settings, self.step_size = start.settings, float(step)
        self.system = self._with_inputs(start.system, inputs)
        self._count = _members(count, *(starts(self.system, x, what) for x, what in ((q, "q"), (v, "v"))))
        self._make(start.q, start.v)
        if q is not None or v is not None:
            self.reset(q, v)

    def _with_inputs(self, base: System, inputs: Any) -> System:
        """The system with a motor for each input; `inputs` in their order."""
        known = joint_coordinates(base)
        self.inputs = tuple(known) if inputs is None else names(inputs, "inputs")
        for name in self.inputs:
            if name not in known:
                raise UnknownNameError(f"no input {shown(name)} of system {base.name!r}{nearest(name, known)}")
        motors: Any = {input_name(name): (*known[name], 0.0) for name in self.inputs}
        return with_motors(base, motors) if motors else base

    def _make(self, q: Array, v: Array) -> None:
        """Records and arrays of all members, each at this state."""
        system, n = self.system, self._count
        self._driver = driver = Driver(system, self.settings, 0.0, q, v, np.array([0.0]), 1.0, ())
        if structure(driver) is None:
            raise ChoiceError(
                f"a batch of system {system.name!r} cannot be stepped on lanes: user functions, controllers, locks and "
                "their like, implicit methods, formulations other than 'auto' and COTREE_LANES=0 need single runs; "
                "use ct.Stepper"
            )
        self._group, state = Group(driver), driver.state
        self._now = np.repeat(state.kept["now"][None], n, axis=0)
        self._values = np.repeat(state.values[None], n, axis=0)
        self._work = np.repeat(state.work[None], n, axis=0)
        self._runs = copies(state.run, n, now=self._now, values=self._values, work=self._work)
        self._first = self._runs[:1].copy()
        slots = slots_of(system)
        rows = [slots[input_name(name)][0] for name in self.inputs]
        first = rows[0] if rows else 0
        assert rows == list(range(first, first + len(rows)))  # motors come in the order in which they were added
        nq, nv = system.nq, system.nv
        self._q, self._v, self._a = self._now[:, :nq], self._now[:, nq : nq + nv], self._now[:, nq + nv :]
        self._torque = self._values[:, first : first + len(rows), 0]
        self._status = np.full(n, DONE, dtype=np.int64)
        self._seen: tuple[Array, Array] | None = None

    # -- live arrays ----------------------------------------------------------------------------------------------

    @property
    def t(self) -> Array:
        """Time of each member (count,), a copy."""
        return self._runs["clock"]["t_now"].copy()

    @property
    def q(self) -> Array:
        """Coordinates (count, nq), live."""
        return self._q

    @property
    def v(self) -> Array:
        """Velocities (count, nv), live."""
        return self._v

    @property
    def torque(self) -> Array:
        """Torques and forces (count, inputs) along the coordinates named by `inputs`, live."""
        return self._torque

    @property
    def v_dot(self) -> Array:
        """Accelerations (count, nv) under the present inputs, a copy."""
        self.step(0)
        return self._a.copy()

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which members have failed (count,)."""
        return self._status != DONE

    def __len__(self) -> int:
        return self._count

    # -- steps --------------------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> None:
        """Advance all members by steps.

        Parameters
        ----------
        n : int, optional
            Number of steps.

        Examples
        --------
        >>> batch = ct.BatchStepper(ct.gallery.four_bar(), step=1e-3, count=2)
        >>> batch.step(10)
        """
        if not isinstance(n, (int, np.integer)) or isinstance(n, bool) or not 0 <= n <= MOST_STEPS:
            raise ShapeError(f"n is {shown(n)}; give a whole number of steps, at most {MOST_STEPS:.0e} in one call")
        stale, left = self._touched(), int(n)
        most = max(1, CHUNK * LANES // self._count)
        while left > 0 or stale:
            steps = min(left, most)
            take_batch_steps(
                self._group.pack.here,
                self._group.here,
                address_of(self._runs),
                self._status,
                steps,
                self.step_size,
                stale,
            )
            stale, left = False, left - steps
        self._seen = self._now[:, : -self.system.nv or None].copy(), self._values.copy()

    def _touched(self) -> bool:
        """Whether states or values are other than the last step left them."""
        if self._seen is None:
            return True
        state, values = self._now[:, : -self.system.nv or None], self._values
        return not (np.array_equal(self._seen[0], state) and np.array_equal(self._seen[1], values))

    def reset(
        self,
        q: ArrayLike | Mapping[str, ArrayLike] | None = None,
        v: ArrayLike | Mapping[str, ArrayLike] | None = None,
        members: Sequence[int] | None = None,
    ) -> None:
        """Start members again at time 0; torques are zero.

        Parameters
        ----------
        q : array_like or dict, optional
            States (members, nq), or one for all, or by name; made admissible as by `simulate`.
        v : array_like or dict, optional
            Velocities, likewise.
        members : sequence of int, optional
            Which members; all by default.

        Raises
        ------
        ShapeError
            If the number of states is not that of the members.

        Examples
        --------
        >>> batch = ct.BatchStepper(ct.gallery.four_bar(), step=1e-3, count=2)
        >>> batch.reset(v={"A": [1.0, 1.5]})
        >>> batch.v[:, 0]
        array([1. , 1.5])
        """
        chosen = self._chosen(members)
        begin = [starts(self.system, x, what) for x, what in ((q, "q"), (v, "v"))]
        if {x.count for x in begin} - {None, len(chosen)}:
            raise ShapeError(
                f"q or v has a state for each of {max(x.count or 0 for x in begin)} members; give {len(chosen)}, or one for all"
            )
        found: list[tuple[Array, Array]] = []
        moved: dict[int, RunWarning] = {}
        for k in range(len(chosen)):
            if k and all(x.count is None for x in begin):
                found.append(found[0])
                continue
            x, u, noted = initial_state(self.system, self.settings, 0.0, *(y.of(k) for y in begin))
            found.append((x, u))
            if noted:
                moved[chosen[k]] = noted[0]
        problem, arrays = self._runs["problem"], self._runs["arrays"]
        fields = problem["here"], arrays["now"]["at"], arrays["work"]["at"], problem["arrays"]["values"]["at"]
        for i, (x, u) in zip(chosen, found, strict=True):
            own = [field[i] for field in fields]
            self._runs[i] = self._first[0]
            for field, its_own in zip(fields, own, strict=True):
                field[i] = its_own
            self._q[i], self._v[i], self._torque[i], self._status[i] = x, u, 0.0, DONE
            self._work[i] = 0.0
        self._seen = None
        for i, first in list(moved.items())[:1]:
            text = f"{len(moved)} of {len(chosen)} members did not start as asked, the first is {i}: {first}"
            warnings.warn(RunWarning(first.kind, text), stacklevel=2)

    def _chosen(self, members: Any) -> list[int]:
        if members is None:
            return list(range(self._count))
        try:
            found = [int(i) for i in np.arange(self._count)[np.asarray(members)].ravel()]
        except (IndexError, TypeError, ValueError):
            raise ArgumentError(
                f"members is {shown(members)}; give numbers from 0 to {self._count - 1}, or a mask of {self._count}"
            ) from None
        return found

    def message(self, i: int) -> str:
        """Explain why a member failed.

        Parameters
        ----------
        i : int
            The member.

        Returns
        -------
        str
            The reason; empty if it has not failed.

        Examples
        --------
        >>> ct.BatchStepper(ct.gallery.four_bar(), step=1e-3, count=2).message(0)
        ''
        """
        status = int(self._status[self._chosen([i])[0]])
        if status == DONE:
            return ""
        state = self._driver.state
        state.at("now").q[:], state.clock.t_now = self._q[i], self._runs["clock"]["t_now"][i]
        return self._driver.failure(status)

    def check(self) -> None:
        """Raise an error if members have failed.

        Raises
        ------
        StepError
            With their number and the reason of the first.

        Examples
        --------
        >>> ct.BatchStepper(ct.gallery.four_bar(), step=1e-3, count=2).check()
        """
        bad = np.flatnonzero(self.failed)
        if bad.size:
            raise StepError(
                f"{bad.size} of {self._count} members of system {self.system.name!r} have failed, the first is {bad[0]}: "
                f"{self.message(int(bad[0]))}; take a smaller step, or reset them"
            )

    def __reduce__(self) -> Any:
        raise StepError(
            "a batch of steppers holds memory of this process and cannot be copied or pickled; make another"
        )

    def __repr__(self) -> str:
        how = f"{self.settings.method}, {self.step_size:g} s a step"
        return f"<BatchStepper of {self._count} times {self.system.name!r}, {how}>"


def _members(count: Any, *begin: Starts) -> int:
    """How many members there are, on which all who tell it must agree."""
    told = {x.count for x in begin if x.count is not None}
    if count is not None:
        if type(count) is not int or count < 1:
            raise ShapeError(f"count is {shown(count)}; give a number of members, 1 or more")
        told.add(count)
    if len(told) != 1:
        raise ShapeError(
            f"the number of members is {' or '.join(map(str, sorted(told))) or 'not told'}; give count=, or q or v one row "
            "for each"
        )
    return told.pop()
