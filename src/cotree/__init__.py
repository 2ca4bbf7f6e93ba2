"""Cotree: multibody dynamics on Lie groups, closed loops first.

A first run:

    import cotree as ct
    mech = ct.gallery.four_bar()        # or ct.Mechanism(), body(), joint(); or ct.load("model.urdf")
    print(ct.mobility(mech))            # degrees of freedom, redundant constraints
    run = ct.simulate(mech, t_end=10.0)
    print(run)                          # energy balance, closure, accuracy, warnings
    run.html("four_bar.html")           # a page that plays the motion

Names are loaded when they are first used, so importing the package compiles nothing. `help(ct.simulate)` explains one of them.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.3.0"  # the only place; pyproject.toml reads it here

_MODULES = {
    "cotree.model": (
        "Body", "Box", "Cylinder", "Cylindrical", "Free", "Harmonic", "Helical", "Hole", "Law", "MassProperties", "Mechanism",
        "Mesh", "PID", "Planar", "PlanarTranslation", "Plane", "Point", "Polynomial", "Prismatic", "Profile", "Revolute", "Rod",
        "Schoenflies", "Section", "Slot", "Sphere", "Spherical", "Steps", "Table", "Translation", "Trapezoid", "Universal",
        "Weld", "degrees", "parameters", "with_parameters",
    ),
    "cotree.system": ("System", "Systems"),
    "cotree.kinematics": (
        "accelerations", "body_jacobian", "displace", "jacobian_derivative", "normalize", "poses", "spatial_jacobian",
        "twists",
    ),
    "cotree.constraints": (
        "assemble", "assembly_modes", "consistent_velocity", "constraint_bias", "constraint_jacobian",
        "constraint_residual", "mobility", "redundant_rows", "regularization",
    ),
    "cotree.dynamics": ("center_of_mass", "energy", "inverse_dynamics", "mass_matrix", "momentum"),
    "cotree.formulations": (
        "Index1", "ODCA", "ProjectedEquations", "Voronets", "actuator_forces", "forward_dynamics", "self_stress",
    ),
    "cotree.derivatives": (
        "energy_derivatives", "forward_dynamics_derivatives", "inverse_dynamics_derivatives", "parameter_derivatives",
    ),
    "cotree.transitions": ("Transition", "transition"),
    "cotree.integrate": (
        "Adaptive", "BatchStepper", "Baumgarte", "CommutatorFree4", "CrouchGrossman3", "Dop853", "Dopri5", "Euler", "Event",
        "GeneralizedAlpha", "Midpoint", "MoreauJean",
        "NoStabilization", "Partition", "Projection", "RK4", "Rattlie", "Run", "Stepper",
        "simulate", "simulate_many",
    ),
    "cotree.sensors": ("Sensors", "measure"),
    "cotree.studies": (
        "dynamics_function", "emergency_stop", "equilibrium", "fit", "floquet", "inverse_kinematics", "jacobian",
        "least_effort", "linearize", "linearize_along", "load_sweep", "optimize", "reading_derivatives", "residual",
        "sensitivities", "singularities",
        "steady_motion", "sweep", "tolerances",
    ),
    "cotree.io": ("load", "load_run", "read_step", "save"),
    "cotree.export": ("export_fmu", "export_library", "export_page"),
}  # fmt: skip
_HOME = {name: module for module, names in _MODULES.items() for name in names}
_SUBPACKAGES = (
    "errors",
    "lie",
    "screws",
    "topology",
    "model",
    "system",
    "kinematics",
    "dynamics",
    "constraints",
    "formulations",
    "derivatives",
    "transitions",
    "integrate",
    "io",
    "gallery",
    "view",
    "export",
    "sensors",
    "studies",
    "theory",
    "papers",
    "typing",
)

_RENAMED = {"mass_centre": "center_of_mass"}  # old names, which warn; the next release removes them
_MOVED = (  # to `theory`, likewise
    "assembly_plan", "block_matrices", "body_inertia", "constraint_jacobian_rate", "constraint_rate", "coordinate_rates",
    "energy_by_body", "inverse_dynamics_second_derivatives", "is_holonomic", "jacobian_partials", "jacobian_second_partials",
    "joint_gaps", "joint_spaces", "momentum_by_body", "object_of_nonholonomy",
)  # fmt: skip
_ALSO_THERE = (  # names of `theory` that stay here too, for programs that call them
    "christoffel", "coriolis_matrix", "handle_equations", "motion_algebra", "projection_lengths", "reduced",
)  # fmt: skip

__all__ = sorted(_HOME)

_TITLES = {
    "cotree.model": "Describe a mechanism: bodies, joints, shapes",
    "cotree.system": "The compiled mechanism",
    "cotree.kinematics": "Positions, velocities, Jacobians",
    "cotree.constraints": "Loops and other constraints, mobility",
    "cotree.dynamics": "Equations of motion, energy, momentum",
    "cotree.formulations": "Dynamics with constraints, joint reactions",
    "cotree.derivatives": "Derivatives of the dynamics",
    "cotree.transitions": "Velocity jumps where joints lock or constraints close",
    "cotree.integrate": "Simulation",
    "cotree.sensors": "Sensors: points, joints, reactions and elements by name",
    "cotree.studies": "Studies built on simulations",
    "cotree.io": "Model files, robots, CAD, results",
    "cotree.export": "Mechanisms that run without Python",
}


def _contents() -> str:
    """The public names by subject, for `help(cotree)`."""
    lines = [f"{_TITLES[m]}:\n    {', '.join(names)}" for m, names in _MODULES.items()]
    return "\n".join([*lines, f"Subpackages:\n    {', '.join(_SUBPACKAGES)}"]) + "\n"


__doc__ = f"{__doc__}\n{_contents()}"


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _SUBPACKAGES:
        value = importlib.import_module(f"cotree.{name}")
    elif name in _RENAMED:
        return _renamed(name, _RENAMED[name])
    elif name in _MOVED:
        return _renamed(name, f"theory.{name}")
    elif name in _ALSO_THERE:
        return getattr(__getattr__("theory"), name)
    else:
        raise _missing(name)
    globals()[name] = value
    return value


def _renamed(name: str, new: str) -> Any:
    """What an old name stands for, with a warning."""
    import warnings
    from functools import reduce

    from cotree.errors import CotreeDeprecationWarning

    warnings.warn(f"ct.{name} is now called ct.{new}", CotreeDeprecationWarning, stacklevel=3)
    return reduce(getattr, new.split("."), importlib.import_module("cotree"))


def _missing(name: str) -> AttributeError:
    """The error for a name that is not here, with the nearest one that is."""
    from cotree._suggested import PACKAGE, methods_of, missing
    from cotree.model.mechanism import Mechanism

    synonyms = methods_of(Mechanism, "Mechanism()") | PACKAGE  # ct.Spring: mech.spring
    return missing("module 'cotree'", name, (*__all__, *_SUBPACKAGES), synonyms)


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBPACKAGES, *(name for name in globals() if name.startswith("__"))})
