"""The steps of a stepper once more, with half the step and the same inputs at the same instants.

A function of time that jumps at each step cannot stand for the inputs there: the last stage of a step would see those of the
next one.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace

import numpy as np

from cotree.errors import RunWarning
from cotree.integrate.results.run import Run
from cotree.integrate.stepper.held import Held
from cotree.integrate.stepper.inputs import with_mechanism
from cotree.integrate.stepper.stepper import Stepper
from cotree.model.forces import UserFunction
from cotree.model.mechanism import Mechanism
from cotree.system.system import System


def inputs_of(system: System) -> dict[str, Held]:
    """Motors and loads whose values a stepper was given between its steps, by name."""
    mech = system.mechanism
    values = [(n, f.torque) for n, f in mech.joint_forces.items()] + [(n, f.value) for n, f in mech.loads.items()]
    return {n: x.given for n, x in values if isinstance(x, UserFunction) and isinstance(x.given, Held)}


def stepped_again(run: Run) -> Run:
    """A run of a stepper with half its step; row k of the first is row 2 k of this one. Warnings are those
    of the first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        return _stepped_again(run)


def _stepped_again(run: Run) -> Run:
    inputs, chosen = inputs_of(run.system), run.settings.choices
    again = Stepper(
        _with_numbers(run.system, inputs), 0.5 * float(run.settings.step or 0.0), chosen["method"], run.q[0], run.v[0],
        t_start=float(run.t[0]), formulation=chosen["formulation"], stabilize=chosen["stabilize"],
    )  # fmt: skip
    for t in run.t[:-1].tolist():
        again.set({name: held(t) for name, held in inputs.items()})
        again.step(2)
    return again.run()


def _with_numbers(system: System, inputs: dict[str, Held]) -> System:
    """The system whose inputs are numbers, which a stepper can set."""
    mech: Mechanism = copy.copy(system.mechanism)
    for name in inputs:
        if name in mech.loads:
            mech.loads[name] = replace(mech.loads[name], value=np.zeros(3))
        else:
            mech.joint_forces[name] = replace(mech.joint_forces[name], torque=np.zeros(1))
    return with_mechanism(system, mech)
